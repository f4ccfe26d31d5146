// SPDX-License-Identifier: Apache-2.0
// The warm-up: windows of pairs (first stop, end) until the target is steady, and what they tell of it. Takes
// readings and plans nothing.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/engine/batch.hpp"
#include "src/engine/grid.hpp"
#include "src/engine/pilot.hpp"
#include "src/engine/warm_up.hpp"

namespace jcprof::engine {

class PilotRun {
 public:
  /// Again from the start; what the last pairs told is kept.
  void begin();
  /// A window: first stop and end in turn.
  void take(std::span<const PlannedShot> shots, std::span<const Reading> readings, double ns_per_tick);
  /// Steady, or given up.
  bool is_over() const;
  /// By the last 30 pairs, but for its grid.
  Pilot pilot() const;
  /// The period on which their answers came, after pauses of up to `longest_pause`; 0 for none. Ticks.
  double grid(double longest_pause, const Precision& precision) const;

 private:
  WarmUp warm_up_;
  std::size_t windows_ = 0;
  std::vector<double> wholes_;
  std::vector<double> ends_;
  std::vector<PausedReading> probe_;
};

}  // namespace jcprof::engine
