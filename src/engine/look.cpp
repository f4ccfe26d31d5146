// SPDX-License-Identifier: Apache-2.0
#include "src/engine/look.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "src/engine/trend.hpp"

namespace jcprof::engine {
namespace {

using Column = std::vector<double>;
using StopColumns = std::vector<Column>;

double median_of_present(const Column& column) {
  return median(present(column));
}

StopColumns medians_removed(const StopColumns& columns) {
  StopColumns result = columns;
  for (Column& column : result) {
    const double middle = median_of_present(column);
    for (double& value : column) value = std::abs(value - middle);
  }
  return result;
}

Column pooled(const StopColumns& columns) {
  Column all;
  for (const Column& column : columns)
    std::ranges::copy_if(column, std::back_inserter(all), [](double v) { return !is_missing(v); });
  return all;
}

/// Neighbours subtracted; missing where one of them is.
StopColumns blocks_of(const StopColumns& stops) {
  StopColumns blocks;
  blocks.reserve(stops.size());
  for (std::size_t s = 0; s + 1 < stops.size(); ++s) {
    Column& block = blocks.emplace_back(stops[s].size());
    std::ranges::transform(stops[s + 1], stops[s], block.begin(), std::minus<>());
  }
  return blocks;
}

/// a ⊕ b of each pair of twins; a round without a twin is left out.
template <class Operation>
StopColumns of_twins(const StopColumns& columns, Operation operation) {
  StopColumns result;
  result.reserve(columns.size());
  for (const Column& column : columns) {
    Column& twins = result.emplace_back();
    for (std::size_t r = 0; r + 1 < column.size(); r += 2)
      twins.push_back(operation(column[r], column[r + 1]));
  }
  return result;
}

/// True when twins belong together: they differ from each other, in opposite order, by more than pairs differ
/// from pairs. A disturbance that recurs every so many executions does that.
bool should_fold(const StopColumns& blocks) {
  const auto half_sum = [](double a, double b) { return (a + b) / 2; };
  const auto half_difference = [](double a, double b) { return std::abs(a - b) / 2; };
  const Column sums = pooled(medians_removed(of_twins(blocks, half_sum)));
  const Column differences = pooled(of_twins(blocks, half_difference));
  return !sums.empty() && 2 * median(sums) < median(differences);
}

/// Fits y = a + g x to the stops of each round, robustly: L1 lines (Theil 1950, Sen 1968).
class GainFit {
 public:
  explicit GainFit(const StopColumns& stops) : stops_(stops) {}

  /// One gain a round, their median 1, given what the blocks cost.
  Column fit(const Column& blocks) {
    Column reached(stops_.size());
    std::partial_sum(blocks.begin(), blocks.end(), reached.begin() + 1);
    const double middle = median(reached);
    for (double& x : reached) x -= middle;
    Column gains(stops_.front().size());
    for (std::size_t r = 0; r < gains.size(); ++r) gains[r] = fit_round(reached, r);
    const double usual = median_of_present(gains);
    for (double& gain : gains) gain = is_missing(gain) || usual <= 0 ? 1 : gain / usual;
    return gains;
  }

 private:
  double fit_round(const Column& reached, std::size_t round) {
    x_.clear();
    y_.clear();
    for (std::size_t s = 0; s < stops_.size(); ++s) {
      if (is_missing(stops_[s][round])) continue;
      x_.push_back(reached[s]);
      y_.push_back(stops_[s][round]);
    }
    if (x_.size() < fewest_stops_for_gain) return missing;
    double gain = 1;
    double start = offset(gain);
    for (int i = 0; i < 3; ++i) {
      slopes_.clear();
      for (std::size_t k = 0; k < x_.size(); ++k)
        if (x_[k] != 0) slopes_.push_back({(y_[k] - start) / x_[k], std::abs(x_[k])});
      gain = weighted_median(slopes_);
      start = offset(gain);
    }
    return gain > 0 ? gain : missing;
  }

  double offset(double gain) {
    rest_.resize(x_.size());
    for (std::size_t k = 0; k < x_.size(); ++k) rest_[k] = y_[k] - gain * x_[k];
    return median(rest_);
  }

  const StopColumns& stops_;
  Column x_;
  Column y_;
  Column rest_;
  std::vector<Weighted> slopes_;
};

Column medians_of(const StopColumns& blocks) {
  Column medians;
  medians.reserve(blocks.size());
  for (const Column& block : blocks) {
    const double middle = median_of_present(block);
    medians.push_back(is_missing(middle) ? 0 : middle);
  }
  return medians;
}

void divide(StopColumns& blocks, const Column& gains) {
  for (Column& block : blocks) std::ranges::transform(block, gains, block.begin(), std::divides<>());
}

/// Twice: what a block costs is known better once the gains are.
void take_out_gain(Differences& result, const StopColumns& stops) {
  const StopColumns raw = result.blocks;
  GainFit fit(stops);
  for (int i = 0; i < 2; ++i) {
    result.gains = fit.fit(medians_of(result.blocks));
    result.blocks = raw;
    divide(result.blocks, result.gains);
  }
}

/// The distance at which outliers begin: never among readings, or the mean would depend on which step they
/// were rounded to.
double outlier_limit(const Differences& result, double tick) {
  // A cut through m of the readings at c moves a mean by up to m c / 2: at the limits that occur a hundredth
  // of a tick, less than any interval here.
  constexpr double few = 0.005;
  Column distances = pooled(medians_removed(result.blocks));
  std::ranges::sort(distances);
  double limit = std::max(5 * result.sigma, 2.5 * tick);
  const auto near = [&] {
    const auto begin = std::ranges::lower_bound(distances, limit - tick);
    return static_cast<double>(std::ranges::upper_bound(distances, limit + tick) - begin);
  };
  constexpr int most_steps = 1000;  // a tick that a double does not resolve would move nothing
  for (int i = 0; i < most_steps && tick > 0 && near() > few * static_cast<double>(distances.size()); ++i)
    limit += tick / 2;
  return limit;
}

/// Readings in steps have no use for medians; outliers, which a mean must not see, are dropped first.
void drop_outliers(Differences& result, double tick) {
  const double widest = outlier_limit(result, tick);
  double squares = 0;
  double freedom = 0;
  for (Column& block : result.blocks) {
    const double middle = median_of_present(block);
    for (double& value : block)
      if (std::abs(value - middle) > widest) value = missing;
    const Column kept = present(block);
    if (kept.size() < 2) continue;
    const auto n = static_cast<double>(kept.size());
    const double mean = std::accumulate(kept.begin(), kept.end(), 0.0) / n;
    for (const double value : kept) squares += (value - mean) * (value - mean);
    freedom += n - 1;
  }
  result.sd = freedom > 0 ? std::sqrt(squares / freedom) : 0;
}

double pooled_sigma(const StopColumns& blocks) {
  const double sigma = sigma_per_mad * median(pooled(medians_removed(blocks)));
  return is_missing(sigma) ? 0 : sigma;
}

/// Two heaps of equal readings would have a coefficient of 1; what has one heap stays below this, however
/// skewed.
constexpr double two_heaps = 0.8;

bool is_bimodal(const Times& times) {
  StopColumns residues = times.columns();
  for (Column& column : residues) {
    const double middle = median_of_present(column);
    for (double& value : column) value -= middle;
  }
  return bimodality(pooled(residues)) > two_heaps;
}

double drift_of(const Column& gains) {
  double drift = 0;
  for (std::size_t r = gains.size() - gains.size() / 10; r < gains.size(); ++r)
    drift = std::max(drift, std::abs(gains[r] - 1));
  return drift;
}

bool is_good(const Interval& share, double half, const Precision& precision) {
  return half <= std::max(precision.absolute, precision.relative * share.value);
}

Interval divided(const Interval& interval, double by) {
  return {interval.value / by, interval.low / by, interval.high / by};
}

/// All stops of a round tell its gain, and only two of them its length. But a gain is that of most blocks.
double trend_in(const Differences& of, const Times& times) {
  const double of_length = trend_of(times.behind_first());
  return of_length == 0 && !of.folded ? trend_of(of.gains) : of_length;
}

}  // namespace

double sigma_of_middle(const std::vector<std::vector<double>>& blocks, double sigma) {
  constexpr double part = 0.2;
  constexpr double quantile_of_normal = 0.2533;  // of |x|
  const double distance = quantile(pooled(medians_removed(blocks)), part);
  return is_missing(distance) ? sigma : std::min(sigma, distance / quantile_of_normal);
}

Differences differences(const Times& times, const Clock& clock) {
  StopColumns stops = times.columns();
  Differences result{.blocks = blocks_of(stops)};
  if (clock.method == Method::fine && should_fold(result.blocks)) {
    stops = of_twins(stops, [](double a, double b) { return (a + b) / 2; });
    result.blocks = blocks_of(stops);
    result.folded = true;
  }
  if (!stops.empty()) {
    result.entry = stops.front();
    result.total = stops.back();
    result.gains.assign(stops.front().size(), 1);
  }
  if (clock.method == Method::fine && stops.size() >= fewest_stops_for_gain) take_out_gain(result, stops);
  if (clock.method != Method::exact && !stops.empty()) result.trend = trend_in(result, times);
  result.sigma = pooled_sigma(result.blocks);
  if (clock.method == Method::coarse) drop_outliers(result, clock.tick);
  return result;
}

Interval interval_of(const std::vector<double>& values, const Differences& all, const Clock& clock,
                     double alpha, std::size_t terms) {
  switch (clock.method) {
    case Method::fine:
      return sign_interval(values, alpha);
    case Method::coarse:
      return mean_interval(values, alpha, all.sd / 2 * std::sqrt(static_cast<double>(terms)));
    case Method::exact:
      return spread_interval(values, alpha);
  }
  return {};
}

Hot hotness(const std::vector<double>& values, const Differences& all, const Clock& clock,
            const Precision& precision, double whole) {
  constexpr double wrong_in_a_run = 0.05;
  const double alpha = wrong_in_a_run / static_cast<double>(std::max<std::size_t>(all.blocks.size(), 1));
  const double threshold = precision.hot * whole;
  if (clock.method == Method::fine) return is_above(values, threshold, alpha);
  // Steps of a clock have no use for signs. An interval for all blocks at once (Bonferroni) is not safe
  // against being looked at often, but looks are few.
  const Interval interval = interval_of(values, all, clock, alpha);
  if (interval.low > threshold) return Hot::yes;
  return interval.high < threshold ? Hot::no : Hot::undecided;
}

Look look(const Times& times, const Clock& clock, const Precision& precision,
          std::span<const std::uint32_t> groups) {
  const Differences all = differences(times, clock);
  Look result{.folded = all.folded,
              .sigma = sigma_of_middle(blocks_of(times.columns()), all.sigma),  // steps of a clock show there
              .drift = drift_of(all.gains),
              .is_bimodal = is_bimodal(times)};
  for (const Column& block : all.blocks) {
    BlockLook& one = result.blocks.emplace_back();
    one.ticks = interval_of(present(block), all, clock, precision.alpha);
    if (!is_missing(one.ticks.value)) result.whole += one.ticks.value;
  }
  const double whole = result.whole > 0 ? result.whole : missing;
  const auto root_of_rounds = [&](std::size_t b) {
    return std::sqrt(std::max(1.0, static_cast<double>(present(all.blocks[b]).size())));
  };
  Column halves;
  for (std::size_t b = 0; b < result.blocks.size(); ++b) {
    BlockLook& block = result.blocks[b];
    block.share = divided(block.ticks, whole);
    block.hot = hotness(present(all.blocks[b]), all, clock, precision, result.whole);
    if (!is_missing(block.ticks.value)) halves.push_back(half_width(block.share) * root_of_rounds(b));
  }
  // A block whose few readings happen to agree is no better known than others are with as many.
  const double usual = median(halves);
  std::set<std::uint32_t> open_groups;
  for (std::size_t b = 0; b < result.blocks.size(); ++b) {
    BlockLook& block = result.blocks[b];
    block.settled =
        is_good(block.share, std::max(usual / root_of_rounds(b), half_width(block.share)), precision);
    if (block.settled)
      ++result.settled;
    else if (!groups.empty())
      open_groups.insert(groups[b]);
  }
  for (std::size_t b = 0; b < groups.size(); ++b) result.blocks[b].open = open_groups.contains(groups[b]);
  if (groups.empty())
    for (BlockLook& block : result.blocks) block.open = !block.settled;
  return result;
}

bool is_coarse(double tick, const Look& look, const Precision& precision) {
  return tick > look.sigma / 2 && tick > precision.absolute * look.whole / 2;
}

}  // namespace jcprof::engine
