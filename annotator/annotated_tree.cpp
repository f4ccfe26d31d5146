// SPDX-License-Identifier: Apache-2.0
#include "annotator/annotated_tree.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "annotator/source_comments.hpp"
#include "annotator/tables.hpp"
#include "annotator/terminal_text.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"

namespace jcprof::annotator {
namespace {

namespace fs = std::filesystem;

/// A path from a profile may come from anywhere: it must stay below the folder it is put into.
bool stays_below(const fs::path& path) {
  return !path.empty() && path.is_relative() &&
         std::ranges::none_of(path, [](const fs::path& part) { return part == ".."; });
}

/// Sources that hooks have seen have no digest, and a profile from elsewhere may name any file of its
/// reader's: only files with the suffix of a source are read then.
bool may_be_read(const SourceDigest& source) {
  static const std::set<std::string> suffixes{".c",   ".cc",  ".cpp", ".cxx", ".c++", ".C",   ".h",   ".hh",
                                              ".hpp", ".hxx", ".h++", ".H",   ".inc", ".inl", ".ipp", ".tcc",
                                              ".tpp", ".s",   ".S",   ".asm", ".l",   ".ll",  ".y",   ".yy",
                                              ".m",   ".mm",  ".rs",  ".d",   ".f",   ".f90", ".java"};
  return !source.sha256.empty() || suffixes.contains(fs::path(source.path).extension().string());
}

constexpr const char* no_source = "its name is not the name of a source";
constexpr const char* changed = "the file has changed since it was measured";

bool is_as_measured(const std::string& text, const SourceDigest& source) {
  return source.sha256.empty() || sha256(text) == source.sha256;
}

bool is_of_the_system(const fs::path& path) {
  const std::string text = path.string();
  return text.starts_with("/usr/include/") || text.starts_with("/usr/lib/");
}

/// A library's source. Other tools have its path as its compiler got it, below a folder that nobody knows.
bool is_of_elsewhere(const Profile& profile, const SourceDigest& source) {
  return is_imported(profile.run) && source.sha256.empty() && fs::path(source.path).is_relative();
}

fs::path common_folder(const fs::path& one, const fs::path& other) {
  const auto end = std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first;
  fs::path common;
  for (auto part = one.begin(); part != end; ++part) common /= *part;
  return common;
}

using Line = std::pair<std::string, std::size_t>;

std::set<Line> hottest(const Profile& profile, std::size_t most) {
  std::set<Line> hot;
  std::size_t seen = 0;
  for (const LineEstimate& line : all_lines(profile)) {
    const bool counts = profile.lines.empty() ? !line.path.empty() : line.cost.resolved;
    if (counts && ++seen <= most) hot.emplace(line.path, line.line);
  }
  return hot;
}

std::set<std::string> named_paths(const Profile& profile) {
  std::set<std::string> paths;
  const auto add = [&](const auto& items) {
    for (const auto& item : items) paths.insert(item.path);
  };
  add(profile.lines);
  add(profile.functions);
  add(profile.loops);
  add(profile.edges);
  add(profile.unreached);
  add(profile.tree.functions);
  return paths;
}

/// Empty of a path that is relative, is the system's, or lies elsewhere.
fs::path below(const fs::path& root, const fs::path& path) {
  if (path.is_relative() || is_of_the_system(path.lexically_normal())) return {};
  fs::path relative = path.lexically_normal().lexically_relative(root);
  return stays_below(relative) ? relative : fs::path();
}

void make_relative(std::string& path, const fs::path& root) {
  if (const fs::path relative = below(root, path); !relative.empty()) path = relative.string();
}

/// Nothing where there is no path but the system's, or a relative one.
std::optional<fs::path> folder_of_all(const std::set<std::string>& paths) {
  std::optional<fs::path> root;
  for (const std::string& one : paths) {
    const fs::path path = fs::path(one).lexically_normal();
    if (path.is_relative()) return std::nullopt;
    if (is_of_the_system(path)) continue;
    root = root ? common_folder(*root, path.parent_path()) : path.parent_path();
  }
  return root;
}

}  // namespace

fs::path root_of_sources(const Profile& profile) {
  std::set<std::string> paths;
  for (const SourceDigest& source : profile.sources)
    if (!is_of_elsewhere(profile, source)) paths.insert(source.path);
  return folder_of_all(paths).value_or(fs::current_path());
}

std::optional<fs::path> common_folder(const NewestRun& run) {
  std::set<std::string> paths;
  for (const auto* sources : {&run.profile.sources, &run.map.sources})
    for (const SourceDigest& source : *sources) paths.insert(source.path);
  for (const StoredSymbol& symbol : run.recording.symbols)
    if (!symbol.path.empty()) paths.insert(symbol.path);
  const std::optional<fs::path> root = folder_of_all(paths);
  return root && *root != root->root_path() ? root : std::nullopt;
}

bool has_sources_below(const Profile& profile, const fs::path& root) {
  return std::ranges::any_of(profile.sources,
                             [&](const SourceDigest& source) { return !below(root, source.path).empty(); });
}

void make_relative(Profile& profile, const fs::path& root) {
  const auto relative = [&](auto& items) {
    for (auto& item : items) make_relative(item.path, root);
  };
  relative(profile.sources);
  relative(profile.blocks);
  relative(profile.lines);
  relative(profile.functions);
  relative(profile.loops);
  relative(profile.edges);
  for (EdgeEstimate& edge : profile.edges) make_relative(edge.to_path, root);
  relative(profile.unreached);
  relative(profile.tree.functions);
  relative(profile.tree.arcs);
  for (CostNode& node : profile.tree.nodes) relative(node.lines);
  // A file may stand there with and without a digest; the former comes first.
  std::set<std::string> known;
  std::erase_if(profile.sources, [&](const SourceDigest& source) {
    return fs::path(source.path).is_absolute() || !known.insert(source.path).second;
  });
}

void make_relative(TrapMap& map, const fs::path& root) {
  for (SourceDigest& source : map.sources) make_relative(source.path, root);
  for (Trap& trap : map.traps) make_relative(trap.path, root);
}

fs::path settle_sources(NewestRun& run, const std::optional<fs::path>& known_root) {
  const fs::path root = known_root ? *known_root : root_of_sources(run.profile);
  make_relative(run.profile, root);
  make_relative(run.map, root);
  return root;
}

std::string measured_text(const SourceDigest& source, const fs::path& root) {
  if (!may_be_read(source)) throw UserError(Fault{.message = no_source, .place = {.file = source.path}});
  std::string text = read_file(root / source.path);
  if (!is_as_measured(text, source))
    throw UserError(Fault{.message = changed,
                          .place = {.file = source.path},
                          .hint = "measure again with `jcprof profile`, or restore the old text"});
  return text;
}

std::vector<ReportSource> report_sources(const Profile& profile, const fs::path& root) {
  const std::set<std::string> named = named_paths(profile);
  std::vector<ReportSource> sources;
  for (const SourceDigest& digest : profile.sources) {
    if (!named.contains(digest.path) || !stays_below(digest.path)) continue;
    ReportSource& source = sources.emplace_back(ReportSource{.path = digest.path});
    if (!may_be_read(digest)) {
      source.why = no_source;
      continue;
    }
    try {
      source.text = read_file(root / digest.path);
    } catch (const UserError&) {
      source.why = "the file is missing, or not readable";
      continue;
    }
    if (is_as_measured(*source.text, digest)) continue;
    source.text.reset();
    source.why = changed;
  }
  return sources;
}

std::vector<AnnotatedFile> write_annotated(const Profile& profile, const fs::path& root, const fs::path& out,
                                           Dating dating) {
  std::vector<AnnotatedFile> files;
  std::vector<Fault> faults;
  for (const SourceDigest& source : profile.sources) {
    const std::vector<LineComment> comments = comments_for(profile, source.path, dating);
    if (comments.empty()) continue;
    if (!stays_below(source.path)) {
      if (is_of_elsewhere(profile, source)) continue;
      faults.push_back(
          {.message = "the profile names a source outside the project", .place = {.file = source.path}});
      continue;
    }
    try {
      if (!may_be_read(source) || (source.sha256.empty() && !fs::exists(root / source.path))) continue;
      const std::string text = measured_text(source, root);
      AnnotatedText annotated = annotate_text(text, profile.language, comments);
      AnnotatedFile file{.path = source.path, .file = out / source.path, .text = std::move(annotated.text)};
      for (const SkippedLine& line : annotated.skipped)
        file.notes.push_back(
            fmt::format("{}:{}: no room for a comment: {}", source.path, line.line, line.reason));
      files.push_back(std::move(file));
    } catch (const UserError& error) {
      faults.insert(faults.end(), error.faults().begin(), error.faults().end());
    }
  }
  if (!faults.empty()) throw UserError(std::move(faults));
  for (const AnnotatedFile& file : files) write_own_file(file.file, file.text);
  return files;
}

std::string list_of(const std::vector<AnnotatedFile>& written, const fs::path& out, std::size_t most) {
  if (written.size() > most)
    return fmt::format("annotated: {} files below {}\n", written.size(), out.string());
  std::string text;
  for (const AnnotatedFile& file : written) text += fmt::format("annotated: {}\n", file.file.string());
  return text;
}

std::string hot_lines(const Profile& profile, const std::vector<AnnotatedFile>& files, std::size_t most) {
  const std::set<Line> all = hottest(profile, most);
  std::string result;
  for (const AnnotatedFile& file : files) {
    std::set<std::size_t> hot;
    for (const auto& [path, line] : all)
      if (path == file.path) hot.insert(line);
    if (hot.empty()) continue;
    result += terminal_line(file.path) + "\n";
    const std::vector<std::string_view> lines = lines_of(file.text);
    for (const std::size_t number : hot)
      if (number >= 1 && number <= lines.size())
        result += fmt::format("{:6} | {}\n", number, terminal_line(lines[number - 1]));
  }
  return result;
}

}  // namespace jcprof::annotator
