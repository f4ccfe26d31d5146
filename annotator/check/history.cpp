// SPDX-License-Identifier: Apache-2.0
#include "annotator/check/history.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "annotator/check/check_texts.hpp"
#include "annotator/compare/sessions.hpp"
#include "src/core/text.hpp"
#include "src/engine/random.hpp"

namespace jcprof::annotator {
namespace {

/// The probability that one look at all series of a history names a change by mistake. In simulations, that
/// happens in sixty looks to less than one history in twenty.
constexpr double false_alarms = 0.0025;
/// Shuffles that divide as well as the true order, when a test ends: the error of its p is a third then.
constexpr double shuffles_at_limit = 10;

/// A value with what its own interval says of it.
struct Entered {
  double value = 0;
  double variance = 0;
};
using Level = std::span<const Entered>;

struct Mean {
  double value = 0;
  double variance = 0;
};

/// Where an interval is not known, its part of the noise counts as scatter between entries.
Entered entered(const HistoryPoint& point) {
  const double half = engine::half_width(point.measured);
  const double deviation = std::isfinite(half) ? half / engine::deviations_95 : 0;
  return {point.measured.value, deviation * deviation};
}

/// The sum of squares round the mean that the intervals do not explain.
double unexplained(Level level) {
  double mean = 0;
  for (const Entered& entry : level) mean += entry.value / static_cast<double>(level.size());
  double squares = 0;
  for (const Entered& entry : level)
    squares += (entry.value - mean) * (entry.value - mean) -
               entry.variance * (1 - 1 / static_cast<double>(level.size()));
  return squares;
}

/// The same with the scatter between entries in each variance, which is never 0 then.
std::vector<Entered> with_scatter(Level level, double variance) {
  std::vector<Entered> entries(level.begin(), level.end());
  double largest = 0;
  for (const Entered& entry : entries) largest = std::max(largest, std::abs(entry.value));
  const double least = largest > 0 ? 1e-18 * largest * largest : 1;
  for (Entered& entry : entries) entry.variance += std::max(variance, least);
  return entries;
}

/// The mean of equal values is exactly that value.
Mean mean_over(Level level) {
  const double first = level.front().value;
  double weight = 0;
  double sum = 0;
  for (const Entered& entry : level) {
    weight += 1 / entry.variance;
    sum += (entry.value - first) / entry.variance;
  }
  return {first + sum / weight, 1 / weight};
}

struct Cut {
  std::size_t at = 0;   // the first of the second part
  double distance = 0;  // of both means, squared, in its own variance
};

/// Not of fewer than two.
Cut best_cut(Level level) {
  const Mean all = mean_over(level);
  Cut best;
  double weight = 0;
  double sum = 0;  // of the first part, from the mean of all: so both parts have the same but for its sign
  for (std::size_t i = 1; i < level.size(); ++i) {
    weight += 1 / level[i - 1].variance;
    sum += (level[i - 1].value - all.value) / level[i - 1].variance;
    const double rest = 1 / all.variance - weight;
    const double distance = sum * sum * (1 / weight + 1 / rest);
    if (distance > best.distance || best.at == 0) best = {i, distance};
  }
  return best;
}

/// Parts of the level are searched too, because a step up and down again cancels in the whole. Each part is
/// half as long as those before, and overlaps the next by half (seeded intervals: Kovács et al. 2023).
Cut best_cut_in_parts(Level level) {
  constexpr std::size_t shortest = 8;
  Cut best = best_cut(level);
  for (std::size_t length = level.size() / 2; length >= shortest; length /= 2)
    for (std::size_t first = 0; first + length <= level.size(); first += length / 2) {
      const Cut cut = best_cut(level.subspan(first, length));
      if (cut.distance > best.distance) best = {first + cut.at, cut.distance};
    }
  return best;
}

/// Its entries in random order divide as well with at most this probability.
bool is_cut_proven(std::vector<Entered> level, double distance, double probability) {
  const auto shuffles = static_cast<std::size_t>(shuffles_at_limit / probability);
  double as_good = 1;  // the true order is one of all
  for (std::size_t shuffle = 1; shuffle < shuffles; ++shuffle) {
    for (std::size_t i = level.size(); i > 1; --i)
      std::swap(level[i - 1], level[engine::draw(1, shuffle, i, i)]);
    // The same two parts in another order have the same distance but for its rounding.
    if (best_cut_in_parts(level).distance >= distance * (1 - 1e-9)) ++as_good;
    if (as_good > shuffles_at_limit) return false;
  }
  return true;
}

std::vector<Entered> weighed(Level level) {
  return with_scatter(level, unexplained(level) / static_cast<double>(level.size() - 1));
}

/// The beginnings of new levels in [first, last), in order, behind those that are there. The parts of a level
/// share its probability.
void add_cuts(Level all, std::size_t first, std::size_t last, double probability,
              std::vector<std::size_t>& cuts) {
  if (last - first < 2) return;
  const std::vector<Entered> level = weighed(all.subspan(first, last - first));
  const Cut cut = best_cut_in_parts(level);
  const bool is_step = cut.distance > 0;  // nor are values that cannot be reckoned with
  if (!is_step || !is_cut_proven(level, cut.distance, probability)) return;
  const std::size_t middle = first + cut.at;
  const double each = probability / static_cast<double>(last - first);
  add_cuts(all, first, middle, each * static_cast<double>(middle - first), cuts);
  cuts.push_back(middle);
  add_cuts(all, middle, last, each * static_cast<double>(last - middle), cuts);
}

/// A cut was found beside others that were not known yet.
void move_to_best(Level all, std::vector<std::size_t>& cuts) {
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const std::size_t first = i == 0 ? 0 : cuts[i - 1];
    const std::size_t last = i + 1 == cuts.size() ? all.size() : cuts[i + 1];
    cuts[i] = first + best_cut(weighed(all.subspan(first, last - first))).at;
  }
}

bool has_no_noise(const HistorySeries& series) {
  return std::ranges::all_of(
      series.points, [](const HistoryPoint& point) { return point.measured.low == point.measured.high; });
}

std::vector<std::size_t> all_differences(Level all) {
  std::vector<std::size_t> cuts;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].value != all[i - 1].value) cuts.push_back(i);
  return cuts;
}

LevelChange change_between(const Mean& before, const Mean& after, std::size_t entry, double deviations) {
  const double ratio = after.value / before.value;
  const double half =
      deviations * std::sqrt(after.variance + ratio * ratio * before.variance) / std::abs(before.value);
  LevelChange change{.entry = entry, .before = before.value, .after = after.value, .change = {}};
  change.change = before.value == 0 ? Interval{engine::missing, engine::missing, engine::missing}
                                    : Interval{ratio - 1, ratio - 1 - half, ratio - 1 + half};
  return change;
}

/// Fills `scatter` and `changes`.
void judge(HistorySeries& series, double probability) {
  std::vector<Entered> all;
  for (const HistoryPoint& point : series.points) all.push_back(entered(point));
  const bool is_exact = has_no_noise(series);
  std::vector<std::size_t> bounds;
  if (is_exact)
    bounds = all_differences(all);
  else
    add_cuts(all, 0, all.size(), probability, bounds);
  if (!is_exact) move_to_best(all, bounds);
  bounds.insert(bounds.begin(), 0);
  bounds.push_back(all.size());
  const std::size_t levels = bounds.size() - 1;
  const auto part = [&](const std::vector<Entered>& entries, std::size_t level) {
    return Level(entries).subspan(bounds[level], bounds[level + 1] - bounds[level]);
  };
  double squares = 0;
  for (std::size_t i = 0; i < levels; ++i) squares += unexplained(part(all, i));
  const double freedom = static_cast<double>(std::max(all.size(), levels + 1) - levels);
  const double variance = is_exact ? 0 : std::max(0.0, squares / freedom);
  const std::vector<Entered> weighted = with_scatter(all, variance);
  const double mean = std::abs(mean_over(weighted).value);
  series.scatter = mean > 0 ? std::sqrt(variance) / mean : 0;
  const double deviations = is_exact ? 0 : deviations_of(0.95, freedom);
  for (std::size_t i = 1; i < levels; ++i)
    series.changes.push_back(change_between(mean_over(part(weighted, i - 1)), mean_over(part(weighted, i)),
                                            bounds[i], deviations));
}

}  // namespace

std::vector<HistoryValue> history_values(const std::vector<std::vector<Checked>>& sessions) {
  std::map<std::pair<std::string, std::string>, std::vector<Interval>> known;
  for (const std::vector<Checked>& session : sessions)
    for (const Series& series : series_of(session)) {
      // The series goes on if the function gets a namesake one day.
      const std::string file = series.checked->is_function && !series.checked->path.empty()
                                   ? fmt::format(" in {}", plain_line(series.checked->path))
                                   : "";
      known[{series.name + (series.name.ends_with(file) ? "" : file), series.unit}].push_back(
          series.measured);
    }
  std::vector<HistoryValue> values;
  for (const auto& [name, measured] : known) {
    double sum = 0;
    double squares = 0;
    for (const Interval& one : measured) {
      sum += one.value;
      squares += engine::half_width(one) * engine::half_width(one);
    }
    const auto count = static_cast<double>(measured.size());
    const double half = std::sqrt(squares);
    // The interval of one session need not lie evenly round its value.
    const Interval mean = measured.size() == 1
                              ? measured.front()
                              : Interval{sum / count, (sum - half) / count, (sum + half) / count};
    values.push_back({name.first, name.second, mean.value, mean.low, mean.high});
  }
  return values;
}

std::vector<HistorySeries> series_in(const std::vector<HistoryEntry>& entries) {
  std::map<std::tuple<std::string, std::string, bool, std::string, std::string>, HistorySeries> known;
  for (const HistoryEntry& entry : entries)
    for (const HistoryValue& value : entry.values) {
      HistorySeries& series =
          known[{entry.project, entry.device, entry.simulated, value.subject, value.unit}];
      series.points.push_back({.started = entry.started,
                               .label = entry.label,
                               .build = entry.build,
                               .measured = {value.value, value.low, value.high}});
    }
  std::vector<HistorySeries> all;
  for (auto& [key, series] : known) {
    std::tie(series.project, series.device, series.simulated, series.subject, series.unit) = key;
    all.push_back(std::move(series));
  }
  const auto noisy = all.size() - static_cast<std::size_t>(std::ranges::count_if(all, has_no_noise));
  for (HistorySeries& series : all)
    judge(series, false_alarms / static_cast<double>(std::max<std::size_t>(noisy, 1)));
  return all;
}

}  // namespace jcprof::annotator
