// SPDX-License-Identifier: Apache-2.0
#include "annotator/terminal_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

struct Range {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
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
/// C0, DEL and C1; marks and overrides of direction, isolates, and zero widths.
constexpr std::array<Range, 6> unwanted{
    {{0x0, 0x1F}, {0x7F, 0x9F}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}}};

bool is_in(std::span<const Range> ranges, std::uint32_t character) {
  return std::ranges::any_of(
      ranges, [&](const Range& range) { return range.first <= character && character <= range.last; });
}

/// Of one sequence of UTF-8.
std::uint32_t character_of(std::string_view sequence) {
  constexpr std::array<std::uint32_t, 5> lead_bits{0, 0x7F, 0x1F, 0x0F, 0x07};
  std::uint32_t character = static_cast<unsigned char>(sequence.front()) & lead_bits.at(sequence.size());
  for (const char c : sequence.substr(1))
    character = character << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  return character;
}

std::size_t columns_of_character(std::string_view sequence) {
  const std::uint32_t character = character_of(sequence);
  if (is_in(combining, character)) return 0;
  return is_in(wide, character) ? 2 : 1;
}

/// Its sequences of UTF-8; bytes that are none stand alone.
std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text));
    characters.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return characters;
}

}  // namespace

std::string terminal_line(std::string_view line) {
  constexpr std::size_t tab = 4;
  std::string result;
  std::size_t columns = 0;
  for (const std::string_view character : characters_of(line)) {
    std::string shown(character);
    if (character == "\t")
      shown.assign(tab - columns % tab, ' ');
    else if (utf8_length(character) == 0 || is_in(unwanted, character_of(character)))
      shown = "?";
    result += shown;
    columns += columns_of(shown);
  }
  return result;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (const std::string_view character : characters_of(text)) columns += columns_of_character(character);
  return columns;
}

std::string cut_to(const std::string& text, std::size_t width) {
  if (columns_of(text) <= width) return text;
  std::string result;
  std::size_t columns = 1;  // of the ellipsis
  for (const std::string_view character : characters_of(text)) {
    columns += columns_of_character(character);
    if (columns > width) break;
    result += character;
  }
  return result + "…";
}

std::string end_of(const std::string& text, std::size_t width) {
  if (columns_of(text) <= width) return text;
  const std::vector<std::string_view> characters = characters_of(text);
  std::size_t columns = 1;
  std::size_t from = text.size();
  for (auto character = characters.rbegin(); character != characters.rend(); ++character) {
    columns += columns_of_character(*character);
    if (columns > width) break;
    from -= character->size();
  }
  return "…" + text.substr(from);
}

}  // namespace jcprof::annotator
