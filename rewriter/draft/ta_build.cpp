// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/ta_build.hpp"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "rewriter/draft/makefile.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

using Strings = std::vector<std::string>;

Strings words_of(const std::string& text) {
  std::istringstream in(text);
  Strings words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// Adds what sub.mk in `folder` says, and those that it leads to.
void read_sub_mk(const FoundTree& tree, const std::string& folder, TaBuild& build,
                 std::set<std::string>& seen) {
  const auto found = tree.texts.find(path_in(folder, "sub.mk"));
  if (found == tree.texts.end() || !seen.insert(folder).second) return;
  const Variables values{{"sub-dir", "."}};
  const auto each = [&](const MakeLine& line, const auto& take) {
    for (const std::string& word : words_of(expand(values, line.value))) {
      if (word.find('$') != std::string::npos || word.starts_with('/')) continue;
      const std::string path = tree_path(folder, word);
      if (leads_out_of_tree(path))
        build.outside.push_back(path);
      else
        take(path);
    }
  };
  for (const MakeLine& line : make_lines(found->second)) {
    if (line.name.starts_with("gensrcs-")) build.makes_sources = true;
    if (line.name.starts_with("srcs-"))
      each(line, [&](const std::string& path) {
        if (tree.texts.contains(path)) build.sources.push_back(path);
      });
    if (starts_with_one_of(line.name, {"global-incdirs-", "incdirs-"}))
      each(line, [&](const std::string& path) { build.folders.push_back(path); });
    if (line.name.starts_with("subdirs-"))
      each(line, [&](const std::string& path) { read_sub_mk(tree, path, build, seen); });
  }
}

bool is_part_of_word(char c) {
  return is_word(c) || c == '-';
}

/// The place at which a makefile names it, comments left out.
std::size_t position_of(const std::string& text, const std::string& name) {
  const std::string said = without_comments(text);
  for (std::size_t at = said.find(name); at != std::string::npos; at = said.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_part_of_word(said[at - 1])) && (end == said.size() || !is_part_of_word(said[end])))
      return at;
  }
  return std::string::npos;
}

}  // namespace

TaBuild ta_build_of(const FoundTree& tree, const std::string& source) {
  static const std::regex uuid(R"([0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})");
  TaBuild build{.folder = folder_of(source)};
  for (std::string folder = build.folder;; folder = folder_of(folder)) {
    const Makefile makefile(tree, folder);
    // One that is included from outside of the tree may be what uses the kit.
    if (makefile.uses_kit() || !makefile.outside().empty()) {
      const std::string binary = makefile.expanded("$(BINARY)");
      if (std::smatch match; std::regex_search(binary, match, uuid)) build.uuid = match[0];
      build.folder = folder;
      build.outside = makefile.outside();
      break;
    }
    if (folder.empty()) break;
  }
  std::set<std::string> seen;
  read_sub_mk(tree, build.folder, build, seen);
  return build;
}

std::vector<std::size_t> rank_in_build(const FoundTree& tree, const std::string& folder) {
  std::vector<std::size_t> ranks;
  std::string above;
  for (const std::filesystem::path& part : std::filesystem::path(folder)) {
    std::size_t rank = std::string::npos;
    for (const char* makefile : makefile_names)
      if (const auto found = tree.texts.find(path_in(above, makefile)); found != tree.texts.end())
        rank = std::min(rank, position_of(found->second, part.string()));
    ranks.push_back(rank);
    above = path_in(above, part.string());
  }
  return ranks;
}

}  // namespace jcprof::rewriter
