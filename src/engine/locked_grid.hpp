// SPDX-License-Identifier: Apache-2.0
// Do answers come on a grid that begins with each command: a driver that sleeps from the send on, a timer
// that the command starts? Then times are whole steps of it, and no pause before a command helps. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "src/engine/look.hpp"
#include "src/engine/times.hpp"

namespace jcprof::engine {

struct LockedGridSearch {
  std::span<const std::uint32_t> edges = {};  // of each block; see find_locked_grid
  double finest = 0;                          // period below which a grid does not matter
  double alone = 0;                           // shorter ones are told by several single readings alone
  double longest = 0;                         // above it whole steps are the code's own
};

/// The period of the grid in ticks, or 0 for none. The distances between stops are tested for being whole
/// periods, at each period (Rayleigh's test about a known direction; Greenwood & Durand 1955), by the fitted
/// times; and by the readings as they came, with their own distances where they lie far out. Blocks of one
/// edge tell once, those of edge 0 nothing. Costs that are multiples of one look like a grid, but no single
/// reading lies whole periods away: three different distances are needed, and five where none does.
double find_locked_grid(const Times& times, const Clock& clock, const LockedGridSearch& search);

}  // namespace jcprof::engine
