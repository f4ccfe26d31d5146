// SPDX-License-Identifier: Apache-2.0
// Medians and distribution-free intervals for them. Pure functions of their arguments; no clock, no profile.
#pragma once

#include <limits>
#include <vector>

namespace jcprof::annotator {

/// A value with its confidence interval, in the unit of what went in. Infinite ends: nothing can be said yet.
struct Interval {
  double value = 0;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool operator==(const Interval&) const = default;
};

/// The middle value, or the mean of the two middle ones; 0 of nothing.
double median(std::vector<double> values);

/// 1.4826 times the median absolute deviation from the median: the standard deviation if the noise is normal.
double mad_sigma(const std::vector<double>& values);

/// The interpolated sign interval of the median (Hettmansperger & Sheather 1986), at confidence 1 - alpha.
/// It asks nothing of the noise but independence. Infinite for fewer than 7 values, where alpha 0.05 leaves
/// no room to interpolate.
Interval sign_interval(std::vector<double> values, double alpha = 0.05);

}  // namespace jcprof::annotator
