// SPDX-License-Identifier: Apache-2.0
#include "src/core/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace jcprof {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
    }
  }
  return row.back();
}

/// Matches a set like "[a-f_]" at the head of `pattern` against `c` and drops it; nothing when it has no end.
std::optional<bool> take_set(std::string_view& pattern, char c) {
  const std::size_t end = pattern.find(']', 1);
  if (end == std::string_view::npos) return std::nullopt;
  bool found = false;
  for (std::size_t i = 1; i < end; ++i) {
    const bool is_range = i + 2 < end && pattern[i + 1] == '-';
    found |= is_range ? pattern[i] <= c && c <= pattern[i + 2] : pattern[i] == c;
    if (is_range) i += 2;
  }
  pattern.remove_prefix(end + 1);
  return found;
}

/// One pattern against one text. Where a star has failed is remembered: without that, patterns of many stars
/// take time exponential in their number.
class GlobMatch {
 public:
  bool matches(std::string_view pattern, std::string_view text) {
    while (!pattern.empty()) {
      if (pattern.front() == '*') return star_matches(pattern, text);
      if (text.empty()) return false;
      if (pattern.front() == '[') {
        const std::optional<bool> found = take_set(pattern, text.front());
        if (!found.value_or(false)) return false;
      } else {
        if (pattern.front() != '?' && pattern.front() != text.front()) return false;
        pattern.remove_prefix(1);
      }
      text.remove_prefix(1);
    }
    return text.empty();
  }

 private:
  bool star_matches(std::string_view pattern, std::string_view text) {
    const auto here = std::pair(pattern.size(), text.size());
    if (failed_.contains(here)) return false;
    const bool any = pattern.starts_with("**");
    pattern.remove_prefix(any ? 2 : 1);
    // "**/" also stands for no folder at all.
    if (any && pattern.starts_with('/') && matches(pattern.substr(1), text)) return true;
    for (std::size_t taken = 0;; ++taken) {
      if (matches(pattern, text.substr(taken))) return true;
      if (taken == text.size() || (!any && text[taken] == '/')) break;
    }
    failed_.insert(here);
    return false;
  }

  std::set<std::pair<std::size_t, std::size_t>> failed_;  // what was left of pattern and text
};

struct Range {
  char32_t first = 0;
  char32_t last = 0;
};

/// C0, DEL and C1; ends of lines; marks, overrides and isolates of direction; zero widths, annotations and
/// tags, which show nothing; surrogates.
constexpr std::array<Range, 11> not_plain{{{0x0, 0x1F},
                                           {0x7F, 0x9F},
                                           {0x61C, 0x61C},
                                           {0x180E, 0x180E},
                                           {0x200B, 0x200F},
                                           {0x2028, 0x202E},
                                           {0x2060, 0x206F},
                                           {0xD800, 0xDFFF},
                                           {0xFEFF, 0xFEFF},
                                           {0xFFF9, 0xFFFB},
                                           {0xE0000, 0xE007F}}};

/// Of a sequence that utf8_length found; nothing where it is longer than it need be, or beyond Unicode.
std::optional<char32_t> decoded(std::string_view sequence) {
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  constexpr std::array<unsigned, 5> lead_bits{0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t point = static_cast<unsigned char>(sequence.front()) & lead_bits.at(sequence.size());
  for (const char c : sequence.substr(1)) point = point << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  if (point < least.at(sequence.size()) || point > 0x10FFFF) return std::nullopt;
  return point;
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text) {
  return GlobMatch().matches(pattern, text);
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
  return parts;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  return split(text, "\n");
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

bool is_end_of_path(std::string_view end, std::string_view path) {
  return path == end || (path.ends_with(end) && path[path.size() - end.size() - 1] == '/');
}

std::string markup_escaped(std::string text) {
  replace_all(text, "&", "&amp;");
  replace_all(text, "<", "&lt;");
  replace_all(text, ">", "&gt;");
  return text;
}

std::string percent_encoded(std::string_view text, std::string_view kept) {
  std::string encoded;
  for (const char c : text) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          kept.find(c) != std::string_view::npos;
    encoded += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string candidate = nearest(word, candidates);
  return candidate.empty() ? "" : "did you mean \"" + candidate + "\"?";
}

std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) return 0;
  return length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::vector<Character> characters_of(std::string_view text) {
  std::vector<Character> characters;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    characters.push_back({.bytes = text.substr(0, std::max<std::size_t>(1, length)), .code_point = {}});
    if (length > 0) characters.back().code_point = decoded(characters.back().bytes);
    text.remove_prefix(characters.back().bytes.size());
  }
  return characters;
}

bool is_plain(const Character& character) {
  if (!character.code_point) return false;
  const char32_t point = *character.code_point;
  return std::ranges::none_of(
      not_plain, [&](const Range& range) { return range.first <= point && point <= range.last; });
}

std::string plain_line(std::string_view text) {
  std::string line;
  for (const Character& character : characters_of(text))
    line += is_plain(character) ? character.bytes : std::string_view("?");
  return line;
}

std::string_view beginning_of(std::string_view text, std::size_t most_bytes) {
  std::size_t bytes = 0;
  for (const Character& character : characters_of(text.substr(0, most_bytes + 4))) {
    if (bytes + character.bytes.size() > most_bytes) break;
    bytes += character.bytes.size();
  }
  return text.substr(0, bytes);
}

}  // namespace jcprof
