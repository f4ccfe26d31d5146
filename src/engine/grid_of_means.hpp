// SPDX-License-Identifier: Apache-2.0
// Grids that no single reading shows, but the means of stops do. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "src/engine/locked_grid.hpp"
#include "src/engine/times.hpp"

namespace jcprof::engine {

/// The means of a coarse clock see between its steps where commands begin at any time, and are whole steps
/// where commands begin with one: then no pause helps. `tick`: of the clock. `edges`: of each block.
bool begins_with_step(const Times& times, double tick, std::span<const std::uint32_t> edges);

/// The command leaves at a step, and its answer comes at one. Readings of a stop then lie anywhere in one
/// period, and their mean in the middle of it. Returns the period, or 0.
double period_of_both_ways(const Times& times, const LockedGridSearch& search);

}  // namespace jcprof::engine
