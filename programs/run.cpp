// SPDX-License-Identifier: Apache-2.0
// jcprof run: measures, and stores what it measured.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "annotator/estimate/estimates.hpp"
#include "annotator/estimate/figures.hpp"
#include "annotator/estimate/run_data.hpp"
#include "harness/measure.hpp"
#include "harness/transports.hpp"
#include "programs/built.hpp"
#include "programs/memory.hpp"
#include "programs/output.hpp"
#include "programs/permission.hpp"
#include "programs/terminal.hpp"
#include "programs/unfit.hpp"
#include "programs/verbs.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/file.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

std::string left_of(const harness::Progress& progress) {
  std::string text;
  if (progress.figures > 0 && progress.expected > 0)
    text += fmt::format(", {} of {} known", progress.settled, progress.figures);
  if (progress.left) text += fmt::format(", {} s left", progress.left->count());
  if (progress.drift > 0.01) text += fmt::format(", speed drifted by {:.0f} %", 100 * progress.drift);
  if (progress.lost > 0) text += fmt::format(", {} lost", progress.lost);
  return text;
}

void print_progress(const harness::Progress& progress) {
  const std::string all = progress.expected == 0 ? "" : fmt::format(" of about {}", progress.expected);
  fmt::print(stderr, "\r\x1b[K{}: {} shots{}{}", progress.phase, progress.shots, all, left_of(progress));
}

/// In place of the progress.
std::string_view line_start() {
  return rewrites_lines(Stream::err) ? "\r\x1b[K" : "";
}

void print_line(const std::string& text) {
  fmt::print(stderr, "{}{}\n", line_start(), shown_on(Stream::err, text));
}

void print_plan(const harness::Plan& plan, bool is_quiet) {
  if (is_quiet) return;
  if (!plan.out_of_reach.empty())
    print_line(fmt::format("warning: precision: {}; {}", to_text(plan), plan.out_of_reach));
  else if (plan.rounds > 0)
    print_line(fmt::format("plan: {}", to_text(plan)));
}

void print_obstacle(const std::string& obstacle, bool is_quiet) {
  if (is_quiet) return;
  print_line(fmt::format("note: jcprof begins a new run, and does not resume the stored one: {}",
                         harmless(obstacle)));
}

harness::MeasureOptions measure_options(const Project& project, const RunOptions& options) {
  constexpr double per_cent = 0.01;
  harness::MeasureOptions result = harness::options_for(project);
  result.rounds = options.rounds;
  if (options.absolute_points) result.precision.absolute = per_cent * *options.absolute_points;
  if (options.relative_percent) result.precision.relative = per_cent * *options.relative_percent;
  if (options.zoom_percent) result.zoom = per_cent * *options.zoom_percent;
  if (options.no_zoom) result.zoom = std::nullopt;
  if (options.seed) result.seed = *options.seed;
  result.is_new_build = options.is_new_build;
  if (options.max_shots) result.max_shots = options.max_shots;
  if (options.max_time_ms) result.max_time = std::chrono::milliseconds(*options.max_time_ms);
  result.obstacle = [is_quiet = options.common.quiet](const std::string& obstacle) {
    print_obstacle(obstacle, is_quiet);
  };
  result.plan = [is_quiet = options.common.quiet](const harness::Plan& plan) { print_plan(plan, is_quiet); };
  if (!options.common.quiet && rewrites_lines(Stream::err)) result.progress = print_progress;
  return result;
}

std::string filled(const std::vector<std::string>& argv, const Placeholders& values) {
  std::string line;
  for (const std::string& argument : argv) line += " " + fill_in(argument, values);
  return harmless(line);
}

/// A value that only the run will know stands there in capitals.
void print_commands(const Project& project, const fs::path& out) {
  Placeholders values = placeholders(project, out);
  values.emplace("port", "PORT");
  values.emplace("reader", "READER");
  values.emplace("input", "INPUT");
  values.emplace("seed", std::to_string(project.measure.seed));
  if (project.start) fmt::print("start:{}\n", filled(project.start->run, values));
  const Trigger& trigger = project.trigger;
  if (trigger.run.empty()) return;
  const std::string input = trigger.input.empty() ? "" : " <" + filled({trigger.input}, values);
  fmt::print("trigger:{}{} (in{})\n", filled(trigger.run, values), input, filled({trigger.cwd}, values));
}

void print_result(const harness::Measured& measured, const RunOptions& options, const fs::path& profile) {
  const std::string state = measured.run.state == RunState::interrupted ? "interrupted" : "complete";
  if (options.common.json) {
    const nlohmann::ordered_json result{{"state", state},
                                        {"shots", measured.shots},
                                        {"continued", measured.continued},
                                        {"device", measured.run.device},
                                        {"simulated", measured.run.simulated},
                                        {"profile", profile.string()},
                                        {"warnings", in_json(measured.warnings)}};
    fmt::print("{}", printed(result));
    return;
  }
  if (options.common.quiet) return;
  for (const Warning& warning : measured.warnings) print_line("warning: " + harmless(to_text(warning)));
  if (measured.continued && measured.shots == 0 && measured.is_done) {
    const auto is_of_goal = [](const Warning& one) { return one.kind == WarningKind::precision; };
    fmt::print("nothing left to measure: the {} rounds of earlier calls {} (--fresh starts again): {}\n",
               measured.rounds,
               std::ranges::any_of(measured.warnings, is_of_goal) ? "have all that one call can reach"
                                                                  : "reach the goal",
               profile.string());
    return;
  }
  fmt::print("{}{} shots on {}{}: {}\n",
             measured.run.state == RunState::interrupted ? "interrupted after " : "", measured.shots,
             harmless(measured.run.device), measured.run.simulated ? " (SIMULATED)" : "", profile.string());
  if (measured.run.state == RunState::interrupted)
    fmt::print("`jcprof run` resumes, `jcprof annotate` shows the result so far\n");
}

/// Stores estimates while the run goes on, for those who read the profile meanwhile or after a power cut; as
/// often as it costs next to nothing.
class EstimateWriter {
 public:
  EstimateWriter(Store& store, const Project& project) : store_(store), project_(project) {}

  void write_now_and_then() {
    if (Clock::now() - written_ >= rest_per_work * took_) write();
  }

  void write() {
    if (!store_.last_run()) return;
    const Clock::time_point begun = Clock::now();
    const annotator::Profile profile = annotator::estimate(annotator::load_newest_run(store_));
    store_.replace_estimates(profile.run.id, annotator::stored(profile));
    is_unreliable_ = annotator::is_unreliable(profile);
    unfit_ = unfit(profile, project_);
    written_ = Clock::now();
    took_ = written_ - begun;
  }

  bool is_unreliable() const { return is_unreliable_; }
  /// Why no line has a time, as far as is known.
  const std::optional<Fault>& why_unfit() const { return unfit_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int rest_per_work = 500;

  Store& store_;
  const Project& project_;
  std::optional<Fault> unfit_;
  Clock::time_point written_;
  Clock::duration took_{0};
  bool is_unreliable_ = false;
};

void refuse_changed_sources(const Project& project, const TrapMap& map) {
  std::vector<Fault> faults;
  for (const SourceDigest& source : map.sources)
    if (sha256(read_file(project.root / source.path)) != source.sha256)
      faults.push_back(
          {.message = "the file has changed since `jcprof gen` put traps into its copy",
           .place = {.file = source.path},
           .hint = "run `jcprof gen`, build and install again; or run `jcprof profile`, which does it all"});
  if (!faults.empty()) throw UserError(faults);
}

}  // namespace

ExitCode run(const RunOptions& options) {
  const Project project = read_project(options.common.project);
  const fs::path out = output_folder(project, options.common);
  if (options.dry_run) {
    print_commands(project, out);
    return ExitCode::done;
  }
  if (!fs::exists(out / "traps.json"))
    throw UserError(Fault{.message = fmt::format("there is no \"{}\"", (out / "traps.json").string()),
                          .hint = "run `jcprof gen` first, or `jcprof profile`, which does it all"});
  return run_in(open_output(project, options.common, "jcprof run"), project, options);
}

ExitCode run_in(const OutputFolder& folder, const Project& project, const RunOptions& options) {
  const fs::path& out = folder.path();
  const TrapMap map = read_trap_map(out / "traps.json");
  refuse_changed_sources(project, map);
  ask_about(project, programs_of_run(project), consent_of(options.common.yes));

  harness::MeasureOptions settings = measure_options(project, options);
  settings.build = noted_build(out, map);
  catch_signals();
  const std::unique_ptr<harness::Transport> transport =
      harness::make_transport(project, map, options.transport, out);
  if (options.memory) return measure_memory({project, map, *transport, out}, options);
  const fs::path profile = out / "profile.jcprof";
  Store store(profile, options.fresh ? OpenMode::fresh : OpenMode::read_write);
  EstimateWriter estimates(store, project);
  settings.look = [&estimates] { estimates.write_now_and_then(); };
  const auto cost = [&store] {
    const std::optional<RunInfo> run = store.last_run();
    return run ? annotator::trap_cost(store.calibrations(run->id), engine::Precision{}.alpha)
               : annotator::TrapCost{};
  };
  settings.figures = [&](const std::vector<Event>& path, std::vector<std::size_t> positions) {
    return annotator::figures_of(map, path, std::move(positions), cost);
  };
  const harness::Measured measured = harness::measure(project, map, *transport, store, settings);
  estimates.write();
  store.close();
  if (!options.common.quiet) fmt::print(stderr, "{}", line_start());
  print_result(measured, options, profile);
  const int signal = cancellation().signal();
  if (signal != 0) return exit_code_of(signal);
  // Whoever asks for so many rounds or shots gets them, and jcprof profile looks by itself.
  const bool is_judged = !settings.rounds && !settings.max_shots && !settings.is_new_build;
  if (is_judged && measured.run.state == RunState::complete && estimates.why_unfit())
    throw UserError(*estimates.why_unfit(), ExitCode::check_failed);
  return estimates.is_unreliable() ? ExitCode::unreliable : ExitCode::done;
}

}  // namespace jcprof::cli
