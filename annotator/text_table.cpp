// SPDX-License-Identifier: Apache-2.0
#include "annotator/text_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "src/core/error.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::string_view plain = "\x1b[0m";

/// Columns on a terminal, one for each character of UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// The end of `text`, which is what tells places apart: "…/PinApplet.java:34".
std::string shortened(const std::string& text, std::size_t width) {
  if (width_of(text) <= width) return text;
  std::size_t from = text.size();
  for (std::size_t taken = 1; taken < std::max<std::size_t>(width, 2) && from > 0; ++taken) {
    --from;
    while (from > 0 && (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80U) --from;
  }
  return "…" + text.substr(from);
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::string blanks(width - std::min(width, width_of(text)), ' ');
  return align == Align::right ? blanks + text : text + blanks;
}

std::string trimmed(std::string line) {
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
    std::size_t width = width_of(columns[c].title);
    for (const Row& row : rows) width = std::max(width, width_of(row[c]));
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
  return style.colour == Colour::always ? fmt::format("{}{}{}", how, text, plain) : text;
}

std::string name_text(std::string_view name) {
  std::string text = harmless(name);
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\t'; }, '?');
  return text;
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
      line += (c == 0 ? "" : "  ") + padded(shortened(rows[r][c], widths[c]), widths[c], columns[c].align);
    text += r == 0 ? painted(trimmed(line), bold, style) : trimmed(line);
    text += "\n";
  }
  return text;
}

}  // namespace jcprof::annotator
