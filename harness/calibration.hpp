// SPDX-License-Identifier: Apache-2.0
// Measures what a trap itself costs on this very device: times of calibration commands, raw, for the
// annotator to make slopes of. Knows nothing of stores.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "harness/transport.hpp"
#include "src/core/warning.hpp"

namespace jcprof::harness {

// A JIT compiles the loops after some hundred commands; the slope of the interpreter is not the one that is
// wanted. So much of the target's time is enough for that, and on a card without one it is a single command.
inline constexpr Ticks warm_up_ns = 60'000'000;
inline constexpr int warm_up_commands = 2000;
inline constexpr std::int64_t longest_warm_up_ns = 1'000'000'000;

struct CalibrationSettings {
  std::uint32_t repetitions = 20;          // of each kind, interleaved; of stops up to ten times that
  bool is_exact = false;                   // the clock repeats itself
  std::uint64_t most_passes = 32'000'000;  // a device on which that many cannot be seen has no need for it
  std::chrono::nanoseconds longest{250'000'000};  // for one command
  // The limit for all kinds together. The fewest repetitions are made in any case.
  std::chrono::nanoseconds most_time = std::chrono::nanoseconds::max();
};

/// Traps: passes are doubled until unarmed minus empty is at least 3 standard deviations of such a
/// difference, or a limit is reached; then the kinds are timed in turn. Stops: the same in turn, one a
/// command, from as deep as the target allows; or where it times only the unwinding, none and that many
/// frames in turn. Sites: as many turns as a second holds, where
/// there is time for them. `goes_on` is asked between commands; what there is is returned when it says no. A
/// kind that the target does not do is left out alone. Where the clock is exact each is timed `repetitions`
/// times, a stop a few times, and never to warm up, and nothing depends on how long it takes the host. Else
/// commands that take long are made less often, down to engine::fewest_for_interval of a kind, to keep
/// to `most_time`.
std::vector<CalibrationTime> calibrate(Transport& transport, const CalibrationSettings& settings,
                                       const std::function<bool()>& goes_on);

/// Times stops alone, not from a depth, in as many turns as `repetitions` says and more where they are quick.
std::vector<CalibrationTime> calibrate_stops(Transport& transport, const CalibrationSettings& settings,
                                             const std::function<bool()>& goes_on);

/// Says which costs these times leave unknown; nothing where they tell all.
std::optional<Warning> warning_of(const std::vector<CalibrationTime>& times);

}  // namespace jcprof::harness
