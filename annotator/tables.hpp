// SPDX-License-Identifier: Apache-2.0
// The profile on a terminal: what it was measured on, the hottest lines, functions and loops, warnings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "annotator/estimates.hpp"

namespace jcprof::annotator {

enum class Colour : std::uint8_t { never, always };

struct TableStyle {
  std::size_t width = 100;  // columns of the terminal; places are shortened to fit, numbers never
  std::size_t rows = 12;    // of each table
  Colour colour = Colour::never;
};

std::string header(const Profile& profile, const TableStyle& style = {});
std::string line_table(const Profile& profile, const TableStyle& style = {});
std::string function_table(const Profile& profile, const TableStyle& style = {});
std::string loop_table(const Profile& profile, const TableStyle& style = {});
std::string warning_list(const Profile& profile, const TableStyle& style = {});

/// All of them, with empty lines between them.
std::string report(const Profile& profile, const TableStyle& style = {});

}  // namespace jcprof::annotator
