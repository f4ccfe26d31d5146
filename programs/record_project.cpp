// SPDX-License-Identifier: Apache-2.0
#include "programs/record_project.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "harness/agent/recording.hpp"
#include "harness/exec/timed_run.hpp"
#include "harness/inputs.hpp"
#include "harness/transports.hpp"
#include "programs/building.hpp"
#include "programs/output.hpp"
#include "programs/permission.hpp"
#include "programs/without_traps.hpp"
#include "src/engine/statistics.hpp"

namespace jcprof::cli {
namespace {

// Traps that record slow a program down, as traced runs do.
constexpr int patience_for_recording = 6;
// The middle one of these is what the program takes; fewer of one that takes long.
constexpr std::size_t most_plain_runs = 8;
constexpr std::size_t fewest_plain_runs = 3;  // of two, the 95 % interval says next to nothing
constexpr double most_plain_ns = 2e9;
constexpr double alpha = 0.05;
// Recording may add so much to a run, however few events it has: pages that are touched first, tables for
// unwinding. 0.15 ms were seen.
constexpr double most_once_ns = 200e3;

/// The recorded run is one more of these: Student's interval of a prediction.
double half_of_one_more(const PlainRuns& plain) {
  return engine::half_width(engine::mean_interval(plain.ns, alpha, 0)) *
         std::sqrt(static_cast<double>(plain.ns.size()) + 1);
}

void refuse_others(const Project& project, std::uint32_t runs) {
  const auto refuse = [&](const std::string& message, const std::string& hint) {
    throw UserError(Fault{.message = message, .place = {.file = project.file.string()}, .hint = hint});
  };
  if (project.target == TargetKind::applet)
    refuse("a card cannot be recorded: it shares no memory and has no clock", "jcprof profile measures it");
  if (is_started_anew(project) && runs > 1)
    refuse("--runs does not go with a program behind \"exec:\": jcprof records one run", "leave --runs out");
}

void make_and_build(const Project& project, const OutputFolder& folder, const RecordOptions& options,
                    GenOptions gen) {
  gen.common = {.project = options.project, .quiet = options.quiet, .yes = options.yes};
  gen.records = true;
  make_tree(gen, folder);
  Placeholders values = placeholders(project, folder.path());
  values.emplace("reader", "");
  build_and_install(project, values, {.is_shown = !options.quiet});
}

std::vector<StoredInput> all_inputs(const Project& project) {
  return harness::make_inputs(project.inputs, {.root = project.root, .seed = project.measure.seed});
}

/// The project's inputs, in turn.
std::vector<Bytes> inputs_of(const Project& project, std::uint32_t runs) {
  const std::vector<StoredInput> all = all_inputs(project);
  std::vector<Bytes> inputs;
  for (std::uint32_t i = 0; i < runs; ++i) inputs.push_back(all[i % all.size()].bytes);
  return inputs;
}

/// A whole run with the first input.
Sample run_once(const Project& project, const std::unique_ptr<harness::Transport>& transport) {
  transport->set_inputs({all_inputs(project).front().bytes});
  Sample run;
  const Shot whole;
  transport->measure({&whole, 1}, [&](const Shot&, const Sample& sample) {
    run = sample;
    return true;
  });
  if (run.outcome != Outcome::ended)
    throw environment_error(
        fmt::format("the program did not end well while it was recorded: {}", run.why),
        run.outcome == Outcome::timed_out
            ? "a larger \"timeout\" in \"session\" of jcprof.json may help"
            : "run it several times alone: does it always end well, with the same input and the same files?");
  return run;
}

/// Recording slows it down, and what counts is the time of the processor.
Project as_recorded(Project project) {
  project.session.timeout *= patience_for_recording;
  project.trigger.clock = ProgramClock::cpu;
  return project;
}

/// One run of a program of `exec:`, and the processor's time of it in ns. The recording is stopped.
Sample recorded_run(const Project& project, const TrapMap& map, const std::filesystem::path& out,
                    harness::Recording& recording) {
  const auto transport = harness::make_recorded_program(project, map, out, recording.memory());
  recording.begin();
  Sample run = run_once(project, transport);
  recording.stop();
  return run;
}

/// In ns. What starts the program differs from run to run, and events make it no slower.
double time_behind_entry(const Sample& run, const harness::RecordProgress& recorded) {
  return static_cast<double>(run.ticks) - static_cast<double>(recorded.ahead_ns);
}

harness::Recorded record_program(const Project& project, const TrapMap& map, const std::filesystem::path& out,
                                 const harness::LogOptions& log, const PlainRuns& plain) {
  harness::Recording recording(log);
  const Sample run = recorded_run(project, map, out, recording);
  const harness::RecordProgress recorded = recording.progress();
  return recording.end(static_cast<int>(run.status.value_or(0)), 0,
                       cost_of_event(plain, time_behind_entry(run, recorded), recorded));
}

void record_by_agent(const Project& project, const OutputFolder& folder, const RecordOptions& options,
                     const harness::LogOptions& log, RecordedProject& result) {
  const std::unique_ptr<harness::AgentLink> link =
      harness::make_agent_link(project, result.map, folder.path());
  const AgentDescription& agent = link->description();
  result.target.device = project.device.empty() ? agent.device : project.device;
  result.target.agent = agent.agent;
  result.target.simulated = agent.simulated;
  result.note = agent.note;
  // Only the target keeps the time: in cycles of its processor, unless the agent counts instructions.
  result.target.unit = agent.unit == ClockUnit::ns ? ClockUnit::cycles : agent.unit;
  result.recorded = harness::record_by_agent(log, *link, inputs_of(project, options.runs));
}

PlainRuns plain_runs_in(const OutputFolder& folder, const Project& project, const RecordOptions& options) {
  const OutputFolder plain({.folder = folder.path() / "plain", .verb = "jcprof record"});
  RecordOptions silent = options;
  silent.quiet = true;
  make_and_build(project, plain, silent, without_traps({}));
  const TrapMap map = read_trap_map(plain.path() / "traps.json");
  harness::LogOptions log = options.log;
  log.file = plain.path() / "record.jcplog";
  const Project patient = as_recorded(project);
  PlainRuns runs;
  double sum = 0;
  while (runs.ns.size() < fewest_plain_runs || (runs.ns.size() < most_plain_runs && sum < most_plain_ns)) {
    // A log costs time even without events. Both runs have one, so that time cancels out.
    harness::Recording recording(log);
    const Sample run = recorded_run(patient, map, plain.path(), recording);
    runs.ns.push_back(time_behind_entry(run, recording.progress()));
    runs.events = recording.progress().events;
    sum += runs.ns.back();
  }
  std::filesystem::remove(log.file);
  std::ranges::sort(runs.ns);
  return runs;
}

}  // namespace

harness::OwnCost cost_of_event(const PlainRuns& plain, double recorded_ns,
                               const harness::RecordProgress& recorded) {
  const std::uint64_t events = recorded.events + recorded.discarded;
  if (recorded.lost > recorded.discarded || events <= plain.events) return {};
  if (plain.ns.size() < fewest_plain_runs) return {};
  const double slower_ns = std::max(0.0, recorded_ns - engine::median(plain.ns));
  const double half_ns = std::max(half_of_one_more(plain), std::min(slower_ns, most_once_ns));
  const auto each_ps = [&](double ns) {
    return static_cast<std::uint64_t>(1000 * ns / static_cast<double>(events - plain.events));
  };
  return {.event_ps = each_ps(slower_ns), .doubt_ps = each_ps(half_ns)};
}

std::optional<Warning> changed_by_traps(const PlainRuns& plain, const annotator::RecordedRun& run) {
  if (plain.ns.size() < fewest_plain_runs || run.info.unit != ClockUnit::ns) return std::nullopt;
  double recorded = 0;
  for (const StoredThread& thread : run.recording.threads) {
    if (!thread.away) return std::nullopt;  // waiting may be part of its time
    recorded += thread.recorded;
  }
  const double usual = engine::median(plain.ns);
  return longer_with_traps(usual, recorded, std::max(half_of_one_more(plain), most_once_ns), "the recording");
}

bool is_started_anew(const Project& project) {
  return project.transport.starts_with("exec:");
}

void check_and_ask(const Project& project, const RecordOptions& options) {
  refuse_others(project, options.runs);
  std::vector<std::string> programs = programs_of_steps(project);
  std::ranges::move(programs_of_run(project), std::back_inserter(programs));
  ask_about(project, programs, consent_of(options.yes));
}

PlainRuns runs_without_traps(const Project& project, const OutputFolder& folder,
                             const RecordOptions& options) {
  if (!is_started_anew(project)) return {};
  if (!options.quiet) fmt::print("record: a build without traps shows what an event costs\n");
  try {
    return plain_runs_in(folder, project, options);
  } catch (const UserError& error) {
    if (!options.quiet)
      fmt::print("record: the build without traps failed, so jcprof calibrates what an event costs: {}\n",
                 harmless(error.what()));
    return {};
  }
}

RecordedProject record_project(const Project& project, const OutputFolder& folder,
                               const RecordOptions& options) {
  make_and_build(project, folder, options,
                 {.functions_only = options.functions_only, .exclude = options.exclude});
  RecordedProject result;
  result.map = read_trap_map(folder.path() / "traps.json");
  harness::LogOptions log = options.log;
  log.file = folder.path() / "record.jcplog";
  if (!is_started_anew(project)) {
    record_by_agent(project, folder, options, log, result);
    return result;
  }
  result.target.device = project.device.empty() ? harness::name_of_processor() : project.device;
  result.target.unit = ClockUnit::cycles;  // calibrated, where the processor's can be
  result.recorded = record_program(as_recorded(project), result.map, folder.path(), log, options.plain);
  return result;
}

}  // namespace jcprof::cli
