// SPDX-License-Identifier: Apache-2.0
#include "harness/measure.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <tuple>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "harness/calibration.hpp"
#include "harness/inputs.hpp"
#include "harness/shot_log.hpp"
#include "harness/survey.hpp"
#include "src/core/error.hpp"
#include "src/engine/schedule.hpp"
#include "src/engine/warm_up.hpp"

namespace jcprof::harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds progress_every{100};
// Samples of this round are those of warm-up and recovery: stored, because all is, but of no round.
constexpr std::uint32_t warm_up_round = 0;
constexpr int runs_to_regain_trust = 3;

enum class Halt : std::uint8_t { no, interrupted, shots, time };

bool is_timed(const StoredSample& sample) {
  return sample.outcome == Outcome::stopped || sample.outcome == Outcome::ended;
}

class Measurement {
 public:
  Measurement(const Project& project, const TrapMap& map, Transport& transport, Store& store,
              const MeasureOptions& options)
      : project_(project),
        map_(map),
        transport_(transport),
        store_(store),
        options_(options),
        interrupted_(options.interrupted == nullptr ? never_ : *options.interrupted),
        started_(Clock::now()) {}

  Measured run() {
    report("path");
    const Description target = transport_.describe();
    read_inputs();
    survey_ = survey(map_, transport_, inputs_, interrupted_);
    log_.emplace(map_, survey_.good);
    choose_stops();
    open_run(target);
    try {
      calibrate_once();
      run_rounds();
    } catch (const UserError&) {
      // What was measured is good: it stays, and the next call goes on from here.
      close_run(RunState::interrupted);
      throw;
    }
    close_run(halt_ == Halt::interrupted ? RunState::interrupted : RunState::complete);
    return {.run = info_, .warnings = warnings_, .shots = shots_, .continued = continued_};
  }

 private:
  void read_inputs() {
    inputs_ = make_inputs(project_.inputs, {.root = project_.root, .seed = options_.seed});
    std::vector<Bytes> bytes;
    bytes.reserve(inputs_.size());
    for (const StoredInput& input : inputs_) bytes.push_back(input.bytes);
    transport_.set_inputs(std::move(bytes));
  }

  void choose_stops() {
    for (const std::size_t at : engine::choose_positions(survey_.path.events, options_.seed))
      stops_.push_back(at == survey_.path.events.size() ? Event{} : survey_.path.events[at]);
    expected_ = std::uint64_t{options_.rounds} * stops_.size();
  }

  void open_run(const Description& target) {
    warnings_ = survey_.warnings;
    const std::optional<RunInfo> last = store_.last_run();
    if (last && can_go_on(*last, target)) {
      info_ = *last;
      continued_ = true;
      for (const StoredSample& sample : store_.samples(info_.id)) {
        first_round_ = std::max(first_round_, sample.round);
        sequence_ = std::max(sequence_, sample.sequence + 1);
      }
      calibrated_ = !store_.calibrations(info_.id).empty();
      info_.state = RunState::running;
      store_.set_state(info_.id, RunState::running);
      return;
    }
    info_ = new_run(target);
    info_.id = store_.begin_run(info_, map_, inputs_);
    for (const std::uint32_t input : survey_.inputs)
      store_.add_path(info_.id,
                      {.input = input, .signature = survey_.path.signature, .events = survey_.path.events});
  }

  RunInfo new_run(const Description& target) const {
    return {.state = RunState::running,
            .started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
            .tool = options_.tool,
            .project = project_.name,
            .project_digest = project_.digest,
            .trap_digest = digest_of(map_),
            .transport = target.transport,
            .agent = target.agent,
            .reader = target.reader,
            .protocol = target.protocol,
            .device = target.device,
            .atr = target.atr,
            .simulated = target.simulated,
            .unit = target.unit,
            .hz = target.hz,
            .resolution = target.resolution,
            .seed = options_.seed,
            .rounds = options_.rounds};
  }

  bool can_go_on(const RunInfo& last, const Description& target) const {
    const auto identity = [](const auto& of) {
      return std::tie(of.transport, of.reader, of.protocol, of.device, of.atr);
    };
    if (identity(last) != identity(target)) return false;
    if (last.state == RunState::complete || last.seed != options_.seed) return false;
    if (last.project_digest != project_.digest || last.trap_digest != digest_of(map_)) return false;
    const auto same = [](const StoredInput& a, const StoredInput& b) {
      return std::tie(a.index, a.bytes, a.input_class) == std::tie(b.index, b.bytes, b.input_class);
    };
    return std::ranges::equal(store_.inputs(last.id), inputs_, same) &&
           store_.paths(last.id).at(0).events == survey_.path.events;
  }

  void calibrate_once() {
    if (calibrated_ || options_.calibrations == 0) return;
    report("calibration");
    // A command that takes longer than the time-out would be taken for a hang.
    const CalibrationSettings settings{.repetitions = options_.calibrations,
                                       .longest = std::min<std::chrono::nanoseconds>(
                                           CalibrationSettings{}.longest, project_.session.timeout / 4)};
    const std::vector<CalibrationTime> times = calibrate(transport_, settings, [this] { return goes_on(); });
    // The half of it would be taken for the whole when the run is gone on with.
    if (!goes_on()) return;
    store_.begin();
    for (const CalibrationTime& time : times)
      store_.add_calibration(
          info_.id, {.kind = std::string(name_of(time.kind)), .passes = time.passes, .ticks = time.ticks});
    store_.commit();
  }

  void run_rounds() {
    warm_up();
    for (std::uint32_t round = first_round_; round < options_.rounds && goes_on(); ++round) {
      const std::uint64_t lost_before = log_->lost();
      run_round(round);
      // A card that was started again is cold again.
      if (log_->lost() != lost_before && round + 1 < options_.rounds) warm_up();
    }
  }

  std::uint32_t input_of(std::uint32_t round) const {
    // Twins share their input, and all its shots are of one round: differences stay within one input.
    return survey_.inputs[round / 2 % survey_.inputs.size()];
  }

  void run_round(std::uint32_t round) {
    round_ = round + 1;
    std::vector<Shot> shots;
    for (const std::size_t at : engine::round_order(stops_.size(), options_.seed, round)) {
      if (log_->can_stop_at(stops_[at])) shots.push_back({.stop = stops_[at], .input = input_of(round)});
    }
    report("rounds");
    for (std::span<const Shot> rest(shots); !rest.empty() && goes_on();) {
      rest = rest.subspan(shoot(rest, "rounds").size());
      if (!log_->is_trusted()) regain_trust(input_of(round));
    }
  }

  /// After the target was lost: the whole command, until it is answered as it was at the first contact.
  void regain_trust(std::uint32_t input) {
    const std::array whole{Shot{.stop = {}, .input = input}};
    const std::uint32_t round = std::exchange(round_, warm_up_round);
    for (int i = 0; i < runs_to_regain_trust && !log_->is_trusted() && goes_on(); ++i)
      shoot(whole, "recovery");
    round_ = round;
    if (!log_->is_trusted() && goes_on())
      throw environment_error(
          fmt::format(
              "since the target was lost, {} runs of the whole command were not answered as at the first "
              "contact",
              runs_to_regain_trust),
          "\"after_reset\" and \"before_each\" in \"session\" must bring it back to the same state; "
          "`jcprof run` goes on with what was measured");
  }

  void warm_up() {
    round_ = warm_up_round;
    using engine::WarmUp;
    WarmUp warm_up;
    const auto first =
        std::ranges::find_if(stops_, [this](const Event& stop) { return log_->can_stop_at(stop); });
    std::vector<Shot> window;
    for (std::size_t pair = 0; pair < WarmUp::pairs_per_window; ++pair) {
      window.push_back({.stop = *first, .input = survey_.inputs.front()});
      window.push_back({.stop = {}, .input = survey_.inputs.front()});
    }
    while (warm_up.state() == WarmUp::State::warming && goes_on() && log_->can_stop_at(*first)) {
      const std::vector<StoredSample> samples = shoot(window, "warm-up");
      if (!log_->is_trusted()) regain_trust(survey_.inputs.front());
      for (std::size_t i = 0; i + 1 < samples.size(); i += 2) {
        if (is_timed(samples[i]) && is_timed(samples[i + 1]))
          warm_up.add(static_cast<double>(samples[i].ticks), static_cast<double>(samples[i + 1].ticks));
      }
    }
    if (warm_up.state() == WarmUp::State::given_up)
      warnings_.push_back(
          fmt::format("the target has not settled after {} pairs of warm-up: it still moves by {:.1f} %",
                      WarmUp::most_windows * WarmUp::pairs_per_window, 100 * warm_up.drift()));
  }

  /// The shots, timed, judged and stored, up to one that loses the target; those that were made.
  std::vector<StoredSample> shoot(std::span<const Shot> shots, std::string_view phase) {
    std::vector<StoredSample> samples;
    samples.reserve(shots.size());
    const auto take = [&](const Shot& shot, const Sample& sample) {
      samples.push_back({.sequence = sequence_++,
                         .round = round_,
                         .asked = shot.stop,
                         .input = shot.input,
                         .ticks = sample.ticks,
                         .outcome = sample.outcome,
                         .status = sample.status});
      const std::uint64_t lost = log_->lost();
      log_->take(shot, sample);
      ++shots_;
      report_now_and_then(phase);
      return goes_on() && log_->lost() == lost;
    };
    if (goes_on()) {
      try {
        transport_.measure(shots, take);
      } catch (const UserError&) {
        keep(samples);
        throw;
      }
    }
    keep(samples);
    return samples;
  }

  void keep(const std::vector<StoredSample>& samples) {
    if (samples.empty()) return;
    store_.begin();
    for (const StoredSample& sample : samples) store_.add_sample(info_.id, sample);
    store_.commit();
  }

  bool goes_on() {
    if (halt_ != Halt::no) return false;
    if (interrupted_)
      halt_ = Halt::interrupted;
    else if (options_.max_shots && shots_ >= *options_.max_shots)
      halt_ = Halt::shots;
    else if (options_.max_time && Clock::now() - started_ >= *options_.max_time)
      halt_ = Halt::time;
    return halt_ == Halt::no;
  }

  void close_run(RunState state) {
    if (halt_ == Halt::shots || halt_ == Halt::time)
      warnings_.push_back(fmt::format("ended by {} in round {} of {}",
                                      halt_ == Halt::shots ? "--max-shots" : "--max-time", round_,
                                      options_.rounds));
    for (std::string& text : log_->warnings()) warnings_.push_back(std::move(text));
    for (const std::string& text : warnings_) store_.add_warning(info_.id, text);
    info_.state = state;
    store_.set_state(info_.id, state);
  }

  void report(std::string_view phase) {
    if (!options_.progress) return;
    options_.progress(
        {.phase = phase, .shots = shots_, .expected = expected_, .round = round_, .rounds = options_.rounds});
    reported_ = Clock::now();
  }

  void report_now_and_then(std::string_view phase) {
    if (options_.progress && Clock::now() - reported_ >= progress_every) report(phase);
  }

  const Project& project_;
  const TrapMap& map_;
  Transport& transport_;
  Store& store_;
  const MeasureOptions& options_;
  const std::atomic<bool> never_ = false;
  const std::atomic<bool>& interrupted_;
  Clock::time_point started_;
  Clock::time_point reported_;

  std::vector<StoredInput> inputs_;
  Survey survey_;
  std::vector<Event> stops_;  // in path order, the end last
  std::optional<ShotLog> log_;
  RunInfo info_;
  bool continued_ = false;
  bool calibrated_ = false;
  std::uint32_t first_round_ = 0;
  std::uint32_t round_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t shots_ = 0;
  std::uint64_t expected_ = 0;
  Halt halt_ = Halt::no;
  std::vector<std::string> warnings_;
};

}  // namespace

MeasureOptions options_for(const Project& project) {
  return {.seed = project.measure.seed,
          .max_shots = project.measure.max_shots,
          .max_time = project.measure.max_time};
}

Measured measure(const Project& project, const TrapMap& map, Transport& transport, Store& store,
                 const MeasureOptions& options) {
  return Measurement(project, map, transport, store, options).run();
}

}  // namespace jcprof::harness
