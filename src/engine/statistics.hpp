// SPDX-License-Identifier: Apache-2.0
// Medians, means and their intervals. Pure functions of their arguments; no clock, no profile.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "src/core/types.hpp"

namespace jcprof::engine {

/// A value with its confidence interval, in the unit of what went in. Infinite ends: nothing can be said yet.
struct Interval {
  double value = 0;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool operator==(const Interval&) const = default;
};
inline double half_width(const Interval& interval) {
  return (interval.high - interval.low) / 2;
}

inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();
inline bool is_missing(double value) {
  return std::isnan(value);
}
/// Those that are not missing.
std::vector<double> present(std::span<const double> values);

/// The first value, and each `step`-th behind it. `step`: at least 1.
std::vector<double> every(std::size_t step, std::span<const double> values);

/// The half width of 95 % in standard deviations, where noise is normal.
inline constexpr double deviations_95 = 1.96;

/// 1.4826 medians of absolute deviations are the standard deviation, where noise is normal.
inline constexpr double sigma_per_mad = 1.4826;

/// The arithmetic mean. Not of nothing.
double mean_of(std::span<const double> values);

/// Noise grows along a path, but the noise at so many stops to each side is about the same.
inline constexpr std::size_t neighbours = 8;

/// Each value's mean with those beside it, up to so many to each side. Missing ones are left out, and the
/// mean of none is missing.
std::vector<double> means_near(std::span<const double> values, std::size_t to_each_side);

/// The middle value, or the mean of the two middle ones; missing of nothing.
double median(std::vector<double> values);

/// Between two values that differ; 0 where none do.
double smallest_gap(std::vector<double> values);

/// The step of the clock that took these readings, in their unit; 0 where they are all the same. The tick of
/// a counter is seldom a whole number of units (24 MHz in ns: 41.67), and a duration is the difference of two
/// readings that were rounded: what lies two units apart is one step. Readings that are dense have the
/// smallest gap between them.
double clock_step(std::vector<double> readings);

/// 1.4826 times the median absolute deviation from the median.
double mad_sigma(const std::vector<double>& values);

/// Linear between order statistics (Hyndman & Fan 1996, type 7); 0 <= p <= 1; missing of nothing.
double quantile(std::vector<double> values, double p);

/// (skewness² + 1) / kurtosis, of the middle 90 % of the values: 1 for two values, 5/9 for a uniform or an
/// exponential distribution (Sarle's coefficient; Pfister et al. 2013). Missing for fewer than 100 values.
double bimodality(std::vector<double> values);

struct Weighted {
  double value = 0;
  double weight = 0;
};
/// The smallest value up to which lies at least half of the weight; missing where there is no weight. The
/// order of `values` is lost.
double weighted_median(std::vector<Weighted>& values);

inline constexpr std::size_t fewest_for_interval = 7;

/// The interpolated sign interval of the median (Hettmansperger & Sheather 1986), at confidence 1 - alpha.
/// It asks nothing of the noise but independence. Infinite for fewer than fewest_for_interval values.
Interval sign_interval(std::vector<double> values, double alpha);

/// The mean with Student's interval. `least_sd` bounds the standard deviation from below: a few readings
/// that happen to agree prove nothing. Infinite for fewer than 2 values.
Interval mean_interval(const std::vector<double>& values, double alpha, double least_sd);

/// The median and the spread, at confidence 1 - alpha, for a clock that repeats its readings unless something
/// disturbs the target. The spread of a few readings that differ may miss the true median. Student's half
/// width counts there if it is more. One reading is the truth.
Interval spread_interval(const std::vector<double>& values, double alpha);

/// Says whether the median of `values` is above `threshold`, at error probability `alpha` however often it is
/// asked while values are added: a sign test whose likelihood ratio is mixed over Beta(8, 8), which is a
/// martingale, so that Ville's inequality holds (Darling & Robbins 1967; Howard & Ramdas 2022). Values that
/// equal the threshold say nothing.
Hot is_above(std::span<const double> values, double threshold, double alpha);

}  // namespace jcprof::engine
