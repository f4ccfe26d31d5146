// SPDX-License-Identifier: Apache-2.0
// A device of which every cost is known: the truth that engine, harness and estimates are held against. Its
// noise is a function of counters, so that any language gives the same numbers. It knows nothing of traps and
// paths (synthetic_path.hpp), and waits for nothing: time is a number that grows. Units are microseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace jcprof::test {

/// Uniform in (0, 1): number `channel` of execution `index`. SplitMix64 (Steele, Lea & Flood 2014).
double uniform(std::uint64_t seed, std::uint64_t index, std::uint64_t channel);
/// Standard normal, from channels `channel` and `channel` + 1 (Box & Muller 1958).
double normal(std::uint64_t seed, std::uint64_t index, std::uint64_t channel);

enum class Shape : std::uint8_t {
  flat,  // costs of a similar size
  skew,  // a fifth of the blocks holds four fifths of the cost
};
/// Costs of `count` blocks that add up to `total`, in an order that looks random and is always the same.
std::vector<double> block_costs(std::size_t count, double total, Shape shape);

/// A range of what is added, and how often.
struct Extra {
  double rate = 0;  // of spikes: part of the executions; of interrupts: per microsecond
  double low = 0;
  double high = 0;
  double pareto = 0;  // the exponent of a tail from `low`, cut at `high`; 0: uniform
};

/// Noise beyond the nine devices, each zero where it is not there.
struct OtherNoise {
  double grid = 0;               // answers arrive on multiples of this in absolute time
  std::uint64_t every = 0;       // each so many executions
  double every_extra = 0;        // take this much longer
  std::uint64_t saw_period = 0;  // overhead grows over so many executions
  double saw_height = 0;         // to this, and falls back
  double gear_change = 0;        // chance of another one of three speeds
  double step_change = 0;        // chance of another overhead,
  double step_height = 0;        // up to this
  double cauchy = 0;             // scale of two-sided tails without a variance
};

/// How a device breaks what measuring takes for granted, each zero where it does not.
struct Situation {
  // The answer is seen when somebody looks for it: first so long after the send, then again and again.
  double poll = 0;
  double poll_growth = 1;   // each wait is so many times as long as the one before,
  double poll_longest = 0;  // but no longer than this; 0: without a limit
  double poll_jitter = 0;   // standard deviation of a wait
  double timer = 0;         // the device answers at multiples of this since its command began
  // Of the execution before:
  double left_over = 0;      // this part of its work is done at the start of the next one
  double undone = 0;         // the same where it was stopped
  double cold_caches = 0;    // slowness of what it did not come to
  double after_stop = 0;     // it was stopped: so much on top
  double evicts_from = 0;    // it did more work than this: caches are lost,
  double evicted = 0;        // and filled again in this time
  double heat = 0;           // slowness for each work just done, which dies away
  double heat_time = 1;      // in this time
  double collect_after = 0;  // so much work in all makes the device clean up
  double collect_time = 0;   // for so long
  double busy_period = 0;    // another one takes the processor every so often
  double busy_time = 0;      // for so long
  double late_rate = 0;      // part of the answers that are late
  double late = 0;           // by this
  // Of blocks (workload.hpp):
  double hot_slow = 0;        // slowness of blocks that hold a twentieth, dies away
  double hot_executions = 1;  // over so many executions
  double leak = 0;            // the dearest block gets dearer by this part with each execution
  double dear_rate = 0;       // part of the passes of every fourth block
  double dear_factor = 1;     // that are so many times as dear
  double ramp = 0;            // the first sixth of the work runs slower by this part
};

/// Everything about a device except what it runs.
struct DeviceModel {
  double work = 60000;     // W, of a whole command
  double overhead = 9000;  // L, of an exchange
  double arming = 9000;    // between two executions
  double jitter = 150;     // median of a lognormal
  double jitter_shape = 0.6;
  double wander = 60;  // standard deviation of an autoregressive overhead
  double wander_memory = 0.98;
  double mode_add = 1000;  // of the second of two modes
  double mode_factor = 0;
  double mode_enter = 0.05;
  double mode_leave = 0.2;
  Extra spikes = {.rate = 0.01, .low = 10000, .high = 30000};
  Extra interrupts = {};
  double cold = 0;  // slowness after a reset, dies away over `cold_executions`
  double cold_executions = 1;
  double cool = 0;
  double cool_executions = 1;
  double drift_per_hour = 0.003;
  double swing = 0.001;
  double swing_period = 600e6;
  double session = 0;  // standard deviation of the speed from seed to seed
  double loss = 0;     // chance of a reset
  double loss_time = 0;
  double trap = 40;  // δ
  double tick = 1;   // q, of the clock
  OtherNoise other = {};
  Situation situation = {};
};

/// card, sim, ecall, optee, bimod, sticky, coarse, flaky, therm.
const std::vector<std::string_view>& device_names();
std::optional<DeviceModel> device_named(std::string_view name);

/// grid-1ms, grid-15.6ms, every-2nd, every-3rd, every-7th, saw-tooth, gears, steps, cauchy.
const std::vector<std::string_view>& noise_names();
/// The model with that noise on top, sized for the model. Nothing where there is no such noise.
std::optional<DeviceModel> with_noise(DeviceModel model, std::string_view name);

/// sleep-1ms, timer-1ms, back-off, capped-back-off, left-over-8%, left-over-1%, warm-caches, after-stop,
/// roll-back, evict, heat, hot-warm-up, leak, dear-quarter, retries, collector, preempted, late-answers,
/// ramp.
const std::vector<std::string_view>& situation_names();
/// A card in that situation. Nothing where there is none of this name.
std::optional<DeviceModel> situation_named(std::string_view name);

/// What a device remembers from one execution to the next.
struct DeviceState {
  std::uint64_t executions = 0;
  std::uint64_t since_reset = 0;
  double time = 0;
  int mode = 0;
  double wander = 0;
  int gear = 0;
  double step = 0;
  double work_before = 0;  // of the execution before
  bool was_stopped = false;
  double heat = 0;
  double uncollected = 0;  // work
};

class SyntheticDevice {
 public:
  SyntheticDevice(DeviceModel model, std::uint64_t seed);

  /// The clock's reading for an execution of `work`, at a gain of 1; nothing when the device was reset in it.
  /// `ends`: it was not stopped.
  std::optional<double> execute(double work, bool ends = false);
  void pause(double time) { state_.time += time; }

  const DeviceModel& model() const { return model_; }
  const DeviceState& state() const { return state_; }
  void go_on_from(const DeviceState& state) { state_ = state; }

 private:
  double draw(std::uint64_t channel) const { return uniform(seed_, state_.executions, channel); }
  double gain() const;
  void change_state();
  double extra_of_spike() const;
  double extra_of_interrupts(double time) const;
  double other_extra() const;
  double extra_of_before(double work) const;
  double extra_of_situation(double time);
  double answered(double time, double work) const;
  double seen(double time) const;

  DeviceModel model_;
  std::uint64_t seed_;
  double session_gain_;
  DeviceState state_;
};

}  // namespace jcprof::test
