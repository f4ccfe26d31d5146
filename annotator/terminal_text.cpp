// SPDX-License-Identifier: Apache-2.0
#include "annotator/terminal_text.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

struct Range {
  char32_t first = 0;
  char32_t last = 0;
};

constexpr std::array<Range, 13> wide{{{0x1100, 0x115F},
                                      {0x2E80, 0x303E},
                                      {0x3041, 0xA4CF},
                                      {0xA960, 0xA97C},
                                      {0xAC00, 0xD7A3},
                                      {0xF900, 0xFAFF},
                                      {0xFE30, 0xFE6F},
                                      {0xFF00, 0xFF60},
                                      {0xFFE0, 0xFFE6},
                                      {0x1F300, 0x1F64F},
                                      {0x1F680, 0x1F6FF},
                                      {0x1F900, 0x1F9FF},
                                      {0x20000, 0x3FFFD}}};
constexpr std::array<Range, 7> combining{{{0x0300, 0x036F},
                                          {0x0483, 0x0489},
                                          {0x0591, 0x05BD},
                                          {0x1AB0, 0x1AFF},
                                          {0x1DC0, 0x1DFF},
                                          {0x20D0, 0x20FF},
                                          {0xFE00, 0xFE0F}}};
bool is_in(std::span<const Range> ranges, char32_t character) {
  return std::ranges::any_of(
      ranges, [&](const Range& range) { return range.first <= character && character <= range.last; });
}

std::size_t character_columns(const Character& character) {
  if (!character.code_point) return 1;
  if (is_in(combining, *character.code_point)) return 0;
  return is_in(wide, *character.code_point) ? 2 : 1;
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string terminal_line(std::string_view line) {
  constexpr std::size_t tab = 4;
  std::string result;
  std::size_t columns = 0;
  for (const Character& character : characters_of(line)) {
    std::string shown(is_plain(character) ? character.bytes : "?");
    if (character.bytes == "\t") shown.assign(tab - columns % tab, ' ');
    result += shown;
    columns += columns_of(shown);
  }
  return result;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (const Character& character : characters_of(text)) columns += character_columns(character);
  return columns;
}

std::string cut_to(const std::string& text, std::size_t width) {
  if (columns_of(text) <= width) return text;
  std::string result;
  std::size_t columns = 1;  // of the ellipsis
  for (const Character& character : characters_of(text)) {
    columns += character_columns(character);
    if (columns > width) break;
    result += character.bytes;
  }
  return result + "…";
}

std::string end_of(const std::string& text, std::size_t width) {
  if (columns_of(text) <= width) return text;
  const std::vector<Character> characters = characters_of(text);
  std::size_t columns = 1;
  std::size_t from = text.size();
  for (auto character = characters.rbegin(); character != characters.rend(); ++character) {
    columns += character_columns(*character);
    if (columns > width) break;
    from -= character->bytes.size();
  }
  return "…" + text.substr(from);
}

}  // namespace jcprof::annotator
