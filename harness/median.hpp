// SPDX-License-Identifier: Apache-2.0
// Median and spread of a few numbers: what the harness needs to steer itself. Estimates are the annotator's.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace jcprof::harness {

/// 0 for no values.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// 1.4826 times the median absolute deviation: the standard deviation of normal values, whatever the
/// outliers.
inline double robust_sigma(const std::vector<double>& values) {
  constexpr double normal = 1.4826;
  const double centre = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - centre));
  return normal * median(deviations);
}

}  // namespace jcprof::harness
