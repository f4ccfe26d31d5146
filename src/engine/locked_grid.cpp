// SPDX-License-Identifier: Apache-2.0
#include "src/engine/locked_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numbers>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include <boost/math/tools/minima.hpp>

#include "src/engine/fit.hpp"
#include "src/engine/grid_of_means.hpp"
#include "src/engine/phases.hpp"

namespace jcprof::engine {
namespace {

constexpr double runs_without = 1000;   // runs without a grid that seem to have one, by each kind of times
constexpr double steps_per_cycle = 16;  // of the longest distance
constexpr double most_periods = 4000;   // the finest, in the longest distance
constexpr std::size_t fewest_far = 3;   // where the period is a short one
constexpr std::size_t fewest_sizes_alone = 5;  // where no single readings tell
constexpr std::size_t most_readings = 20'000;  // that are looked at, of all stops
constexpr std::size_t fewest_of_stop = 8;      // but so many of each
// The sizes behind the first one must show this much evidence of being whole periods. Chance shows it once in
// exp(6) tests. One such size never does, since `evidence` is below 5.
constexpr double evidence_of_sizes = 6;
// The same of single readings that lie whole periods off, and of the time from the send to the first stop.
constexpr double evidence_of_send = 4;

/// From a stop to the next one.
struct Distance {
  std::size_t from = 0;
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

/// The times that lie whole periods apart on a grid.
struct Seen {
  struct Stop {
    double at = missing;
    std::vector<double> readings = {};
  };
  std::vector<Stop> stops;
  std::vector<Distance> distances = {};  // of neighbours
  double longest() const {
    return distances.empty() ? 0 : std::ranges::max(distances, {}, &Distance::length).length;
  }
  double latest() const {
    double latest = 0;
    for (const Stop& stop : stops) latest = std::max(latest, is_missing(stop.at) ? 0 : stop.at);
    return latest;
  }
};

Seen seen_at(std::vector<Seen::Stop> stops, std::span<const std::uint32_t> edges) {
  Seen seen{.stops = std::move(stops)};
  for (std::size_t s = 0; s + 1 < seen.stops.size(); ++s) {
    const double length = seen.stops[s + 1].at - seen.stops[s].at;
    if (!is_missing(length)) seen.distances.push_back({s, length, edges[s]});
  }
  return seen;
}

Direction direction_of(const Direction& sum) {
  return std::abs(sum) > 0 ? sum / std::abs(sum) : Direction{1};
}

double cosine_between(const Direction& a, const Direction& b) {
  return (a * std::conj(b)).real();
}

/// How well a period fits. The phase of a stop is that of all its readings, which jitter moves by whole
/// periods, and a sleep that is now and then longer by a part of one.
class Phases {
 public:
  Phases(const Seen& seen, double period)
      : seen_(seen), period_(period), tests_(std::max(1.0, 2 * seen.longest() / period)) {
    for (const Seen::Stop& stop : seen.stops) {
      Direction& sum = sums_.emplace_back();
      for (const double reading : stop.readings) sum += phase_of(reading, period);
      directions_.push_back(direction_of(sum));
    }
    for (const Distance& one : seen.distances) {
      const double cosine = cosine_between(directions_[one.from + 1], directions_[one.from]);
      const double periods = periods_of(one.length);
      all_.add(cosine);
      // Times fall by more than chance for another reason: a stop that changes the next commands.
      falls_ = falls_ || periods < -1;
      if (periods == 0 || one.edge == 0) continue;
      if (edges_.insert(one.edge).second) of_edges_.add(cosine);
      if (sizes_.insert(std::abs(periods)).second) of_sizes_.add(cosine);
    }
  }

  double height() const { return all_.value(); }
  bool may_be_grid() const {
    constexpr double of_all_periods = 5;  // the sum of 1 / n over the tests
    return !falls_ && all_.value() >= aligned &&
           evidence_of(of_edges_, 0) >= std::log(runs_without * of_all_periods * tests_);
  }
  /// Costs that are multiples of one do not look like this. `shortest_alone`: the period from which few
  /// single readings are enough, or none.
  bool is_proven(double shortest_alone) const {
    const Far far = far_readings();
    if (far.all.count > 0 && far.all.value() < far_aligned * far.usual()) return false;
    if (far.all.count < fewest_far && period_ < shortest_alone) return false;
    const double by_sizes = evidence_of(of_sizes_, 1);
    if (by_sizes >= evidence_of_sizes && (far.all.count > 0 || of_sizes_.count >= fewest_sizes_alone))
      return true;
    return is_flat() && static_cast<double>(far.stops) * evidence(far.all.value()) + evidence_of_entry() >=
                            evidence_of_send;
  }

 private:
  static constexpr double aligned = 0.75;     // the least mean cosine
  static constexpr double far_aligned = 0.5;  // the same, in that of all readings

  /// Readings whole periods off the middle one at their stop, and the others.
  struct Far {
    Mean all;
    Mean near;
    std::size_t stops = 0;
    double usual() const { return (all.sum + near.sum) / static_cast<double>(all.count + near.count); }
  };
  Far far_readings() const {
    Far far;
    for (std::size_t s = 0; s < seen_.stops.size(); ++s) {
      const std::size_t before = far.all.count;
      for (const double reading : seen_.stops[s].readings) {
        const bool is_far = periods_of(reading - seen_.stops[s].at) != 0;
        (is_far ? far.all : far.near).add(cosine_between(phase_of(reading, period_), directions_[s]));
      }
      far.stops += far.all.count > before ? 1 : 0;
    }
    return far;
  }

  Direction common_direction() const {
    return direction_of(std::accumulate(sums_.begin(), sums_.end(), Direction{}));
  }

  /// Stops have one phase but for noise, by that of the readings of each; the answer may be longer at the
  /// end, and code next to nothing behind a stop, but nine tenths of the stops have it. Else short blocks
  /// cost more than none, and long ones more than whole periods.
  bool is_flat() const {
    constexpr double part = 0.9;
    constexpr double normal = 2.71;                               // the square that so many lie below
    constexpr double beyond = 2;                                  // noise is no better known
    constexpr double least_error = 0.004 * 2 * std::numbers::pi;  // how far whole steps are off, in phase
    const Direction common = common_direction();
    std::vector<double> spreads;
    std::vector<double> offs;
    for (std::size_t s = 0; s < sums_.size(); ++s) {
      const auto count = static_cast<double>(seen_.stops[s].readings.size());
      if (count < 2) continue;
      const double length = std::abs(sums_[s]) / count;
      spreads.push_back((1 - length * length) / ((count - 1) * length * length));
      offs.push_back(2 * (1 - cosine_between(directions_[s], common)));
    }
    if (offs.empty()) return false;
    const double usual = mean_of(spreads);
    for (std::size_t i = 0; i < offs.size(); ++i)
      offs[i] /= std::max(spreads[i], usual) + least_error * least_error;
    return quantile(std::move(offs), part) <= beyond * normal;
  }

  /// The stops lie whole periods behind the send, and no nearer to it than the readings of one to each other.
  double evidence_of_entry() const {
    constexpr double least = 0.001;  // no chance is smaller than this
    Mean lengths;
    for (std::size_t s = 0; s < sums_.size(); ++s)
      if (const std::size_t count = seen_.stops[s].readings.size(); count > 0)
        lengths.add(std::abs(sums_[s]) / static_cast<double>(count));
    const double spread = std::sqrt(2 * (1 - lengths.value()));
    const double off = std::abs(std::arg(common_direction()));
    return -std::log(std::max(std::max(off, spread) / std::numbers::pi, least));
  }

  double periods_of(double length) const { return std::round(length / period_); }
  /// -log of the chance of such a mean, but for so many of its values.
  static double evidence_of(const Mean& mean, std::size_t without) {
    return mean.count <= without ? 0 : static_cast<double>(mean.count - without) * evidence(mean.value());
  }

  const Seen& seen_;
  double period_;
  double tests_;
  bool falls_ = false;
  std::vector<Direction> sums_;        // by stop, of the phases of its readings
  std::vector<Direction> directions_;  // of these
  std::set<std::uint32_t> edges_;
  std::set<double> sizes_;
  Mean all_;
  Mean of_edges_;
  Mean of_sizes_;
};

/// All readings together have the sharpest peak.
double refined(const Seen& seen, double frequency, double step) {
  const auto height = [&](double at) {
    Direction sum;
    for (const Seen::Stop& stop : seen.stops)
      for (const double reading : stop.readings) sum += phase_of(reading, 1 / at);
    return -std::norm(sum);
  };
  const double fine = std::min(step, 1 / (steps_per_cycle * seen.latest()));
  double best = frequency;
  for (double at = frequency - step; at <= frequency + step; at += fine)
    if (height(at) < height(best)) best = at;
  constexpr int bits = 20;  // of a number about 1, as Brent's method has it
  const auto near = [&](double steps) { return height(best + steps * fine); };
  return best + fine * boost::math::tools::brent_find_minima(near, -1.0, 1.0, bits).first;
}

/// The longest period of which all are multiples.
double period_of(const Seen& seen, const LockedGridSearch& search) {
  const double longest = seen.longest();
  // Where blocks cancel, the whole is next to nothing, and `finest` with it.
  if (!(longest > 0) || longest > most_periods * search.finest) return 0;
  const double step = 1 / (steps_per_cycle * longest);
  for (double frequency = step * steps_per_cycle / 2; frequency <= 1 / search.finest; frequency += step) {
    if (!Phases(seen, 1 / frequency).may_be_grid()) continue;
    while (Phases(seen, 1 / (frequency + step)).height() > Phases(seen, 1 / frequency).height())
      frequency += step;
    const double period = 1 / refined(seen, frequency, step);
    const Phases phases(seen, period);
    if (phases.may_be_grid() && phases.is_proven(search.alone)) return period <= search.longest ? period : 0;
  }
  return 0;
}

/// By the readings as they came.
Seen seen_as_read(const Times& times, const LockedGridSearch& search) {
  const std::size_t most = std::max(fewest_of_stop, most_readings / times.stops());
  std::vector<Seen::Stop> stops;
  for (const std::vector<double>& column : times.columns()) {
    const std::vector<double> readings = present(column);
    Seen::Stop& stop = stops.emplace_back(Seen::Stop{.at = middle_reading(readings)});
    const std::size_t every = readings.size() / most + 1;
    for (std::size_t i = 0; i < readings.size(); i += every) stop.readings.push_back(readings[i]);
  }
  return seen_at(std::move(stops), search.edges);
}

/// The readings are steps of the clock, as they are not where answers come on a grid.
bool is_clock_coarse(const Times& times, const Clock& clock) {
  constexpr double of_steps = 0.999;  // the least mean cosine, since they may be rounded to another unit
  if (clock.method != Method::coarse) return false;
  Mean cosines;
  for (const std::vector<double>& column : times.columns())
    for (const double reading : present(column)) cosines.add(phase_of(reading, clock.tick).real());
  return cosines.value() >= of_steps;
}

Seen seen_by_fit(const Times& times, const Clock& clock, const LockedGridSearch& search) {
  const Fit fit(differences(times, clock), clock);
  std::vector<Seen::Stop> stops;
  for (std::size_t s = 0; s < times.stops(); ++s) stops.push_back({fit.reached(s), {fit.reached(s)}});
  return seen_at(std::move(stops), search.edges);
}

}  // namespace

double find_locked_grid(const Times& times, const Clock& clock, const LockedGridSearch& search) {
  if (times.rounds() == 0 || !(search.finest > 0)) return 0;
  // Readings of a coarse clock are whole steps of it, and only their means are not.
  if (is_clock_coarse(times, clock))
    return begins_with_step(times, clock.tick, search.edges) ? clock.tick : 0;
  if (const double period = period_of(seen_as_read(times, search), search); period > 0) return period;
  if (const double period = period_of_both_ways(times, search); period > 0) return period;
  return period_of(seen_by_fit(times, {}, search), search);
}

}  // namespace jcprof::engine
