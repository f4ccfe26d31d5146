// SPDX-License-Identifier: Apache-2.0
#include "harness/leak.hpp"

#include <algorithm>
#include <utility>

#include "harness/cancellable.hpp"
#include "harness/class_survey.hpp"
#include "harness/inputs.hpp"
#include "harness/shooter.hpp"
#include "harness/shot_log.hpp"
#include "harness/stored_run.hpp"
#include "src/core/error.hpp"
#include "src/engine/random.hpp"

namespace jcprof::harness {
namespace {

using Clock = std::chrono::steady_clock;

// Classes that are drawn have so many inputs: few would differ by chance, in what is not of their class.
constexpr std::uint32_t most_drawn = 1000;
constexpr std::size_t most_bytes = 1U << 20U;  // of all of them
// At a stop, where the clock repeats itself: a difference of one tick shows in 60.
constexpr std::size_t most_shots_if_exact = 200;
// Streams of random numbers that nothing else draws from.
constexpr std::uint64_t coins = 0x1EA4'0001;
constexpr std::uint64_t choices = 0x1EA4'0002;

/// In the order in which the inputs have them.
std::vector<std::string> classes_of(const std::vector<StoredInput>& inputs) {
  std::vector<std::string> classes;
  for (const StoredInput& input : inputs)
    if (std::ranges::find(classes, input.input_class) == classes.end()) classes.push_back(input.input_class);
  if (classes.size() < 2)
    throw UserError(
        Fault{.message = "\"inputs\" of jcprof.json has one class, so that there is nothing to compare",
              .hint = "name two: {\"classes\": {\"right\": {\"list\": [\"31323334\"]}, \"wrong\": {\"list\": "
                      "[\"31323335\"]}}}, or split inputs by \"hamming-weight\" or \"bit-length\""});
  return classes;
}

/// The number of inputs of a class that is drawn, which their length limits.
std::uint32_t drawn_for(const Project& project, std::uint64_t seed) {
  const InputSettings few{.root = project.root, .seed = seed};
  const std::vector<StoredInput> inputs = make_inputs(project.inputs, few);
  std::size_t bytes = 1;
  for (const StoredInput& input : inputs) bytes += input.bytes.size();
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(most_bytes * few.drawn / bytes, few.drawn, most_drawn));
}

/// The share of the budget that a search may take.
struct Quota {
  std::optional<std::uint64_t> shots = {};  // until so many were made in all
  Clock::time_point end = Clock::time_point::max();
};

class LeakMeasurement {
 public:
  LeakMeasurement(const Project& project, const TrapMap& map, Transport& transport, Store& store,
                  const LeakOptions& options)
      : project_(project),
        map_(map),
        cancellation_(options.cancellation == nullptr ? cancellation() : *options.cancellation),
        limit_(cancellation_, began_, options.max_time),
        transport_(transport, cancellation_),
        store_(store),
        options_(options) {}

  engine::LeakRun run() && {
    try {
      look_at_inputs();
      classes_ = survey_classes(transport_, inputs_, result_, [this] { report_now_and_then(); });
      begin();
      search_pairs();
    } catch (const Cancelled&) {
      is_over_ = true;
    } catch (const UserError&) {
      if (run_) run_->end(RunState::interrupted, result_.warnings);
      throw;
    }
    if (log_) std::ranges::move(log_->warnings(), std::back_inserter(result_.warnings));
    const bool is_interrupted = cancellation_.signal() != 0;
    result_.run.state = is_interrupted ? RunState::interrupted : RunState::complete;
    if (run_) run_->end(result_.run.state, result_.warnings);
    return std::move(result_);
  }

 private:
  void look_at_inputs() {
    report("path");
    const std::uint64_t seed = options_.search.seed;
    inputs_ = give_inputs(project_, seed, transport_, drawn_for(project_, seed));
    result_.classes = classes_of(inputs_);
    const Description target = transport_.describe();
    result_.run = run_on(target, project_, map_, options_.build);
    result_.run.seed = options_.search.seed;
    is_exact_ = target.exact;
    if (!target.note.empty()) result_.warnings.push_back({.text = target.note});
  }

  void begin() {
    log_.emplace(map_, classes_.survey.good);
    run_.emplace(store_, result_.run, StoredRun::Subject{map_, inputs_, classes_.survey, true});
    result_.run = run_->info();
    const ShooterSettings settings{.store = store_,
                                   .run = result_.run.id,
                                   .most_shots = options_.max_shots,
                                   .cancellation = cancellation_};
    shooter_.emplace(transport_, *log_, settings, [this] { report_now_and_then(); });
  }

  void search_pairs() {
    for (std::size_t second = 1; second < result_.classes.size(); ++second) {
      engine::LeakSettings settings = options_.search;
      settings.stops = result_.path.size() + 1;
      if (is_exact_) settings.most_shots = std::min(settings.most_shots, most_shots_if_exact);
      settings.alpha /= static_cast<double>(result_.classes.size() - 1);
      const Quota quota = quota_of(result_.classes.size() - second);
      result_.pairs.push_back(
          {.second = second,
           .findings = engine::search_leak(settings, [&](std::span<const std::size_t> stops) {
             return shots_at(stops, second, quota);
           })});
    }
  }

  /// An equal part of what is left.
  Quota quota_of(std::size_t pairs) const {
    Quota quota;
    if (options_.max_shots) quota.shots = shooter_->shots() + left_of(*options_.max_shots) / pairs;
    if (options_.max_time) {
      const auto left = std::max(Clock::duration::zero(), began_ + *options_.max_time - Clock::now());
      quota.end = Clock::now() + left / static_cast<int>(pairs);
    }
    return quota;
  }

  std::uint64_t left_of(std::uint64_t shots) const { return shots - std::min(shots, shooter_->shots()); }

  Event stop_at(std::size_t stop) const {
    return stop > result_.path.size() ? Event{.trap = run_to_end, .hit = 1} : result_.path[stop - 1];
  }

  std::vector<engine::ClassedTime> shots_at(std::span<const std::size_t> stops, std::size_t second,
                                            const Quota& quota) {
    if (quota.shots) stops = stops.first(std::min<std::size_t>(stops.size(), left_of(*quota.shots)));
    if (is_over_ || Clock::now() >= quota.end) return {};
    std::vector<Shot> shots;
    std::vector<bool> is_second;
    for (const std::size_t stop : stops) {
      const std::uint64_t number = drawn_++;
      is_second.push_back(engine::draw(options_.search.seed, coins, number, 2) == 1);
      const std::vector<std::uint32_t>& inputs = classes_.inputs[is_second.back() ? second : 0];
      shots.push_back({.stop = stop_at(stop),
                       .input = inputs[engine::draw(options_.search.seed, choices, number, inputs.size())]});
    }
    return times_of(shots, is_second);
  }

  std::vector<engine::ClassedTime> times_of(const std::vector<Shot>& shots,
                                            const std::vector<bool>& is_second) {
    report("shots");
    std::vector<engine::ClassedTime> times;
    try {
      for (const StoredSample& sample : shooter_->shoot(shots, 1)) {
        const bool is_second_one = is_second[times.size()];
        times.push_back({.ticks = is_good(sample) ? static_cast<double>(sample.ticks) : engine::missing,
                         .is_second = is_second_one});
      }
    } catch (const Cancelled&) {
      is_over_ = true;
    }
    return times;
  }

  bool is_good(const StoredSample& sample) const {
    if (sample.asked.trap != run_to_end) return sample.outcome == Outcome::stopped;
    return sample.outcome == Outcome::ended && transport_.is_right(sample.status.value_or(0));
  }

  void report(std::string_view phase) {
    phase_ = phase;
    if (!options_.progress) return;
    options_.progress(
        {.phase = phase, .shots = shooter_ ? shooter_->shots() : 0, .lost = log_ ? log_->lost() : 0});
    reported_ = Clock::now();
  }

  void report_now_and_then() {
    if (Clock::now() - reported_ >= progress_every) report(phase_);
  }

  const Clock::time_point began_ = Clock::now();
  const Project& project_;
  const TrapMap& map_;
  Cancellation& cancellation_;
  TimeLimit limit_;
  CancellableTransport transport_;
  Store& store_;
  const LeakOptions& options_;
  Clock::time_point reported_;
  std::string_view phase_;

  std::vector<StoredInput> inputs_;
  ClassSurvey classes_;
  engine::LeakRun result_;
  std::optional<ShotLog> log_;
  std::optional<StoredRun> run_;
  std::optional<Shooter> shooter_;
  bool is_exact_ = false;    // the clock repeats itself
  std::uint64_t drawn_ = 0;  // shots
  bool is_over_ = false;     // nothing more is asked of the target
};

}  // namespace

void refuse_one_class(const Project& project) {
  classes_of(make_inputs(project.inputs, {.root = project.root, .seed = project.measure.seed}));
}

engine::LeakRun find_leak(const Project& project, const TrapMap& map, Transport& transport, Store& store,
                          const LeakOptions& options) {
  return LeakMeasurement(project, map, transport, store, options).run();
}

}  // namespace jcprof::harness
