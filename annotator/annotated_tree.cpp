// SPDX-License-Identifier: Apache-2.0
#include "annotator/annotated_tree.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "annotator/source_comments.hpp"
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

}  // namespace

std::vector<AnnotatedFile> write_annotated(const Profile& profile, const fs::path& root,
                                           const fs::path& out) {
  std::vector<AnnotatedFile> files;
  std::vector<Fault> faults;
  for (const SourceDigest& source : profile.sources) {
    const std::vector<LineComment> comments = comments_for(profile, source.path);
    if (comments.empty()) continue;
    const Place place{.file = source.path};
    if (!stays_below(source.path)) {
      faults.push_back({.message = "the profile names a source outside the project", .place = place});
      continue;
    }
    try {
      const std::string text = read_file(root / source.path);
      if (sha256(text) != source.sha256) {
        faults.push_back({.message = "changed since it was measured",
                          .place = place,
                          .hint = "measure again with `jcprof profile`, or bring the old text back"});
        continue;
      }
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
  for (const AnnotatedFile& file : files) write_file(file.file, file.text);
  return files;
}

std::string hot_lines(const Profile& profile, const std::vector<AnnotatedFile>& files, std::size_t most) {
  std::string result;
  for (const AnnotatedFile& file : files) {
    std::set<std::size_t> hot;
    std::size_t seen = 0;
    for (const LineEstimate& line : profile.lines) {
      if (!line.cost.resolved || ++seen > most) continue;
      if (line.path == file.path) hot.insert(line.line);
    }
    if (hot.empty()) continue;
    result += harmless(file.path) + "\n";
    std::istringstream text(file.text);
    std::string line;
    for (std::size_t number = 1; std::getline(text, line); ++number)
      if (hot.contains(number)) result += fmt::format("{:6} | {}\n", number, harmless(line));
  }
  return result;
}

}  // namespace jcprof::annotator
