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
#include "programs/output.hpp"
#include "programs/permission.hpp"
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

void make_and_build(const Project& project, const OutputFolder& folder, const RecordOptions& options) {
  const CommonOptions common{.project = options.project, .quiet = options.quiet, .yes = options.yes};
  make_tree({.common = common, .records = true}, folder);
  Placeholders values = placeholders(project, folder.path());
  values.emplace("reader", "");
  const StepOptions how{.is_shown = !options.quiet};
  run_steps("build", project.build, values, how);
  run_steps("install", project.install, values, how);
}

/// The project's inputs, in turn.
std::vector<Bytes> inputs_of(const Project& project, std::uint32_t runs) {
  const std::vector<StoredInput> all =
      harness::make_inputs(project.inputs, {.root = project.root, .seed = project.measure.seed});
  std::vector<Bytes> inputs;
  for (std::uint32_t i = 0; i < runs; ++i) inputs.push_back(all[i % all.size()].bytes);
  return inputs;
}

}  // namespace

RecordedProject record_project(const Project& project, const OutputFolder& folder,
                               const RecordOptions& options) {
  refuse_others(project);
  std::vector<std::string> programs = programs_of_steps(project);
  std::ranges::move(programs_of_run(project), std::back_inserter(programs));
  ask_about(project, programs, consent_of(options.yes));
  make_and_build(project, folder, options);
  RecordedProject result;
  result.map = read_trap_map(folder.path() / "traps.json");
  const std::unique_ptr<harness::AgentLink> link =
      harness::make_agent_link(project, result.map, folder.path());
  const AgentDescription& agent = link->description();
  result.target.device = project.device.empty() ? agent.device : project.device;
  result.target.agent = agent.agent;
  result.target.simulated = agent.simulated;
  result.note = agent.note;
  // Only the target keeps the time: in cycles of its processor, unless the agent counts instructions.
  result.target.unit = agent.unit == ClockUnit::ns ? ClockUnit::cycles : agent.unit;
  harness::LogOptions log = options.log;
  log.file = folder.path() / "record.jcplog";
  result.recorded = harness::record_by_agent(log, *link, inputs_of(project, options.runs));
  return result;
}

}  // namespace jcprof::cli
