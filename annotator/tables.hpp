// SPDX-License-Identifier: Apache-2.0
// The profile on a terminal: what it was measured on, the hottest lines, functions and loops, warnings.
#pragma once

#include <string>

#include "annotator/estimates.hpp"
#include "annotator/text_table.hpp"

namespace jcprof::annotator {

std::string header(const Profile& profile, const TableStyle& style = {});
std::string line_table(const Profile& profile, const TableStyle& style = {});
std::string function_table(const Profile& profile, const TableStyle& style = {});
std::string loop_table(const Profile& profile, const TableStyle& style = {});
std::string warning_list(const Profile& profile, const TableStyle& style = {});

/// All of them, with empty lines between them.
std::string report(const Profile& profile, const TableStyle& style = {});

}  // namespace jcprof::annotator
