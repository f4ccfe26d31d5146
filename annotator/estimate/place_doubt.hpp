// SPDX-License-Identifier: Apache-2.0
// The part of a stop's cost that no calibration tells. A stop costs more at one trap than at another (the
// function, the calls and guards round it, the table of exceptions), and is calibrated at one place.
// That part cancels in the difference of two stops at one trap; in a sum only those of its two ends stay. A
// counted pass is code of the runtime, so it costs the same at each trap.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "annotator/estimate/stretches.hpp"
#include "annotator/estimate/trap_cost.hpp"
#include "src/engine/edge_costs.hpp"

namespace jcprof::annotator {

/// How far a stop at a trap may cost another amount than was taken off, in ticks: a half width at 95 %. It is
/// a documented share of what a stop was calibrated to cost; nothing where the calibrations agree to the tick
/// (`is_exact`: or are those of a clock that repeats itself). It is more where the lower quartile of `steps`,
/// each from a stop to one at another trap, lies below nothing by more than twice its half width: no code
/// takes less, so stops scatter by as much. One step alone says nothing, since a stop may have left a state
/// behind there.
double place_doubt(const TrapCost& cost, std::span<const Interval> steps, bool is_exact);

/// The number of stops at each trap in a time, or in a difference of two.
class Places {
 public:
  void add(TrapId trap, double stops) { stops_[trap] += stops; }
  void add(const Places& other, double times);
  /// Traps are independent of each other.
  double half_width(double place_doubt) const;

 private:
  std::map<TrapId, double> stops_;
};

/// How often a sum of `parts` holds each stretch, where `doubt` is that of the sum.
std::vector<double> factors_of(std::span<const engine::StretchPart> parts,
                               const engine::EdgeCosts::Doubt& doubt, std::size_t stretches);

/// Those of a sum that holds each stretch `factors` times. The stop between two neighbours cancels.
Places places_of(std::span<const double> factors, std::span<const Stretch> stretches,
                 std::span<const Event> path);

}  // namespace jcprof::annotator
