// SPDX-License-Identifier: Apache-2.0
// The annotated copies of a profile's sources: reads the originals, writes the copies. The only part of the
// annotator that touches files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "annotator/estimate/estimates.hpp"
#include "annotator/record/profile.hpp"
#include "annotator/report/files.hpp"
#include "annotator/source_comments.hpp"

namespace jcprof::annotator {

struct AnnotatedFile {
  std::string path;                // as in the profile
  std::filesystem::path file;      // what was written
  std::string text;                // its content
  std::vector<std::string> notes;  // lines without room for their comment
};

/// The deepest folder that holds all sources with absolute paths but the system's headers: the current one
/// where there are none, or relative ones too.
std::filesystem::path root_of_sources(const Profile& profile);

/// The same of all sources and symbols of a run. Nothing where that would be `/`, or there are relative
/// paths.
std::optional<std::filesystem::path> common_folder(const NewestRun& run);

/// The profile names a file there by its whole path.
bool has_sources_below(const Profile& profile, const std::filesystem::path& root);

/// Absolute paths below `root` as relative ones, but those of the system's headers; sources elsewhere are
/// left out.
void make_relative(Profile& profile, const std::filesystem::path& root);
void make_relative(TrapMap& map, const std::filesystem::path& root);

/// Names all sources of a run as they lie below their root, which is returned; if it is not known,
/// root_of_sources finds it.
std::filesystem::path settle_sources(NewestRun& run, const std::optional<std::filesystem::path>& known_root);

/// The text of a source under `root`. UserError when it is gone, or was changed since it was measured.
std::string measured_text(const SourceDigest& source, const std::filesystem::path& root);

/// The sources under `root` that the profile names, or why there is no text: what is gone, or was changed
/// since it was measured, is not to be shown beside times.
std::vector<ReportSource> report_sources(const Profile& profile, const std::filesystem::path& root);

/// Writes `out`/path for each source under `root` that the profile says something about. UserError naming all
/// sources that are gone or were changed since they were measured, and for paths that leave `out`; nothing is
/// written then. Sources without a digest are taken as they are, and left out when they are gone.
std::vector<AnnotatedFile> write_annotated(const Profile& profile, const std::filesystem::path& root,
                                           const std::filesystem::path& out, Dating dating = Dating::dated);

/// The written files for a person, a line each; of more than `most` their number and `out`.
std::string list_of(const std::vector<AnnotatedFile>& written, const std::filesystem::path& out,
                    std::size_t most = 12);

/// The hottest lines that are above resolution, as they stand in the annotated sources, in the order of the
/// text; where no lines are known, those on which the hottest functions begin.
std::string hot_lines(const Profile& profile, const std::vector<AnnotatedFile>& files, std::size_t most = 6);

}  // namespace jcprof::annotator
