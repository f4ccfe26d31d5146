// SPDX-License-Identifier: Apache-2.0
#include "rewriter/project_tree.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

#include "src/core/file.hpp"
#include "src/core/output_folder.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

bool is_real_folder(const fs::directory_entry& entry) {
  return entry.symlink_status().type() == fs::file_type::directory;
}

bool is_skipped(const Project& project, const fs::path& out, const fs::directory_entry& entry,
                const std::string& relative) {
  constexpr std::array<std::string_view, 5> version_control{".git", ".hg", ".svn", ".bzr", "CVS"};
  if (std::ranges::find(version_control, entry.path().filename().string()) != version_control.end())
    return true;
  if (entry.path().filename() == usual_output_folder || entry.path() == out) return true;
  if (is_real_folder(entry) && is_output_folder(entry.path())) return true;
  return std::ranges::any_of(project.exclude_from_tree, [&](const std::string& pattern) {
    return glob_matches(pattern, relative) || glob_matches(pattern, relative + "/");
  });
}

/// The folder within the project that a link leads to, from its root; empty: it is none, or leads elsewhere.
std::string linked_folder(const Project& project, const std::string& file) {
  const fs::path link = project.root / file;
  std::error_code loop;
  if (!fs::is_symlink(link) || !fs::is_directory(link, loop)) return {};
  const fs::path from_root = fs::canonical(link).lexically_relative(fs::canonical(project.root));
  const std::string folder = from_root.generic_string();
  return folder == "." || folder.starts_with("..") ? "" : folder;
}

/// `files`: sorted.
bool is_folder_of(const std::vector<std::string>& files, const std::string& folder) {
  const auto within = std::ranges::lower_bound(files, folder + "/");
  return within != files.end() && within->starts_with(folder + "/");
}

/// False where it cannot be read.
bool copy_file_into(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (fs::is_symlink(from) && !fs::is_regular_file(from, error)) {
    const fs::path target = fs::weakly_canonical(from, error);
    fs::create_symlink(error ? fs::read_symlink(from) : target, to);  // it may lead to itself
    return true;
  }
  if (::access(from.c_str(), R_OK) != 0) return false;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing);
  return true;
}

}  // namespace

std::vector<std::string> project_files(const Project& project, const fs::path& out) {
  std::vector<std::string> files;
  const fs::path output = fs::weakly_canonical(out);
  const auto denied = fs::directory_options::skip_permission_denied;
  for (auto i = fs::recursive_directory_iterator(project.root, denied);
       i != fs::recursive_directory_iterator(); ++i) {
    const std::string relative = i->path().lexically_relative(project.root).generic_string();
    if (is_skipped(project, output, *i, relative)) {
      if (is_real_folder(*i)) i.disable_recursion_pending();
      continue;
    }
    const fs::file_type type = i->symlink_status().type();
    if (type == fs::file_type::regular || type == fs::file_type::symlink) files.push_back(relative);
  }
  std::ranges::sort(files);
  return files;
}

std::vector<std::string> source_files(const Project& project, const std::vector<std::string>& files) {
  std::set<std::string> found;
  std::vector<Fault> faults;
  for (const std::string& pattern : project.sources) {
    const std::string clean = pattern.starts_with("./") ? pattern.substr(2) : pattern;
    const std::size_t before = found.size();
    bool any = false;
    for (const std::string& file : files)
      if (glob_matches(clean, file)) {
        found.insert(file);
        any = true;
      }
    if (!any && found.size() == before)
      faults.push_back({.message = fmt::format("\"{}\" matches no file", pattern),
                        .place = place_in_project(project, pattern),
                        .hint = clean.starts_with("../") || clean.starts_with("/")
                                    ? "sources must lie in the project's folder: it is copied as a whole"
                                    : did_you_mean(clean, files)});
  }
  if (!faults.empty()) throw UserError(faults);
  return {found.begin(), found.end()};
}

Place place_in_project(const Project& project, const std::string& value) {
  const std::string text = read_file(project.file);
  const std::size_t at = text.find("\"" + value + "\"");
  const std::string file = project.file.filename().string();
  return at == std::string::npos ? Place{.file = file} : place_at(file, text, at);
}

std::vector<std::string> copy_files(const Project& project, const std::vector<std::string>& files,
                                    const fs::path& to) {
  std::vector<std::string> unreadable;
  for (const std::string& file : files) {
    fs::create_directories((to / file).parent_path());
    // Its headers have traps there, and here they have none.
    const std::string folder = linked_folder(project, file);
    if (!folder.empty() && is_folder_of(files, folder))
      fs::create_symlink(fs::path(folder).lexically_relative(fs::path(file).parent_path()), to / file);
    else if (!copy_file_into(project.root / file, to / file))
      unreadable.push_back(file);
  }
  return unreadable;
}

std::vector<std::string> irregular_files(const fs::path& folder) {
  const auto denied = fs::directory_options::skip_permission_denied;
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, denied)) {
    std::error_code gone;
    const fs::file_status status = entry.status(gone);
    if (fs::is_other(status)) found.push_back(entry.path().string());
  }
  return found;
}

}  // namespace jcprof::rewriter
