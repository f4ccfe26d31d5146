// SPDX-License-Identifier: Apache-2.0
#include "src/engine/trend.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include <boost/math/distributions/students_t.hpp>

#include "src/engine/statistics.hpp"

namespace jcprof::engine {
namespace {

constexpr double chance_of_one = 1.0 / 1000;  // in a table without a trend
constexpr double least_trend = 0.02;          // devices that warm up and cool do less
constexpr double of_chance = 1.15;
constexpr std::size_t fewest_rounds_of_trend = 10;

/// Each value's rank from 0 on; those that are equal share the mean of theirs.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> result(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) result[order[i]] = static_cast<double>(begin + end - 1) / 2;
  }
  return result;
}

/// Spearman's correlation of the values with their order, from -1 to 1; 0 where all values are equal.
double rank_correlation(const std::vector<double>& values) {
  const double middle = static_cast<double>(values.size() - 1) / 2;
  const std::vector<double> by_value = ranks(values);
  double products = 0;
  double of_values = 0;
  double of_order = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = by_value[i] - middle;
    const double order = static_cast<double>(i) - middle;
    products += value * order;
    of_values += value * value;
    of_order += order * order;
  }
  return of_values > 0 ? products / std::sqrt(of_values * of_order) : 0;
}

/// The chance that noise alone gives a correlation so far from 0, or farther.
double chance_of(double correlation, std::size_t count) {
  const auto freedom = static_cast<double>(count - 2);
  const double rest = 1 - correlation * correlation;
  if (!(rest > 0)) return 0;
  const boost::math::students_t_distribution<double> student(freedom);
  return 2 * boost::math::cdf(
                 boost::math::complement(student, std::abs(correlation) * std::sqrt(freedom / rest)));
}

/// The sum of distances from their median.
double scatter_of(std::span<const double> values) {
  const double middle = median({values.begin(), values.end()});
  return std::transform_reduce(values.begin(), values.end(), 0.0, std::plus<>(),
                               [middle](double value) { return std::abs(value - middle); });
}

/// The same from a robust line through them, in their order (Theil 1950, Sen 1968).
double scatter_about_line(std::vector<double> values) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i + 1; j < values.size(); ++j)
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
  const double slope = median(std::move(slopes));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= slope * static_cast<double>(i);
  return scatter_of(values);
}

/// The same from two levels, wherever the one ends and the other begins.
double scatter_about_step(std::span<const double> values) {
  double least = scatter_of(values);
  for (std::size_t i = 1; i < values.size(); ++i)
    least = std::min(least, scatter_of(values.first(i)) + scatter_of(values.subspan(i)));
  return least;
}

}  // namespace

double trend_of(std::span<const double> of_rounds) {
  const std::vector<double> values = present(of_rounds);
  if (values.size() < fewest_rounds_of_trend ||
      chance_of(rank_correlation(values), values.size()) > chance_of_one)
    return 0;
  const auto third = static_cast<std::ptrdiff_t>(values.size() / 3);
  const double first = median({values.begin(), values.begin() + third});
  const double change = median({values.end() - third, values.end()}) - first;
  if (!(first > 0) || std::abs(change) < least_trend * first) return 0;
  // A target that changes its speed once has no trend. The step has its place to choose, so it is a little
  // nearer to noise than the line.
  return scatter_about_line(values) < of_chance * scatter_about_step(values) ? change / first : 0;
}

}  // namespace jcprof::engine
