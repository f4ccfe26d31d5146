// SPDX-License-Identifier: Apache-2.0
// The stops of a path with the engine that decides on its shots, and what that engine knew as rows of
// the store. Talks to nobody.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/path_stops.hpp"
#include "harness/shot_log.hpp"
#include "harness/strangers.hpp"
#include "harness/warm_up_budget.hpp"
#include "src/core/store.hpp"
#include "src/core/warning.hpp"
#include "src/engine/engine.hpp"

namespace jcprof::harness {

struct PathMeasurement {
  PathStops stops;
  engine::Engine engine;
  Strangers strangers;
  WarmUpBudget warm_up;
  std::vector<std::uint32_t> rounds = {};  // the numbers in the store of those that the engine has seen

  bool is_left() const { return engine.next().phase != engine::Phase::done; }
  /// Some lines are hidden because it is not known well enough what a stop costs.
  bool wants_calibration() const;
};

/// Hands the samples of a round, or of a part of the warm-up, to the engine: one for each of `shots`, which
/// are those of its next batch. What `log` says cannot be stopped at is not asked for again.
void take(PathMeasurement& path, std::span<const Shot> shots, std::span<const StoredSample> samples,
          const ShotLog& log);

/// The target cannot stop at that event: it is not asked for again.
void give_up(PathMeasurement& path, const Event& event);

/// The result of its first warm-up.
StoredLook pilot_row(const PathMeasurement& path);
/// What its newest look found; `looks` are those before it, of all paths. Where it began something new (a
/// level of the zoom, a coarse clock), the look before it says how rounds are read until there is a look at
/// those that follow.
StoredLook look_row(const PathMeasurement& path, std::span<const StoredLook> looks);

/// The newest of `looks` at this path.
std::optional<StoredLook> newest_look(const PathMeasurement& path, std::span<const StoredLook> looks);

/// The result of the first warm-up in an earlier call, if that came so far.
std::optional<engine::Pilot> stored_pilot(const PathMeasurement& path, std::span<const StoredLook> looks);

/// Warns of what the rounds of all paths show.
std::vector<Warning> judged(std::span<const PathMeasurement> paths, const MeasureGoal& goal, ClockUnit unit);

/// Those lines and functions that are not known as well as `goal` asks, one warning a path.
std::vector<Warning> unresolved_of(std::span<const PathMeasurement> paths, const MeasureGoal& goal,
                                   std::chrono::duration<double> per_shot);

}  // namespace jcprof::harness
