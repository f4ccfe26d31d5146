// SPDX-License-Identifier: Apache-2.0
#include "src/engine/locked_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numbers>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "src/engine/fit.hpp"
#include "src/engine/grid_of_means.hpp"
#include "src/engine/phases.hpp"
#include "src/engine/seen_times.hpp"

namespace jcprof::engine {
namespace {

constexpr double runs_without = 1000;  // runs without a grid that seem to have one, by each kind of times
constexpr double most_periods = 4000;  // the finest, in the longest distance
// Bounds of what a look costs. Grids that are finer than so many frequencies reach are not looked for,
// readings and then stops are left out, and what looks like a grid so often without a proof is code.
constexpr double most_frequencies = 8000;
constexpr double most_scanned = 2e6;  // frequencies times readings
constexpr std::size_t most_stops = 1000;
constexpr int most_candidates = 16;
constexpr std::size_t fewest_far = 3;          // where the period is a short one
constexpr std::size_t fewest_sizes_alone = 5;  // where no single readings tell
constexpr std::size_t most_readings = 4000;    // that are looked at, of all stops
constexpr std::size_t fewest_of_stop = 8;      // but so many of each
// The sizes behind the first one must show this much evidence of being whole periods. Chance shows it once in
// exp(6) tests. One such size never does, since `evidence` is below 5.
constexpr double evidence_of_sizes = 6;
// The same of single readings that lie whole periods off, and of the time from the send to the first stop.
constexpr double evidence_of_send = 4;

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

Direction direction_of(const Direction& sum) {
  return std::abs(sum) > 0 ? sum / std::abs(sum) : Direction{1};
}

double cosine_between(const Direction& a, const Direction& b) {
  return (a * std::conj(b)).real();
}

constexpr double aligned = 0.75;  // the least mean cosine

/// How well a period fits. The phase of a stop is that of all its readings, which jitter moves by whole
/// periods, and a sleep that is now and then longer by a part of one.
class Phases {
 public:
  Phases(const Seen& seen, double period) : Phases(seen, period, sums_of(seen, period)) {}

  /// `sums`: by stop, of the phases of its readings.
  Phases(const Seen& seen, double period, std::vector<Direction> sums)
      : seen_(seen),
        period_(period),
        tests_(std::max(1.0, 2 * seen.longest() / period)),
        sums_(std::move(sums)) {
    for (const Direction& sum : sums_) directions_.push_back(direction_of(sum));
    std::vector<bool> is_edge_seen(seen.edges, false);
    for (const Distance& one : seen.distances) {
      const double cosine = cosine_of(one);
      const double periods = periods_of(one.length);
      all_.add(cosine);
      // Times fall by more than chance for another reason: a stop that changes the next commands.
      falls_ = falls_ || periods < -1;
      if (periods == 0 || one.edge == 0 || is_edge_seen[one.edge]) continue;
      is_edge_seen[one.edge] = true;
      of_edges_.add(cosine);
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
    const Mean sizes = of_sizes();
    if (evidence_of(sizes, 1) >= evidence_of_sizes &&
        (far.all.count > 0 || sizes.count >= fewest_sizes_alone))
      return true;
    // Answers that come late by one time, or not at all, have a period too. It is the stops' one size as
    // well.
    const Far::Size* without = sizes.count > 1 ? nullptr : far.most_common();
    return is_flat() && far.evidence(without) + evidence_of_entry() >= evidence_of_send;
  }

 private:
  static constexpr double far_aligned = 0.5;  // the same, in that of all readings

  static std::vector<Direction> sums_of(const Seen& seen, double period) {
    std::vector<Direction> sums;
    for (const Seen::Stop& stop : seen.stops) {
      Direction& sum = sums.emplace_back();
      for (const double reading : stop.readings) sum += phase_of(reading, period);
    }
    return sums;
  }
  double cosine_of(const Distance& one) const {
    return cosine_between(directions_[one.from + 1], directions_[one.from]);
  }
  /// Each once.
  Mean of_sizes() const {
    Mean mean;
    std::set<double> sizes{0};
    for (const Distance& one : seen_.distances)
      if (one.edge != 0 && sizes.insert(std::abs(periods_of(one.length))).second) mean.add(cosine_of(one));
    return mean;
  }

  /// Readings whole periods off the middle one at their stop, and those beside it: how they agree with all
  /// others of the stop.
  struct Far {
    struct Size {
      Mean cosines;
      std::size_t stops = 0;  // with such readings
    };
    Mean all;
    Mean near;
    std::map<double, Size> sizes = {};  // by periods
    double usual() const { return (all.sum + near.sum) / static_cast<double>(all.count + near.count); }
    double evidence(const Size* without = nullptr) const {
      Size sum;
      for (const auto& [periods, size] : sizes) {
        if (&size == without) continue;
        sum.cosines.sum += size.cosines.sum;
        sum.cosines.count += size.cosines.count;
        sum.stops += size.stops;
      }
      return static_cast<double>(sum.stops) * engine::evidence(sum.cosines.value());
    }
    const Size* most_common() const {
      const auto most = std::ranges::max_element(sizes, {}, [](const auto& one) { return one.second.stops; });
      return most == sizes.end() ? nullptr : &most->second;
    }
  };
  Far far_readings() const {
    Far far;
    for (std::size_t s = 0; s < seen_.stops.size(); ++s) {
      std::set<double> seen;
      for (const double reading : seen_.stops[s].readings) {
        const double periods = std::abs(periods_of(reading - seen_.stops[s].at));
        const Direction phase = phase_of(reading, period_);
        const double cosine = cosine_between(phase, direction_of(sums_[s] - phase));
        (periods != 0 ? far.all : far.near).add(cosine);
        if (periods == 0) continue;
        Far::Size& size = far.sizes[periods];
        size.cosines.add(cosine);
        size.stops += seen.insert(periods).second ? 1 : 0;
      }
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
  Mean all_;
  Mean of_edges_;
};

/// Goes through frequencies, and tells quickly where a grid may be.
class Scan {
 public:
  Scan(const Seen& seen, double frequency, double step)
      : seen_(seen), frequency_(frequency), step_(step), phases_(readings_of(seen), frequency, step) {
    sum_up();
  }

  double frequency() const { return frequency_; }
  double height() const { return height_; }
  void turn() {
    phases_.turn();
    frequency_ += step_;
    sum_up();
  }
  bool may_be_grid() const {
    constexpr std::size_t fewest_edges = 2;  // one is never enough evidence
    return height_ >= aligned && told_ >= fewest_edges && Phases(seen_, 1 / frequency_, sums_).may_be_grid();
  }
  /// To the top, or down behind it.
  void climb() {
    for (double last = height_; (turn(), height_ > last);) last = height_;
  }
  void descend() {
    int left = static_cast<int>(steps_per_cycle) / 2;
    for (double last = height_; left-- > 0 && (turn(), height_ < last);) last = height_;
  }

 private:
  static std::vector<double> readings_of(const Seen& seen) {
    std::vector<double> all;
    for (const Seen::Stop& stop : seen.stops)
      all.insert(all.end(), stop.readings.begin(), stop.readings.end());
    return all;
  }
  void sum_up() {
    sums_.clear();
    std::size_t begin = 0;
    for (const Seen::Stop& stop : seen_.stops) {
      sums_.push_back(phases_.sum(begin, begin + stop.readings.size()));
      begin += stop.readings.size();
    }
    Mean cosines;
    told_ = 0;
    for (const Distance& one : seen_.distances) {
      const Direction& from = sums_[one.from];
      const Direction& to = sums_[one.from + 1];
      const double squares = std::norm(from) * std::norm(to);
      cosines.add(squares > 0 ? cosine_between(to, from) / std::sqrt(squares) : 1);
      told_ += one.edge != 0 && 2 * std::abs(one.length) * frequency_ >= 1 ? 1 : 0;
    }
    height_ = cosines.value();
  }

  const Seen& seen_;
  double frequency_;
  double step_;
  TurningPhases phases_;
  std::vector<Direction> sums_ = {};
  double height_ = 0;
  std::size_t told_ = 0;  // distances that may tell
};

/// The longest period of which all are multiples.
double period_of(const Seen& all, const LockedGridSearch& search) {
  const Seen seen = thinned(all, most_stops,
                            std::max(most_readings, fewest_of_stop * std::min(all.stops.size(), most_stops)));
  const double longest = seen.longest();
  // Where blocks cancel, the whole is next to nothing, and `finest` with it.
  if (!(longest > 0) || longest > most_periods * search.finest) return 0;
  const double step = 1 / (steps_per_cycle * longest);
  const double lowest = step * steps_per_cycle / 2;
  const double frequencies = std::min((1 / search.finest - lowest) / step, most_frequencies);
  const auto most = static_cast<std::size_t>(most_scanned / std::max(frequencies, 1.0));
  const Seen few = thinned(seen, most, most);
  int candidates = 0;
  Scan scan(few, lowest, step);
  for (; scan.frequency() <= lowest + frequencies * step && candidates < most_candidates; scan.turn()) {
    if (!scan.may_be_grid()) continue;
    ++candidates;
    scan.climb();
    const double period = 1 / refined(seen, scan.frequency() - step, step);
    const Phases phases(seen, period);
    if (phases.may_be_grid() && phases.is_proven(search.alone)) return period <= search.longest ? period : 0;
    scan.descend();
  }
  return 0;
}

/// By the readings as they came.
Seen seen_as_read(const Times& times, const LockedGridSearch& search) {
  std::vector<Seen::Stop> stops;
  for (const std::vector<double>& column : times.columns()) {
    const std::vector<double> readings = present(column);
    stops.push_back({.at = middle_reading(readings), .readings = readings});
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
