// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/facts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "rewriter/c/text.hpp"
#include "rewriter/draft/main_scan.hpp"
#include "src/core/project.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

using Strings = std::vector<std::string>;
using Kind = CToken::Kind;

/// A number as C spells it, in parentheses or not.
std::optional<std::uint64_t> number_in(const std::string& text) {
  static const std::regex form(R"(^[\s(]{0,9}(0[xX])?([0-9A-Fa-f]{1,16})[uUlL]{0,3}[\s)]{0,9}$)");
  std::smatch match;
  if (!std::regex_match(text, match, form)) return std::nullopt;
  const std::string digits = match[2];
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, match[1].matched ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

/// The text of a macro without parameters in one file; empty: not defined there.
std::string macro_in(const CText& text, const std::string& name) {
  const std::regex form(fmt::format(R"(^#\s*define\s+{}\s([\s\S]*)$)", name));
  for (const CToken& token : text.tokens()) {
    const std::string line(text.of(token));
    std::smatch match;
    if (token.kind != Kind::directive || line.size() > 2000 || line.find(name) == std::string::npos) continue;
    if (std::regex_match(line, match, form))
      return std::regex_replace(match[1].str(), std::regex(R"(\\\r?\n|//.*|/\*.*?\*/)"), " ");
  }
  return {};
}

bool stands_at(const CText& text, std::size_t i, std::initializer_list<std::string_view> words) {
  return i < text.tokens().size() && is_one_of(text.of(text.tokens()[i]), words);
}

/// The first of these words from there on, or the end.
std::size_t next_of(const CText& text, std::size_t i, std::initializer_list<std::string_view> words) {
  while (i < text.tokens().size() && !stands_at(text, i, words)) ++i;
  return i;
}

/// The value of an enumerator in the list whose first token that is.
std::optional<std::uint64_t> value_in_list(const CText& text, std::size_t i, const std::string& name) {
  std::optional<std::uint64_t> next = 0;
  for (; i < text.tokens().size() && !stands_at(text, i, {"}"}); ++i) {
    const CToken& token = text.tokens()[i];
    if (token.kind != Kind::word) continue;
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

class Constants {
 public:
  explicit Constants(const FoundTree& tree) {
    for (const auto& [path, text] : tree.texts)
      if ((is_c_source(path) || is_c_header(path)) && !is_made_or_foreign(path)) texts_.emplace_back(text);
  }

  std::string macro(const std::string& name) const {
    std::string found;
    for (const CText& text : texts_)
      if (found.empty() && text.text().find(name) != std::string_view::npos) found = macro_in(text, name);
    return found;
  }

  std::optional<std::uint64_t> value(const std::string& name, int depth = 0) const {
    static const std::regex word(R"(^[\s(]{0,9}([A-Za-z_]\w{0,99})[\s)]{0,9}$)");
    const std::string text = macro(name);
    std::smatch match;
    if (const std::optional<std::uint64_t> number = number_in(text)) return number;
    if (depth < 4 && std::regex_match(text, match, word)) return value(match[1], depth + 1);
    for (const CText& in : texts_)
      if (in.text().find(name) != std::string_view::npos)
        if (const std::optional<std::uint64_t> number = enumerator_in(in, name)) return number;
    return std::nullopt;
  }

 private:
  std::vector<CText> texts_;
};

/// The names that the entry has a `case` for.
Strings cases_of_entry(const CText& text) {
  const std::vector<CToken>& tokens = text.tokens();
  Strings names;
  std::size_t i = 0;
  for (int round = 0; i < tokens.size(); ++i) {  // up to the body, past declarations
    if (round == 0 && text.of(tokens[i]) == ta_entry) round = 1;
    if (round == 1 && text.of(tokens[i]) == ";") round = 0;
    if (round == 1 && text.of(tokens[i]) == "{") break;
  }
  for (int depth = 0; i < tokens.size(); ++i) {
    const std::string_view token = text.of(tokens[i]);
    depth += token == "{" ? 1 : token == "}" ? -1 : 0;
    if (depth == 0) break;
    if (token == "case" && i + 1 < tokens.size() && tokens[i + 1].kind == Kind::word)
      names.emplace_back(text.of(tokens[i + 1]));
  }
  return names;
}

/// The texts of the makefiles in a folder.
Strings makefiles_in(const FoundTree& tree, const std::string& folder) {
  Strings texts;
  for (const char* name : {"Makefile", "makefile", "GNUmakefile"})
    if (const auto found = tree.texts.find(path_in(folder, name)); found != tree.texts.end())
      texts.push_back(found->second);
  return texts;
}

/// The folder, from the source's upwards, whose makefile uses the development kit.
std::string makefile_folder(const FoundTree& tree, const std::string& source) {
  for (std::string folder = folder_of(source);; folder = folder_of(folder)) {
    for (const std::string& text : makefiles_in(tree, folder))
      if (text.find("ta_dev_kit.mk") != std::string::npos) return folder;
    if (folder.empty()) return folder_of(source);
  }
}

/// By the name of the binary in the makefile.
std::string uuid_of_makefile(const FoundTree& tree, const std::string& folder) {
  static const std::regex binary(
      R"((?:^|\n)BINARY[ \t]{0,20}[:?]?=[ \t]{0,20}([0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})\b)");
  std::smatch match;
  for (const std::string& text : makefiles_in(tree, folder))
    if (std::regex_search(text, match, binary)) return match[1];
  return {};
}

/// By `#define TA_UUID { 0x…, 0x…, 0x…, { 0x…, … } }`, or a macro that is so defined.
std::string uuid_of_header(const Constants& constants) {
  static const std::regex number("0[xX]([0-9A-Fa-f]{1,8})");
  constexpr std::array<int, 11> digits{8, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2};
  std::string text = constants.macro("TA_UUID");
  if (text.find('{') == std::string::npos)
    if (std::smatch name; std::regex_search(text, name, std::regex(R"(\w{1,99})")))
      text = constants.macro(name[0]);
  std::string uuid;
  std::size_t part = 0;
  for (std::sregex_iterator i(text.begin(), text.end(), number); i != std::sregex_iterator(); ++i, ++part) {
    if (part == digits.size()) return {};
    const bool has_dash = part == 1 || part == 2 || part == 3 || part == 5;
    uuid += fmt::format("{}{:0>{}}", has_dash ? "-" : "", (*i)[1].str(), digits.at(part));
  }
  std::ranges::transform(uuid, uuid.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return part == digits.size() ? uuid : "";
}

/// A glob for each kind of file below `folder`.
Strings globs_below(const FoundTree& tree, const std::string& folder) {
  const std::string prefix = path_in(folder, "");
  std::set<std::string> globs;
  for (const std::string& path : tree.paths)
    if ((is_c_source(path) || is_c_header(path)) && !is_made_or_foreign(path) && path.starts_with(prefix))
      globs.insert(prefix + "**/*" + path.substr(path.rfind('.')));
  return {globs.begin(), globs.end()};
}

}  // namespace

std::optional<TaFacts> find_ta(const FoundTree& tree) {
  const Strings files = files_defining(tree, ta_entry);
  if (files.empty()) return std::nullopt;
  TaFacts facts{.source = files.front(), .others = {files.begin() + 1, files.end()}};
  facts.folder = makefile_folder(tree, facts.source);
  facts.globs = globs_below(tree, facts.folder);
  const Constants constants(tree);
  facts.uuid = uuid_of_makefile(tree, facts.folder);
  if (facts.uuid.empty()) facts.uuid = uuid_of_header(constants);
  for (const std::string& name : cases_of_entry(CText(tree.texts.at(facts.source))))
    if (const std::optional<std::uint64_t> id = constants.value(name)) facts.commands.push_back({name, *id});
  return facts;
}

}  // namespace jcprof::rewriter
