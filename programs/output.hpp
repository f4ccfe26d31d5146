// SPDX-License-Identifier: Apache-2.0
// The output folder of a project, and JSON as it is printed.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "programs/options.hpp"
#include "src/core/output_folder.hpp"
#include "src/core/project.hpp"
#include "src/core/store.hpp"
#include "src/core/warning.hpp"

namespace jcprof::cli {

/// DIR of the project, for those that only look: absolute.
std::filesystem::path output_folder(const Project& project, const CommonOptions& options);

/// DIR of the project, for a verb ("jcprof run") that writes: locked.
OutputFolder open_output(const Project& project, const CommonOptions& options, const std::string& verb);

/// The folder below DIR for recordings. Measurements with stops lie in DIR itself.
inline constexpr const char* record_folder = "record";
/// The one for sessions (session_set.hpp).
inline constexpr const char* sessions_folder = "sessions";

/// The one for several devices (docs/fleet.md).
inline constexpr const char* devices_folder = "devices";

/// True if `given` names a project: a *.json, or a folder that holds no profile without its project.
bool is_project(const std::filesystem::path& given);

/// The folders of FOLDER/*/profile.jcprof, in the order of their names.
std::vector<std::filesystem::path> folders_with_profile(const std::filesystem::path& folder);

/// The folder below `out` whose newest run began last: `out`, that of a recording, or that of a session.
std::filesystem::path newest_of(const std::filesystem::path& out);

/// The profile that PROJECT means: the newest one of a project, that of an output folder, or the file itself.
/// UserError if the project cannot be read.
std::filesystem::path profile_meant(const std::filesystem::path& given);

/// Those of all; where none is given, the current folder's.
std::vector<std::filesystem::path> profiles_meant(std::span<const std::string> given);

/// The same path. UserError where there is no such file.
std::filesystem::path existing(const std::filesystem::path& profile);

/// The newest run of a profile; nothing where there is no such file.
std::optional<RunInfo> last_run(const std::filesystem::path& profile);

/// {tree}, {out} and {project}; {port} and the like are added by who knows them.
Placeholders placeholders(const Project& project, const std::filesystem::path& out);

/// With a newline at the end; what is no UTF-8 is replaced.
std::string printed(const nlohmann::ordered_json& json);

nlohmann::ordered_json in_json(const std::vector<Warning>& warnings);

}  // namespace jcprof::cli
