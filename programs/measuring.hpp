// SPDX-License-Identifier: Apache-2.0
// A run of a built project into one profile: measures, keeps the estimates beside the samples, and tells how
// far it is. Builds nothing and asks nobody.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "harness/measure.hpp"
#include "programs/options.hpp"
#include "src/core/project.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::cli {

struct RunSubject {
  const Project& project;
  const TrapMap& map;
  std::filesystem::path out;        // holds the build
  std::filesystem::path profile;    // that the run is stored in
  bool is_session = false;          // one of several
  std::filesystem::path logs = {};  // of what runs; empty: those of `out`
};

struct RunResult {
  harness::Measured measured;
  bool is_unreliable = false;
  std::optional<Fault> unfit =
      {};  // why no line of a complete run has a time, where the call asked for times
};

/// Resumes the newest run of the profile, or begins one (harness/measure.hpp). `begun` is called before the
/// first shot that is stored. UserErrors of the target; all that was measured is stored then, too.
RunResult measure(const RunSubject& of, const RunOptions& options, std::function<void()> begun = {});

/// The newest run of the profile; nothing if there is none, or it is not finished.
std::optional<RunResult> finished_run(const RunSubject& of, const RunOptions& options);

nlohmann::ordered_json in_json(const RunResult& result, const std::filesystem::path& profile);

/// Warnings on standard error, and one line on standard output.
void print(const RunResult& result, const std::filesystem::path& profile);

/// Prints the commands of a run. A value that only the run will know stands there in capitals.
void print_commands(const Project& project, const std::filesystem::path& out);

/// UserError with each source that is another one than the traps were made for.
void refuse_changed_sources(const Project& project, const TrapMap& map);

/// UserError if the output folder holds no traps.
void refuse_unbuilt(const std::filesystem::path& out);

/// How a line of progress begins that one device of several prints.
inline constexpr std::string_view device_progress = "progress: ";

/// In one line on standard error, which the next call overwrites.
void print_run_progress(const harness::Progress& progress);

}  // namespace jcprof::cli
