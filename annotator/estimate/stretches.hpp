// SPDX-License-Identifier: Apache-2.0
// The time between neighbouring stops, made comparable between rounds, and its sums: as fitted over all
// rounds, and within each round. The engine makes and fits the differences; nothing is attributed to code
// here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "annotator/estimate/readings.hpp"
#include "src/engine/edge_costs.hpp"
#include "src/engine/fit.hpp"

namespace jcprof::annotator {

/// Between two neighbouring stops, or from the last one to the end of the command: the blocks [begin, end) of
/// the path.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The stretches [begin, end), or this share of each of them.
using StretchRange = engine::BlockRange;

/// Differences of a coarse clock that lie far from all others.
enum class FarOut : std::uint8_t { left_out, kept };

class Stretches {
 public:
  /// Takes the times out of `readings`.
  Stretches(Readings& readings, const engine::Clock& clock, double alpha);

  const std::vector<Stretch>& all() const { return all_; }  // along the path
  /// The interval rests on the rounds in which both ends of the stretch were measured. It is 0 and infinite
  /// where there is none.
  const Interval& interval(std::size_t stretch) const { return intervals_[stretch]; }
  std::uint32_t rounds(std::size_t stretch) const { return fit_.rounds(stretch); }
  /// The median of T at the stop, gains taken out; missing where it was not measured.
  double reached(std::size_t stop) const { return engine::median(engine::present(reached_[stop])); }
  /// The time of the stretch where no stop comes before one that it follows: never below 0.
  double risen(std::size_t stretch) const { return fit_.risen(stretch + 1) - fit_.risen(stretch); }

  /// The sum of intervals, as measured, and the rounds that it rests on.
  const engine::Fit& fit() const { return fit_; }
  Interval interval_of(std::span<const StretchRange> ranges) const {
    return fit_.interval_of(ranges, alpha_);
  }
  Interval interval_of(const engine::Swayed& sum) const { return fit_.interval_of(sum, alpha_); }

  /// Returns the cost of each edge. `held` says which edges each stretch holds. The fitted times become those
  /// of the regression.
  engine::EdgeCosts regress(std::vector<engine::EdgeCounts> held);

  /// The stretch takes at least `ticks`, as one of all stretches that are asked about.
  Hot hotness(std::size_t stretch, double ticks) const;

  /// The sum in each round, or missing. Ranges are ascending and apart. A range is known in a round where its
  /// ends were measured, whatever lies between. A few ends that were asked for in vain are filled in from
  /// their neighbours; ends that were not asked for stay missing.
  std::vector<double> sum(std::span<const StretchRange> ranges, FarOut far = FarOut::left_out) const;
  /// The interval of a time that is known in each round, and missing in none.
  Interval interval_of(const std::vector<double>& values) const;
  /// The interval of their median, under each clock.
  Interval median_of(const std::vector<double>& values) const;

  const std::vector<double>& totals() const { return differences_.total; }   // T(end) by round, or missing
  const std::vector<double>& entries() const { return differences_.entry; }  // T(first stop)
  const std::vector<double>& every_total() const { return every_total_; }    // those far out too
  /// The gains of the rounds in which a gain can be told.
  std::vector<double> gains() const;
  bool tells_far_out() const { return !dropped_.empty(); }
  double sd() const { return differences_.sd; }

 private:
  void find_intervals();
  void level(const engine::Times& times);
  void fill(const std::vector<std::vector<std::uint32_t>>& lost);
  void fill_stop(std::size_t stop, std::size_t round, const std::vector<double>& medians);
  void note_dropped();

  engine::Clock clock_;
  double alpha_;
  std::vector<Stretch> all_;
  engine::Differences differences_;
  engine::Fit fit_;
  std::vector<double> every_total_;
  std::vector<Interval> intervals_;
  std::vector<std::vector<double>> reached_;         // T by stop and round, gains taken out, or missing
  std::vector<std::vector<std::uint32_t>> filled_;   // by stop: rounds
  std::vector<std::vector<std::uint32_t>> dropped_;  // by stretch: rounds in which its difference was far out
};

}  // namespace jcprof::annotator
