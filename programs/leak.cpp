// SPDX-License-Identifier: Apache-2.0
// jcprof leak: builds, and finds the line from which on the time depends on the class of the input.
#include "harness/leak.hpp"

#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "annotator/leak.hpp"
#include "harness/transports.hpp"
#include "programs/building.hpp"
#include "programs/built.hpp"
#include "programs/measuring.hpp"
#include "programs/output.hpp"
#include "programs/table_style.hpp"
#include "programs/terminal.hpp"
#include "programs/verbs.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/file.hpp"
#include "src/core/store.hpp"

namespace jcprof::cli {
namespace {

constexpr const char* leak_store = "leak.jcprof";
constexpr const char* leak_file = "leak.json";

bool is_silent(const CommonOptions& common) {
  return common.quiet || common.json;
}

void build(const Project& project, const OutputFolder& folder, const LeakOptions& options) {
  GenOptions gen{.common = options.common};
  gen.common.quiet = is_silent(options.common);
  gen.common.json = false;
  gen.common.yes = true;  // ask_about_all has asked
  make_tree(gen, folder);
  build_and_install(project, values_of_steps(project, folder.path(), options.transport),
                    {.is_shown = !is_silent(options.common)}, {.transport = options.transport});
}

harness::LeakOptions settings_of(const Project& project, const LeakOptions& options) {
  harness::LeakOptions settings{.max_shots = project.measure.max_shots, .max_time = project.measure.max_time};
  settings.search.seed = options.seed.value_or(project.measure.seed);
  settings.search.sweeps = options.sweep;
  if (options.shots) settings.search.most_shots = settings.search.sweep_shots = *options.shots;
  if (options.max_shots) settings.max_shots = options.max_shots;
  if (options.max_time_ms) settings.max_time = std::chrono::milliseconds(*options.max_time_ms);
  if (!is_silent(options.common) && rewrites_lines(Stream::err)) settings.progress = print_run_progress;
  return settings;
}

engine::LeakRun measured(const Project& project, const TrapMap& map, const OutputFolder& folder,
                         const LeakOptions& options) {
  const std::unique_ptr<harness::Transport> transport =
      harness::make_transport(project, map, options.transport, folder.path());
  Store store(folder.path() / leak_store, OpenMode::fresh);
  harness::LeakOptions settings = settings_of(project, options);
  settings.build = noted_build(folder.path(), map);
  engine::LeakRun run = harness::find_leak(project, map, *transport, store, settings);
  store.close();
  if (settings.progress) fmt::print(stderr, "\r\x1b[K");
  return run;
}

ExitCode code_for(annotator::LeakVerdict verdict) {
  switch (verdict) {
    case annotator::LeakVerdict::leak:
      return ExitCode::check_failed;
    case annotator::LeakVerdict::unresolved:
      return ExitCode::unreliable;
    case annotator::LeakVerdict::none:
      return ExitCode::done;
  }
  return ExitCode::unreliable;
}

}  // namespace

ExitCode leak(const LeakOptions& options) {
  catch_signals();
  const Project project = read_project(options.common.project);
  harness::refuse_one_class(project);
  const OutputFolder folder = open_output(project, options.common, "jcprof leak");
  // That of an earlier call must not be taken for the result of one that fails.
  std::filesystem::remove(folder.path() / leak_file);
  ask_about_all(project, folder.path(), options.common.yes);
  build(project, folder, options);
  const TrapMap map = read_trap_map(folder.path() / "traps.json");
  const engine::LeakRun run = measured(project, map, folder, options);
  const std::string json = printed(annotator::leak_json(run, map));
  write_own_file(folder.path() / leak_file, json);
  if (options.common.json)
    fmt::print("{}", json);
  else
    fmt::print("{}", shown_on(Stream::out, leak_text(run, map, table_style(options.common.colour))));
  const int signal = cancellation().signal();
  return signal == 0 ? code_for(annotator::verdict_of(run)) : exit_code_of(signal);
}

}  // namespace jcprof::cli
