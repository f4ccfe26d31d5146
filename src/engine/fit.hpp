// SPDX-License-Identifier: Apache-2.0
// One fitted time for each stop of a path, and how much each round sways it. All that is published of a path
// is made of these times, so that parts add up. The differences of neighbouring stops are fitted one by one
// and put together to a chain. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/engine/look.hpp"

namespace jcprof::engine {

/// The blocks [begin, end), or this share of each of them.
struct BlockRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  double share = 1;
};

/// A sum of fitted times, and what moves it. Two of the same fit subtract: what moves both alike cancels.
struct Swayed {
  double value = 0;
  std::vector<double> of_units;  // what each unit sways it by: twins, or rounds where these are folded
  std::uint32_t rounds = 0;      // that the worst known part rests on
  double equal_rounds = 0;       // that its noise is as surely known as by, if more (ChainNoise)
  std::size_t terms = 0;         // ranges
  double changed = 0;  // from the first third of its rounds to the last, where the command has a trend
  // Where values far out may be spikes or not: from here to the same sum if they are none.
  double apart = 0;
  std::vector<double> apart_of_units;  // empty: nothing is apart
};
Swayed operator-(Swayed a, const Swayed& b);

/// So many rounds a block needs for an interval; `folded`: twins count as one.
std::uint32_t fewest_rounds(Method method, bool folded);

class Fit {
 public:
  Fit(const Differences& all, const Clock& clock);

  std::size_t blocks() const { return rounds_.size(); }
  /// In which the block was measured.
  std::uint32_t rounds(std::size_t block) const { return rounds_[block]; }
  /// T of the stop less T of the first one. A block that no round measured takes nothing.
  double reached(std::size_t stop) const { return reached_[stop]; }
  /// The nearest times that never fall from a stop to the next one (least squares).
  double risen(std::size_t stop) const { return risen_[stop]; }

  /// Takes other times, with what sways them, for those of its blocks.
  void revise(std::span<const Swayed> blocks);

  /// The sum of ranges as measured.
  Swayed sum_of(std::span<const BlockRange> ranges) const;
  /// The mean of a time over the rounds in which it is known; every value counts alike. `of_rounds`: each, or
  /// missing.
  Swayed mean_of(std::span<const double> of_rounds) const;
  /// At confidence 1 - alpha. Infinite ends where one of the blocks has too few rounds. Where the command has
  /// a trend it has room for the times that the sum took from the first rounds to the last. Where values far
  /// out may be spikes or not, it holds both.
  Interval interval_of(const Swayed& sum, double alpha) const;
  Interval interval_of(std::span<const BlockRange> ranges, double alpha) const {
    return interval_of(sum_of(ranges), alpha);
  }
  /// The chance that noise alone puts a time above 0 that is not: it bounds the error of "sum > 0".
  double chance_above_nothing(const Swayed& sum, double doubt) const;

 private:
  struct Sway {
    double value = 0;
    std::vector<double> of_rounds;  // what each moves the value by
    double changed = 0;
  };
  /// Of a sum, with Student's degrees of freedom; 0 of these where it has too few rounds.
  struct Error {
    double deviation = 0;
    double freedom = 0;
    double change = 0;  // during the run, beyond noise
  };
  Error error_of(const Swayed& sum) const;
  Interval typical_interval_of(const Swayed& sum, double alpha) const;
  double typical_chance_above_nothing(const Swayed& sum, double doubt) const;
  std::uint32_t rounds_of(std::span<const BlockRange> ranges) const;
  std::vector<Sway> sways_of(const std::vector<std::vector<double>>& blocks,
                             const std::vector<double>& scales) const;
  void find_apart(const std::vector<Sway>& typical, const std::vector<std::vector<double>>& blocks,
                  std::vector<double> scales);
  bool are_apart(const std::vector<Sway>& some, const std::vector<Sway>& others) const;
  std::vector<double> of_units(const std::vector<double>& of_rounds) const;
  double bound_of(double scale) const;
  double location_of(const std::vector<double>& values, double bound) const;
  double change_of(const std::vector<double>& values, double bound) const;
  Sway sway_of(const std::vector<double>& differences, double scale) const;
  void add(const Sway& block);
  std::size_t unit_of(std::size_t round) const { return has_twins_ ? round / 2 : round; }

  Clock clock_;
  double sd_ = 0;           // of a difference, coarse only
  bool has_twins_ = false;  // rounds 2n and 2n + 1 depend on each other
  bool has_trend_ = false;
  std::vector<std::uint32_t> rounds_;        // by block
  std::vector<double> reached_;              // by stop
  std::vector<double> risen_;                // by stop
  std::vector<double> changed_;              // by stop
  std::vector<Swayed> apart_;                // by stop; empty where nothing is
  std::vector<std::vector<double>> swayed_;  // by stop, then unit: twins, or rounds without
};

}  // namespace jcprof::engine
