// SPDX-License-Identifier: Apache-2.0
// Words and lines in texts. Names that people type (globs, and the nearest of some known names), the encoding
// they come in, and what of it may be shown.
#pragma once

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace jcprof {

/// `*` any run without '/', `**` any run, `?` one character, `[a-f]` a set; everything else itself.
bool glob_matches(std::string_view pattern, std::string_view text);

/// `words`: a list in braces, or any range of strings.
template <class Words = std::initializer_list<std::string_view>>
bool is_one_of(std::string_view word, const Words& words) {
  return std::ranges::find(words, word) != std::ranges::end(words);
}

template <class Words = std::initializer_list<std::string_view>>
bool starts_with_one_of(std::string_view text, const Words& heads) {
  return std::ranges::any_of(heads, [&](std::string_view head) { return text.starts_with(head); });
}

template <class Words = std::initializer_list<std::string_view>>
bool ends_with_one_of(std::string_view text, const Words& endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return text.ends_with(ending); });
}

template <class Words = std::initializer_list<std::string_view>>
bool contains_one_of(std::string_view text, const Words& parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

/// The parts of `text` without the separator that ends each of them. The last one need not have it.
std::vector<std::string_view> split(std::string_view text, std::string_view separator);
/// The lines of `text`, without the '\n' that ends each of them. The last one need not have it.
std::vector<std::string_view> lines_of(std::string_view text);

/// Without the blanks at both ends.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r");

/// A number that is all of the text, without "0x" or '+'. Nothing where it is none, or `Number` cannot hold
/// it.
template <class Number>
std::optional<Number> whole_number(std::string_view text, int base = 10) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// `path` is `end`, or ends in it behind a '/'.
bool is_end_of_path(std::string_view end, std::string_view path);

/// For text of HTML and XML: &, < and > become entities.
std::string markup_escaped(std::string text);

/// RFC 3986: ASCII letters, digits and the bytes of `kept` as they are, all others as %XX.
std::string percent_encoded(std::string_view text, std::string_view kept = "-._~");

/// Replaces each `from`, which is not empty, by `to`. What a replacement makes is not replaced again.
void replace_all(std::string& text, std::string_view from, std::string_view to);

/// The candidate nearest to `word` by edit distance (Levenshtein 1966), empty if none is close enough to
/// help.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// `did you mean "x"?`, or empty.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// Length of the UTF-8 sequence at the head of `text`; 0 when it is none (Unicode 15, table 3-7, but for
/// surrogates and overlong forms of three and four bytes, which nlohmann refuses where they matter).
std::size_t utf8_length(std::string_view text);

bool is_utf8(std::string_view text);

/// Of an identifier in C, Java or EDL: a letter or digit of ASCII, or '_'.
bool is_word(char c);

/// What stands at the head of a text: one character, or a byte that begins none.
struct Character {
  std::string_view bytes;
  std::optional<char32_t> code_point;  // nothing: no UTF-8
};
std::vector<Character> characters_of(std::string_view text);

/// Whether it can be shown to somebody: UTF-8 that neither drives a terminal nor turns, hides or ends a line.
bool is_plain(const Character& character);

/// One line: what is not plain becomes "?".
std::string plain_line(std::string_view text);

/// As much of the beginning as fits into so many bytes, with no character cut.
std::string_view beginning_of(std::string_view text, std::size_t most_bytes);

}  // namespace jcprof
