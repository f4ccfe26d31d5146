// SPDX-License-Identifier: Apache-2.0
#include "src/engine/statistics.hpp"

#include <algorithm>
#include <iterator>
#include <numbers>
#include <numeric>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace jcprof::engine {
namespace {

/// How surely the median of n values lies between the k-th smallest and the k-th largest: 1 - 2 F(k-1; n,
/// 1/2).
double confidence(std::size_t n, std::size_t k) {
  if (k == 0) return 1;
  // By default Boost computes in long double, which takes several times as long.
  using Doubles = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  const boost::math::binomial_distribution<double, Doubles> coin(static_cast<double>(n), 0.5);
  return 1 - 2 * boost::math::cdf(coin, static_cast<double>(k - 1));
}

// The sharpest for some hundred values, and not blunt for tens.
constexpr double mixture = 8;

double log_beta(double a, double b) {
  return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
}

}  // namespace

std::vector<double> present(std::span<const double> values) {
  std::vector<double> result;
  result.reserve(values.size());
  std::ranges::copy_if(values, std::back_inserter(result), [](double v) { return !is_missing(v); });
  return result;
}

std::vector<double> every(std::size_t step, std::span<const double> values) {
  std::vector<double> some;
  for (std::size_t i = 0; i < values.size(); i += step) some.push_back(values[i]);
  return some;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> means_near(std::span<const double> values, std::size_t to_each_side) {
  std::vector<double> means;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t begin = i - std::min(i, to_each_side);
    const std::size_t end = std::min(values.size(), i + to_each_side + 1);
    const std::vector<double> near = present(values.subspan(begin, end - begin));
    means.push_back(near.empty() ? missing : mean_of(near));
  }
  return means;
}

double median(std::vector<double> values) {
  if (values.empty()) return missing;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double smallest_gap(std::vector<double> readings) {
  std::ranges::sort(readings);
  double gap = 0;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const double step = readings[i] - readings[i - 1];
    if (step > 0 && (gap == 0 || step < gap)) gap = step;
  }
  return gap;
}

namespace {

constexpr double rounding = 2;

/// The middle of each heap of readings that lie no further apart than rounding puts them; empty where a heap
/// is wider than that.
std::vector<double> heaps_of(std::vector<double> readings) {
  std::ranges::sort(readings);
  std::vector<double> middles;
  for (std::size_t begin = 0; begin < readings.size();) {
    std::size_t end = begin + 1;
    while (end < readings.size() && readings[end] - readings[end - 1] <= rounding) ++end;
    if (readings[end - 1] - readings[begin] > rounding) return {};
    middles.push_back((readings[begin] + readings[end - 1]) / 2);
    begin = end;
  }
  return middles;
}

/// The step that all gaps are whole multiples of, but for rounding; 0: none.
double common_step(const std::vector<double>& gaps) {
  constexpr double near = 3.5;  // least gaps: rounding does not hide how many of them a gap holds
  constexpr double far = 20;    // the same, in steps that are a mean
  const double least = std::ranges::min(gaps);
  double ticks = 0;
  double steps = 0;
  for (const double gap : gaps) {
    if (gap > near * least) continue;
    ticks += gap;
    steps += std::round(gap / least);
  }
  const double step = ticks / steps;
  const bool is_common = std::ranges::all_of(
      gaps, [&](double gap) { return gap > far * step || std::abs(std::remainder(gap, step)) <= rounding; });
  return is_common ? step : 0;
}

}  // namespace

double clock_step(std::vector<double> readings) {
  constexpr std::size_t fewest = 4;  // heaps; of fewer, gaps are multiples of something by chance
  const std::vector<double> heaps = heaps_of(readings);
  std::vector<double> gaps;
  for (std::size_t i = 1; i < heaps.size(); ++i) gaps.push_back(heaps[i] - heaps[i - 1]);
  const double step = heaps.size() < fewest ? 0 : common_step(gaps);
  return step > 0 ? step : smallest_gap(std::move(readings));
}

double mad_sigma(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - middle));
  return sigma_per_mad * median(std::move(deviations));
}

double quantile(std::vector<double> values, double p) {
  if (values.empty()) return missing;
  const double place = p * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(std::floor(place));
  std::ranges::nth_element(values, below);
  const double part = place - std::floor(place);
  if (part == 0) return *below;
  return *below + part * (*std::min_element(below + 1, values.end()) - *below);
}

double bimodality(std::vector<double> values) {
  constexpr std::size_t fewest = 100;  // of fewer, tails tell nothing
  constexpr double tail = 0.05;        // spikes that are rarer are no heap
  if (values.size() < fewest) return missing;
  const double low = quantile(values, tail);
  const double high = quantile(values, 1 - tail);
  std::erase_if(values, [&](double v) { return v < low || v > high; });
  const auto n = static_cast<double>(values.size());
  const double mean = mean_of(values);
  double second = 0;
  double third = 0;
  double fourth = 0;
  for (const double value : values) {
    const double d = value - mean;
    second += d * d / n;
    third += d * d * d / n;
    fourth += d * d * d * d / n;
  }
  if (second == 0) return missing;
  return (third * third / (second * second * second) + 1) / (fourth / (second * second));
}

double weighted_median(std::vector<Weighted>& values) {
  std::ranges::sort(values, {}, &Weighted::value);
  double whole = 0;
  for (const Weighted& one : values) whole += one.weight;
  double sum = 0;
  for (const Weighted& one : values) {
    sum += one.weight;
    if (sum > 0 && 2 * sum >= whole) return one.value;
  }
  return missing;
}

Interval sign_interval(std::vector<double> values, double alpha) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  if (n == 0) return {.value = missing};
  Interval interval{.value = (values[(n - 1) / 2] + values[n / 2]) / 2};
  if (n < fewest_for_interval || confidence(n, 1) < 1 - alpha) return interval;

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

Interval mean_interval(const std::vector<double>& values, double alpha, double least_sd) {
  if (values.empty()) return {.value = missing};
  const auto n = static_cast<double>(values.size());
  Interval interval{.value = mean_of(values)};
  if (values.size() < 2) return interval;
  double squares = 0;
  for (const double value : values) squares += (value - interval.value) * (value - interval.value);
  const double sd = std::max(least_sd, std::sqrt(squares / (n - 1)));
  const boost::math::students_t_distribution<double> student(n - 1);
  const double half = boost::math::quantile(boost::math::complement(student, alpha / 2)) * sd / std::sqrt(n);
  interval.low = interval.value - half;
  interval.high = interval.value + half;
  return interval;
}

Interval spread_interval(const std::vector<double>& values, double alpha) {
  if (values.empty()) return {.value = missing};
  const auto [least, most] = std::ranges::minmax(values);
  Interval interval{median(values), least, most};
  constexpr std::size_t many = 5;  // all of so many lie on one side of their true median once in 16 times
  if (values.size() == 1 || values.size() >= many) return interval;
  const double half = half_width(mean_interval(values, alpha, 0));
  interval.low = std::min(interval.low, interval.value - half);
  interval.high = std::max(interval.high, interval.value + half);
  return interval;
}

Hot is_above(std::span<const double> values, double threshold, double alpha) {
  double above = 0;
  double below = 0;
  for (const double value : values) {
    if (value > threshold) ++above;
    if (value < threshold) ++below;
  }
  const double evidence = (above + below) * std::numbers::ln2 + log_beta(mixture + above, mixture + below) -
                          log_beta(mixture, mixture);
  if (evidence < std::log(1 / alpha)) return Hot::undecided;
  return above > below ? Hot::yes : Hot::no;
}

}  // namespace jcprof::engine
