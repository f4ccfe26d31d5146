// SPDX-License-Identifier: Apache-2.0
// Text in columns on a terminal. Knows nothing of what stands in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jcprof::annotator {

enum class Colour : std::uint8_t { never, always };

struct TableStyle {
  std::size_t width = 100;  // columns of the terminal; names are shortened to fit, numbers never
  std::size_t rows = 12;    // of each table
  Colour colour = Colour::never;
};

enum class Align : std::uint8_t {
  left,  // a name
  right  // a number
};

struct Column {
  std::string title;
  Align align = Align::right;
};

using Row = std::vector<std::string>;

inline constexpr std::string_view bold = "\x1b[1m";
inline constexpr std::string_view yellow = "\x1b[33m";

std::string painted(const std::string& text, std::string_view how, const TableStyle& style);

/// Filled with blanks up to so many columns.
std::string padded(const std::string& text, std::size_t width, Align align);

/// With the titles as its first line. Names share what the numbers leave of the width.
std::string table(const std::vector<Column>& columns, std::vector<Row> rows, const TableStyle& style);

}  // namespace jcprof::annotator
