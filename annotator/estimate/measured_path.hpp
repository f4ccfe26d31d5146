// SPDX-License-Identifier: Apache-2.0
// A path with its samples: whom its blocks belong to, and what sums of them cost. Each block has one cost,
// and whatever is published of the path is a plain sum of these, so that parts add up.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "annotator/estimate/attribution.hpp"
#include "annotator/estimate/averages.hpp"
#include "annotator/estimate/division.hpp"
#include "annotator/estimate/place_doubt.hpp"
#include "annotator/estimate/readings.hpp"
#include "annotator/estimate/stretches.hpp"
#include "annotator/estimate/taken_paths.hpp"

namespace jcprof::annotator {

/// One published number. Ticks are in the run's unit and never below 0; shares are fractions of the sum of
/// all blocks. An estimate is resolved where its interval stays above 0 and its half width is at most the
/// value; else only the upper end says something. Without an interval it has no value either.
struct Estimate {
  Interval ticks;
  Interval share;
  double raw = 0;  // the value before stops were kept from coming before those that they follow
  std::uint32_t rounds = 0;
  bool resolved = false;
  bool of_one_run = false;  // a recording, which tells nothing of another one
  // The ticks without doubts that two profiles of the same code share; nothing where there are none of these.
  std::optional<Interval> comparable = {};
  bool unreliable = false;  // what was measured contradicts itself here: ticks and share say nothing
  std::optional<Averages> averages = {};  // of lines, functions, loops and the whole command
};

/// False where it was passed, and no round or too few say how much it took.
inline bool was_measured(const Estimate& estimate) {
  return std::isfinite(estimate.ticks.high);
}

/// Its interval reaches down to 0: only the upper end says something.
inline bool is_bound(const Estimate& estimate) {
  return was_measured(estimate) && !estimate.resolved;
}

/// A recording of one run. Its ends are what own cost leaves open, and no interval.
inline bool is_single(const Estimate& estimate) {
  return estimate.of_one_run && estimate.resolved;
}

/// The ticks or the share as it is shown: NaN for the ends of what is single.
inline Interval shown_part(const Estimate& estimate, Interval Estimate::* part) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const Interval& interval = estimate.*part;
  return is_single(estimate) ? Interval{interval.value, none, none} : interval;
}

/// Part of a stretch that belongs to a line or a function.
struct Part {
  std::size_t stretch = 0;
  Weight weight;
  double cost = 0;                // of its blocks
  engine::EdgeCounts edges = {};  // of its blocks, where the stretch is part of a regression
};
using Parts = std::vector<Part>;  // along the path

/// Half widths that come on top of the noise of the rounds.
struct Doubt {
  double traps = 0;          // of the cost that was taken off
  double places = 0;         // of what stops cost at their traps (place_doubt.hpp)
  double division_low = 0;   // how much less of shared stretches may belong to it
  double division_high = 0;  // how much more
};

/// A sum of parts.
struct Sum {
  double value = 0;                 // what its blocks cost
  Interval raw;                     // as measured
  std::uint32_t known = 0;          // rounds that it rests on
  engine::Swayed sway;              // `raw`, and what moves it
  std::vector<double> rounds;       // its cost in each round, or missing
  std::vector<double> every_round;  // those too that lie far from all others
  TrapCount traps;                  // whose cost was taken off
  Places places;                    // where its stops are
  Doubt doubt;
  Doubt doubt_of_rounds;  // of `rounds`, which do not hold how stretches were shared out
  std::size_t terms = 0;
  bool is_contradicted = false;  // a part of it is (consistency.hpp)
};

/// A number without its share, which is known only once all are. The interval holds `value`.
Estimate estimate_from(Interval raw, std::size_t rounds, const Doubt& doubt, double value);
inline Estimate estimate_from(const Interval& raw, std::size_t rounds, const Doubt& doubt) {
  return estimate_from(raw, rounds, doubt, std::max(0.0, raw.value));
}
/// The same without its value.
Estimate unreliable(Estimate estimate);
/// The interval stays above 0, and is not wider than the value: skewed noise may leave a value that its
/// interval dwarfs.
bool is_resolved(const Interval& ticks);

/// The facts that all paths of a run share.
struct RunView {
  const TrapMap& map;
  const std::vector<TakenPath>& paths;
  const Samples& samples;
  const TrapCost& cost;
  const std::vector<StoredLook>& looks;
  double alpha = 0;
  bool is_void = false;  // nothing of it is reliable
};

class MeasuredPath {
 public:
  /// Reads the samples of `inputs`, which take that path.
  MeasuredPath(const RunView& run, const TakenPath& path, std::span<const std::uint32_t> inputs);

  const TakenPath& path() const { return path_; }
  const Attribution& attribution() const { return attribution_; }
  const Stretches& stretches() const { return stretches_; }
  const Division& division() const { return division_; }
  /// Its readings without their times.
  const Readings& about() const { return about_; }
  /// Times contradict each other somewhere.
  bool has_contradictions() const { return has_contradictions_; }
  /// The clock as the newest look found it.
  const engine::Clock& clock() const { return clock_; }

  /// Block `block` joins `parts`, whose others come before it.
  void add_block(Parts& parts, std::size_t stretch, std::size_t block) const;
  /// The blocks [begin, end) join, as far as they were measured.
  void add_blocks(Parts& parts, std::size_t begin, std::size_t end) const;
  /// The cost of each block, 0 of one that was not measured. No cost is below 0, and all together are about
  /// what the path takes, however noisy single blocks are.
  const std::vector<double>& costs() const { return costs_; }
  Sum sum_of(const Parts& parts) const;
  Estimate estimate_of(const Sum& sum) const;
  Estimate stretch(std::size_t index) const;
  /// The stretch takes at least so much, or it does not. The unknown part of its stops' cost moves all rounds
  /// alike: where the answer would hang on it, it is `undecided`.
  Hot hotness(std::size_t stretch, double ticks) const;
  /// Half width of the difference between the trap costs that were taken off `a` and off `b`.
  double doubt_between(const Sum& a, const Sum& b) const;
  Estimate total() const;
  double total_doubt() const;
  Estimate entry() const;
  /// The time from the first stop to the end.
  Interval behind_entry() const;

 private:
  TrapCount traps_of(const Stretch& stretch) const;
  void add_traps(Sum& sum, std::span<const double> factors) const;
  void add_regression(Sum& sum, const engine::EdgeCosts::Doubt& doubt) const;
  Doubt doubt_of_stretch(std::size_t index) const;
  Doubt doubt_of(const TrapCount& traps, const Places& places) const;
  PlaceDoubt doubt_of_places(Groups groups) const;
  /// The limits of costs that were not calibrated.
  CostLimits cost_limits() const;
  std::vector<bool> contradictions() const;
  void mark_elsewhere();
  std::vector<double> block_costs() const;

  const TakenPath& path_;
  const TrapCost& cost_;
  bool stops_leap_ = false;
  engine::Clock clock_;
  Attribution attribution_;
  Readings about_;
  Stretches stretches_;
  Division division_;
  std::vector<bool> is_contradicted_;  // by stretch
  bool has_contradictions_ = false;
  PlaceDoubt place_doubt_;
  std::vector<double> costs_;
};

}  // namespace jcprof::annotator
