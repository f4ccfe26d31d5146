// SPDX-License-Identifier: Apache-2.0
#include "tests/support/synthetic_device.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <boost/math/distributions/normal.hpp>

#include "src/engine/random.hpp"

namespace jcprof::test {
namespace {

using engine::split_mix_64;

double between(const Extra& extra, double uniform) {
  return extra.low + (extra.high - extra.low) * uniform;
}

}  // namespace

double uniform(std::uint64_t seed, std::uint64_t index, std::uint64_t channel) {
  const std::uint64_t row = split_mix_64(seed + index * 0x9E3779B97F4A7C15U);
  const std::uint64_t bits = split_mix_64(row + channel * 0xD1B54A32D192ED03U) >> 11U;
  return (static_cast<double>(bits) + 0.5) * 0x1p-53;
}

double normal(std::uint64_t seed, std::uint64_t index, std::uint64_t channel) {
  return std::sqrt(-2 * std::log(uniform(seed, index, channel))) *
         std::cos(2 * std::numbers::pi * uniform(seed, index, channel + 1));
}

std::vector<double> block_costs(std::size_t count, double total, Shape shape) {
  const double spread = shape == Shape::flat ? 0.1 : 1.6832;
  const boost::math::normal standard;
  std::vector<double> costs(count);
  for (std::size_t k = 0; k < count; ++k)
    costs[k] =
        std::exp(spread * quantile(standard, (static_cast<double>(k) + 0.5) / static_cast<double>(count)));
  for (std::size_t i = count - 1; i >= 1; --i)
    std::swap(costs[i], costs[static_cast<std::size_t>(uniform(1, i, 9) * static_cast<double>(i + 1))]);
  double sum = 0;
  for (const double cost : costs) sum += cost;
  for (double& cost : costs) cost *= total / sum;
  return costs;
}

SyntheticDevice::SyntheticDevice(DeviceModel model, std::uint64_t seed)
    : model_(model),
      seed_(seed),
      session_gain_(1 + model.session * normal(seed, std::uint64_t{1} << 40U, 1)) {}

double SyntheticDevice::gain() const {
  const auto runs = static_cast<double>(state_.since_reset);
  double gain = 1;
  if (model_.cold > 0) gain += model_.cold * std::exp(-runs / model_.cold_executions);
  if (model_.cool > 0) gain += model_.cool * std::exp(-runs / model_.cool_executions);
  gain += model_.drift_per_hour * state_.time / 3.6e9;
  gain += model_.swing * std::sin(2 * std::numbers::pi * state_.time / model_.swing_period);
  constexpr double gears[] = {1, 1.1, 1.25};
  return session_gain_ * gain * gears[state_.gear];
}

void SyntheticDevice::change_state() {
  if (draw(2) < (state_.mode == 0 ? model_.mode_enter : model_.mode_leave)) state_.mode = 1 - state_.mode;
  const double memory = model_.wander_memory;
  state_.wander = memory * state_.wander +
                  std::sqrt(1 - memory * memory) * model_.wander * normal(seed_, state_.executions, 3);
  const OtherNoise& other = model_.other;
  if (draw(32) < other.gear_change) state_.gear = static_cast<int>(draw(33) * 3);
  if (draw(34) < other.step_change) state_.step = draw(35) * other.step_height;
}

double SyntheticDevice::extra_of_spike() const {
  const Extra& spikes = model_.spikes;
  if (draw(7) >= spikes.rate) return 0;
  if (spikes.pareto == 0) return between(spikes, draw(8));
  return std::min(spikes.low * std::pow(draw(8), -1 / spikes.pareto), spikes.high);
}

double SyntheticDevice::extra_of_interrupts(double time) const {
  constexpr std::uint64_t most = 40;
  if (model_.interrupts.rate == 0) return 0;
  double extra = 0;
  double at = -std::log(draw(16));
  for (std::uint64_t c = 0; c < most && at < model_.interrupts.rate * time; ++c) {
    extra += between(model_.interrupts, draw(64 + 2 * c));
    at -= std::log(draw(67 + 2 * c));
  }
  return extra;
}

double SyntheticDevice::other_extra() const {
  const OtherNoise& other = model_.other;
  double extra = state_.step;
  if (other.every > 0 && state_.executions % other.every == 0) extra += other.every_extra;
  if (other.saw_period > 0)
    extra += other.saw_height * static_cast<double>(state_.executions % other.saw_period) /
             static_cast<double>(other.saw_period);
  if (other.cauchy > 0) extra += other.cauchy * std::tan(std::numbers::pi * (draw(36) - 0.5));
  return extra;
}

/// On top of `work`, by what the execution before has left.
double SyntheticDevice::extra_of_before(double work) const {
  const Situation& at = model_.situation;
  double extra = at.left_over * state_.work_before + at.heat * state_.heat * work;
  if (state_.was_stopped) extra += at.undone * state_.work_before + at.after_stop;
  extra += at.cold_caches * std::max(0.0, work - state_.work_before);
  if (at.evicts_from > 0 && state_.work_before > at.evicts_from) extra += at.evicted;
  return extra;
}

double SyntheticDevice::extra_of_situation(double time) {
  const Situation& at = model_.situation;
  double extra = draw(37) < at.late_rate ? at.late : 0;
  if (at.collect_after > 0 && state_.uncollected > at.collect_after) {
    state_.uncollected -= at.collect_after;
    extra += at.collect_time;
  }
  if (at.busy_period > 0) {
    const double phase = std::fmod(state_.time, at.busy_period);
    if (phase < at.busy_time) extra += at.busy_time - phase;
    extra += at.busy_time * std::floor((phase + time) / at.busy_period);
  }
  return extra;
}

/// `work` takes `time` in the device.
double SyntheticDevice::answered(double time, double work) const {
  const double timer = model_.situation.timer;
  return timer > 0 ? time + std::ceil(work / timer) * timer - work : time;
}

/// When the answer that comes after `time` is looked for.
double SyntheticDevice::seen(double time) const {
  const Situation& at = model_.situation;
  if (at.poll == 0) return time;
  double wait = at.poll;
  double look = 0;
  for (std::uint64_t i = 0; look < time; ++i) {
    look += wait + at.poll_jitter * std::abs(normal(seed_, state_.executions, 1000 + 2 * i));
    wait *= at.poll_growth;
    if (at.poll_longest > 0) wait = std::min(wait, at.poll_longest);
  }
  return look;
}

std::optional<double> SyntheticDevice::execute(double work, bool ends) {
  if (model_.loss > 0 && draw(1) < model_.loss) {
    ++state_.executions;
    state_.time += model_.loss_time;
    state_.since_reset = 0;
    return std::nullopt;
  }
  const double gain_before = gain();
  change_state();
  const double own = gain_before * (1 + model_.mode_factor * state_.mode) * work + extra_of_before(work);
  double time = answered(model_.overhead + own, own) + model_.mode_add * state_.mode + state_.wander +
                model_.jitter * std::exp(model_.jitter_shape * normal(seed_, state_.executions, 5));
  time += extra_of_spike();
  time += extra_of_interrupts(time);
  time += other_extra();
  time += extra_of_situation(time);
  time = seen(std::max(time, model_.overhead / 2));
  const double grid = model_.other.grid;
  if (grid > 0) time = std::ceil((state_.time + time) / grid) * grid - state_.time;
  const double tick = model_.tick;
  const double reading = (std::floor((state_.time + time) / tick) - std::floor(state_.time / tick)) * tick;
  state_.time += time + model_.arming;
  ++state_.executions;
  ++state_.since_reset;
  state_.work_before = work;
  state_.was_stopped = !ends;
  state_.heat = (state_.heat + work / DeviceModel{}.work) *
                std::exp(-(time + model_.arming) / model_.situation.heat_time);
  state_.uncollected += work;
  return reading;
}

}  // namespace jcprof::test
