// SPDX-License-Identifier: Apache-2.0
#include "programs/side.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "annotator/annotated_tree.hpp"
#include "programs/output.hpp"
#include "src/core/error.hpp"
#include "src/core/store.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

bool is_profile(const fs::path& path) {
  return path.extension() == ".jcprof" && fs::is_regular_file(path);
}

/// FOLDER/*.jcprof, FOLDER/*/profile.jcprof and FOLDER/*/record/profile.jcprof.
std::vector<fs::path> profiles_in(const fs::path& folder) {
  std::vector<fs::path> profiles;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_profile(entry.path())) profiles.push_back(entry.path());
    if (!entry.is_directory()) continue;
    const fs::path newest = newest_of(entry.path()) / "profile.jcprof";
    if (is_profile(newest)) profiles.push_back(newest);
  }
  std::ranges::sort(profiles);
  return profiles;
}

/// The newest profile in an output folder, or all sessions if it is one of them.
std::vector<fs::path> newest_in(const fs::path& out) {
  const fs::path newest = newest_of(out);
  if (newest.parent_path() == out / sessions_folder) return profiles_in(newest.parent_path());
  return {existing(newest / "profile.jcprof")};
}

std::vector<fs::path> sessions_meant(const fs::path& given) {
  if (!fs::is_directory(given) && given.extension() != ".json") return {existing(given)};
  if (!fs::is_directory(given) || fs::exists(given / "jcprof.json"))
    return newest_in(output_folder(read_project(given), {}));
  if (is_profile(newest_of(given) / "profile.jcprof")) return newest_in(given);
  std::vector<fs::path> profiles = profiles_in(given);
  if (profiles.empty())
    throw UserError(Fault{.message = fmt::format("no profile lies in \"{}\"", given.string()),
                          .hint = "name a profile.jcprof, a project, or a folder of profiles"});
  return profiles;
}

}  // namespace

Side::Side(const fs::path& given, const Side* newer) {
  for (const fs::path& file : sessions_meant(given))
    runs.push_back(annotator::newest_run(Store(file, OpenMode::read_only)));
  const bool is_same_tree =
      newer != nullptr && annotator::has_sources_below(runs.front().profile, newer->root_);
  root_ = is_same_tree ? newer->root_ : annotator::root_of_sources(runs.front().profile);
  for (annotator::NewestRun& run : runs) annotator::settle_sources(run, root_);
}

std::vector<annotator::Compared> Side::compared() const {
  std::vector<annotator::Compared> sessions;
  for (const annotator::NewestRun& run : runs) sessions.push_back({run.profile, run.map});
  return sessions;
}

}  // namespace jcprof::cli
