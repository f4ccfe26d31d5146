// SPDX-License-Identifier: Apache-2.0
#include "src/engine/evidence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <boost/accumulators/accumulators.hpp>
#include <boost/accumulators/statistics/stats.hpp>
#include <boost/accumulators/statistics/variance.hpp>
#include <boost/math/distributions/normal.hpp>

#include "src/engine/random.hpp"

namespace jcprof::engine {
namespace {

// Long enough for ranks, short enough for drift.
constexpr std::size_t window = 64;
// Parts of the capital that are set on a coin. Which is best depends on the size of the difference.
constexpr std::array stakes{0.06, 0.12, 0.25, 0.5, 0.9};
constexpr double tail = 0.95;
// Streams of random numbers that nothing else draws from.
constexpr std::uint64_t planted_coins = 0x1EA4'0003'0000;
constexpr std::uint64_t planted_steps = 0x1EA4'0004'0000;
constexpr std::size_t scores = 3;
constexpr std::size_t least_times = 20;
constexpr double least_of_class = 10;  // of Welch's test

/// The part of `before` that is shorter than `ticks`, with half of those that are equal.
template <class Times>
double rank(const Times& before, double ticks) {
  if (before.empty()) return 0.5;
  double halves = 0;
  for (const double other : before) halves += other < ticks ? 2 : other == ticks ? 1 : 0;
  return halves / (2 * static_cast<double>(before.size()));
}

/// How long it is, how far out, and if it is one of the longest: each in [-1, 1].
std::array<double, scores> scores_of(double rank) {
  const double location = 2 * rank - 1;
  return {location, 2 * std::abs(location) - 1, rank > tail ? 1.0 : 0.0};
}

/// The logarithm of the mean of exp(values).
double log_mean(const std::vector<double>& values) {
  const double most = std::ranges::max(values);
  double sum = 0;
  for (const double value : values) sum += std::exp(value - most);
  return most + std::log(sum / static_cast<double>(values.size()));
}

/// By class: the part of its times that are shorter than `ticks`, with half of those that are equal.
std::array<double, 2> ranks(std::span<const ClassedTime> before, double ticks) {
  std::array<double, 2> halves{};
  std::array<double, 2> counts{};
  for (const ClassedTime& time : before) {
    const std::size_t its_class = time.is_second ? 1 : 0;
    halves.at(its_class) += time.ticks < ticks ? 2 : time.ticks == ticks ? 1 : 0;
    counts.at(its_class) += 2;
  }
  for (std::size_t c = 0; c < 2; ++c) halves.at(c) = counts.at(c) > 0 ? halves.at(c) / counts.at(c) : 0.5;
  return halves;
}

/// Uniform in [0, 1).
double chance(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  constexpr std::uint64_t parts = 1U << 20U;
  return static_cast<double>(draw(seed, stream, index, parts)) / parts;
}

/// In order, each once.
std::vector<double> distinct(std::vector<double> values) {
  std::ranges::sort(values);
  const auto [first, last] = std::ranges::unique(values);
  values.erase(first, last);
  return values;
}

/// One of the two `steps` that `ticks` lies between; `part`: uniform in [0, 1). Nothing outside of them.
std::optional<double> step_at(const std::vector<double>& steps, double ticks, double part) {
  const auto above = std::ranges::upper_bound(steps, ticks);
  if (above == steps.begin() || above == steps.end()) return std::nullopt;
  const double below = *(above - 1);
  return ticks - below > part * (*above - below) ? *above : below;
}

/// The steps in which a coarse clock goes, as the times of one class show them: they lie on several. Those of
/// an exact clock may lie on one, and have no steps then.
class Steps {
 public:
  explicit Steps(const std::vector<double>& times) {
    if (times.empty()) return;
    const double low = quantile(times, 1 - most_common);
    const double high = quantile(times, most_common);
    std::vector<double> shown;
    for (const double ticks : times)
      if (low <= ticks && ticks <= high) shown.push_back(ticks);
    shown = distinct(std::move(shown));
    const double least = smallest_gap(shown);
    const auto is_multiple = [&](double ticks) {
      return std::abs(std::remainder(ticks, least)) <= tolerance * least;
    };
    if (shown.size() < 2 || !std::ranges::all_of(shown, is_multiple)) return;
    std::vector<double> gaps;
    for (const double ticks : times)
      if (const auto next = std::ranges::upper_bound(shown, ticks);
          next != shown.begin() && next != shown.end())
        gaps.push_back(*next - *(next - 1));
    usual_ = quantile(gaps, usual_gap);
    shown_ = std::move(shown);
  }

  /// One of the two steps that `ticks` lies between; `part`: uniform in [0, 1).
  double at(double ticks, double part) const {
    if (shown_.empty()) return ticks;
    if (const std::optional<double> step = step_at(shown_, ticks, part)) return *step;
    return shown_.front() + usual_ * std::floor((ticks - shown_.front()) / usual_ + 1 - part);
  }

 private:
  // Steps beyond are those of spikes.
  static constexpr double most_common = 0.99;
  // A step may come out a little shorter or longer, as its ends are rounded.
  static constexpr double tolerance = 0.1;
  static constexpr double usual_gap = 0.75;

  std::vector<double> shown_;
  double usual_ = 0;
};

std::vector<double> ticks_of(std::span<const ClassedTime> times, bool is_second) {
  std::vector<double> ticks;
  for (const ClassedTime& time : times)
    if (time.is_second == is_second) ticks.push_back(time.ticks);
  return ticks;
}

/// Differences between classes taken out of times, half of it from each so that both keep the same spread.
class Removing {
 public:
  explicit Removing(std::span<const ClassedTime> times)
      : times_(times), steps_{Steps(ticks_of(times, false)), Steps(ticks_of(times, true))} {}

  std::vector<ClassedTime> without(double shift) const {
    std::vector<ClassedTime> all(times_.begin(), times_.end());
    if (shift == 0) return all;
    for (std::size_t i = 0; i < all.size(); ++i) {
      ClassedTime& time = all[i];
      const double own = time.is_second ? -shift / 2 : shift / 2;
      time.ticks = steps_.at(time.is_second ? 1 : 0).at(time.ticks + own, chance(0, 0, i));
    }
    return all;
  }

 private:
  std::span<const ClassedTime> times_;
  std::array<Steps, 2> steps_;  // of both classes
};

/// How far the ranks tell of the coins, in standard deviations, if the second class took `shift` less. It
/// falls as `shift` grows. A time has a rank itself, and takes part in those of the times behind it: the
/// second part is not nothing where the classes differ in spread (the projections of Hoeffding 1948).
double tell_tale(const Removing& times, double shift) {
  const std::vector<ClassedTime> shifted = times.without(shift);
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < shifted.size(); ++i) {
    const std::span before = std::span(shifted).first(i).last(std::min(window, i));
    const auto [first, second] = ranks(before, shifted[i].ticks);
    const double score = (shifted[i].is_second ? 1 : -1) * (first + second - 1);
    sum += score;
    squares += std::pow(score + first - second, 2);
  }
  return squares > 0 ? sum / std::sqrt(squares) : 0;
}

/// The shift in [low, high] at which `tell_tale` falls to `level`, to half a tick.
double shift_at(const Removing& times, double level, double low, double high) {
  constexpr int halvings = 40;
  for (int i = 0; i < halvings; ++i) {
    const double middle = std::midpoint(low, high);
    (tell_tale(times, middle) > level ? low : high) = middle;
  }
  return std::round(low + high) / 2 + 0.0;  // + 0.0: none is -0
}

double range_of(std::span<const ClassedTime> times) {
  const auto [least, most] = std::ranges::minmax(times, {}, &ClassedTime::ticks);
  return most.ticks - least.ticks;
}

/// Differences planted into times, as the clock would have shown them.
class Planting {
 public:
  Planting(std::span<const ClassedTime> times, std::uint64_t seed) : times_(times), seed_(seed) {
    for (const ClassedTime& time : times) shown_.push_back(time.ticks);
    shown_ = distinct(std::move(shown_));
  }

  /// In one case of many, whose coins are drawn anew.
  bool is_found(double shift, double log_threshold, std::uint64_t number) const {
    Evidence evidence;
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const bool is_second = draw(seed_, planted_coins + number, i, 2) == 1;
      const double ticks = times_[i].ticks;
      evidence.add({.ticks = is_second ? as_shown(ticks + shift, number, i) : ticks, .is_second = is_second});
      if (evidence.most() >= log_threshold) return true;
    }
    return false;
  }

 private:
  /// A clock goes in steps, and a time between two steps is shown as one of them, at random.
  double as_shown(double ticks, std::uint64_t number, std::size_t shot) const {
    return step_at(shown_, ticks, chance(seed_, planted_steps + number, shot)).value_or(ticks);
  }

  std::span<const ClassedTime> times_;
  std::uint64_t seed_;
  std::vector<double> shown_;  // each once
};

/// `most`: longer times are left out.
double welch_t(std::span<const ClassedTime> times, double most) {
  using boost::accumulators::tag::variance;
  std::array<boost::accumulators::accumulator_set<double, boost::accumulators::stats<variance>>, 2> classes;
  for (const ClassedTime& time : times)
    if (time.ticks <= most) classes.at(time.is_second ? 1 : 0)(time.ticks);
  std::array<double, 2> counts{};
  for (std::size_t c = 0; c < 2; ++c)
    counts.at(c) = static_cast<double>(boost::accumulators::count(classes.at(c)));
  if (std::min(counts[0], counts[1]) < least_of_class) return 0;
  const auto error = [&](std::size_t c) {
    return boost::accumulators::variance(classes.at(c)) / (counts.at(c) - 1);
  };
  const double difference = boost::accumulators::mean(classes[1]) - boost::accumulators::mean(classes[0]);
  const double errors = error(0) + error(1);
  if (errors > 0) return std::abs(difference) / std::sqrt(errors);
  return difference == 0 ? 0 : std::numeric_limits<double>::infinity();
}

}  // namespace

Evidence::Evidence(Sight sight) : capital_(2 * stakes.size() * (sight == Sight::location ? 1 : scores)) {}

void Evidence::add(const ClassedTime& time) {
  const double coin = time.is_second ? 1 : -1;
  auto capital = capital_.begin();
  const std::array<double, scores> all = scores_of(rank(before_, time.ticks));
  for (const double score : std::span(all).first(capital_.size() / (2 * stakes.size())))
    for (const double stake : stakes) {
      *capital++ += std::log1p(stake * coin * score);
      *capital++ += std::log1p(-stake * coin * score);
    }
  most_ = std::max(most_, log_mean(capital_));
  before_.push_back(time.ticks);
  if (before_.size() > window) before_.pop_front();
}

double evidence_of(std::span<const ClassedTime> times, Evidence::Sight sight) {
  Evidence evidence(sight);
  for (const ClassedTime& time : times) evidence.add(time);
  return evidence.most();
}

Interval class_shift(std::span<const ClassedTime> times, double alpha) {
  const auto seconds = static_cast<std::size_t>(std::ranges::count(times, true, &ClassedTime::is_second));
  if (times.size() < least_times || seconds == 0 || seconds == times.size()) return {};
  // Beyond the range every time of one class is longer than all of the other.
  const double most = range_of(times) + 1;
  const double deviations = boost::math::quantile(boost::math::complement(boost::math::normal(), alpha / 2));
  const Removing removing(times);
  return {.value = shift_at(removing, 0, -most, most),
          .low = shift_at(removing, deviations, -most, most),
          .high = shift_at(removing, -deviations, -most, most)};
}

std::vector<ClassedTime> without_shift(std::span<const ClassedTime> times, double shift) {
  return Removing(times).without(shift);
}

double findable_shift(std::span<const ClassedTime> times, double log_threshold, double power,
                      std::uint64_t seed) {
  constexpr int halvings = 4;
  constexpr std::uint64_t cases = 200;
  const auto most_missed = static_cast<std::uint64_t>(std::llround((1 - power) * cases));
  const Planting planting(times, seed);
  const auto is_shown = [&](double shift) {
    std::uint64_t missed = 0;
    for (std::uint64_t i = 0; i < cases && missed <= most_missed; ++i)
      missed += planting.is_found(shift, log_threshold, i) ? 0U : 1U;
    return missed <= most_missed;
  };
  if (times.empty()) return std::numeric_limits<double>::infinity();
  // Clocks count in whole ticks.
  double high = std::max(1.0, range_of(times) + 1);
  if (!is_shown(high)) return std::numeric_limits<double>::infinity();
  while (high > 1 && is_shown(high / 2)) high /= 2;
  double low = high / 2;
  for (int i = 0; i < halvings; ++i) {
    const double middle = std::midpoint(low, high);
    (is_shown(middle) ? high : low) = middle;
  }
  return std::max(1.0, high);
}

double largest_welch_t(std::span<const ClassedTime> times) {
  if (times.empty()) return 0;
  constexpr int crops = 100;
  std::vector<double> sorted;
  for (const ClassedTime& time : times) sorted.push_back(time.ticks);
  std::ranges::sort(sorted);
  double largest = welch_t(times, sorted.back());
  for (int i = 1; i <= crops; ++i) {
    const double kept = 1 - std::pow(0.5, 10.0 * i / crops);
    const auto last = static_cast<std::size_t>(kept * static_cast<double>(sorted.size() - 1));
    largest = std::max(largest, welch_t(times, sorted[last]));
  }
  return largest;
}

}  // namespace jcprof::engine
