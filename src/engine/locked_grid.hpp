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

/// The period of the grid in ticks, or 0 for none. `clock`: how the readings were made.
/// - Stops lie whole periods apart: their phases are tested at each period (Rayleigh's test about a known
///   direction; Greenwood & Durand 1955), by all readings, and by the fitted times. Costs that are multiples
///   of one look like this, and blocks of one edge tell once, those of edge 0 nothing. Several different
///   distances are needed. Or all stops have one phase but for their noise, and single readings lie whole
///   periods off, or the stops whole periods behind the send.
/// - Commands leave at a step and answers come at one: readings lie anywhere in one period, means in its
///   middle.
/// - Readings are steps of a coarse clock. The means are steps as well, in spite of the pauses.
double find_locked_grid(const Times& times, const Clock& clock, const LockedGridSearch& search);

}  // namespace jcprof::engine
