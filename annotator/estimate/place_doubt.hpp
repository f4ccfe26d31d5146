// SPDX-License-Identifier: Apache-2.0
// The part of a stop's cost that no calibration tells. A stop costs more at one trap than at another (the
// function, the calls and guards round it, the table of exceptions), and is calibrated at one place.
// That part cancels in the difference of two stops at one trap; in a sum only those of its two ends stay.
// Statements of one function are left in the same way, so their stops differ by less. A counted pass is code
// of the runtime, so it costs the same at each trap.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "annotator/estimate/stretches.hpp"
#include "annotator/estimate/trap_cost.hpp"
#include "src/core/trap_map.hpp"
#include "src/engine/edge_costs.hpp"

namespace jcprof::annotator {

/// By number of trap: the first trap of its group. A group is the statements of one function
/// under as many guards. Entries, exits, returns and handlers are groups of their own: stops there were seen
/// to cost otherwise.
using Groups = std::vector<std::uint32_t>;
Groups groups_of(const TrapMap& map);

/// From a stop to one at another trap, as measured.
struct Step {
  TrapId from{};
  TrapId to{};
  Interval ticks;
};

/// How far a stop may cost another amount than was taken off, in ticks: half widths at 95 %.
struct PlaceDoubt {
  double stop = 0;  // at a trap
  double site = 0;  // of it, the part that other traps of the group do not share
  Groups groups = {};
  std::uint32_t group(TrapId trap) const { return groups.at(number(trap)); }
};

/// A stop's is a documented share of what a stop was calibrated to cost; nothing where the calibrations agree
/// to the tick, or are those of a clock that repeats itself. It is more where the lower quartile of `steps`
/// lies below nothing by more than twice its half width: no code takes less, so stops scatter by as much. One
/// step alone says nothing, since a stop may have left a state behind there. A site's is what was calibrated,
/// under a fine clock. A step below nothing by more than that dissolves its group.
PlaceDoubt place_doubt(const TrapCost& cost, Method method, std::span<const Step> steps, Groups groups);

/// The number of stops at each trap in a time, or in a difference of two.
class Places {
 public:
  void add(TrapId trap, double stops) { stops_[trap] += stops; }
  void add(const Places& other, double times);
  /// Groups are independent of each other, and so are the sites of one.
  double half_width(const PlaceDoubt& doubt) const;

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
