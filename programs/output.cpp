// SPDX-License-Identifier: Apache-2.0
#include "programs/output.hpp"

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

fs::path newest_of(const fs::path& out) {
  const std::optional<RunInfo> stops = last_run(out / "profile.jcprof");
  const std::optional<RunInfo> recording = last_run(out / record_folder / "profile.jcprof");
  return recording && (!stops || recording->started >= stops->started) ? out / record_folder : out;
}

fs::path profile_meant(const fs::path& given) {
  if (is_project(given)) return newest_of(output_folder(read_project(given), {})) / "profile.jcprof";
  return fs::is_directory(given) ? given / "profile.jcprof" : given;
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
