// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/includes.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

/// The file is in the tree or around it.
bool is_there(const FoundTree& tree, const std::string& path) {
  std::error_code none;
  return std::ranges::binary_search(tree.paths, path) ||
         (!tree.root.empty() && std::filesystem::exists(tree.root / path, none));
}

/// A file of the tree's that make takes for nothing but a file.
bool is_goal(const std::string& path) {
  return !path.empty() && !leads_out_of_tree(path) && !path.starts_with('/') && !path.starts_with('-') &&
         path.find('=') == std::string::npos;
}

/// The folders of the tree that the program's `-I` name.
std::vector<std::string> searched_folders(const FoundProgram& program) {
  std::vector<std::string> searched;
  for (std::size_t i = 0; i < program.compile.size(); ++i) {
    const std::string& word = program.compile[i];
    if (!word.starts_with("-I")) continue;
    const std::string folder = word.size() > 2                  ? word.substr(2)
                               : i + 1 < program.compile.size() ? program.compile[i + 1]
                                                                : "";
    if (!folder.starts_with('/') && !leads_out_of_tree(tree_path("", folder)))
      searched.push_back(tree_path("", folder));
  }
  return searched;
}

}  // namespace

std::vector<std::string> quoted_includes(std::string_view text) {
  constexpr std::string_view word = "include";
  constexpr std::string_view blanks = " \t";
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; at += word.size()) {
    std::string_view ahead = text.substr(0, at);
    ahead = ahead.substr(ahead.rfind('\n') + 1);
    const std::size_t hash = ahead.find_first_not_of(blanks);
    if (hash == std::string_view::npos || ahead[hash] != '#' ||
        ahead.find_first_not_of(blanks, hash + 1) != std::string_view::npos)
      continue;
    std::string_view behind = text.substr(at + word.size());
    behind = behind.substr(0, behind.find('\n'));
    const std::size_t quote = behind.find_first_not_of(blanks);
    if (quote == std::string_view::npos || behind[quote] != '"') continue;
    behind = behind.substr(quote + 1);
    if (const std::size_t end = behind.find('"'); end != std::string_view::npos)
      names.emplace_back(behind.substr(0, end));
  }
  return names;
}

std::vector<MadeHeader> missing_headers(const FoundTree& tree, const FoundProgram& program) {
  const std::vector<std::string> searched = searched_folders(program);
  std::vector<MadeHeader> missing;
  for (const auto& [path, text] : tree.texts) {
    if (!is_one_of(path, program.units) && (!is_c_header(path) || is_made_or_foreign(path))) continue;
    std::vector<std::string> folders{folder_of(path)};
    folders.insert(folders.end(), searched.begin(), searched.end());
    for (const std::string& name : quoted_includes(text)) {
      const auto is_here = [&](const std::string& folder) { return is_there(tree, tree_path(folder, name)); };
      if (std::ranges::any_of(folders, is_here)) continue;
      for (const std::string& folder : folders)
        if (std::string header = tree_path(folder, name); is_goal(header))
          missing.push_back({std::move(header), folder});
    }
  }
  return missing;
}

std::set<std::string> include_folders(const FoundTree& tree, const std::vector<std::string>& taken) {
  std::set<std::string> folders;
  for (const std::string& path : taken)
    if (is_c_header(path) && name_of_file(folder_of(path)) == "include") folders.insert(folder_of(path));
  const auto is_found = [&](const std::string& folder, const std::string& name) {
    return std::ranges::binary_search(tree.paths, tree_path(folder, name));
  };
  for (const std::string& path : taken) {
    const auto text = tree.texts.find(path);
    if (text == tree.texts.end()) continue;
    for (const std::string& name : quoted_includes(text->second)) {
      const auto has = [&](const std::string& folder) { return is_found(folder, name); };
      if (has(folder_of(path)) || std::ranges::any_of(folders, has)) continue;
      const auto header = std::ranges::find_if(
          taken, [&](const std::string& other) { return other == name || other.ends_with("/" + name); });
      if (header != taken.end())
        folders.insert(header->substr(0, header->size() - std::min(header->size(), name.size() + 1)));
    }
  }
  return folders;
}

}  // namespace jcprof::rewriter
