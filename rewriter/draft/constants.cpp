// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/constants.hpp"

#include <regex>

#include <fmt/format.h>

#include "rewriter/draft/main_scan.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter::draft {
namespace {

/// A number as C spells it, in parentheses or not.
std::optional<std::uint64_t> number_in(const std::string& text) {
  static const std::regex form(R"(^[\s(]{0,99}(0[xX])?([0-9A-Fa-f]{1,16})[uUlL]{0,3}[\s)]{0,99}$)");
  std::smatch match;
  if (!std::regex_match(text, match, form)) return std::nullopt;
  return whole_number<std::uint64_t>(match[2].str(), match[1].matched ? 16 : 10);
}

/// The text of a macro without parameters in one file; empty: not defined there.
std::string macro_in(const CText& text, const std::string& name) {
  const std::regex form(fmt::format(R"(^#\s*define\s+{}\s([\s\S]*)$)", name));
  for (const CToken& token : text.tokens()) {
    const std::string line(text.of(token));
    std::smatch match;
    if (token.kind != CToken::Kind::directive || line.size() > 2000 || line.find(name) == std::string::npos)
      continue;
    if (std::regex_match(line, match, form))
      return std::regex_replace(match[1].str(), std::regex(R"(\\\r?\n|//.*|/\*.*?\*/)"), " ");
  }
  return {};
}

/// The value of an enumerator in the list whose first token that is.
std::optional<std::uint64_t> value_in_list(const CText& text, std::size_t i, const std::string& name) {
  std::optional<std::uint64_t> next = 0;
  for (; i < text.tokens().size() && !stands_at(text, i, {"}"}); ++i) {
    const CToken& token = text.tokens()[i];
    if (token.kind != CToken::Kind::word) continue;
    if (stands_at(text, i + 1, {"="})) {
      const std::size_t first = i + 2;
      i = next_of(text, first, {",", "}"});
      next = i == first + 1 ? number_in(std::string(text.of(text.tokens()[first]))) : std::nullopt;
    }
    if (text.of(token) == name) return next;
    if (next) ++*next;
    if (stands_at(text, i, {"}"})) break;
  }
  return std::nullopt;
}

/// The value of an enumerator in one text.
std::optional<std::uint64_t> enumerator_in(const CText& text, const std::string& name) {
  for (std::size_t i = next_of(text, 0, {"enum"}); i < text.tokens().size();
       i = next_of(text, i + 1, {"enum"})) {
    const std::size_t list = next_of(text, i, {"{", ";", ")"});
    if (!stands_at(text, list, {"{"})) continue;
    if (const auto value = value_in_list(text, list + 1, name)) return value;
  }
  return std::nullopt;
}

}  // namespace

bool stands_at(const CText& text, std::size_t i, std::initializer_list<std::string_view> words) {
  return i < text.tokens().size() && is_one_of(text.of(text.tokens()[i]), words);
}

std::size_t next_of(const CText& text, std::size_t i, std::initializer_list<std::string_view> words) {
  while (i < text.tokens().size() && !stands_at(text, i, words)) ++i;
  return i;
}

Constants::Constants(const FoundTree& tree, const std::string& folder) {
  for (const bool is_own : {true, false})
    for (const auto& [path, text] : tree.texts)
      if ((is_c_source(path) || is_c_header(path)) && !is_made_or_foreign(path) &&
          path.starts_with(path_in(folder, "")) == is_own)
        texts_.emplace_back(text);
}

std::string Constants::macro(const std::string& name) const {
  std::string found;
  for (const CText& text : texts_)
    if (found.empty() && text.text().find(name) != std::string_view::npos) found = macro_in(text, name);
  return found;
}

std::optional<std::uint64_t> Constants::value(const std::string& name, int depth) const {
  static const std::regex word(R"(^[\s(]{0,99}([A-Za-z_]\w{0,99})[\s)]{0,99}$)");
  const std::string text = macro(name);
  std::smatch match;
  if (const std::optional<std::uint64_t> number = number_in(text)) return number;
  if (depth < 4 && std::regex_match(text, match, word)) return value(match[1], depth + 1);
  for (const CText& in : texts_)
    if (in.text().find(name) != std::string_view::npos)
      if (const std::optional<std::uint64_t> number = enumerator_in(in, name)) return number;
  return std::nullopt;
}

}  // namespace jcprof::rewriter::draft
