// SPDX-License-Identifier: Apache-2.0
// Does the time of a shot depend on the class of its input? A fair coin draws the class for each shot. So the
// class is independent of noise, drift, grids and all that earlier shots left behind, whatever these are.
// Testing by betting (Shafer 2021; Waudby-Smith & Ramdas 2023): bets on the coin, made on the time, gain
// nothing unless the time depends on the class. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "src/engine/statistics.hpp"

namespace jcprof::engine {

struct ClassedTime {
  double ticks = 0;
  bool is_second = false;  // of the two classes: the coin of this shot
};

/// The capital of many bets on the coins of the shots at one stop, in the order in which they were made. A
/// bet knows the rank of a time among the shots before it: whether it is long, far out, or one of the
/// longest. So differences of location, spread and tail all show.
class Evidence {
 public:
  /// `sight`: all that a rank tells, or only whether times are long.
  enum class Sight : std::uint8_t { all, location };
  explicit Evidence(Sight sight = Sight::all);
  void add(const ClassedTime& time);
  /// The natural logarithm of the largest capital so far, which began with 1. If times do not depend on the
  /// class, it ever reaches x with a probability of exp(-x) at most (Ville 1939), however often one looks.
  double most() const { return most_; }

 private:
  std::deque<double> before_;
  std::vector<double> capital_;  // of each bet, as a logarithm
  double most_ = 0;
};

/// `most()` of these times.
double evidence_of(std::span<const ClassedTime> times, Evidence::Sight sight = Evidence::Sight::all);

/// The ticks by which the second class takes longer, with the interval at confidence 1 - alpha: the shifts
/// without which the ranks tell nothing of the coins. Their variance is that of the coins, so that it needs
/// no model of the noise. Infinite ends for fewer than 20 times or if a class is missing.
Interval class_shift(std::span<const ClassedTime> times, double alpha);

/// The times without a shift between the classes, as the clock would have shown them: a coarse one goes in
/// steps.
std::vector<ClassedTime> without_shift(std::span<const ClassedTime> times, double shift);

/// The least shift that so many shots in this noise would have shown: evidence of `log_threshold` or more in
/// `power` of all cases. It is planted into `times` with coins drawn anew from `seed`; the times themselves
/// must show none. Infinite where none of up to the whole range of the times is found.
double findable_shift(std::span<const ClassedTime> times, double log_threshold, double power,
                      std::uint64_t seed);

/// For comparison with dudect (Reparaz, Balasch & Verbauwhede 2017): the largest |t| of Welch's test over 100
/// crops of the longest times and over none. Its authors take more than 10 for a leak, others 4.5. 0 for
/// fewer than 10 times of a class.
double largest_welch_t(std::span<const ClassedTime> times);

}  // namespace jcprof::engine
