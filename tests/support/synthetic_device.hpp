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
};

/// card, sim, ecall, optee, bimod, sticky, coarse, flaky, therm.
const std::vector<std::string_view>& device_names();
std::optional<DeviceModel> device_named(std::string_view name);

/// grid-1ms, grid-15.6ms, every-2nd, every-3rd, every-7th, saw-tooth, gears, steps, cauchy.
const std::vector<std::string_view>& noise_names();
/// The model with that noise on top, sized for the model. Nothing where there is no such noise.
std::optional<DeviceModel> with_noise(DeviceModel model, std::string_view name);

/// What a device remembers from one execution to the next.
struct DeviceState {
  std::uint64_t executions = 0;
  std::uint64_t since_reset = 0;
  double time = 0;
  int mode = 0;
  double wander = 0;
  int gear = 0;
  double step = 0;
};

class SyntheticDevice {
 public:
  SyntheticDevice(DeviceModel model, std::uint64_t seed);

  /// The clock's reading for an execution of `work`, at a gain of 1; nothing when the device was reset in it.
  std::optional<double> execute(double work);
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

  DeviceModel model_;
  std::uint64_t seed_;
  double session_gain_;
  DeviceState state_;
};

}  // namespace jcprof::test
