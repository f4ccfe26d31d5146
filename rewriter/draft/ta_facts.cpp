// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/facts.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rewriter/c/text.hpp"
#include "rewriter/draft/constants.hpp"
#include "rewriter/draft/includes.hpp"
#include "rewriter/draft/main_scan.hpp"
#include "rewriter/draft/makefile.hpp"
#include "rewriter/draft/ta_build.hpp"
#include "rewriter/draft/text.hpp"
#include "src/core/error.hpp"
#include "src/core/project.hpp"
#include "src/core/shell_words.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

using Strings = std::vector<std::string>;
using Kind = CToken::Kind;
using draft::Constants;
using draft::next_of;
using draft::stands_at;

/// Tokens of a text.
struct Passage {
  const CText* text = nullptr;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A `case` of the entry, and its tokens up to the next one that does something else.
struct EntryCase {
  std::string name;
  Passage passage{};
};

/// The tokens of a function's body, past declarations of it; both the end where it is not defined there.
std::pair<std::size_t, std::size_t> body_of(const CText& text, std::string_view name) {
  const std::vector<CToken>& tokens = text.tokens();
  std::size_t i = 0;
  for (bool is_head = false; i < tokens.size(); ++i) {
    if (text.of(tokens[i]) == name) is_head = stands_at(text, i + 1, {"("});
    if (text.of(tokens[i]) == ";") is_head = false;
    if (is_head && text.of(tokens[i]) == "{") break;
  }
  const std::size_t begin = i;
  for (int depth = 0; i < tokens.size(); ++i) {
    const std::string_view token = text.of(tokens[i]);
    depth += token == "{" ? 1 : token == "}" ? -1 : 0;
    if (depth == 0) break;
  }
  return {begin, i};
}

/// The bodies of the functions that a passage calls, in its order.
std::vector<Passage> called_in(const Passage& passage, const std::vector<CText>& texts) {
  std::vector<Passage> bodies;
  std::set<std::string_view> seen{"if", "for", "while", "switch", "return", "sizeof"};  // with `(` behind
  for (std::size_t i = passage.begin; i < passage.end; ++i) {
    if (passage.text->tokens()[i].kind != Kind::word || !stands_at(*passage.text, i + 1, {"("})) continue;
    if (!seen.insert(passage.text->of(passage.text->tokens()[i])).second) continue;
    for (const CText& text : texts)
      if (const auto [begin, end] = body_of(text, passage.text->of(passage.text->tokens()[i])); begin < end)
        bodies.push_back({&text, begin, end});
  }
  return bodies;
}

std::vector<EntryCase> cases_in(const Passage& passage) {
  const CText& text = *passage.text;
  const std::vector<CToken>& tokens = text.tokens();
  std::vector<EntryCase> cases;
  const auto end_open_ones = [&](std::size_t at) {
    for (EntryCase& one : cases)
      if (one.passage.end == 0) one.passage.end = at;
  };
  std::size_t behind_label = 0;  // cases with nothing between them do the same
  for (std::size_t i = passage.begin; i < passage.end; ++i) {
    if (!stands_at(text, i, {"case", "default"})) continue;
    if (i != behind_label) end_open_ones(i);
    behind_label = next_of(text, i, {":"}) + 1;
    if (stands_at(text, i, {"case"}) && i + 1 < passage.end && tokens[i + 1].kind == Kind::word)
      cases.push_back(
          {.name = std::string(text.of(tokens[i + 1])), .passage = {.text = &text, .begin = i + 2}});
  }
  end_open_ones(passage.end);
  return cases;
}

/// An entry may leave the choice to a function that it calls.
std::vector<EntryCase> cases_of_entry(const Passage& entry, const std::vector<CText>& texts) {
  std::vector<EntryCase> cases = cases_in(entry);
  if (!cases.empty()) return cases;
  for (const Passage& body : called_in(entry, texts))
    if (cases = cases_in(body); !cases.empty()) break;
  return cases;
}

/// A parameter of one of OP-TEE's types, with any bytes and sizes: the application may refuse them. Memory is
/// shared, because registering a temporary reference makes some calls longer than others.
std::string parameter_of(std::string_view type) {
  static const std::map<std::string_view, std::string_view> forms{
      {"TEE_PARAM_TYPE_VALUE_INPUT", R"({"value": "in", "a": 1})"},
      {"TEE_PARAM_TYPE_VALUE_OUTPUT", R"({"value": "out"})"},
      {"TEE_PARAM_TYPE_VALUE_INOUT", R"({"value": "inout", "a": 1})"},
      {"TEE_PARAM_TYPE_MEMREF_INPUT",
       R"({"memref": "in", "bytes": "000102030405060708090a0b0c0d0e0f", "shared": true})"},
      {"TEE_PARAM_TYPE_MEMREF_OUTPUT", R"({"memref": "out", "size": 256, "shared": true})"},
      {"TEE_PARAM_TYPE_MEMREF_INOUT",
       R"({"memref": "inout", "bytes": "000102030405060708090a0b0c0d0e0f", "size": 256, "shared": true})"}};
  const auto form = forms.find(type);
  return std::string(form == forms.end() ? "null" : form->second);
}

/// By the first `TEE_PARAM_TYPES(…)` of a passage; nothing: there is none.
std::optional<Strings> parameters_in(const Passage& passage) {
  const CText& text = *passage.text;
  for (std::size_t i = passage.begin; i < passage.end; ++i) {
    if (!stands_at(text, i, {"TEE_PARAM_TYPES"})) continue;
    Strings parameters;
    for (++i; i < passage.end && !stands_at(text, i, {")"}); ++i)
      if (text.tokens()[i].kind == Kind::word) parameters.push_back(parameter_of(text.of(text.tokens()[i])));
    while (!parameters.empty() && parameters.back() == "null") parameters.pop_back();
    return parameters;
  }
  return std::nullopt;
}

/// That a passage, or a function that it calls, compares with what it was given.
std::optional<Strings> parameters_asked(const Passage& passage, const std::vector<CText>& texts,
                                        int depth = 0) {
  constexpr int most_calls = 3;
  if (auto own = parameters_in(passage); own || depth == most_calls) return own;
  for (const Passage& body : called_in(passage, texts))
    if (auto found = parameters_asked(body, texts, depth + 1)) return found;
  return std::nullopt;
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
  return part == digits.size() ? draft::lower(uuid) : "";
}

/// An application in the tree.
struct TaCandidate {
  std::string source;  // with the entry
  TaBuild build;
};

/// "crypt" of "ta/crypt", "hello" of "hello/ta", whose folder is called like all.
std::string name_of(const TaCandidate& candidate, const FoundTree& tree) {
  const std::string& folder = candidate.build.folder;
  if (folder.empty()) return tree.name;
  const std::string above = folder_of(folder);
  return name_of_file(folder) == "ta" && !above.empty() ? std::string(name_of_file(above))
                                                        : std::string(name_of_file(folder));
}

std::string in_words(const TaCandidate& candidate, const FoundTree& tree) {
  return fmt::format("{} ({})", name_of(candidate, tree), candidate.source);
}

/// The C and C++ files that a file includes, beside it or by a path from there.
Strings included_units(const FoundTree& tree, const std::string& path) {
  Strings units;
  for (const std::string& name : quoted_includes(tree.texts.at(path))) {
    std::string file = tree_path(folder_of(path), name);
    if (is_c_source(file) && tree.texts.contains(file)) units.push_back(std::move(file));
  }
  return units;
}

/// In the order of the build, those of tests and examples last; of one folder the first. An application may
/// have the entry of another, by including its file.
std::vector<TaCandidate> candidates_in(const FoundTree& tree) {
  const Strings entries = files_defining(tree, {std::string(ta_entry)});
  std::vector<std::pair<std::string, std::string>> homes;  // of the entry, and the file that is compiled
  for (const std::string& entry : entries) homes.emplace_back(entry, entry);
  for (const auto& [path, text] : tree.texts)
    if (!entries.empty() && is_c_source(path) && !is_made_or_foreign(path))
      for (const std::string& unit : included_units(tree, path))
        if (std::ranges::find(entries, unit) != entries.end()) homes.emplace_back(unit, path);
  std::vector<TaCandidate> candidates;
  for (const auto& [entry, home] : homes) {
    TaBuild build = ta_build_of(tree, home);
    if (std::ranges::none_of(candidates, [&](const auto& c) { return c.build.folder == build.folder; }))
      candidates.push_back({.source = entry, .build = std::move(build)});
  }
  std::ranges::stable_sort(candidates, {}, [&](const TaCandidate& candidate) {
    return std::pair(is_aside(candidate.source), rank_in_build(tree, candidate.build.folder));
  });
  return candidates;
}

/// For a user who wants one that there is not, or that is not the only one.
UserError not_chosen(const std::string& wanted, const std::string& why, const Strings& names,
                     const std::string& hint) {
  return UserError(Fault{.message = fmt::format("\"{}\": {}", plain_line(wanted), why),
                         .hint = names.empty()
                                     ? fmt::format("no C or C++ file here defines {}", ta_entry)
                                     : plain_line(hint + fmt::format("{}", fmt::join(names, ", ")))});
}

/// The one that is called like the user wants, by its folder, file, UUID or name; the first where any will
/// do.
std::size_t chosen_of(const std::vector<TaCandidate>& candidates, const FoundTree& tree) {
  const std::string& wanted = tree.wanted_ta;
  if (wanted.empty()) return 0;
  const std::string path = tree_path("", wanted);
  Strings names;
  Strings folders;
  std::size_t last = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const TaCandidate& candidate = candidates[i];
    if (is_one_of(path, Strings{candidate.build.folder, candidate.source})) return i;
    names.push_back(name_of(candidate, tree));
    if (names.back() != wanted && draft::lower(candidate.build.uuid) != draft::lower(wanted)) continue;
    folders.push_back(candidate.build.folder.empty() ? "." : candidate.build.folder);
    last = i;
  }
  if (folders.empty()) throw not_chosen(wanted, "there is no such trusted application", names, "there are ");
  if (folders.size() > 1)
    throw not_chosen(wanted, "several trusted applications have this name", folders,
                     "name the folder of the one that you mean: ");
  return last;
}

/// The tree with traps is a copy of the folder: that has nothing beside it.
void refuse_outside(const TaCandidate& candidate, const FoundTree& tree) {
  if (candidate.build.outside.empty()) return;
  const auto steps_of = [](const std::string& path) {
    return std::ranges::count(std::filesystem::path(path), std::filesystem::path(".."));
  };
  const std::string& first = *std::ranges::max_element(candidate.build.outside, {}, steps_of);
  std::filesystem::path up = tree.root;
  for (auto steps = steps_of(first); steps > 0; --steps) up = up.parent_path();
  const std::string there =
      tree_path("", (tree.root / candidate.build.folder).lexically_relative(up).generic_string());
  throw UserError(
      Fault{.message = fmt::format("the build files of {} name \"{}\", which lies outside of this folder",
                                   plain_line(in_words(candidate, tree)), plain_line(first)),
            .hint = up.has_relative_path()
                        ? fmt::format("jcprof copies the folder that it is given: jcprof init {} --ta {}",
                                      plain_line(shell_word(up.string())), plain_line(shell_word(there)))
                        : "jcprof copies the folder that it is given: give it one that has all that is "
                          "built from"});
}

/// A glob for each kind of file below the makefile's folder, and in those of headers elsewhere; the files one
/// by one where other applications lie below it. Files elsewhere that sub.mk names come too.
Strings sources_of(const TaCandidate& own, const std::vector<TaCandidate>& all, const FoundTree& tree) {
  const auto lies_in = [](const std::string& path, const std::string& folder) {
    return path.starts_with(path_in(folder, ""));
  };
  const auto is_foreign = [&](const std::string& path) {
    return std::ranges::any_of(all, [&](const TaCandidate& other) {
      return other.build.folder != own.build.folder && lies_in(other.build.folder, own.build.folder) &&
             lies_in(path, other.build.folder);
    });
  };
  Strings folders{own.build.folder};
  std::ranges::copy_if(own.build.folders, std::back_inserter(folders),
                       [&](const std::string& folder) { return !lies_in(folder, own.build.folder); });
  const bool is_shared = std::ranges::any_of(tree.paths, is_foreign);
  std::set<std::string> sources;
  for (const std::string& path : tree.paths) {
    if ((!is_c_source(path) && !is_c_header(path)) || is_made_or_foreign(path) || is_foreign(path)) continue;
    const auto folder = std::ranges::find_if(folders, [&](const auto& f) { return lies_in(path, f); });
    if (folder == folders.begin())
      sources.insert(is_shared ? path : path_in(*folder, "**/*") + path.substr(path.rfind('.')));
    else if (folder != folders.end() && is_c_header(path))
      sources.insert(path);
  }
  Strings units = own.build.sources;
  for (const auto& [path, text] : tree.texts)
    if (is_c_source(path) && lies_in(path, own.build.folder) && !is_foreign(path))
      std::ranges::copy(included_units(tree, path), std::back_inserter(units));
  std::ranges::copy_if(units, std::inserter(sources, sources.end()),
                       [&](const std::string& path) { return !lies_in(path, own.build.folder); });
  return {sources.begin(), sources.end()};
}

}  // namespace

std::optional<TaFacts> find_ta(const FoundTree& tree) {
  const std::vector<TaCandidate> candidates = candidates_in(tree);
  if (candidates.empty() && tree.wanted_ta.empty()) return std::nullopt;
  const std::size_t chosen = chosen_of(candidates, tree);
  const TaCandidate& own = candidates[chosen];
  refuse_outside(own, tree);
  TaFacts facts{.source = own.source, .folder = own.build.folder, .uuid = own.build.uuid};
  facts.makes_sources = own.build.makes_sources;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (i != chosen) facts.others.push_back(in_words(candidates[i], tree));
  facts.globs = sources_of(own, candidates, tree);
  const Constants constants(tree, facts.folder);
  if (facts.uuid.empty()) facts.uuid = uuid_of_header(constants);
  const CText text(tree.texts.at(facts.source));
  const auto [begin, end] = body_of(text, ta_entry);
  const Passage entry{.text = &text, .begin = begin, .end = end};
  std::optional<Strings> parameters;
  for (const EntryCase& one : cases_of_entry(entry, constants.texts()))
    if (const std::optional<std::uint64_t> id = constants.value(one.name)) {
      if (facts.commands.empty()) parameters = parameters_asked(one.passage, constants.texts());
      facts.commands.push_back({one.name, *id});
    }
  facts.parameters = parameters ? *parameters : parameters_in(entry).value_or(Strings{});
  return facts;
}

}  // namespace jcprof::rewriter
