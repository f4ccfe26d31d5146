// SPDX-License-Identifier: Apache-2.0
// The devices and the noise that tests and benchmarks ask for by name.
#include <algorithm>
#include <utility>

#include "tests/support/synthetic_device.hpp"

namespace jcprof::test {
namespace {

DeviceModel without_drift(DeviceModel model) {
  model.drift_per_hour = 0;
  model.swing = 0;
  return model;
}

DeviceModel without_modes(DeviceModel model) {
  model.mode_add = model.mode_factor = model.mode_enter = model.mode_leave = 0;
  return model;
}

/// A simulator on a virtual machine that compiles what is hot.
DeviceModel sim() {
  DeviceModel model = without_modes(without_drift({}));
  model.work = 3000, model.overhead = 400, model.arming = 350, model.trap = 1.5, model.tick = 0.1;
  model.jitter = 30, model.jitter_shape = 0.8, model.wander = 10, model.wander_memory = 0.9;
  model.spikes = {.rate = 0.006, .low = 1500, .high = 20000, .pareto = 1.5};
  model.cold = 1, model.cold_executions = 400, model.cool = 0.15, model.cool_executions = 8000;
  return model;
}

/// A call into an enclave.
DeviceModel ecall() {
  DeviceModel model = without_drift({});
  model.work = 60, model.overhead = 4, model.arming = 0, model.trap = 0.01, model.tick = 0.001;
  model.jitter = 0.08, model.jitter_shape = 0.5, model.wander = 0.03, model.wander_memory = 0.95;
  model.mode_add = 0, model.mode_factor = 0.06, model.mode_enter = 2e-4, model.mode_leave = 1e-3;
  model.spikes = {.rate = 2e-4, .low = 50, .high = 500};
  model.interrupts = {.rate = 1e-3, .low = 3, .high = 12};
  return model;
}

/// A trusted application beside a busy Linux.
DeviceModel optee() {
  DeviceModel model = without_drift({});
  model.work = 1500, model.overhead = 250, model.arming = 200, model.trap = 0.5, model.tick = 0.016;
  model.jitter = 15, model.jitter_shape = 0.7, model.wander = 20, model.wander_memory = 0.97;
  model.mode_add = 0, model.mode_factor = 0.04, model.mode_enter = 0.002, model.mode_leave = 0.01;
  model.spikes = {.rate = 0.01, .low = 300, .high = 10000, .pareto = 1.3};
  model.interrupts = {.rate = 1e-4, .low = 20, .high = 80};
  return model;
}

/// Every other answer is late.
DeviceModel bimod() {
  DeviceModel model = without_drift({});
  model.mode_add = 2000, model.mode_enter = model.mode_leave = 0.5;
  return model;
}

/// Slow for fifty executions, then fast for fifty.
DeviceModel sticky() {
  DeviceModel model = without_drift({});
  model.mode_add = 2000, model.mode_factor = 0.05, model.mode_enter = model.mode_leave = 0.02;
  return model;
}

DeviceModel coarse() {
  DeviceModel model = without_modes({});
  model.swing = 0, model.tick = 1000;
  return model;
}

/// A card that is reset now and then, and is slow afterwards.
DeviceModel flaky() {
  DeviceModel model = without_drift({});
  model.cold = 0.05, model.cold_executions = 20, model.loss = 0.002, model.loss_time = 2e6;
  return model;
}

/// A card that warms and cools.
DeviceModel therm() {
  DeviceModel model = without_modes({});
  model.drift_per_hour = 0.02, model.swing = 0.01, model.swing_period = 120e6;
  return model;
}

struct NamedDevice {
  std::string_view name;
  DeviceModel (*make)();
};
constexpr NamedDevice devices[] = {{"card", [] { return DeviceModel{}; }},
                                   {"sim", sim},
                                   {"ecall", ecall},
                                   {"optee", optee},
                                   {"bimod", bimod},
                                   {"sticky", sticky},
                                   {"coarse", coarse},
                                   {"flaky", flaky},
                                   {"therm", therm}};

/// Heights are those of a card, where a command takes 60 ms of work: other devices get their share.
struct NamedNoise {
  std::string_view name;
  OtherNoise card = {};
};
constexpr NamedNoise noises[] = {{"grid-1ms", {.grid = 1000}},
                                 {"grid-15.6ms", {.grid = 15600}},
                                 {"every-2nd", {.every = 2, .every_extra = 1500}},
                                 {"every-3rd", {.every = 3, .every_extra = 8000}},
                                 {"every-7th", {.every = 7, .every_extra = 8000}},
                                 {"saw-tooth", {.saw_period = 64, .saw_height = 4000}},
                                 {"gears", {.gear_change = 0.01}},
                                 {"steps", {.step_change = 0.01, .step_height = 5000}},
                                 {"cauchy", {.cauchy = 100}}};

struct NamedSituation {
  std::string_view name;
  Situation card = {};
};
constexpr NamedSituation situations[] = {
    // A grid that begins with the send.
    {"sleep-1ms", {.poll = 1000, .poll_jitter = 5}},
    {"timer-1ms", {.timer = 1000}},
    {"back-off", {.poll = 1000, .poll_growth = 2, .poll_jitter = 20}},
    {"capped-back-off", {.poll = 50, .poll_growth = 2, .poll_longest = 1600, .poll_jitter = 10}},
    // The execution before leaves something behind.
    {"left-over-8%", {.left_over = 0.08}},
    {"left-over-1%", {.left_over = 0.01}},
    {"warm-caches", {.cold_caches = 0.1}},
    {"after-stop", {.after_stop = 3000}},
    {"roll-back", {.undone = 0.05}},
    {"evict", {.evicts_from = 30000, .evicted = 2000}},
    {"heat", {.heat = 0.04, .heat_time = 200e3}},
    // Costs change.
    {"hot-warm-up", {.hot_slow = 0.5, .hot_executions = 1500}},
    {"leak", {.leak = 0.0005}},
    // Passes of one block differ.
    {"dear-quarter", {.dear_rate = 0.25, .dear_factor = 4}},
    {"retries", {.dear_rate = 0.4, .dear_factor = 2}},
    // Nothing that would do harm.
    {"collector", {.collect_after = 1e6, .collect_time = 20000}},
    {"preempted", {.busy_period = 100e3, .busy_time = 5000}},
    {"late-answers", {.late_rate = 0.1, .late = 40000}},
    {"ramp", {.ramp = 0.5}}};

template <typename Named>
std::vector<std::string_view> names_of(const Named& all) {
  std::vector<std::string_view> names;
  for (const auto& each : all) names.push_back(each.name);
  return names;
}

}  // namespace

const std::vector<std::string_view>& device_names() {
  static const std::vector<std::string_view> names = names_of(devices);
  return names;
}

std::optional<DeviceModel> device_named(std::string_view name) {
  const auto* const found = std::ranges::find(devices, name, &NamedDevice::name);
  if (found == std::end(devices)) return std::nullopt;
  return found->make();
}

const std::vector<std::string_view>& noise_names() {
  static const std::vector<std::string_view> names = names_of(noises);
  return names;
}

std::optional<DeviceModel> with_noise(DeviceModel model, std::string_view name) {
  const auto* const found = std::ranges::find(noises, name, &NamedNoise::name);
  if (found == std::end(noises)) return std::nullopt;
  const double scale = model.work / DeviceModel{}.work;
  OtherNoise other = found->card;
  for (double* height :
       {&other.grid, &other.every_extra, &other.saw_height, &other.step_height, &other.cauchy})
    *height *= scale;
  model.other = other;
  return model;
}

const std::vector<std::string_view>& situation_names() {
  static const std::vector<std::string_view> names = names_of(situations);
  return names;
}

std::optional<DeviceModel> situation_named(std::string_view name) {
  const auto* const found = std::ranges::find(situations, name, &NamedSituation::name);
  if (found == std::end(situations)) return std::nullopt;
  DeviceModel model;
  model.situation = found->card;
  return model;
}

}  // namespace jcprof::test
