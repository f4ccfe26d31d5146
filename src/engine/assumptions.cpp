// SPDX-License-Identifier: Apache-2.0
#include "src/engine/assumptions.hpp"

#include <algorithm>

#include "src/engine/locked_grid.hpp"

namespace jcprof::engine {
namespace {

// Drivers and timers wait no longer. Costs that are multiples of more are the code's own.
constexpr double longest_period_ns = 40e6;
// Drivers sleep for no less: kernels round up to some 50 us. Costs of code are often multiples of less than
// this.
constexpr double shortest_period_ns = 25e3;
// Timers tick no faster as a rule. Code whose costs are multiples of a longer time is rare.
constexpr double shortest_alone_ns = 0.9e6;
// Pauses of the wrong length leave a grid of the reader's as it is, and these may be longer.
constexpr double longest_unpaused_ns = 250e6;
// Finer grids move no share that can be told from none, and looking for them takes ever longer. But grids of
// drivers are found however long the command is.
constexpr double finest_of_whole = 0.001;
constexpr double longest_finest_ns = 0.5e6;
constexpr double least_finest_of_whole = 0.0001;

double finest_of(const AssumptionScope& scope) {
  const double matters = std::max(scope.finest_share, finest_of_whole) * scope.whole / 2;
  return std::max(std::min(matters, longest_finest_ns / scope.ns_per_tick),
                  least_finest_of_whole * scope.whole);
}

}  // namespace

Assumptions check_assumptions(const Times& times, const Clock& clock, const AssumptionScope& scope) {
  Assumptions found;
  if (clock.method == Method::exact || scope.ns_per_tick <= 0) return found;
  const double longest_ns = clock.method == Method::coarse ? longest_unpaused_ns : longest_period_ns;
  found.locked_grid =
      find_locked_grid(times, clock,
                       {.edges = scope.edges,
                        .finest = std::max(finest_of(scope), shortest_period_ns / scope.ns_per_tick),
                        .alone = shortest_alone_ns / scope.ns_per_tick,
                        .longest = longest_ns / scope.ns_per_tick});
  return found;
}

}  // namespace jcprof::engine
