// SPDX-License-Identifier: Apache-2.0
#include "harness/measure.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "harness/calibration.hpp"
#include "harness/cancellable.hpp"
#include "harness/inputs.hpp"
#include "harness/path_measurement.hpp"
#include "harness/shooter.hpp"
#include "harness/shot_log.hpp"
#include "harness/stored_rounds.hpp"
#include "harness/survey.hpp"
#include "src/core/error.hpp"

namespace jcprof::harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds progress_every{100};
constexpr std::uint32_t most_rounds = 1000;

MeasureGoal goal_of(const MeasureOptions& options) {
  MeasureGoal goal{
      .precision = options.precision, .seed = options.seed, .most_rounds = most_rounds, .zoom = options.zoom};
  goal.precision.hot = options.zoom.value_or(goal.precision.hot);
  if (!options.rounds) return goal;
  goal.fixed = true;
  goal.most_rounds = *options.rounds;
  goal.zoom = std::nullopt;
  return goal;
}

class Measurement {
 public:
  Measurement(const Project& project, const TrapMap& map, Transport& transport, Store& store,
              const MeasureOptions& options)
      : project_(project),
        map_(map),
        cancellation_(options.cancellation == nullptr ? cancellation() : *options.cancellation),
        transport_(transport, cancellation_),
        store_(store),
        options_(options),
        goal_(goal_of(options)) {
    if (options.max_time) cancellation_.end_by(began_ + *options.max_time);
  }
  ~Measurement() { cancellation_.end_by(Clock::time_point::max()); }
  Measurement(const Measurement&) = delete;
  Measurement& operator=(const Measurement&) = delete;

  Measured run() {
    try {
      make_contact();
    } catch (const Cancelled& cancelled) {
      // Half a survey is none: an earlier run must not be shut off by it.
      if (cancelled.signal() == 0) throw time_is_over();
      return {.run = {.state = RunState::interrupted, .device = target_.device}};
    }
    open_run();
    try {
      calibrate_once();
      measure_paths();
    } catch (const Cancelled&) {
      (void)shooter_->goes_on();  // which knows why from here on
    } catch (const UserError&) {
      // What was measured is good: it stays, and the next call goes on from here.
      close_run(RunState::interrupted);
      throw;
    }
    const bool was_too_short = shooter_->halt() == Halt::time && round_ == 0;
    const bool goes_on_later = shooter_->halt() == Halt::interrupted || was_too_short;
    close_run(goes_on_later ? RunState::interrupted : RunState::complete);
    if (was_too_short) throw time_is_over();
    return {.run = info_, .warnings = warnings_, .shots = shooter_->shots(), .continued = continued_};
  }

 private:
  void make_contact() {
    report("path");
    target_ = transport_.describe();
    read_inputs();
    survey_ = survey(map_, transport_, inputs_);
    log_.emplace(map_, survey_.good);
    shooter_.emplace(transport_, *log_, Budget{.shots = options_.max_shots, .cancellation = cancellation_},
                     [this] { report_now_and_then(); });
  }

  UserError time_is_over() const {
    return Fault{
        .message = fmt::format("--max-time was over before the first round: {} s, in phase \"{}\"",
                               std::chrono::duration<double>(*options_.max_time).count(), phase_),
        .hint = "give it more time, or place fewer traps: a coarser \"level\" in \"profile\" of jcprof.json"};
  }

  void read_inputs() {
    inputs_ = make_inputs(project_.inputs, {.root = project_.root, .seed = options_.seed});
    std::vector<Bytes> bytes;
    bytes.reserve(inputs_.size());
    for (const StoredInput& input : inputs_) bytes.push_back(input.bytes);
    transport_.set_inputs(std::move(bytes));
  }

  void add_path(const SurveyedPath& surveyed) {
    PathStops stops(surveyed, options_.seed);
    engine::Engine engine(stops.settings(map_, target_, goal_));
    paths_.push_back({.stops = std::move(stops), .engine = std::move(engine)});
  }

  // ---- the run in the store

  void open_run() {
    warnings_ = survey_.warnings;
    const std::optional<RunInfo> last = store_.last_run();
    continued_ = last && can_go_on(*last) && recall_paths(survey_, store_.paths(last->id));
    for (const SurveyedPath& one : survey_.paths) add_path(one);
    if (continued_) {
      info_ = *last;
      calibrated_ = !store_.calibrations(info_.id).empty();
      info_.state = RunState::running;
      info_.rounds = options_.rounds.value_or(0);
      store_.go_on(info_.id, info_.rounds);
      // How steady it was is known from the first warm-up only.
      for (Warning& warning : store_.warnings(info_.id))
        if (warning.kind == WarningKind::unsteady) warnings_.push_back(std::move(warning));
      go_on();
      return;
    }
    info_ = new_run();
    info_.id = store_.begin_run(info_, map_, inputs_);
    for (const StoredPath& path : paths_of(survey_)) store_.add_path(info_.id, path);
    shooter_->begin({.store = store_, .run = info_.id});
  }

  RunInfo new_run() const {
    return {.state = RunState::running,
            .started = utc_now(),
            .tool = options_.tool,
            .project = project_.name,
            .project_digest = project_.digest,
            .trap_digest = digest_of(map_),
            .transport = target_.transport,
            .agent = target_.agent,
            .reader = target_.reader,
            .protocol = target_.protocol,
            .device = target_.device,
            .atr = target_.atr,
            .simulated = target_.simulated,
            .unit = target_.unit,
            .hz = target_.hz,
            .resolution = target_.resolution,
            .seed = options_.seed,
            .rounds = options_.rounds.value_or(0),
            .absolute = goal_.precision.absolute,
            .relative = goal_.precision.relative,
            .zoom = goal_.zoom,
            .hot = goal_.precision.hot};
  }

  bool can_go_on(const RunInfo& last) const {
    const auto same = [](const StoredInput& a, const StoredInput& b) {
      return std::tie(a.index, a.bytes, a.input_class) == std::tie(b.index, b.bytes, b.input_class);
    };
    return is_same_measurement(last, new_run()) && std::ranges::equal(store_.inputs(last.id), inputs_, same);
  }

  /// Hands in the rounds of the earlier call again: the same readings lead to the same decisions.
  void go_on() {
    const std::vector<StoredSample> samples = store_.samples(info_.id);
    shooter_->begin(
        {.store = store_, .run = info_.id, .sequence = samples.empty() ? 0 : samples.back().sequence + 1});
    const StoredRounds rounds(samples);
    looks_ = store_.looks(info_.id);
    // Half a pair of twins is measured again.
    while (rounds.has_twins(round_ + 1) && hand_in(rounds) && hand_in(rounds)) {
    }
    for (PathMeasurement& path : paths_) path.engine.warm_up_again();
  }

  bool hand_in(const StoredRounds& rounds) {
    const auto path = std::ranges::find_if(paths_, [&](const PathMeasurement& one) {
      return std::ranges::find(one.stops.inputs(), rounds.input_of(round_ + 1)) != one.stops.inputs().end();
    });
    if (path == paths_.end()) return false;
    const std::optional<engine::Pilot> pilot = target_.exact ? engine::Pilot{} : stored_pilot(*path, looks_);
    if (!pilot) return false;
    path->engine.skip_warm_up(*pilot);
    const std::vector<Shot> shots = path->stops.shots_of(path->engine.next());
    const auto samples = rounds.samples_of(round_ + 1, shots);
    if (!samples) return false;
    for (const StoredSample& sample : *samples) log_->recall(sample.asked, sample.outcome);
    ++round_;
    take(*path, shots, *samples);
    return true;
  }

  void calibrate_once() {
    if (calibrated_ || options_.calibrations == 0) return;
    report("calibration");
    // A command that takes longer than the time-out would be taken for a hang.
    const CalibrationSettings settings{.repetitions = target_.exact ? 1 : options_.calibrations,
                                       .is_exact = target_.exact,
                                       .longest = std::min<std::chrono::nanoseconds>(
                                           CalibrationSettings{}.longest, project_.session.timeout / 4)};
    const std::vector<CalibrationTime> times =
        calibrate(transport_, settings, [this] { return shooter_->goes_on(); });
    // The half of it would be taken for the whole when the run is gone on with.
    if (!shooter_->goes_on()) return;
    store_.begin();
    for (const CalibrationTime& time : times)
      store_.add_calibration(
          info_.id, {.kind = std::string(name_of(time.kind)), .passes = time.passes, .ticks = time.ticks});
    store_.commit();
  }

  // ---- rounds

  void measure_paths() {
    for (bool is_left = true; is_left && shooter_->goes_on();) {
      is_left = false;
      for (PathMeasurement& path : paths_) {
        if (path.engine.next().phase == engine::Phase::done || !shooter_->goes_on()) continue;
        is_left = true;
        measure_twins(path);
      }
    }
  }

  /// What disturbs a round disturbs its twin: nothing else comes between them.
  void measure_twins(PathMeasurement& path) {
    do {
      const engine::Batch& batch = path.engine.next();
      const std::vector<Shot> shots = path.stops.shots_of(batch);
      const bool is_warm_up = batch.phase == engine::Phase::warm_up;
      if (!is_warm_up) ++round_;
      report(name_of(batch.phase));
      const std::vector<StoredSample> samples = shooter_->shoot(shots, is_warm_up ? warm_up_round : round_);
      if (samples.size() < shots.size()) return;
      const std::size_t looks = path.engine.looks();
      const bool had_pilot = path.engine.pilot().has_value();
      take(path, shots, samples);
      if (!had_pilot && path.engine.pilot()) {
        keep(pilot_row(path));
        tell_plan(path);
      }
      if (path.engine.looks() == looks) continue;
      keep(look_row(path, last_look_of(path)));
      if (options_.look) options_.look();
    } while (path.engine.next().phase != engine::Phase::done && path.engine.next().round % 2 == 0);
  }

  StoredLook last_look_of(const PathMeasurement& path) const {
    for (auto look = looks_.rbegin(); look != looks_.rend(); ++look)
      if (look->input == path.stops.inputs().front()) return *look;
    return {};
  }

  void keep(StoredLook look) {
    look.number = static_cast<std::uint32_t>(looks_.size());
    look.shots = shooter_->shots();
    looks_.push_back(look);
    store_.add_look(info_.id, look);
  }

  void take(PathMeasurement& path, std::span<const Shot> shots, std::span<const StoredSample> samples) {
    if (!samples.empty() && samples.front().round != warm_up_round)
      path.rounds.push_back(samples.front().round);
    const std::size_t planned = path.engine.next().shots.size();
    path.engine.take(path.stops.readings_of(shots.first(planned), samples.first(planned)));
    const auto is_loss = [](const StoredSample& sample) {
      return sample.outcome == Outcome::lost || sample.outcome == Outcome::timed_out;
    };
    if (std::ranges::any_of(samples.subspan(planned), is_loss)) path.engine.warm_up_again();
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (log_->can_stop_at(shots[i].stop)) continue;
      const auto stop = std::ranges::find(path.stops.events(), shots[i].stop);
      if (stop == path.stops.events().end())
        path.stops.give_up(shots[i].stop);
      else
        path.engine.give_up(static_cast<std::size_t>(stop - path.stops.events().begin()));
    }
  }

  void tell_plan(const PathMeasurement& path) {
    // What zoom will find cannot be foretold.
    if (!options_.plan || is_plan_told_ || goal_.fixed || path.engine.next().phase == engine::Phase::zoom)
      return;
    is_plan_told_ = true;
    const auto made = static_cast<double>(std::max<std::uint64_t>(shooter_->shots(), 1));
    const std::chrono::duration<double> spent = shooter_->shooting();
    Means means{.most_rounds = goal_.most_rounds, .per_shot = spent / made};
    for (const PathMeasurement& one : paths_) means.stops += one.stops.events().size();
    if (options_.max_shots)
      means.shots = *options_.max_shots - std::min(*options_.max_shots, shooter_->shots());
    if (options_.max_time)
      means.time =
          *options_.max_time - std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began_);
    options_.plan(plan_for(*path.engine.pilot(), goal_.precision, means));
  }

  // ---- the end

  void close_run(RunState state) {
    const Halt halt = shooter_->halt();
    if (halt == Halt::shots || halt == Halt::time)
      warn(WarningKind::precision, fmt::format("ended by {} in round {}",
                                               halt == Halt::shots ? "--max-shots" : "--max-time", round_));
    for (const PathMeasurement& path : paths_) add(judge(path.engine, goal_, target_.unit));
    add(log_->warnings());
    store_.replace_warnings(info_.id, warnings_);
    info_.state = state;
    store_.set_state(info_.id, state);
  }

  void warn(WarningKind kind, std::string text) {
    warnings_.push_back({.kind = kind, .text = std::move(text)});
  }
  void add(std::vector<Warning> more) { std::ranges::move(more, std::back_inserter(warnings_)); }

  // ---- progress

  void report(std::string_view phase) {
    phase_ = phase;
    if (!options_.progress) return;
    Progress progress{.phase = phase, .round = round_};
    if (shooter_) progress.shots = shooter_->shots();
    if (log_) progress.lost = log_->lost();
    std::uint64_t left = 0;
    for (const PathMeasurement& path : paths_) {
      const auto& look = path.engine.look();
      progress.blocks += look ? look->blocks.size() : path.stops.events().size() - 1;
      if (!look) continue;
      progress.settled += look->settled;
      progress.drift = std::max(progress.drift, look->drift);
      left += path.engine.shots_left();
    }
    if (left > 0) {
      progress.expected = progress.shots + left;
      const std::chrono::duration<double> spent = shooter_->shooting();
      progress.left = std::chrono::duration_cast<std::chrono::seconds>(
          spent * static_cast<double>(left) /
          static_cast<double>(std::max<std::uint64_t>(progress.shots, 1)));
    }
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
  CancellableTransport transport_;
  Store& store_;
  const MeasureOptions& options_;
  const MeasureGoal goal_;
  Clock::time_point reported_;
  std::string_view phase_ = "path";

  Description target_;
  std::vector<StoredInput> inputs_;
  Survey survey_;
  std::optional<ShotLog> log_;
  std::optional<Shooter> shooter_;
  std::vector<PathMeasurement> paths_;
  RunInfo info_;
  std::vector<StoredLook> looks_;
  bool continued_ = false;
  bool calibrated_ = false;
  bool is_plan_told_ = false;
  std::uint32_t round_ = 0;  // the last one
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
  return Measurement(project, map, transport, store, options).run();
}

}  // namespace jcprof::harness
