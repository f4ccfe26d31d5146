// SPDX-License-Identifier: Apache-2.0
#include "harness/measure.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "harness/calibration.hpp"
#include "harness/cancellable.hpp"
#include "harness/earlier_rounds.hpp"
#include "harness/inputs.hpp"
#include "harness/path_measurement.hpp"
#include "harness/shooter.hpp"
#include "harness/shot_log.hpp"
#include "harness/stored_run.hpp"
#include "harness/survey.hpp"
#include "harness/unresolved.hpp"
#include "src/core/error.hpp"

namespace jcprof::harness {
namespace {

using Clock = std::chrono::steady_clock;

// A path that never repeats itself would have no end of surveys.
constexpr int most_surveys = 3;
// Stops whose cost is not known are calibrated again, in up to so many times as many turns.
constexpr std::uint32_t more_calibrations = 16;

MeasureGoal goal_of(const MeasureOptions& options) {
  MeasureGoal goal{.precision = options.precision,
                   .seed = options.seed,
                   .zoom = options.zoom,
                   .figures = options.figures,
                   .is_session = options.is_session};
  goal.precision.hot = options.zoom.value_or(goal.precision.hot);
  if (!options.rounds) return goal;
  goal.fixed = true;
  goal.most_rounds = *options.rounds;
  goal.zoom = std::nullopt;
  return goal;
}

/// The row of a run that begins.
RunInfo new_run(const Project& project, const TrapMap& map, const Description& target,
                const MeasureOptions& options, const MeasureGoal& goal) {
  RunInfo run = run_on(target, project, map, options.build);
  run.tool = options.tool;
  run.seed = options.seed;
  run.rounds = options.rounds.value_or(0);
  run.absolute = goal.precision.absolute;
  run.relative = goal.precision.relative;
  run.zoom = goal.zoom;
  run.hot = goal.precision.hot;
  return run;
}

/// A command that takes longer than the time-out would be taken for a hang.
CalibrationSettings calibration_settings(const Project& project, const Description& target,
                                         std::uint32_t repetitions, std::optional<Clock::duration> most) {
  CalibrationSettings settings{.repetitions = target.exact ? 1 : repetitions, .is_exact = target.exact};
  settings.longest = std::min<std::chrono::nanoseconds>(settings.longest, project.session.timeout / 4);
  if (most) settings.most_time = *most;
  return settings;
}

UserError time_is_over(std::chrono::duration<double> most, std::string_view phase) {
  return Fault{
      .message = fmt::format("--max-time ended before the first round: after {} s, in phase \"{}\"",
                             most.count(), phase),
      .hint = "allow more time, or set fewer traps: a coarser \"level\" in \"profile\" of jcprof.json"};
}

std::chrono::duration<double> time_of_shot(const Shooter& shooter) {
  return shooter.shooting() / static_cast<double>(std::max<std::uint64_t>(shooter.shots(), 1));
}

/// How far the paths are, by their newest looks.
void count_in(Progress& progress, const std::vector<PathMeasurement>& paths, const Shooter& shooter) {
  progress.shots = shooter.shots();
  std::uint64_t left = 0;
  for (const PathMeasurement& path : paths) {
    const auto& look = path.engine.look();
    const std::vector<engine::FigureLook>& figures = path.engine.figures();
    if (!look) {
      progress.figures += path.stops.first_events() - 1;
      continue;
    }
    progress.figures += figures.empty() ? look->blocks.size() : figures.size();
    const auto settled = std::ranges::count(figures, true, &engine::FigureLook::settled);
    progress.settled += figures.empty() ? look->settled : static_cast<std::uint64_t>(settled);
    progress.drift = std::max(progress.drift, look->drift);
    left += path.engine.shots_left();
  }
  if (left == 0) return;
  progress.expected = progress.shots + left;
  progress.left =
      std::chrono::duration_cast<std::chrono::seconds>(time_of_shot(shooter) * static_cast<double>(left));
}

/// What is known before the first round. Of an earlier call's warnings those stay that this one cannot find.
std::vector<Warning> first_warnings(const Survey& survey, const Description& target, const StoredRun& run) {
  std::vector<Warning> warnings = survey.warnings;
  if (!target.note.empty()) warnings.push_back({.text = target.note});
  const bool is_survey_steady = std::ranges::none_of(
      survey.warnings, [](const Warning& one) { return one.kind == WarningKind::path_varies; });
  // How steady it was is known from the first warm-up only, and it is calibrated once.
  std::ranges::copy_if(run.earlier_warnings(), std::back_inserter(warnings), [&](const Warning& warning) {
    return warning.kind == WarningKind::unsteady || warning.kind == WarningKind::changed ||
           (warning.kind == WarningKind::path_varies && is_survey_steady) ||
           (warning.kind == WarningKind::trap_cost && run.is_calibrated());
  });
  return warnings;
}

std::optional<Warning> warning_of_budget(Halt halt, std::uint32_t round, const MeasureGoal& goal) {
  if (halt != Halt::shots && halt != Halt::time) return std::nullopt;
  return Warning{.kind = WarningKind::precision,
                 .text = fmt::format("ended by {} in round {}",
                                     halt == Halt::shots ? "--max-shots" : "--max-time", round),
                 .advice = more_rounds_by(goal.is_session)};
}

/// Of --max-time, `taken` after its begin; nothing: there is no limit.
std::optional<Clock::duration> time_left(const MeasureOptions& budget, Clock::duration taken) {
  return budget.max_time ? std::optional(*budget.max_time - taken) : std::nullopt;
}

/// What a budget leaves, `taken` after its begin.
Means means_left(const MeasureOptions& budget, const Shooter& shooter, Clock::duration taken) {
  Means means{.per_shot = time_of_shot(shooter)};
  if (budget.max_shots) means.shots = *budget.max_shots - std::min(*budget.max_shots, shooter.shots());
  if (const auto time = time_left(budget, taken)) means.time = floor<std::chrono::milliseconds>(*time);
  return means;
}

class Measurement {
 public:
  Measurement(const Project& project, const TrapMap& map, Transport& transport, Store& store,
              const MeasureOptions& options)
      : project_(project),
        map_(map),
        cancellation_(options.cancellation == nullptr ? cancellation() : *options.cancellation),
        limit_(cancellation_, began_, options.max_time),
        transport_(transport, cancellation_),
        store_(store),
        options_(options),
        goal_(goal_of(options)),
        turns_of_stops_(options.calibrations) {}

  /// Without a survey it makes one. It may make `surveys` more, as shots come along ways that are not known.
  Measured run(std::optional<Survey> found_before, int surveys) {
    surveys_left_ = surveys;
    try {
      report("path");
      target_ = transport_.describe();
      inputs_ = give_inputs(project_, options_.seed, transport_);
      survey_ = found_before ? std::move(*found_before) : survey(map_, transport_, inputs_);
    } catch (const Cancelled& cancelled) {
      // Half a survey is none: an earlier run must not be shut off by it.
      if (cancelled.signal() == 0) throw time_is_over(*options_.max_time, phase_);
      return {.run = {.state = RunState::interrupted, .device = target_.device}};
    }
    begin();
    try {
      calibrate_once();
      do measure_paths();
      while (calibrates_more());
    } catch (const Cancelled&) {
      (void)shooter_->goes_on();  // which knows why from here on
    } catch (const UserError&) {
      // The rounds so far are good: they stay, and the next call goes on from here.
      end(RunState::interrupted);
      throw;
    }
    const bool was_too_short = shooter_->halt() == Halt::time && round_ == 0;
    const bool goes_on_later = shooter_->halt() == Halt::interrupted || was_too_short || found_;
    end(goes_on_later ? RunState::interrupted : RunState::complete);
    if (was_too_short) throw time_is_over(*options_.max_time, phase_);
    return {.run = run_->info(),
            .warnings = std::move(warnings_),
            .shots = shooter_->shots(),
            .rounds = round_,
            .continued = run_->continues(),
            .is_done = std::ranges::none_of(paths_, &PathMeasurement::is_left)};
  }

  /// A survey that knows more ways than this run, which ended for that reason.
  std::optional<Survey>& found() { return found_; }

 private:
  void begin() {
    log_.emplace(map_, survey_.good);
    run_.emplace(store_, new_run(project_, map_, target_, options_, goal_),
                 StoredRun::Subject{map_, inputs_, survey_, options_.is_new_build});
    if (options_.obstacle && !run_->obstacle().empty()) options_.obstacle(run_->obstacle());
    if (options_.begun) options_.begun();
    const WarmUpBudget warm_up(options_.max_shots, time_left(options_, Clock::now() - began_),
                               survey_.paths.size());
    for (const SurveyedPath& one : survey_.paths) {
      // The hits that are measured of a long loop stay those of the first call.
      PathStops stops(one, run_->info().seed, target_.exact);
      paths_.push_back({.stops = stops,
                        .engine = engine::Engine(stops.settings(map_, target_, goal_)),
                        .strangers = Strangers(one, stops.events()),
                        .warm_up = warm_up});
    }
    const ShooterSettings settings{.store = store_,
                                   .run = run_->info().id,
                                   .sequence = run_->next_sequence(),
                                   .most_shots = options_.max_shots,
                                   .cancellation = cancellation_};
    shooter_.emplace(transport_, *log_, settings, [this] { report_now_and_then(); });
    warnings_ = first_warnings(survey_, target_, *run_);
    if (!run_->continues()) return;
    round_ = resume(paths_, *run_, *log_);
    for (PathMeasurement& path : paths_) {
      path.engine.warm_up_again();
      keep_look_of_goal(path, *run_);
    }
  }

  void end(RunState state) {
    if (const auto cut = warning_of_budget(shooter_->halt(), round_, goal_)) warnings_.push_back(*cut);
    join(warnings_, judged(paths_, goal_, target_.unit));
    if (state == RunState::complete && !goal_.fixed)
      std::ranges::move(unresolved_of(paths_, goal_, time_of_shot(*shooter_)), std::back_inserter(warnings_));
    std::ranges::move(log_->warnings(), std::back_inserter(warnings_));
    run_->end(state, warnings_);
  }

  void calibrate_once() {
    if (run_->is_calibrated() || options_.calibrations == 0) return;
    const std::vector<CalibrationTime> times =
        calibrated(calibrate, options_.calibrations, quarter_of_time());
    if (const auto unknown = warning_of(times); unknown && shooter_->goes_on()) warnings_.push_back(*unknown);
  }

  /// True if it is known better what stops cost, where that hides lines: rounds may help again. Noise of
  /// calibrations shrinks with the root of their number, so each one is to have twice as many as the last.
  bool calibrates_more() {
    if (found_ || goal_.fixed || turns_of_stops_ >= more_calibrations * options_.calibrations ||
        !shooter_->goes_on() || std::ranges::none_of(paths_, &PathMeasurement::wants_calibration))
      return false;
    Clock::duration most = std::max<Clock::duration>(shooter_->shooting(), std::chrono::seconds(1));
    if (const auto quarter = quarter_of_time()) most = std::min(most, *quarter);
    if (most < time_of_shot(*shooter_) * engine::fewest_for_interval) return false;
    calibrated(calibrate_stops, turns_of_stops_ *= 2, most);
    for (PathMeasurement& path : paths_)
      if (shooter_->goes_on() && path.engine.can_look_again()) path.engine.look_again();
    return true;
  }

  /// So much of --max-time is for a calibration.
  std::optional<Clock::duration> quarter_of_time() const {
    const auto left = time_left(options_, Clock::now() - began_);
    return left ? std::optional(*left / 4) : std::nullopt;
  }

  /// Keeps the times, unless they are cut off: the half would be taken for the whole by the next call.
  std::vector<CalibrationTime> calibrated(decltype(calibrate)& calibrate_by, std::uint32_t repetitions,
                                          std::optional<Clock::duration> most) {
    report("calibration");
    std::vector<CalibrationTime> times =
        calibrate_by(transport_, calibration_settings(project_, target_, repetitions, most),
                     [this] { return shooter_->goes_on(); });
    if (shooter_->goes_on()) run_->keep(times);
    return times;
  }

  void measure_paths() {
    while (shooter_->goes_on() && std::ranges::any_of(paths_, &PathMeasurement::is_left))
      for (PathMeasurement& path : paths_) {
        if (path.is_left() && shooter_->goes_on()) measure_twins(path);
        if (path.strangers.are_many() && surveys_left_ > 0 && shooter_->goes_on()) look_for_ways(path);
        if (found_) return;
      }
  }

  void look_for_ways(PathMeasurement& path) {
    --surveys_left_;
    report("path");
    Survey again = survey(map_, transport_, inputs_, path.strangers.inputs());
    path.strangers.forget();
    if (finds_more(again, survey_)) found_ = std::move(again);
  }

  /// Nothing comes between twins: a disturbance that lasts is in both of them.
  void measure_twins(PathMeasurement& path) {
    do {
      const engine::Batch& batch = path.engine.next();
      const std::vector<Shot> shots = path.stops.shots_of(batch);
      const bool is_warm_up = batch.phase == engine::Phase::warm_up;
      if (!is_warm_up) ++round_;
      report(name_of(batch.phase));
      const auto begun = Clock::now();
      const std::vector<StoredSample> samples = shooter_->shoot(shots, is_warm_up ? warm_up_round : round_);
      if (samples.size() < shots.size()) return;
      if (is_warm_up) path.warm_up.spend(samples.size(), Clock::now() - begun);
      const std::size_t looks = path.engine.looks();
      const bool had_pilot = path.engine.pilot().has_value();
      take(path, shots, samples, *log_);
      if (is_warm_up && path.warm_up.is_spent()) path.engine.give_up_warm_up();
      if (!had_pilot && path.engine.pilot()) {
        run_->keep(pilot_row(path), shooter_->shots());
        tell_plan(path);
      }
      if (path.engine.looks() == looks) continue;
      run_->keep(look_row(path, run_->looks()), shooter_->shots());
      if (options_.look) options_.look();
    } while (path.engine.next().phase != engine::Phase::done && path.engine.next().round % 2 == 0);
  }

  void tell_plan(const PathMeasurement& path) {
    // The part of a path that zoom will find cannot be foretold.
    if (!options_.plan || is_plan_told_ || goal_.fixed || path.engine.next().phase == engine::Phase::zoom)
      return;
    is_plan_told_ = true;
    Means means = means_left(options_, *shooter_, Clock::now() - began_);
    means.most_rounds = goal_.most_rounds;
    for (const PathMeasurement& one : paths_) means.stops += one.stops.first_events();
    options_.plan(plan_for(*path.engine.pilot(), goal_.precision, means));
  }

  void report(std::string_view phase) {
    phase_ = phase;
    if (!options_.progress) return;
    Progress progress{.phase = phase, .round = round_};
    if (log_) progress.lost = log_->lost();
    if (shooter_) count_in(progress, paths_, *shooter_);
    options_.progress(progress);
    reported_ = Clock::now();
  }

  void report_now_and_then() {
    if (options_.progress && Clock::now() - reported_ >= progress_every) report(phase_);
  }

  const Clock::time_point began_ = Clock::now();
  const Project& project_;
  const TrapMap& map_;
  Cancellation& cancellation_;
  TimeLimit limit_;
  CancellableTransport transport_;
  Store& store_;
  const MeasureOptions& options_;
  const MeasureGoal goal_;
  Clock::time_point reported_;
  std::string_view phase_ = "path";

  Description target_;
  std::vector<StoredInput> inputs_;
  int surveys_left_ = 0;
  Survey survey_;
  std::optional<Survey> found_;
  std::optional<ShotLog> log_;
  std::optional<Shooter> shooter_;
  std::optional<StoredRun> run_;
  std::vector<PathMeasurement> paths_;
  bool is_plan_told_ = false;
  std::uint32_t turns_of_stops_;  // of the newest calibration
  std::uint32_t round_ = 0;       // the last one
  std::vector<Warning> warnings_;
};

}  // namespace

MeasureOptions options_for(const Project& project) {
  constexpr double per_cent = 0.01;
  return {.precision = {.absolute = per_cent * project.measure.absolute_points,
                        .relative = per_cent * project.measure.relative_percent},
          .seed = project.measure.seed,
          .max_shots = project.measure.max_shots,
          .max_time = project.measure.max_time};
}

Measured measure(const Project& project, const TrapMap& map, Transport& transport, Store& store,
                 const MeasureOptions& options) {
  MeasureOptions left = options;
  std::optional<Survey> survey;
  std::uint64_t shots = 0;
  for (int surveys = most_surveys - 1;; --surveys) {
    const Clock::time_point began = Clock::now();
    Measurement measurement(project, map, transport, store, left);
    Measured measured = measurement.run(std::move(survey), surveys);
    if (left.max_shots) *left.max_shots -= std::min(*left.max_shots, measured.shots);
    measured.shots = shots += measured.shots;
    if (!measurement.found()) return measured;
    survey = std::move(measurement.found());
    left.plan = {};
    left.obstacle = {};  // it would be the run of this very call
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began);
    if (left.max_time) *left.max_time -= std::min(*left.max_time, took);
  }
}

}  // namespace jcprof::harness
