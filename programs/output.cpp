// SPDX-License-Identifier: Apache-2.0
#include "programs/output.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace jcprof::cli {

namespace fs = std::filesystem;

fs::path output_folder(const Project& project, const CommonOptions& options) {
  return fs::absolute(options.out.empty() ? project.root / "jcprof-out" : fs::path(options.out))
      .lexically_normal();
}

OutputFolder open_output(const Project& project, const CommonOptions& options, const std::string& verb) {
  return OutputFolder({.folder = output_folder(project, options), .verb = verb, .project = project.root});
}

Placeholders placeholders(const Project& project, const fs::path& out) {
  return {{"tree", (out / "tree").string()}, {"out", out.string()}, {"project", project.root.string()}};
}

std::optional<RunInfo> last_run(const std::filesystem::path& profile) {
  if (!std::filesystem::exists(profile)) return std::nullopt;
  return Store(profile, OpenMode::read_only).last_run();
}

bool is_project(const fs::path& given) {
  if (!fs::is_directory(given)) return given.extension() == ".json";
  return fs::exists(given / "jcprof.json") || !fs::exists(given / "profile.jcprof");
}

std::vector<fs::path> folders_with_profile(const fs::path& folder) {
  std::vector<fs::path> folders;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, missing))
    if (fs::is_regular_file(entry.path() / "profile.jcprof")) folders.push_back(entry.path());
  std::ranges::sort(folders);
  return folders;
}

fs::path newest_of(const fs::path& out) {
  std::vector<fs::path> folders{out, out / record_folder};
  std::ranges::move(folders_with_profile(out / sessions_folder), std::back_inserter(folders));
  fs::path newest = out;
  std::string begun;
  for (const fs::path& folder : folders)
    if (const std::optional<RunInfo> run = last_run(folder / "profile.jcprof");
        run && run->started >= begun) {
      newest = folder;
      begun = run->started;
    }
  return newest;
}

fs::path profile_meant(const fs::path& given) {
  if (is_project(given)) return newest_of(output_folder(read_project(given), {})) / "profile.jcprof";
  return fs::is_directory(given) ? given / "profile.jcprof" : given;
}

std::vector<fs::path> profiles_meant(std::span<const std::string> given) {
  if (given.empty()) return {profile_meant(".")};
  std::vector<fs::path> profiles;
  std::ranges::transform(given, std::back_inserter(profiles), profile_meant);
  return profiles;
}

fs::path existing(const fs::path& profile) {
  if (!fs::exists(profile))
    throw UserError(Fault{.message = fmt::format("there is no \"{}\"", profile.string()),
                          .hint = "run `jcprof run` first, or `jcprof profile`, which does it all"});
  return profile;
}

std::string printed(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

nlohmann::ordered_json in_json(const std::vector<Warning>& warnings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Warning& warning : warnings)
    list.push_back({{"kind", name_of(warning.kind)}, {"text", warning.text}, {"advice", warning.advice}});
  return list;
}

}  // namespace jcprof::cli
