// SPDX-License-Identifier: Apache-2.0
// Puts the findings of an engine into words for people: a plan before the first round, warnings at the end.
// Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/path_stops.hpp"
#include "src/core/types.hpp"
#include "src/core/warning.hpp"
#include "src/engine/engine.hpp"

namespace jcprof::harness {

/// The effort that the warm-up foretells.
struct Plan {
  double precision = 0;      // half width of a share that was asked for
  std::uint64_t rounds = 0;  // to reach it
  std::uint64_t shots = 0;
  std::chrono::seconds time{0};
  std::string out_of_reach;  // why it cannot be reached; empty if it can
};

struct Means {
  std::uint64_t stops = 0;
  std::uint64_t most_rounds = 0;
  std::optional<std::uint64_t> shots = {};  // left
  std::optional<std::chrono::milliseconds> time = {};
  std::chrono::duration<double> per_shot{0};  // in the warm-up
};

Plan plan_for(const engine::Pilot& pilot, const engine::Precision& precision, const Means& means);
/// "about 14 rounds, 980 shots, 40 s to ±0.5 points"
std::string to_text(const Plan& plan);

/// "1.5 ms", "20 cycles"
std::string in_unit(double ticks, ClockUnit unit);

/// Warns that answers come only at the steps of the grid that the warm-up found.
Warning warning_of_grid(const engine::Pilot& pilot, const engine::Precision& precision, ClockUnit unit);

/// Warns of what the rounds of `engine` show.
std::vector<Warning> judge(const engine::Engine& engine, const MeasureGoal& goal, ClockUnit unit);
/// Puts the judged ones behind those of earlier calls. If the newest warm-up was not steady, that is said
/// once.
void join(std::vector<Warning>& warnings, std::vector<Warning> judged);

}  // namespace jcprof::harness
