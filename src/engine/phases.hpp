// SPDX-License-Identifier: Apache-2.0
// Times as phases of a period, and how surely they agree. Pure.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace jcprof::engine {

/// A phase, or a sum of them.
using Direction = std::complex<double>;

Direction phase_of(double time, double period);

/// The phases of times at one frequency after the other, each `step` above the one before. A turn by a
/// constant is ten times as quick as sine and cosine; 100,000 of them are off by 1e-11.
class TurningPhases {
 public:
  TurningPhases(const std::vector<double>& times, double frequency, double step);
  /// To the next frequency.
  void turn();
  /// The sum of the phases of times [begin, end).
  Direction sum(std::size_t begin, std::size_t end) const;
  Direction sum() const { return sum(0, phases_.size()); }

 private:
  std::vector<Direction> phases_;
  std::vector<Direction> turns_;
};

/// -log of the chance that one phase in place of many has that mean cosine: exp(-n evidence) bounds that of n
/// phases (Chernoff 1952). Below 5.
double evidence(double mean_cosine);

}  // namespace jcprof::engine
