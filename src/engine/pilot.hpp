// SPDX-License-Identifier: Apache-2.0
// What the warm-up found out about a target, and what it foretells. Pure.
#pragma once

#include "src/engine/look.hpp"

namespace jcprof::engine {

/// Times are in ticks.
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

}  // namespace jcprof::engine
