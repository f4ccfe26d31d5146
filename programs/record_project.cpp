// SPDX-License-Identifier: Apache-2.0
#include "programs/record_project.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "harness/agent/recording.hpp"
#include "harness/inputs.hpp"
#include "harness/transports.hpp"
#include "programs/main_guard.hpp"
#include "programs/steps.hpp"

namespace jcprof::cli {
namespace {

void refuse_others(const Project& project) {
  const auto refuse = [&](const std::string& message, const std::string& hint) {
    throw UserError(Fault{.message = message, .place = {.file = project.file.string()}, .hint = hint});
  };
  if (project.target == TargetKind::applet)
    refuse("a card shares no memory and keeps no clock: it cannot be recorded", "jcprof profile measures it");
  if (!project.transport.starts_with("agent:"))
    refuse("only what stands behind an agent is recorded as a project",
           "a program: jcprof gen --record, build it, then jcprof record --traps DIR/traps.json -- COMMAND");
}

void make_and_build(const ProjectRecording& wish) {
  std::vector<std::string> arguments{wish.project.file.string(), "-o", wish.out.string(), "--record"};
  if (wish.is_quiet) arguments.emplace_back("--quiet");
  if (wish.consent == Consent::given) arguments.emplace_back("--yes");
  if (const ExitCode code = run_sibling("jcprof-gen", arguments, wish.folder); code != ExitCode::done)
    throw UserError(Fault{.message = "there is no tree to be recorded", .hint = "see above"}, code);
  Placeholders values = placeholders(wish.project, wish.out);
  values.emplace("reader", "");
  const StepOptions how{.is_shown = !wish.is_quiet};
  run_steps("build", wish.project.build, values, how);
  run_steps("install", wish.project.install, values, how);
}

/// Those of the project in turn.
std::vector<Bytes> inputs_of(const Project& project, std::uint32_t runs) {
  const std::vector<StoredInput> all =
      harness::make_inputs(project.inputs, {.root = project.root, .seed = project.measure.seed});
  std::vector<Bytes> inputs;
  for (std::uint32_t i = 0; i < runs; ++i) inputs.push_back(all[i % all.size()].bytes);
  return inputs;
}

}  // namespace

RecordedProject record_project(const ProjectRecording& wish) {
  refuse_others(wish.project);
  std::vector<std::string> programs = programs_of_steps(wish.project);
  std::ranges::move(programs_of_run(wish.project), std::back_inserter(programs));
  ask_about(wish.project, programs, wish.consent);
  make_and_build(wish);
  RecordedProject result;
  result.map = read_trap_map(wish.out / "traps.json");
  const std::unique_ptr<harness::AgentLink> link =
      harness::make_agent_link(wish.project, result.map, wish.out);
  const AgentDescription& agent = link->description();
  result.target.device = wish.project.device.empty() ? agent.device : wish.project.device;
  result.target.agent = agent.agent;
  result.target.simulated = agent.simulated;
  // What only the target times is its processor's cycles, but where the agent counts instructions.
  result.target.unit = agent.unit == ClockUnit::ns ? ClockUnit::cycles : agent.unit;
  result.recorded = harness::record_by_agent(wish.log, *link, inputs_of(wish.project, wish.runs));
  return result;
}

}  // namespace jcprof::cli
