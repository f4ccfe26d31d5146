// SPDX-License-Identifier: Apache-2.0
#include "src/engine/locked_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numbers>
#include <set>
#include <utility>
#include <vector>

#include "src/engine/fit.hpp"

namespace jcprof::engine {
namespace {

constexpr double runs_without = 1000;   // runs without a grid that seem to have one, by each kind of times
constexpr double steps_per_cycle = 16;  // of the longest distance
constexpr double most_periods = 4000;   // the finest, in the longest distance
constexpr std::size_t fewest_far = 3;   // where the period is a short one
constexpr std::size_t fewest_sizes_alone = 5;  // where no single readings tell
constexpr std::size_t most_far = 100;
// The sizes behind the first one must show this much evidence of being whole periods. Chance shows it once in
// exp(6) tests. One such size never does, since `evidence` is below 5.
constexpr double evidence_of_sizes = 6;

struct Distance {
  double length = 0;
  std::uint32_t edge = 0;
};

/// The k-th smallest: one of the readings, and none between two steps of a grid.
double middle_reading(std::vector<double> values) {
  if (values.empty()) return missing;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::vector<Distance> distances(const std::vector<double>& at, std::span<const std::uint32_t> edges) {
  std::vector<Distance> result;
  for (std::size_t s = 0; s + 1 < at.size(); ++s) {
    const double length = at[s + 1] - at[s];
    if (!is_missing(length)) result.push_back({length, edges[s]});
  }
  return result;
}

/// Of von Mises' distribution, from its mean cosine (Best & Fisher 1981).
double concentration(double cosine) {
  if (cosine < 0.53) return 2 * cosine + std::pow(cosine, 3) + 5 * std::pow(cosine, 5) / 6;
  if (cosine < 0.85) return -0.4 + 1.39 * cosine + 0.43 / (1 - cosine);
  return 1 / (std::pow(cosine, 3) - 4 * cosine * cosine + 3 * cosine);
}

/// -log of the chance that one phase in place of many has that mean cosine: exp(-n evidence) bounds that of n
/// phases (Chernoff 1952).
double evidence(double cosine) {
  constexpr double most = 0.9999;
  constexpr double large = 20;
  if (cosine <= 0) return 0;
  cosine = std::min(cosine, most);
  const double kappa = concentration(cosine);
  const double log_i0 = kappa > large ? kappa - std::log(2 * std::numbers::pi * kappa) / 2 + 1 / (8 * kappa)
                                      : std::log(std::cyl_bessel_i(0.0, kappa));
  return kappa * cosine - log_i0;
}

/// A mean of cosines.
struct Mean {
  double sum = 0;
  std::size_t count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  double value() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

/// What lies whole periods apart on a grid.
struct Apart {
  std::vector<Distance> stops;  // neighbours
  std::vector<double> far;      // single readings, from the middle one at their stop
  double longest() const { return stops.empty() ? 0 : std::ranges::max(stops, {}, &Distance::length).length; }
};

/// How well a period fits.
class Phases {
 public:
  Phases(const Apart& apart, double period)
      : period_(period), tests_(std::max(1.0, 2 * apart.longest() / period)) {
    for (const Distance& one : apart.stops) all_.add(cosine_of(one.length));
    // Times fall by more than chance for another reason: a stop that changes the next commands.
    falls_ = std::ranges::any_of(apart.stops, [&](const auto& one) { return periods_of(one.length) < -1; });
    if (!is_aligned(all_)) return;
    for (const Distance& one : apart.stops) {
      if (periods_of(one.length) == 0 || one.edge == 0) continue;
      if (edges_.insert(one.edge).second) of_edges_.add(cosine_of(one.length));
      if (sizes_.insert(std::abs(periods_of(one.length))).second) of_sizes_.add(cosine_of(one.length));
    }
    for (const double length : apart.far)
      if (periods_of(length) != 0) far_.add(cosine_of(length));
  }

  double height() const { return all_.value(); }
  /// `shortest_alone`: the period from which few single readings are enough, or none.
  bool are_of_grid(double shortest_alone) const {
    constexpr double of_all_periods = 5;  // the sum of 1 / n over the tests
    return !falls_ && is_aligned(all_) && (far_.count == 0 || is_aligned(far_)) &&
           (far_.count >= fewest_far || period_ >= shortest_alone) &&
           (far_.count > 0 || of_sizes_.count >= fewest_sizes_alone) &&
           evidence_of(of_edges_, 0) >= std::log(runs_without * of_all_periods * tests_) &&
           evidence_of(of_sizes_, 1) >= evidence_of_sizes;
  }

 private:
  double periods_of(double length) const { return std::round(length / period_); }
  double cosine_of(double length) const { return std::cos(2 * std::numbers::pi * length / period_); }
  static bool is_aligned(const Mean& mean) { return mean.value() >= 0.75; }
  /// -log of the chance of such a mean, but for so many of its values.
  static double evidence_of(const Mean& mean, std::size_t without) {
    return mean.count <= without ? 0 : static_cast<double>(mean.count - without) * evidence(mean.value());
  }

  double period_;
  double tests_;
  bool falls_ = false;
  std::set<std::uint32_t> edges_;
  std::set<double> sizes_;
  Mean all_;
  Mean far_;
  Mean of_edges_;
  Mean of_sizes_;
};

/// The longest period of which all are multiples.
double period_of(const Apart& apart, const LockedGridSearch& search) {
  const double longest = apart.longest();
  // Where blocks cancel, the whole is next to nothing, and `finest` with it.
  if (!(longest > 0) || longest > most_periods * search.finest) return 0;
  const double step = 1 / (steps_per_cycle * longest);
  for (double frequency = step * steps_per_cycle / 2; frequency <= 1 / search.finest; frequency += step) {
    if (!Phases(apart, 1 / frequency).are_of_grid(search.alone)) continue;
    while (Phases(apart, 1 / (frequency + step)).height() > Phases(apart, 1 / frequency).height())
      frequency += step;
    return 1 / frequency <= search.longest ? 1 / frequency : 0;
  }
  return 0;
}

/// By the readings as they came.
Apart apart_by_readings(const Times& times, const LockedGridSearch& search) {
  std::vector<double> at;
  Apart result;
  for (const std::vector<double>& column : times.columns()) {
    const std::vector<double> readings = present(column);
    at.push_back(middle_reading(readings));
    for (const double reading : readings)
      if (const double length = std::abs(reading - at.back()); length > search.finest / 2)
        result.far.push_back(length);
  }
  const std::size_t every = result.far.size() / most_far + 1;
  for (std::size_t i = 0; i * every < result.far.size(); ++i) result.far[i] = result.far[i * every];
  result.far.resize((result.far.size() + every - 1) / every);
  result.stops = distances(at, search.edges);
  return result;
}

/// The readings are steps of the clock, as they are not where answers come on a grid.
bool is_clock_coarse(const Times& times, const Clock& clock) {
  std::vector<double> all;
  for (const std::vector<double>& column : times.columns())
    std::ranges::copy(present(column), std::back_inserter(all));
  return clock.method == Method::coarse && smallest_gap(std::move(all)) > clock.tick / 2;
}

Apart apart_by_fit(const Times& times, const Clock& clock, const LockedGridSearch& search) {
  const Fit fit(differences(times, clock), clock);
  std::vector<double> at;
  for (std::size_t s = 0; s < times.stops(); ++s) at.push_back(fit.reached(s));
  return {.stops = distances(at, search.edges)};
}

}  // namespace

double find_locked_grid(const Times& times, const Clock& clock, const LockedGridSearch& search) {
  if (times.rounds() == 0 || !(search.finest > 0)) return 0;
  // Readings of a coarse clock are whole steps of it, and only their means are not.
  if (is_clock_coarse(times, clock)) return period_of(apart_by_fit(times, clock, search), search);
  const double period = period_of(apart_by_readings(times, search), search);
  return period > 0 ? period : period_of(apart_by_fit(times, {}, search), search);
}

}  // namespace jcprof::engine
