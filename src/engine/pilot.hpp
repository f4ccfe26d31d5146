// SPDX-License-Identifier: Apache-2.0
// The warm-up as a pilot of the measurement: windows of pairs (first stop, end) until the target is steady,
// what they tell of it, and what that foretells. Takes readings and plans nothing.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/engine/batch.hpp"
#include "src/engine/grid.hpp"
#include "src/engine/look.hpp"
#include "src/engine/warm_up.hpp"

namespace jcprof::engine {

// Readers and radio links answer at least so often. No pause is longer for their sake.
constexpr double longest_grid_ns = 250e6;

/// The findings of the warm-up. Times are in ticks.
struct Pilot {
  bool steady = true;  // else `drift` says by which part it still moved
  double drift = 0;
  double grid = 0;   // period of the grid on which the transport answers; 0: none was seen
  double whole = 0;  // from the first stop to the end
  double sigma = 0;  // of that
  double shot = 0;   // the whole command
};

/// Rounds until the half width of a block is `precision.absolute`: n = (1.96 · 1.2533 · σ / (ε W))², from the
/// standard error of a median; on a grid, whose steps the pauses smooth, (2.17 · 0.41 f / (ε W))².
double rounds_needed(const Pilot& pilot, const Precision& precision);

class PilotRun {
 public:
  /// Again from the start; the last pairs are kept.
  void begin();
  /// A window: first stop and end in turn.
  void take(std::span<const PlannedShot> shots, std::span<const Reading> readings, double ns_per_tick);
  /// Steady, or given up.
  bool is_over() const;
  /// By the last 30 pairs, but for its grid.
  Pilot pilot() const;
  /// The period on which their answers came, after pauses of up to `longest_pause`; 0 for none. Ticks.
  double grid(double longest_pause, const Precision& precision) const;
  /// Begins again where no pause moved an answer from one step of a grid to the next, and returns what is
  /// long enough for that; else 0. Once.
  double probe_longer(double longest_pause);

 private:
  WarmUp warm_up_;
  std::size_t windows_ = 0;
  std::vector<double> wholes_;
  std::vector<double> ends_;
  std::vector<PausedReading> probe_;
  double pause_step_ = 0;  // in ticks, of a nanosecond
  bool is_probed_longer_ = false;
};

}  // namespace jcprof::engine
