// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/ta_build.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "rewriter/draft/variables.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

using Strings = std::vector<std::string>;

// Files that include each other in a circle end there.
constexpr int deepest_include = 8;

constexpr std::array<const char*, 3> makefile_names{"GNUmakefile", "makefile", "Makefile"};

/// A line of a makefile: "srcs-y += a.c b.c" has a name; "include x.mk" is one with the name "include".
struct MakeLine {
  std::string name;
  std::string value;
  bool adds = false;
};

std::vector<MakeLine> make_lines(const std::string& text) {
  static const std::regex continued(R"(\\\r?\n)");
  static const std::regex form(
      R"(^[ \t]{0,40}(?:(-?s?include)[ \t]+([^#\r]{1,2000})|([\w.$()-]{1,100})[ \t]{0,40}([:?+]?:?=)([^#\r]{0,2000})))");
  std::vector<MakeLine> lines;
  std::istringstream in(std::regex_replace(text, continued, " "));
  std::smatch match;
  for (std::string line; std::getline(in, line);)
    if (line.size() < 3000 && std::regex_search(line, match, form))
      lines.push_back(match[1].matched
                          ? MakeLine{.name = "include", .value = match[2]}
                          : MakeLine{.name = match[3], .value = match[5], .adds = match[4] == "+="});
  return lines;
}

Strings words_of(const std::string& text) {
  std::istringstream in(text);
  Strings words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string below(const std::string& folder, const std::string& path) {
  const std::string normal = (std::filesystem::path(folder) / path).lexically_normal().generic_string();
  return normal == "." ? "" : normal.ends_with('/') ? normal.substr(0, normal.size() - 1) : normal;
}

/// The lines of a folder's makefiles, those that they include in their places: paths are relative to the
/// folder in which make runs.
class Makefile {
 public:
  Makefile(const FoundTree& tree, std::string folder) : tree_(tree), folder_(std::move(folder)) {
    for (const char* name : makefile_names) add(path_in(folder_, name), 0);
  }

  bool uses_kit() const { return uses_kit_; }
  const Strings& outside() const { return outside_; }
  std::string value(const std::string& name) const { return expand(values_, "$(" + name + ")"); }

 private:
  void add(const std::string& path, int depth) {
    const auto found = tree_.texts.find(path);
    if (found == tree_.texts.end() || depth == deepest_include) return;
    for (const MakeLine& line : make_lines(found->second)) {
      if (line.name == "include")
        include(line.value, depth);
      else if (line.adds)
        values_[line.name] += " " + line.value;
      else
        values_[line.name] = line.value;
    }
  }

  void include(const std::string& names, int depth) {
    for (const std::string& name : words_of(expand(values_, names))) {
      uses_kit_ = uses_kit_ || name.ends_with("ta_dev_kit.mk");
      if (name.find('$') != std::string::npos || name.starts_with('/')) continue;
      const std::string path = below(folder_, name);
      if (path.starts_with("..")) outside_.push_back(path);
      add(path, depth + 1);
    }
  }

  const FoundTree& tree_;
  const std::string folder_;
  Variables values_;
  Strings outside_;
  bool uses_kit_ = false;
};

/// Adds what sub.mk in `folder` says, and those that it leads to.
void read_sub_mk(const FoundTree& tree, const std::string& folder, TaBuild& build,
                 std::set<std::string>& seen) {
  const auto found = tree.texts.find(path_in(folder, "sub.mk"));
  if (found == tree.texts.end() || !seen.insert(folder).second) return;
  const Variables values{{"sub-dir", "."}};
  const auto each = [&](const MakeLine& line, const auto& take) {
    for (const std::string& word : words_of(expand(values, line.value))) {
      if (word.find('$') != std::string::npos || word.starts_with('/')) continue;
      const std::string path = below(folder, word);
      if (path.starts_with(".."))
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

/// Where a makefile names it, comments left out.
std::size_t position_of(const std::string& text, const std::string& name) {
  static const std::regex comment("#[^\n]{0,2000}");
  const std::string said = std::regex_replace(text, comment, "");
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
      const std::string binary = makefile.value("BINARY");
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
