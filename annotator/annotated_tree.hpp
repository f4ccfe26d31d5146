// SPDX-License-Identifier: Apache-2.0
// The annotated copies of a profile's sources: reads the originals, writes the copies. The only part of the
// annotator that touches files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "annotator/estimates.hpp"

namespace jcprof::annotator {

struct AnnotatedFile {
  std::string path;                // as in the profile
  std::filesystem::path file;      // what was written
  std::string text;                // its content
  std::vector<std::string> notes;  // lines without room for their comment
};

/// Writes `out`/path for each source under `root` that the profile says something about. UserError naming all
/// sources that are gone or were changed since they were measured, and for paths that leave `out`; nothing is
/// written then.
std::vector<AnnotatedFile> write_annotated(const Profile& profile, const std::filesystem::path& root,
                                           const std::filesystem::path& out);

/// The hottest lines that are above resolution, as they stand in the annotated sources, in the order of the
/// text.
std::string hot_lines(const Profile& profile, const std::vector<AnnotatedFile>& files, std::size_t most = 6);

}  // namespace jcprof::annotator
