// SPDX-License-Identifier: Apache-2.0
#include "rewriter/edl/files.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "rewriter/edl/text.hpp"
#include "src/core/file.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

class Linker {
 public:
  Linker(const EdlFinder& find, const EdlReader& read) : find_(find), read_(read) {}

  Edl link(const std::string& path) {
    edl_.main = parse_edl(path, read_(path));
    files_.insert(path);
    follow(edl_.main);
    add(edl_.main, {});
    return std::move(edl_);
  }

 private:
  /// Reads what a file imports, whatever the #if group that says so.
  void follow(const EdlFile& file) {
    for (const EdlImport& import : file.all.imports) {
      const std::optional<std::string> path = find_(file.path, import.file);
      if (!path) {
        if (std::ranges::find(edl_.not_found, import.file) == edl_.not_found.end())
          edl_.not_found.push_back(import.file);
      } else if (files_.insert(*path).second) {
        const EdlFile imported = parse_edl(*path, read_(*path));
        edl_.imported.push_back(imported);
        follow(imported);
      }
    }
  }

  const EdlFile* file_of(const std::string& importer, const EdlImport& import) const {
    const std::optional<std::string> path = find_(importer, import.file);
    const auto found = path ? std::ranges::find(edl_.imported, *path, &EdlFile::path) : edl_.imported.end();
    return found == edl_.imported.end() ? nullptr : &*found;
  }

  /// Adds what is `wanted` of a file (nothing: all), then of its imports.
  void add(const EdlFile& file, const std::set<std::string>& wanted) {
    if (!added_.insert({file.path, wanted}).second) return;
    add_functions(file.items.trusted, wanted, edl_.ecalls);
    add_functions(file.items.untrusted, wanted, edl_.ocalls);
    for (const std::string& include : file.items.includes)
      if (std::ranges::find(edl_.includes, include) == edl_.includes.end()) edl_.includes.push_back(include);
    for (const EdlDeclaration& declaration : file.items.declarations)
      if (std::ranges::find(edl_.declarations, declaration) == edl_.declarations.end())
        edl_.declarations.push_back(declaration);
    for (const EdlImport& import : file.items.imports) {
      const EdlFile* const imported = file_of(file.path, import);
      if (imported == nullptr) continue;
      add(*imported, import.names.empty() ? wanted : std::set(import.names.begin(), import.names.end()));
    }
  }

  void add_functions(const std::vector<EdlFunction>& from, const std::set<std::string>& wanted,
                     std::vector<EdlFunction>& to) {
    for (const EdlFunction& function : from)
      if ((wanted.empty() || wanted.contains(function.name)) && names_.insert(function.name).second)
        to.push_back(function);
  }

  const EdlFinder& find_;
  const EdlReader& read_;
  Edl edl_;
  std::set<std::string> files_;
  std::set<std::string> names_;
  std::set<std::pair<std::string, std::set<std::string>>> added_;
};

/// As paths below `root` are written; others are absolute.
std::string path_from(const fs::path& root, const fs::path& file) {
  const fs::path relative = file.lexically_relative(root);
  return relative.empty() || *relative.begin() == ".." ? file.string() : relative.generic_string();
}

}  // namespace

Edl link_edl(const std::string& path, const EdlFinder& find, const EdlReader& read) {
  return Linker(find, read).link(path);
}

std::optional<fs::path> sdk_headers() {
  const char* const sdk = std::getenv("SGX_SDK");
  if (sdk == nullptr || *sdk == '\0') return std::nullopt;
  return fs::path(sdk) / "include";
}

Edl read_edl(const fs::path& root, const std::string& path, const std::vector<std::string>& search) {
  std::vector<fs::path> folders;
  for (const std::string& folder : search) folders.push_back(root / folder);
  if (const std::optional<fs::path> sdk = sdk_headers()) folders.push_back(*sdk);
  const auto find = [&](const std::string& importer, const std::string& name) -> std::optional<std::string> {
    std::vector<fs::path> places{(root / importer).parent_path()};
    places.insert(places.end(), folders.begin(), folders.end());
    for (const fs::path& place : places)
      if (fs::is_regular_file(place / name)) return path_from(root, (place / name).lexically_normal());
    return std::nullopt;
  };
  return link_edl(fs::path(path).lexically_normal().generic_string(), find,
                  [&](const std::string& file) { return read_file(root / file); });
}

bool is_open_enclave(const Edl& edl) {
  const auto is_theirs = [](const std::string& path) { return path.starts_with("openenclave/"); };
  const auto uses_it = [&](const EdlFile& file) {
    return std::ranges::any_of(file.all.imports, is_theirs, &EdlImport::file) ||
           std::ranges::any_of(file.all.includes, is_theirs);
  };
  return uses_it(edl.main) || std::ranges::any_of(edl.imported, uses_it);
}

}  // namespace jcprof::rewriter
