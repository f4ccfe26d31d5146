// SPDX-License-Identifier: Apache-2.0
// A target without a device: passes a given path, and each event has a given time. No clock, no socket.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "harness/path.hpp"
#include "harness/transport.hpp"
#include "src/core/path_signature.hpp"
#include "src/engine/random.hpp"

namespace jcprof::test {

class FakeTransport : public harness::Transport {
 public:
  std::map<std::uint32_t, std::vector<TrapId>> paths;  // by input; input 0 where there is none
  std::size_t window = 4;
  bool knows_run = true;     // as cards do; agents give windows only
  bool knows_mix = true;     // as cards do
  bool knows_total = false;  // and how long the run was
  std::function<std::uint32_t(std::span<const TrapId>)> digest = [](std::span<const TrapId> before) {
    return path_signature(before);
  };
  Sample whole{.outcome = Outcome::ended, .ticks = 10'000, .status = 0x9000, .reply = {1, 2}};
  std::optional<Sample> traced_end;        // where a traced run ends otherwise
  std::optional<std::uint32_t> odd_input;  // the only one whose traced runs do; nothing: all
  /// Changes what is observed: the n-th shot (from 1), and what it would be.
  std::function<void(const Shot&, std::uint64_t n, Sample&)> twist = [](const Shot&, std::uint64_t, Sample&) {
  };
  /// Called after each shot.
  std::function<void(std::uint64_t n)> after_shot = [](std::uint64_t) {};
  /// Called before each trace; may change `paths`.
  std::function<void(std::uint64_t n)> before_trace = [](std::uint64_t) {};
  std::vector<Shot> asked;
  std::uint64_t traces = 0;
  std::uint64_t calibrations = 0;
  // Ticks a pass of each kind, and the last kind that the target does.
  std::array<Ticks, 10> calibration_slopes{1, 3, 7, 0, 0, 100, 2000, 5000, 0, 7};
  harness::CalibrationKind last_calibration = harness::CalibrationKind::guards;
  std::set<harness::CalibrationKind> refused;  // before that one
  std::set<std::uint32_t> right;               // answers; empty: all
  bool can_unwind = false;
  std::uint64_t deepest = 1000;
  std::uint64_t deepest_guarded = 1000;
  std::uint64_t calibration_noise = 200'000;  // ticks, at most
  std::vector<Bytes> inputs;
  harness::Description description{.transport = "fake",
                                   .agent = "test/1",
                                   .reader = "slot",
                                   .protocol = "T=1",
                                   .device = "nothing",
                                   .atr = "3b",
                                   .simulated = true};

  harness::Description describe() override { return description; }

  bool is_right(std::uint32_t status) const override { return right.empty() || right.contains(status); }

  void set_inputs(std::vector<Bytes> all) override { inputs = std::move(all); }

  void measure(std::span<const Shot> shots, const harness::ShotSink& sink) override {
    for (const Shot& shot : shots) {
      asked.push_back(shot);
      Sample sample = run(shot);
      twist(shot, asked.size(), sample);
      const bool goes_on = sink(shot, sample);
      after_shot(asked.size());
      if (!goes_on) return;
    }
  }

  harness::TraceWindow trace(std::uint32_t input, std::uint64_t from, std::uint32_t count) override {
    before_trace(++traces);
    const std::vector<TrapId>& path = path_of(input);
    const std::size_t start = std::min<std::size_t>(from, path.size());
    const std::size_t size = std::min<std::size_t>({count, window, path.size() - start});
    const auto first = path.begin() + static_cast<std::ptrdiff_t>(start);
    return {.traps = {first, first + static_cast<std::ptrdiff_t>(size)},
            .more = start + size < path.size(),
            .before = {.signature = digest(std::span(path).first(start)),
                       .mix = mix_of(std::span(path).first(start))},
            .run = knows_run ? std::optional(harness::WholeRun{
                                   .events = path.size(),
                                   .digest = {.signature = path_signature(path), .mix = mix_of(path)}})
                             : std::nullopt,
            .total = knows_total ? std::optional<std::uint64_t>(path.size()) : std::nullopt,
            .end = odd_input.value_or(input) == input ? traced_end.value_or(whole) : whole};
  }

  std::optional<harness::CalibrationTime> calibrate(harness::CalibrationKind kind,
                                                    std::uint64_t passes) override {
    const bool unwinds = can_unwind && kind == harness::CalibrationKind::unwind;
    if ((kind > last_calibration && !unwinds) || refused.contains(kind)) return std::nullopt;
    if (kind > harness::CalibrationKind::stop && passes > deepest) return std::nullopt;
    if (kind == harness::CalibrationKind::guards && passes > deepest_guarded) return std::nullopt;
    ++calibrations;
    const Ticks slope = calibration_slopes.at(static_cast<std::size_t>(kind));
    const auto noise = static_cast<Ticks>(engine::draw(1, 1, calibrations, calibration_noise));
    return harness::CalibrationTime{
        .kind = kind, .passes = passes, .ticks = 5000 + noise + slope * static_cast<Ticks>(passes)};
  }

 private:
  std::optional<std::uint16_t> mix_of(std::span<const TrapId> traps) const {
    return knows_run && knows_mix ? std::optional(path_mix(traps)) : std::nullopt;
  }

  const std::vector<TrapId>& path_of(std::uint32_t input) const {
    return paths.contains(input) ? paths.at(input) : paths.at(0);
  }

  Sample run(const Shot& shot) const {
    const std::vector<Event> events = harness::events_of(path_of(shot.input));
    for (std::size_t at = 0; at < events.size(); ++at) {
      if (events[at] == shot.stop)
        return {.outcome = Outcome::stopped, .ticks = 1000 * static_cast<Ticks>(at + 1)};
    }
    return whole;
  }
};

}  // namespace jcprof::test
