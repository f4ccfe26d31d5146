// SPDX-License-Identifier: Apache-2.0
#include "programs/terminal.hpp"

#include <algorithm>
#include <array>
#include <clocale>
#include <cstdlib>
#include <utility>

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "src/core/text.hpp"

namespace jcprof::cli {
namespace {

using Sign = std::pair<std::string_view, std::string_view>;
constexpr std::array<Sign, 20> signs{{{"±", "+-"}, {"µ", "u"},     {"×", "x"}, {"…", "..."}, {"→", ">"},
                                      {"–", "-"},  {"√", "sqrt "}, {"⊕", "+"}, {"≤", "<="},  {"≥", ">="},
                                      {"─", "-"},  {"│", "|"},     {"█", "#"}, {"▉", "#"},   {"▊", "#"},
                                      {"▋", "#"},  {"▌", "#"},     {"▍", " "}, {"▎", " "},   {"▏", " "}}};

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The locale of the environment; the program itself stays in "C".
bool is_utf8_locale() {
  const locale_t locale = ::newlocale(LC_CTYPE_MASK, "", nullptr);
  if (locale == nullptr) return false;  // one that is not installed
  const bool is_utf8 = std::string_view(::nl_langinfo_l(CODESET, locale)) == "UTF-8";
  ::freelocale(locale);
  return is_utf8;
}

}  // namespace

std::optional<std::size_t> width_of(Stream stream) {
  winsize size = {};
  const bool is_known =
      is_terminal(stream) && ::ioctl(static_cast<int>(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? std::optional<std::size_t>(size.ws_col) : std::nullopt;
}

bool is_terminal(Stream stream) {
  return ::isatty(static_cast<int>(stream)) == 1;
}

bool rewrites_lines(Stream stream) {
  return is_terminal(stream) && environment("TERM") != "dumb";
}

bool is_coloured(Stream stream, ColourWish wish) {
  if (wish == ColourWish::automatic) return rewrites_lines(stream) && environment("NO_COLOR").empty();
  return wish == ColourWish::always;
}

std::string in_ascii(std::string_view text) {
  std::string result;
  for (const Character& character : characters_of(text)) {
    const auto sign = std::ranges::find(signs, character.bytes, &Sign::first);
    const std::string_view shown = sign == signs.end() ? character.bytes : sign->second;
    if (character.bytes == "±" && result.ends_with("  ")) result.pop_back();
    result += shown;
  }
  return result;
}

std::string shown_on(Stream stream, std::string_view text) {
  return is_terminal(stream) && !is_utf8_locale() ? in_ascii(text) : std::string(text);
}

}  // namespace jcprof::cli
