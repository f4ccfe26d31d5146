// SPDX-License-Identifier: Apache-2.0
// jcprof layers: where the time of a round trip to a trusted application goes, as an agent measures it, or as
// OP-TEE's benchmark framework has.
#include <algorithm>
#include <fstream>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "annotator/hops/benchmark_stamps.hpp"
#include "annotator/hops/hop_reports.hpp"
#include "annotator/hops/layers.hpp"
#include "harness/agent/ladder.hpp"
#include "harness/inputs.hpp"
#include "harness/transports.hpp"
#include "programs/output.hpp"
#include "programs/permission.hpp"
#include "programs/terminal.hpp"
#include "programs/verbs.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

/// The first trap of the trigger; run_to_end where the target carries no traps.
TrapId first_trap(const TrapMap& map) {
  const auto found = std::ranges::find(map.traps, TrapKind::entry0, &Trap::kind);
  return found == map.traps.end() ? run_to_end : found->id;
}

ExitCode measure_layers(const LayersOptions& options) {
  catch_signals();
  if (options.hz)
    throw UserError(
        Fault{.message = "--hz goes with a FILE.ts: an agent states the rate of its ticks itself"});
  const Project project = read_project(options.common.project);
  ask_about(project, programs_of_run(project), consent_of(options.common.yes));
  const OutputFolder folder = open_output(project, options.common, "jcprof layers");
  const fs::path& out = folder.path();
  const StoredInput input =
      harness::make_inputs(project.inputs, {.root = project.root, .seed = project.measure.seed}).front();
  const TrapMap map = fs::exists(out / "traps.json") ? read_trap_map(out / "traps.json") : TrapMap{};
  const std::unique_ptr<harness::AgentLink> link = harness::make_agent_link(project, map, out);
  const AgentDescription agent = link->description();
  const std::vector<Rung> rungs =
      harness::climb(*link, {.rounds = options.rounds.value_or(usual_layers_rounds),
                             .trap = first_trap(map),
                             .input = input.bytes});
  const annotator::Layers result =
      annotator::layers_of({.project = project.name,
                            .device = project.device.empty() ? agent.device : project.device,
                            .agent = agent.agent,
                            .unit = agent.unit,
                            .hz = agent.hz,
                            .simulated = agent.simulated,
                            .exact = agent.exact},
                           rungs);
  if (options.common.json)
    fmt::print("{}", annotator::to_json(result));
  else if (!options.common.quiet)
    fmt::print("{}", shown_on(Stream::out, annotator::to_text(result)));
  return ExitCode::done;
}

ExitCode read_layers(const LayersOptions& options) {
  if (options.rounds)
    throw UserError(Fault{.message = "--rounds goes with a project: the rounds of a FILE.ts are fixed"});
  const std::string& file = options.common.project;
  std::error_code error;
  const bool is_regular = fs::is_regular_file(file, error);  // a pipe would be waited for
  std::ifstream text(is_regular ? file : "", std::ios::binary);
  if (!text) throw UserError(Fault{.message = fmt::format("cannot read \"{}\"", file)});
  annotator::HopTally tally;
  const annotator::FileEnd end =
      annotator::read_stamps(file, text, [&](const annotator::Stamp& stamp) { tally.take(stamp); });
  const annotator::Hops hops = tally.finish();
  const annotator::HopSource source{.file = file, .end = end, .hz = options.hz.value_or(0)};
  if (options.common.json)
    fmt::print("{}", annotator::to_json(hops, source));
  else if (!options.common.quiet)
    fmt::print("{}", shown_on(Stream::out, annotator::to_text(hops, source)));
  return ExitCode::done;
}

}  // namespace

ExitCode layers(const LayersOptions& options) {
  const bool is_file = fs::path(options.common.project).extension() == ".ts";
  return is_file ? read_layers(options) : measure_layers(options);
}

}  // namespace jcprof::cli
