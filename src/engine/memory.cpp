// SPDX-License-Identifier: Apache-2.0
#include "src/engine/memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include <boost/math/distributions/students_t.hpp>

#include "src/engine/statistics.hpp"

namespace jcprof::engine {
namespace {

constexpr double tables_without = 3000;  // for one in which chance looks like memory
constexpr std::size_t fewest_pairs = 5;
constexpr double far_out = 4;  // deviations: values farther out pull no harder

/// Takes a robust line a + b x out of y: the target ran faster or slower in the twin.
void take_out_line(const std::vector<double>& x, std::vector<double>& y) {
  const double middle_x = median(present(x));
  const double middle_y = median(present(y));
  std::vector<Weighted> slopes;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (const double off = x[i] - middle_x; off != 0 && !is_missing(off) && !is_missing(y[i]))
      slopes.push_back({(y[i] - middle_y) / off, std::abs(off)});
  const double slope = slopes.empty() ? 0 : weighted_median(slopes);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] -= slope * (x[i] - middle_x);
  const double rest = median(present(y));
  for (double& value : y) value -= rest;
}

/// By stop, then pair of twins: how much longer the first of them took. What all stops have alike is taken
/// out.
std::vector<std::vector<double>> twins_apart(const Times& times) {
  std::vector<double> reached;
  for (const std::vector<double>& column : times.columns()) reached.push_back(median(present(column)));
  std::vector<std::vector<double>> by_stop(times.stops());
  for (std::size_t r = 0; r + 1 < times.rounds(); r += 2) {
    std::vector<double> pair;
    for (const std::vector<double>& column : times.columns()) pair.push_back(column[r] - column[r + 1]);
    take_out_line(reached, pair);
    for (std::size_t s = 0; s < pair.size(); ++s)
      if (!is_missing(pair[s])) by_stop[s].push_back(pair[s]);
  }
  return by_stop;
}

double median_distance(std::vector<double> values) {
  for (double& value : values) value = std::abs(value);
  return median(std::move(values));
}

/// Brings values nearer that lie farther out than is usual at all stops, or at the stops beside.
std::vector<std::vector<double>> tamed(std::vector<std::vector<double>> by_stop) {
  std::vector<double> all;
  std::vector<double> near;
  for (const std::vector<double>& stop : by_stop) {
    all.insert(all.end(), stop.begin(), stop.end());
    near.push_back(median_distance(stop));
  }
  near = means_near(near, neighbours);
  const double usual = median_distance(std::move(all));
  if (!(usual > 0)) return by_stop;  // most agree to the tick, which tells nothing of the others
  for (std::size_t s = 0; s < by_stop.size(); ++s) {
    const double bound = far_out * sigma_per_mad * (near[s] > 0 ? std::min(usual, near[s]) : usual);
    for (double& value : by_stop[s]) value = std::clamp(value, -bound, bound);
  }
  return by_stop;
}

/// Where every second command takes longer, most stops of a first twin may have it each time: their median is
/// not their mean.
double middle_of_means(const std::vector<std::vector<double>>& by_stop) {
  std::vector<double> means;
  for (const std::vector<double>& stop : by_stop)
    if (!stop.empty()) means.push_back(mean_of(stop));
  return means.empty() ? 0 : median(std::move(means));
}

void shift(std::vector<std::vector<double>>& by_stop, double by) {
  for (std::vector<double>& stop : by_stop)
    for (double& value : stop) value += by;
}

/// A variance, and how many values it is of.
struct Scatter {
  double variance = 0;
  double count = 0;
};

/// Returns for each stop the scatter of those beside it, since noise grows along a path.
std::vector<Scatter> scatters_beside(const std::vector<std::vector<double>>& by_stop) {
  std::vector<Scatter> result;
  for (std::size_t s = 0; s < by_stop.size(); ++s) {
    Scatter& one = result.emplace_back();
    double squares = 0;
    const std::size_t end = std::min(by_stop.size(), s + neighbours + 1);
    for (std::size_t near = s - std::min(s, neighbours); near < end; ++near) {
      if (near == s) continue;
      one.count += static_cast<double>(by_stop[near].size());
      for (const double value : by_stop[near]) squares += value * value;
    }
    one.variance = one.count > 0 ? squares / one.count : 0;
  }
  return result;
}

/// By how many of its standard errors the mean is not 0. Values that agree by chance have the variance of
/// those beside; readings are whole ticks, and none is better known than to half of one.
double errors_off(const std::vector<double>& values, double least_variance) {
  constexpr double of_half_a_tick = 0.25;
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const double own = (squares - sum * sum / count) / (count - 1);
  return std::abs(sum) / std::sqrt(std::max({least_variance, own, of_half_a_tick}) * count);
}

/// Spikes are brought nearer.
std::vector<double> near_their_median(std::vector<double> values, double variance) {
  const double middle = median(values);
  const double bound = far_out * std::max(std::sqrt(variance), mad_sigma(values));
  for (double& value : values) value = std::clamp(value, middle - bound, middle + bound);
  return values;
}

/// Student's t.
bool is_off(const std::vector<double>& values, double least_variance, double freedom, double wrong) {
  const boost::math::students_t_distribution<double> student(freedom);
  return errors_off(values, least_variance) >
         boost::math::quantile(boost::math::complement(student, wrong / 2));
}

}  // namespace

double moved_by_the_one_before(const Times& times, bool is_prepared) {
  std::vector<std::vector<double>> raw = twins_apart(times);
  if (!is_prepared) raw.front() = raw.back() = {};
  std::vector<std::vector<double>> by_stop = tamed(raw);
  const double alike = middle_of_means(by_stop);
  shift(raw, -alike);
  shift(by_stop, -alike);
  const std::vector<Scatter> beside = scatters_beside(by_stop);
  constexpr double wrong_by_itself = 0.001;  // the stop may be noisier than those beside
  const double wrong_in_a_stop = 1 / (tables_without * static_cast<double>(times.stops()));
  double moved = 0;
  for (std::size_t s = 0; s < raw.size(); ++s) {
    if (raw[s].size() < fewest_pairs) continue;
    const auto freedom = static_cast<double>(raw[s].size() - 1);
    const auto& [variance, count] = beside[s];
    if (!is_off(by_stop[s], variance, std::max(count, freedom), wrong_in_a_stop) ||
        !is_off(near_their_median(raw[s], variance), 0, freedom, wrong_by_itself))
      continue;
    moved = std::max(moved, std::abs(median(raw[s])) / 2);
  }
  return moved;
}

}  // namespace jcprof::engine
