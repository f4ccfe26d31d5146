// SPDX-License-Identifier: Apache-2.0
// The noise of a chain of blocks. Each block is the mean of differences of its two stops, and the noise at a
// stop is in both blocks that it ends. Blocks may have different numbers of rounds: a block with fewer ones
// has none that its neighbour lacks. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/engine/fit.hpp"

namespace jcprof::engine {

inline constexpr double variance_of_tick = 1.0 / 12;  // of what is read in whole ones

class ChainNoise {
 public:
  explicit ChainNoise(const Fit& fit);

  /// By block.
  const std::vector<double>& rounds() const { return rounds_; }
  /// The variance of one reading of a stop, and how many there are.
  double of_reading(std::size_t stop) const { return of_reading_[stop]; }
  double readings(std::size_t stop) const;
  /// The variance of a block.
  double own(std::size_t block) const;
  /// The blocks before and behind an inner stop have minus this as their covariance.
  double shared(std::size_t stop) const;
  /// The covariance of each block with a sum that holds each block `factors` times.
  std::vector<double> with_sum(std::span<const double> factors) const;
  /// The variance of that sum.
  double of_sum(std::span<const double> factors) const;
  /// So many rounds would be as sure of that variance, if each had all blocks (Satterthwaite 1946).
  double equal_rounds(std::span<const double> factors) const;

 private:
  double of_round(std::span<const double> factors, double level) const;

  std::vector<double> of_reading_;  // variance, by stop
  std::vector<double> rounds_;      // by block
};

}  // namespace jcprof::engine
