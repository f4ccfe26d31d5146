// SPDX-License-Identifier: Apache-2.0
#include "src/engine/memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
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

double variance_of(const std::vector<double>& values) {
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(values.size());
  return (squares - sum * sum / count) / (count - 1);
}

/// By how many of its standard errors the mean is not 0. Values that agree by chance have the variance of
/// those beside; readings are whole ticks, and none is better known than to half of one.
double errors_off(const std::vector<double>& values, double least_variance) {
  constexpr double of_half_a_tick = 0.25;
  const double variance = std::max({least_variance, variance_of(values), of_half_a_tick});
  return std::abs(mean_of(values)) / std::sqrt(variance / static_cast<double>(values.size()));
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

/// The noise of a difference between commands of one round, near that stop. Means of twins hold neither what
/// recurs with each second command nor what the one before moves.
Scatter noise_near(const Times& times, std::size_t stop) {
  Scatter near;
  double squares = 0;
  const std::size_t end = std::min(times.blocks(), stop + neighbours);
  for (std::size_t b = stop - std::min(stop, neighbours); b < end; ++b) {
    std::vector<double> means;
    for (std::size_t r = 0; r + 1 < times.rounds(); r += 2)
      means.push_back((times.at(b + 1)[r] - times.at(b)[r] + times.at(b + 1)[r + 1] - times.at(b)[r + 1]) /
                      2);
    means = present(means);
    if (means.size() < 2) continue;
    const double middle = median(means);
    for (const double mean : near_their_median(means, 0)) squares += (mean - middle) * (mean - middle);
    near.count += static_cast<double>(means.size() - 1);
  }
  near.variance = near.count > 0 ? 2 * squares / near.count : 0;
  return near;
}

/// By how much a command takes longer behind the other end of the path, beyond chance; else 0.
double far_longer(const std::vector<double>& longer, const Scatter& near) {
  constexpr std::size_t fewest_far = 2;
  constexpr double wrong_by_itself = 0.01;
  if (longer.size() < fewest_far) return 0;
  const auto freedom = static_cast<double>(longer.size() - 1);
  const std::vector<double> tame = near_their_median(longer, near.variance);
  // A variance of a few values has little freedom.
  const bool is_noisier = variance_of(tame) > near.variance;
  const double freedom_of_both = is_noisier ? freedom : std::max(near.count, freedom);
  const bool is_beyond = is_off(tame, near.variance, freedom_of_both, 1 / (2 * tables_without));
  return is_beyond && is_off(tame, 0, freedom, wrong_by_itself) ? std::abs(median(longer)) : 0;
}

/// Sums of a regression through the origin.
struct Slope {
  double squares = 0;
  double products = 0;
  double of_y = 0;
  double count = 0;
};

/// Takes the line a + b t out of x (least squares).
void take_out(const std::vector<double>& t, std::vector<double>& x) {
  const double mean_t = mean_of(t);
  const double mean_x = mean_of(x);
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    squares += (t[i] - mean_t) * (t[i] - mean_t);
    products += (t[i] - mean_t) * (x[i] - mean_x);
  }
  for (std::size_t i = 0; i < t.size(); ++i)
    x[i] -= mean_x + (squares > 0 ? products / squares : 0) * (t[i] - mean_t);
}

/// Adds a pair of twins: by how much longer the command before took in the first twin, and by how much longer
/// the stop did.
void add_pair(const std::vector<double>& reached, const std::vector<double>& pair, Slope& into) {
  std::vector<double> t;
  std::vector<double> y;
  for (std::size_t s = 0; s < pair.size(); ++s)
    if (!is_missing(pair[s])) {
      t.push_back(reached[s]);
      y.push_back(pair[s]);
    }
  if (t.size() < fewest_pairs) return;
  std::vector<double> x(t.size(), 0);  // the ends have the same neighbour ahead in both
  for (std::size_t i = 1; i + 1 < t.size(); ++i) x[i] = t[i - 1] - t[i + 1];
  take_out(t, x);
  take_out_line(t, y);
  const double bound = far_out * sigma_per_mad * median_distance(y);
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double value = bound > 0 ? std::clamp(y[i], -bound, bound) : y[i];
    into.squares += x[i] * x[i];
    into.products += x[i] * value;
    into.of_y += value * value;
  }
  into.count += static_cast<double>(t.size());
}

/// The largest part of its time that a command may leave behind, by twins.
double most_left_by_twins(const Times& times) {
  std::vector<double> reached;
  for (const std::vector<double>& column : times.columns()) reached.push_back(median(present(column)));
  Slope slope;
  for (std::size_t r = 0; r + 1 < times.rounds(); r += 2) {
    std::vector<double> pair;
    for (const std::vector<double>& column : times.columns()) pair.push_back(column[r] - column[r + 1]);
    add_pair(reached, pair, slope);
  }
  if (!(slope.squares > 0)) return std::numeric_limits<double>::infinity();
  const double part = slope.products / slope.squares;
  const double rest = std::max(0.0, slope.of_y - part * slope.products) / slope.count;
  return std::abs(part) + deviations_95 * std::sqrt(rest / slope.squares);
}

}  // namespace

double moved_along_the_path(const Times& times, std::span<const std::size_t> stops,
                            std::span<const FarTwin> far, double relative) {
  constexpr double harmless = 0.2;  // of what a figure may be off
  const double whole = median(present(times.behind_first()));
  std::map<std::size_t, Scatter> noise_at;  // few stops have far twins, and those have many
  double longer = 0;
  for (const bool is_behind_end : {false, true}) {
    std::vector<double> values;
    Scatter noise;
    for (const FarTwin& one : far) {
      const auto at = std::ranges::lower_bound(stops, one.stop);
      if (one.is_behind_end != is_behind_end || at == stops.end() || *at != one.stop) continue;
      values.push_back(one.longer);
      const auto [here, is_new] = noise_at.try_emplace(one.stop);
      if (is_new) here->second = noise_near(times, static_cast<std::size_t>(at - stops.begin()));
      if (here->second.variance >= noise.variance) noise = here->second;
    }
    longer = std::max(longer, far_longer(values, noise));
  }
  if (!(longer > harmless * relative * whole)) return 0;
  const double moved = std::min(longer, most_left_by_twins(times) * whole);
  return moved > harmless * relative * whole ? moved : 0;
}

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

double mean_longer_behind_fewer(const std::map<std::size_t, PreparedReading>& first,
                                const std::map<std::size_t, PreparedReading>& second) {
  double sum = 0;
  double count = 0;
  for (const auto& [stop, one] : first) {
    const auto other = second.find(stop);
    if (other == second.end() || other->second.wholes == one.wholes) continue;
    const double longer = one.ticks - other->second.ticks;
    sum += one.wholes < other->second.wholes ? longer : -longer;
    ++count;
  }
  return count > 0 ? sum / count : missing;
}

double moved_by_the_one_before_wholes(std::span<const double> longer) {
  std::vector<double> known = present(longer);
  if (known.size() < fewest_pairs) return 0;
  const auto freedom = static_cast<double>(known.size() - 1);
  return is_off(near_their_median(known, 0), 0, freedom, 1 / tables_without) ? std::abs(median(known)) / 2
                                                                             : 0;
}

}  // namespace jcprof::engine
