// SPDX-License-Identifier: Apache-2.0
#include "annotator/text_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "annotator/terminal_text.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::string_view no_colour = "\x1b[0m";

std::string end_trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::vector<std::size_t> widths_of(const std::vector<Column>& columns, const std::vector<Row>& rows,
                                   std::size_t room) {
  constexpr std::size_t gap = 2;
  constexpr std::size_t least = 8;  // of a name: less says nothing
  std::vector<std::size_t> widths;
  std::size_t taken = 0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::size_t width = columns_of(columns[c].title);
    for (const Row& row : rows) width = std::max(width, columns_of(row[c]));
    widths.push_back(width);
    taken += width + (c == 0 ? 0 : gap);
  }
  for (; taken > room; --taken) {
    std::size_t* widest = nullptr;
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (columns[c].align == Align::left && (widest == nullptr || widths[c] >= *widest)) widest = &widths[c];
    if (widest == nullptr || *widest <= least) break;
    --*widest;
  }
  return widths;
}

}  // namespace

std::string painted(const std::string& text, std::string_view how, const TableStyle& style) {
  return style.colour == Colour::always ? fmt::format("{}{}{}", how, text, no_colour) : text;
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::string blanks(width - std::min(width, columns_of(text)), ' ');
  return align == Align::right ? blanks + text : text + blanks;
}

std::string table(const std::vector<Column>& columns, std::vector<Row> rows, const TableStyle& style) {
  const std::vector<std::size_t> widths = widths_of(columns, rows, style.width);
  Row titles;
  for (const Column& column : columns) titles.push_back(column.title);
  rows.insert(rows.begin(), titles);
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c)
      line += (c == 0 ? "" : "  ") +
              padded(end_of(rows[r][c], std::max<std::size_t>(widths[c], 2)), widths[c], columns[c].align);
    text += r == 0 ? painted(end_trimmed(line), bold, style) : end_trimmed(line);
    text += "\n";
  }
  return text;
}

}  // namespace jcprof::annotator
