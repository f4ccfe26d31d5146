// SPDX-License-Identifier: Apache-2.0
#include "programs/measuring.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "annotator/estimate/estimates.hpp"
#include "annotator/estimate/figures.hpp"
#include "annotator/estimate/run_data.hpp"
#include "harness/transports.hpp"
#include "programs/building.hpp"
#include "programs/built.hpp"
#include "programs/output.hpp"
#include "programs/terminal.hpp"
#include "programs/unfit.hpp"
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

std::string in_words(const harness::Progress& progress) {
  const std::string all = progress.expected == 0 ? "" : fmt::format(" of about {}", progress.expected);
  return fmt::format("{}: {} shots{}{}", progress.phase, progress.shots, all, left_of(progress));
}

/// In lines of their own, for a jcprof that waits for us.
void print_progress_now_and_then(const harness::Progress& progress) {
  using Clock = std::chrono::steady_clock;
  static Clock::time_point printed;
  if (Clock::now() - printed < std::chrono::seconds{1}) return;
  printed = Clock::now();
  fmt::print(stderr, "{}{}\n", device_progress, in_words(progress));
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
  if (!options.common.quiet && rewrites_lines(Stream::err)) result.progress = print_run_progress;
  if (!options.as_device.empty()) result.progress = print_progress_now_and_then;
  return result;
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

/// Whoever asks for so many rounds or shots gets them, and jcprof profile looks by itself.
bool is_judged(const Project& project, const RunOptions& options) {
  return !options.rounds && !options.max_shots && !project.measure.max_shots && !options.is_new_build;
}

std::string filled(const std::vector<std::string>& argv, const Placeholders& values) {
  std::string line;
  for (const std::string& argument : argv) line += " " + fill_in(argument, values);
  return harmless(line);
}

void print_nothing_left(const harness::Measured& measured, const fs::path& profile) {
  const auto is_of_goal = [](const Warning& one) { return one.kind == WarningKind::precision; };
  const bool is_out_of_reach = std::ranges::any_of(measured.warnings, is_of_goal);
  fmt::print(
      "nothing left to measure: the {} rounds of earlier calls {} (--rounds N makes more, --fresh starts "
      "again): {}\n",
      measured.rounds, is_out_of_reach ? "have all that one call can reach" : "reach the goal",
      profile.string());
}

}  // namespace

void print_run_progress(const harness::Progress& progress) {
  fmt::print(stderr, "\r\x1b[K{}", in_words(progress));
}

RunResult measure(const RunSubject& of, const RunOptions& options, std::function<void()> begun) {
  harness::MeasureOptions settings = measure_options(of.project, options);
  settings.build = noted_build(of.out, of.map);
  settings.is_session = of.is_session;
  settings.begun = std::move(begun);
  hold_place(of.project,
             {.transport = options.transport, .resumed = options.fresh ? fs::path() : of.profile});
  const std::unique_ptr<harness::Transport> transport = harness::make_transport(
      of.project, of.map, options.transport,
      of.logs.empty() ? harness::OutputPlaces(of.out) : harness::OutputPlaces(of.out, of.logs));
  Store store(of.profile, options.fresh ? OpenMode::fresh : OpenMode::read_write);
  EstimateWriter estimates(store, of.project);
  settings.look = [&estimates] { estimates.write_now_and_then(); };
  const auto cost = [&store] {
    const std::optional<RunInfo> run = store.last_run();
    return run ? annotator::trap_cost(store.calibrations(run->id), engine::Precision{}.alpha)
               : annotator::TrapCost{};
  };
  settings.figures = [&](const std::vector<Event>& path, std::vector<std::size_t> positions) {
    return annotator::figures_of(of.map, path, std::move(positions), cost);
  };
  RunResult result{.measured = harness::measure(of.project, of.map, *transport, store, settings)};
  estimates.write();
  store.close();
  if (!options.common.quiet) fmt::print(stderr, "{}", line_start());
  result.is_unreliable = estimates.is_unreliable();
  if (is_judged(of.project, options) && result.measured.run.state == RunState::complete)
    result.unfit = estimates.why_unfit();
  return result;
}

std::optional<RunResult> finished_run(const RunSubject& of, const RunOptions& options) {
  const std::optional<RunInfo> run = last_run(of.profile);
  if (!run || run->state != RunState::complete) return std::nullopt;
  const Store store(of.profile, OpenMode::read_only);
  const annotator::Profile profile = annotator::estimate(annotator::load_newest_run(store));
  RunResult result{
      .measured = {.run = *run, .warnings = store.warnings(run->id), .continued = true, .is_done = true},
      .is_unreliable = annotator::is_unreliable(profile)};
  if (is_judged(of.project, options)) result.unfit = unfit(profile, of.project);
  return result;
}

nlohmann::ordered_json in_json(const RunResult& result, const fs::path& profile) {
  const harness::Measured& measured = result.measured;
  return {{"state", measured.run.state == RunState::interrupted ? "interrupted" : "complete"},
          {"shots", measured.shots},
          {"continued", measured.continued},
          {"device", measured.run.device},
          {"simulated", measured.run.simulated},
          {"profile", profile.string()},
          {"warnings", in_json(measured.warnings)}};
}

void print(const RunResult& result, const fs::path& profile) {
  const harness::Measured& measured = result.measured;
  for (const Warning& warning : measured.warnings) print_line("warning: " + harmless(to_text(warning)));
  if (measured.continued && measured.shots == 0 && measured.is_done)
    return print_nothing_left(measured, profile);
  const std::string device = measured.run.device.empty() ? "" : " on " + harmless(measured.run.device);
  fmt::print("{}{} shots{}{}: {}\n", measured.run.state == RunState::interrupted ? "interrupted after " : "",
             measured.shots, device, measured.run.simulated ? " (SIMULATED)" : "", profile.string());
}

void print_commands(const Project& project, const fs::path& out) {
  Placeholders values = placeholders(project, out);
  values.emplace("port", "PORT");
  values.emplace("reader", "READER");
  values.emplace("input", "INPUT");
  values.emplace("seed", std::to_string(project.measure.seed));
  if (project.start) fmt::print("start:{}\n", filled(project.start->run, values));
  if (!project.session.exchange.empty())
    fmt::print("exchange:{}\n", filled(project.session.exchange, values));
  const Trigger& trigger = project.trigger;
  if (trigger.run.empty()) return;
  const std::string input = trigger.input.empty() ? "" : " <" + filled({trigger.input}, values);
  fmt::print("trigger:{}{} (in{})\n", filled(trigger.run, values), input, filled({trigger.cwd}, values));
}

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

void refuse_unbuilt(const fs::path& out) {
  if (fs::exists(out / "traps.json")) return;
  throw UserError(Fault{.message = fmt::format("there is no \"{}\"", (out / "traps.json").string()),
                        .hint = "run `jcprof gen` first, or `jcprof profile`, which does it all"});
}

}  // namespace jcprof::cli
