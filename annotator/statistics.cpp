// SPDX-License-Identifier: Apache-2.0
#include "annotator/statistics.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/binomial.hpp>

namespace jcprof::annotator {
namespace {

constexpr std::size_t fewest_values = 7;

double median_of_sorted(const std::vector<double>& sorted) {
  if (sorted.empty()) return 0;
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/// How surely the median of n values lies between the k-th smallest and the k-th largest: 1 - 2 F(k-1; n,
/// 1/2).
double confidence(std::size_t n, std::size_t k) {
  if (k == 0) return 1;
  const boost::math::binomial_distribution<double> coin(static_cast<double>(n), 0.5);
  return 1 - 2 * boost::math::cdf(coin, static_cast<double>(k - 1));
}

}  // namespace

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return median_of_sorted(values);
}

double mad_sigma(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - middle));
  return 1.4826 * median(std::move(deviations));
}

Interval sign_interval(std::vector<double> values, double alpha) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  Interval interval{.value = median_of_sorted(values)};
  if (n < fewest_values || confidence(n, 1) < 1 - alpha) return interval;

  // The largest c that is still sure enough; confidence falls as c grows.
  std::size_t c = 1;
  std::size_t too_far = n / 2 + 1;
  while (too_far - c > 1) {
    const std::size_t middle = c + (too_far - c) / 2;
    (confidence(n, middle) >= 1 - alpha ? c : too_far) = middle;
  }
  const double sure = confidence(n, c);
  const double unsure = confidence(n, c + 1);
  const double part = (sure - (1 - alpha)) / (sure - unsure);
  const auto count = static_cast<double>(n);
  const auto depth = static_cast<double>(c);
  const double lambda = (count - depth) * part / (depth + (count - 2 * depth) * part);
  interval.low = (1 - lambda) * values[c - 1] + lambda * values[c];
  interval.high = (1 - lambda) * values[n - c] + lambda * values[n - c - 1];
  return interval;
}

}  // namespace jcprof::annotator
