// SPDX-License-Identifier: Apache-2.0
#include "src/engine/fit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <boost/math/distributions/students_t.hpp>

namespace jcprof::engine {
namespace {

// From here on a difference counts by its sign alone. 1.345 would be best for normal noise. Where readings
// lie in several heaps the other heaps pull the less the smaller this is; below 1 intervals become too
// narrow.
constexpr double bound_per_scale = 1.25;
constexpr double half_a_tick = 0.5;
constexpr double most = 0.8;             // of the values of a block: rarer ones are spikes
constexpr double wrong_in_a_run = 0.01;  // that a bound is called too narrow, where spikes alone lie beyond
constexpr double no_bound = std::numeric_limits<double>::infinity();
constexpr double wrong_of_exact = 0.05;  // it only tells what is above nothing, and not how surely
// Fewer than seven rounds have no interval: less than four twins, the last one perhaps alone.
constexpr std::uint32_t fewest_units = 4;

/// Where the values lie, outliers moving it no further than `bound` (Huber 1964). It begins at the median.
double huber_location(const std::vector<double>& values, double bound) {
  constexpr int most_steps = 50;
  double location = median(values);
  for (int i = 0; i < most_steps; ++i) {
    double weights = 0;
    double pull = 0;
    for (const double value : values) {
      const double off = value - location;
      weights += std::abs(off) <= bound ? 1 : bound / std::abs(off);
      pull += std::clamp(off, -bound, bound);
    }
    location += pull / weights;
    if (std::abs(pull / weights) < 1e-6 * bound) break;
  }
  return location;
}

/// The sequence that never falls and is nearest to `values` by least squares: pool adjacent violators (Ayer
/// et al. 1955).
std::vector<double> nearest_rising(const std::vector<double>& values) {
  struct Level {
    double value = 0;
    std::size_t count = 0;
  };
  std::vector<Level> levels;
  for (const double value : values) {
    Level last{.value = value, .count = 1};
    while (!levels.empty() && levels.back().value > last.value) {
      const Level& before = levels.back();
      const auto count = static_cast<double>(before.count + last.count);
      last.value += (before.value - last.value) * static_cast<double>(before.count) / count;
      last.count += before.count;
      levels.pop_back();
    }
    levels.push_back(last);
  }
  std::vector<double> result;
  for (const Level& level : levels) result.insert(result.end(), level.count, level.value);
  return result;
}

std::vector<double> distances(const std::vector<double>& block) {
  std::vector<double> values = present(block);
  const double middle = median(values);
  for (double& value : values) value = std::abs(value - middle);
  return values;
}

/// The deviation of the middle of the differences, by block. Noise grows along a path, so it is that of the
/// neighbours alone; and their mean, so that it hardly differs from a block to the next. A spike at a stop is
/// then cut alike in the two differences that it is in, and their sum does not notice it.
std::vector<double> local_scales(const std::vector<std::vector<double>>& blocks) {
  constexpr double middle = 0.2;
  constexpr double middle_of_normal = 0.2533;
  std::vector<double> narrow;
  std::vector<double> usual;
  for (const std::vector<double>& block : blocks) {
    const std::vector<double> all = distances(block);
    narrow.push_back(quantile(all, middle) / middle_of_normal);
    usual.push_back(sigma_per_mad * median(all));
  }
  const std::vector<double> narrow_near = means_near(narrow, neighbours);
  const std::vector<double> usual_near = means_near(usual, neighbours);
  std::vector<double> scales;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const double near = std::min(narrow_near[b], usual_near[b]);
    scales.push_back(is_missing(near) ? half_a_tick : std::max(near, half_a_tick));
  }
  return scales;
}

/// By how much the scales grow until the bound holds most of the values of each block.
double growth_to_most(const std::vector<std::vector<double>>& blocks, const std::vector<double>& scales) {
  double growth = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (std::vector<double> values = distances(blocks[b]); !values.empty())
      growth = std::max(growth, quantile(std::move(values), most) / (bound_per_scale * scales[b]));
  return growth;
}

/// The same sum if values far out are no spikes.
Swayed without_spikes(const Swayed& sum) {
  Swayed other = sum;
  other.value += sum.apart;
  for (std::size_t u = 0; u < sum.apart_of_units.size(); ++u) other.of_units[u] += sum.apart_of_units[u];
  return other;
}

}  // namespace

std::uint32_t fewest_rounds(Method method, bool folded) {
  if (method == Method::exact) return 1;
  return folded ? 2 * fewest_units : 2 * fewest_units - 1;
}

Fit::Fit(const Differences& all, const Clock& clock)
    : clock_(clock),
      sd_(all.sd),
      has_twins_(clock.method != Method::exact && !all.folded),
      has_trend_(all.trend != 0) {
  if (all.total.empty() && all.blocks.empty()) return;
  const std::vector<double> scales = local_scales(all.blocks);
  const std::size_t units = all.gains.empty() ? 0 : unit_of(all.gains.size() - 1) + 1;
  reached_.push_back(0);
  changed_.push_back(0);
  swayed_.emplace_back(units);
  const std::vector<Sway> sways = sways_of(all.blocks, scales);
  for (const Sway& block : sways) add(block);
  find_apart(sways, all.blocks, scales);
  risen_ = nearest_rising(reached_);
}

std::vector<Fit::Sway> Fit::sways_of(const std::vector<std::vector<double>>& blocks,
                                     const std::vector<double>& scales) const {
  std::vector<Sway> sways;
  for (std::size_t b = 0; b < blocks.size(); ++b) sways.push_back(sway_of(blocks[b], scales[b]));
  return sways;
}

/// Values beyond the bound may be spikes. If they move a block, they are none, and it is not known how far
/// they count. The same whole, shared out by a bound that holds most values of each block, then tells.
void Fit::find_apart(const std::vector<Sway>& typical, const std::vector<std::vector<double>>& blocks,
                     std::vector<double> scales) {
  const double growth = clock_.method == Method::fine ? growth_to_most(blocks, scales) : 0;
  if (growth <= 1) return;
  for (double& scale : scales) scale *= growth;
  const std::vector<Sway> wider = sways_of(blocks, scales);
  const double whole = std::accumulate(wider.begin(), wider.end(), 0.0,
                                       [](double sum, const Sway& block) { return sum + block.value; });
  if (!(whole > 0) || !are_apart(typical, wider)) return;
  const double part = reached_.back() / whole;
  apart_.push_back({.apart_of_units = std::vector<double>(swayed_.front().size())});
  for (std::size_t b = 0; b < wider.size(); ++b) {
    const std::vector<double> to = of_units(wider[b].of_rounds);
    const std::vector<double> from = of_units(typical[b].of_rounds);
    Swayed sum = apart_.back();
    sum.apart += part * wider[b].value - typical[b].value;
    for (std::size_t u = 0; u < to.size(); ++u) sum.apart_of_units[u] += part * to[u] - from[u];
    apart_.push_back(std::move(sum));
  }
}

/// Beyond what noise explains, for all blocks at once (Bonferroni).
bool Fit::are_apart(const std::vector<Sway>& some, const std::vector<Sway>& others) const {
  const double wrong_in_a_block = wrong_in_a_run / static_cast<double>(some.size());
  for (std::size_t b = 0; b < some.size(); ++b) {
    std::vector<double> apart = some[b].of_rounds;
    std::ranges::transform(apart, others[b].of_rounds, apart.begin(), std::minus<>());
    const Swayed one{.value = std::abs(some[b].value - others[b].value),
                     .of_units = of_units(apart),
                     .rounds = static_cast<std::uint32_t>(present(apart).size()),
                     .terms = 1};
    if (2 * chance_above_nothing(one, 0) <= wrong_in_a_block) return true;
  }
  return false;
}

std::vector<double> Fit::of_units(const std::vector<double>& of_rounds) const {
  std::vector<double> sums(swayed_.front().size());
  for (std::size_t r = 0; r < of_rounds.size(); ++r)
    if (!is_missing(of_rounds[r])) sums[unit_of(r)] += of_rounds[r];
  return sums;
}

double Fit::bound_of(double scale) const {
  return clock_.method == Method::fine ? bound_per_scale * scale : no_bound;
}

double Fit::location_of(const std::vector<double>& values, double bound) const {
  if (clock_.method == Method::exact) return median(values);
  return bound == no_bound ? engine::mean_of(values) : huber_location(values, bound);
}

double Fit::change_of(const std::vector<double>& values, double bound) const {
  const auto third = static_cast<std::ptrdiff_t>(values.size() / 3);
  if (!has_trend_ || third == 0) return 0;
  return location_of({values.end() - third, values.end()}, bound) -
         location_of({values.begin(), values.begin() + third}, bound);
}

Fit::Sway Fit::sway_of(const std::vector<double>& differences, double scale) const {
  const std::vector<double> values = present(differences);
  Sway sway{.of_rounds = std::vector<double>(differences.size(), missing)};
  if (values.empty()) return sway;
  const auto count = static_cast<double>(values.size());
  const double bound = bound_of(scale);
  sway.value = location_of(values, bound);
  sway.changed = change_of(values, bound);
  double pull = clock_.method == Method::coarse ? 1 / count : 1;  // that a value at the distance 1 has
  if (clock_.method == Method::fine) {
    const auto is_within = [&](double value) { return std::abs(value - sway.value) <= bound; };
    const double within = std::max(1.0, static_cast<double>(std::ranges::count_if(values, is_within)));
    // With few values it is uncertain how many lie within (Huber 1973).
    pull = (1 + (count - within) / (count * within)) / within;
  }
  for (std::size_t r = 0; r < differences.size(); ++r)
    sway.of_rounds[r] = pull * std::clamp(differences[r] - sway.value, -bound, bound);
  return sway;
}

void Fit::add(const Sway& block) {
  reached_.push_back(reached_.back() + block.value);
  changed_.push_back(changed_.back() + block.changed);
  std::vector<double> sums = of_units(block.of_rounds);
  std::ranges::transform(sums, swayed_.back(), sums.begin(), std::plus<>());
  swayed_.push_back(std::move(sums));
  rounds_.push_back(static_cast<std::uint32_t>(present(block.of_rounds).size()));
}

void Fit::revise(std::span<const Swayed> blocks) {
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    reached_[b + 1] = reached_[b] + blocks[b].value;
    changed_[b + 1] = changed_[b] + blocks[b].changed;
    for (std::size_t u = 0; u < swayed_[b].size(); ++u)
      swayed_[b + 1][u] = swayed_[b][u] + blocks[b].of_units[u];
  }
  risen_ = nearest_rising(reached_);
}

std::uint32_t Fit::rounds_of(std::span<const BlockRange> ranges) const {
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  for (const BlockRange& range : ranges)
    for (std::size_t b = range.begin; b < range.end; ++b) least = std::min(least, rounds_[b]);
  return ranges.empty() ? 0 : least;
}

Swayed operator-(Swayed a, const Swayed& b) {
  a.value -= b.value;
  for (std::size_t u = 0; u < a.of_units.size(); ++u) a.of_units[u] -= b.of_units[u];
  a.rounds = std::min(a.rounds, b.rounds);
  a.equal_rounds = 0;  // what is well known may cancel
  a.terms += b.terms;
  a.changed -= b.changed;
  a.apart -= b.apart;
  a.apart_of_units.resize(std::max(a.apart_of_units.size(), b.apart_of_units.size()));
  for (std::size_t u = 0; u < b.apart_of_units.size(); ++u) a.apart_of_units[u] -= b.apart_of_units[u];
  return a;
}

Swayed Fit::sum_of(std::span<const BlockRange> ranges) const {
  Swayed sum{.of_units = std::vector<double>(swayed_.empty() ? 0 : swayed_.front().size()),
             .rounds = rounds_of(ranges),
             .terms = ranges.size()};
  for (const BlockRange& range : ranges) {
    sum.value += range.share * (reached_[range.end] - reached_[range.begin]);
    sum.changed += range.share * (changed_[range.end] - changed_[range.begin]);
    for (std::size_t u = 0; u < sum.of_units.size(); ++u)
      sum.of_units[u] += range.share * (swayed_[range.end][u] - swayed_[range.begin][u]);
    if (apart_.empty()) continue;
    const Swayed apart = apart_[range.end] - apart_[range.begin];
    sum.apart += range.share * apart.apart;
    sum.apart_of_units.resize(sum.of_units.size());
    for (std::size_t u = 0; u < sum.of_units.size(); ++u)
      sum.apart_of_units[u] += range.share * apart.apart_of_units[u];
  }
  return sum;
}

Swayed Fit::mean_of(std::span<const double> of_rounds) const {
  Swayed mean{.of_units = std::vector<double>(swayed_.empty() ? 0 : swayed_.front().size()), .terms = 1};
  const std::vector<double> values = present(of_rounds);
  if (values.empty()) return mean;
  mean.rounds = static_cast<std::uint32_t>(values.size());
  mean.value = engine::mean_of(values);
  mean.changed = change_of(values, no_bound);
  for (std::size_t r = 0; r < of_rounds.size(); ++r)
    if (!is_missing(of_rounds[r])) mean.of_units[unit_of(r)] += (of_rounds[r] - mean.value) / mean.rounds;
  return mean;
}

Fit::Error Fit::error_of(const Swayed& sum) const {
  const std::uint32_t whole_units = has_twins_ ? (sum.rounds + 1) / 2 : sum.rounds;
  if (whole_units < fewest_units) return {};
  const double units = std::max<double>(whole_units, has_twins_ ? sum.equal_rounds / 2 : sum.equal_rounds);
  const double squares =
      std::inner_product(sum.of_units.begin(), sum.of_units.end(), sum.of_units.begin(), 0.0);
  double deviation = std::sqrt(squares * units / (units - 1));
  // A few coarse readings that happen to agree prove nothing.
  if (clock_.method == Method::coarse)
    deviation = std::max(
        deviation, sd_ / 2 * std::sqrt(static_cast<double>(sum.terms) / static_cast<double>(sum.rounds)));
  // A third of the rounds has three times the variance of all, and the difference of two thirds six times.
  const double of_noise = 6 * deviation * deviation;
  return {.deviation = deviation,
          .freedom = units - 1,
          .change = std::sqrt(std::max(0.0, sum.changed * sum.changed - of_noise))};
}

Interval Fit::interval_of(const Swayed& sum, double alpha) const {
  Interval interval = typical_interval_of(sum, alpha);
  if (sum.apart_of_units.empty()) return interval;
  const Interval other = typical_interval_of(without_spikes(sum), alpha);
  interval.low = std::min(interval.low, other.low);
  interval.high = std::max(interval.high, other.high);
  return interval;
}

double Fit::chance_above_nothing(const Swayed& sum, double doubt) const {
  const double chance = typical_chance_above_nothing(sum, doubt);
  if (sum.apart_of_units.empty()) return chance;
  return std::max(chance, typical_chance_above_nothing(without_spikes(sum), doubt));
}

Interval Fit::typical_interval_of(const Swayed& sum, double alpha) const {
  if (sum.rounds == 0 || sum.of_units.empty()) return {.value = sum.value};
  if (clock_.method == Method::exact) {
    const Interval sway = spread_interval(sum.of_units, alpha);
    return {sum.value, sum.value + std::min(0.0, sway.low), sum.value + std::max(0.0, sway.high)};
  }
  const Error error = error_of(sum);
  if (error.freedom == 0) return {.value = sum.value};
  const boost::math::students_t_distribution<double> student(error.freedom);
  const double noise = boost::math::quantile(boost::math::complement(student, alpha / 2)) * error.deviation;
  const double half = std::hypot(noise, error.change);
  return {sum.value, sum.value - half, sum.value + half};
}

double Fit::typical_chance_above_nothing(const Swayed& sum, double doubt) const {
  if (sum.rounds == 0 || sum.of_units.empty()) return 1;
  if (clock_.method == Method::exact)
    return sum.value + std::min(0.0, spread_interval(sum.of_units, wrong_of_exact).low) > doubt ? 0 : 1;
  const Error error = error_of(sum);
  const double deviation = std::hypot(error.deviation, std::hypot(doubt, error.change) / deviations_95);
  if (error.freedom == 0 || !(sum.value > 0)) return 1;
  if (deviation == 0) return 0;
  const boost::math::students_t_distribution<double> student(error.freedom);
  return boost::math::cdf(boost::math::complement(student, sum.value / deviation));
}

}  // namespace jcprof::engine
