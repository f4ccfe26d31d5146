// SPDX-License-Identifier: Apache-2.0
#include "src/engine/grid_of_means.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <vector>

#include "src/engine/phases.hpp"
#include "src/engine/statistics.hpp"

namespace jcprof::engine {
namespace {

constexpr double tables_without_grid = 1000;  // for one that seems to have it
constexpr double steps_per_turn = 16;         // of the latest time
constexpr double most_turns = 4000;           // in that time
constexpr std::size_t fewest_readings = 8;
constexpr double most_turned = 1e7;  // frequencies times stops

/// By stop, without what lies more than `widest` off its median.
std::vector<double> means_within(const Times& times, double widest) {
  std::vector<double> means;
  for (const std::vector<double>& column : times.columns()) {
    std::vector<double> readings = present(column);
    const double middle = median(readings);
    std::erase_if(readings, [&](double reading) { return std::abs(reading - middle) > widest; });
    means.push_back(readings.empty() ? missing : mean_of(readings));
  }
  return means;
}

/// Without those less than half a period behind others, which say the same, and those behind passes of one
/// edge.
std::vector<double> telling(const std::vector<double>& at, std::span<const std::uint32_t> edges,
                            double period) {
  std::vector<double> times;
  std::set<std::uint32_t> seen;
  double last = missing;
  for (std::size_t s = 0; s < at.size(); ++s) {
    if (is_missing(at[s]) || at[s] - last < period / 2) continue;
    last = at[s];
    if (s == 0 || (edges[s - 1] != 0 && seen.insert(edges[s - 1]).second)) times.push_back(last);
  }
  return times;
}

Direction mean_direction(const std::vector<double>& times, double period) {
  Direction sum;
  for (const double time : times) sum += phase_of(time, period);
  return times.empty() ? sum : sum / static_cast<double>(times.size());
}

/// -log of the chance that times lie so close to whole periods and `part` of one.
double evidence_of_part(const std::vector<double>& times, double period, double part) {
  const Direction mean = mean_direction(times, period) * std::conj(phase_of(part, 1));
  return static_cast<double>(times.size()) * evidence(mean.real());
}

/// Costs that are multiples of one are so of many parts of it, and a grid has one period.
bool are_multiples_of_more(const std::vector<double>& times, double period) {
  constexpr double aligned = 0.75;
  double longest = 0;
  for (std::size_t i = 1; i < times.size(); ++i) longest = std::max(longest, times[i] - times[i - 1]);
  for (double more = 2; more * period <= 1.5 * longest; ++more)
    if (std::abs(mean_direction(times, more * period)) >= aligned) return true;
  return false;
}

/// The readings of a stop.
struct Spread {
  double width = 0;  // of a uniform distribution with their quartiles
  double count = 0;
};

Spread spread_of(const std::vector<double>& readings) {
  constexpr double quarter = 0.25;
  const auto count = static_cast<double>(readings.size());
  const double half = quantile(readings, 1 - quarter) - quantile(readings, quarter);
  return {.width = 2 * half * (count + 1) / (count - 1), .count = count};  // without bias
}

/// The median, or 0.
double usual_width(const std::vector<Spread>& spreads) {
  std::vector<double> widths;
  for (const Spread& spread : spreads) widths.push_back(spread.width);
  return widths.empty() ? 0 : median(widths);
}

/// Readings lie anywhere in one period at each stop. Noise and drift that grow with time differ in that.
bool is_as_wide_everywhere(const std::vector<Spread>& spreads, double period) {
  constexpr double most = 3;  // of a square whose mean is 1: the width's variance is 1 / count, in periods
  double sum = 0;
  for (const auto& [width, count] : spreads) sum += count * (width / period - 1) * (width / period - 1);
  return sum <= most * static_cast<double>(spreads.size());
}

struct About {
  double expected = 0;  // the period
  double latest = 0;    // of the times
};

/// The period about the expected one whose middles the times lie in, or 0.
double best_period(const std::vector<double>& told, const About& about) {
  constexpr double factor = 1.25;  // the spread of few readings tells the period so well
  const double step = 1 / (steps_per_turn * about.latest);
  const double lowest = 1 / (factor * about.expected);
  const double tests = (factor / about.expected - lowest) / step;
  const auto frequencies = static_cast<std::size_t>(tests) + 1;
  // Some hundred stops tell as well as all.
  const auto most = static_cast<std::size_t>(most_turned / static_cast<double>(frequencies));
  const std::vector<double> times = every(told.size() / most + 1, told);
  TurningPhases phases(times, lowest, step);
  const auto count = static_cast<double>(times.size());
  double best = 0;
  double most_off = 0;  // the mean cosine of half a period is -1
  for (std::size_t i = 0; i < frequencies; ++i, phases.turn()) {
    const double off = -phases.sum().real() / count;
    if (!(off > most_off)) continue;
    most_off = off;
    best = 1 / (lowest + static_cast<double>(i) * step);
  }
  return count * evidence(most_off) > std::log(tables_without_grid * tests) ? best : 0;
}

}  // namespace

bool begins_with_step(const Times& times, double tick, std::span<const std::uint32_t> edges) {
  constexpr double widest = 2.5;
  const std::vector<double> means = means_within(times, widest * tick);
  return evidence_of_part(telling(means, edges, tick), tick, 0) >= std::log(tables_without_grid);
}

double period_of_both_ways(const Times& times, const LockedGridSearch& search) {
  std::vector<Spread> spreads;
  double latest = 0;
  for (const std::vector<double>& column : times.columns()) {
    const std::vector<double> readings = present(column);
    if (readings.size() < fewest_readings) continue;
    spreads.push_back(spread_of(readings));
    latest = std::max(latest, median(readings));
  }
  const double expected = usual_width(spreads);
  if (!(expected >= search.finest) || latest > most_turns * expected) return 0;
  const std::vector<double> told = telling(means_within(times, expected), search.edges, expected);
  const double best = best_period(told, {.expected = expected, .latest = latest});
  const bool is_grid = best > 0 && best <= search.longest && is_as_wide_everywhere(spreads, best) &&
                       !are_multiples_of_more(told, best);
  return is_grid ? best : 0;
}

}  // namespace jcprof::engine
