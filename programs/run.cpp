// SPDX-License-Identifier: Apache-2.0
// jcprof run: measures, and stores what it measured.
#include <memory>

#include <fmt/format.h>

#include "harness/transports.hpp"
#include "programs/measuring.hpp"
#include "programs/memory.hpp"
#include "programs/output.hpp"
#include "programs/permission.hpp"
#include "programs/verbs.hpp"
#include "src/core/cancellation.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

void print_result(const RunResult& result, const RunOptions& options, const fs::path& profile) {
  if (options.common.json) {
    fmt::print("{}", printed(in_json(result, profile)));
    return;
  }
  if (options.common.quiet) return;
  print(result, profile);
  if (result.measured.run.state == RunState::interrupted)
    fmt::print("`jcprof run` resumes{}\n",
               result.measured.rounds > 0 ? ", `jcprof annotate` shows the result so far" : "");
}

}  // namespace

ExitCode run(const RunOptions& options) {
  if (options.sessions || !options.interleave.empty()) return run_sessions(options);
  if (!options.as_device.empty()) return run_as_device(options);
  if (!options.devices.empty() && !options.dry_run) return run_devices(options);
  const Project project = read_project(options.common.project);
  const fs::path out = output_folder(project, options.common);
  if (options.dry_run) {
    print_commands(project, out);
    if (!options.devices.empty()) print_devices(read_devices(options.devices));
    return ExitCode::done;
  }
  refuse_unbuilt(out);
  return run_in(open_output(project, options.common, "jcprof run"), project, options);
}

ExitCode run_in(const OutputFolder& folder, const Project& project, const RunOptions& options) {
  const fs::path& out = folder.path();
  const TrapMap map = read_trap_map(out / "traps.json");
  refuse_changed_sources(project, map);
  ask_about(project, programs_of_run(project), consent_of(options.common.yes));
  catch_signals();
  if (options.memory) {
    const std::unique_ptr<harness::Transport> transport =
        harness::make_transport(project, map, options.transport, out);
    return measure_memory({project, map, *transport, out}, options);
  }
  const fs::path profile = out / "profile.jcprof";
  const RunResult result = measure({project, map, out, profile}, options);
  print_result(result, options, profile);
  const int signal = cancellation().signal();
  if (signal != 0) return exit_code_of(signal);
  if (result.unfit) throw UserError(*result.unfit, ExitCode::check_failed);
  return result.is_unreliable ? ExitCode::unreliable : ExitCode::done;
}

}  // namespace jcprof::cli
