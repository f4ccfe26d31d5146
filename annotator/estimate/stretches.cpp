// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/stretches.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace jcprof::annotator {
namespace {

using engine::is_missing;
using engine::missing;

// A round that lacks a larger part of its stops is a remnant; a sum that lacks a larger part of its ends a
// guess.
constexpr std::size_t one_in = 20;

/// Leaves out values far from all others: a mean must not see them.
void drop_far_out(std::vector<double>& values, double tick) {
  const std::vector<double> there = engine::present(values);
  const double middle = engine::median(there);
  const double widest = std::max(5 * engine::mad_sigma(there), 2.5 * tick);
  for (double& value : values)
    if (std::abs(value - middle) > widest) value = missing;
}

}  // namespace

Stretches::Stretches(Readings& readings, const engine::Clock& clock, double alpha)
    : clock_(clock),
      alpha_(alpha),
      differences_(engine::differences(readings.times, clock)),
      fit_(differences_, clock),
      every_total_(differences_.total) {
  for (std::size_t s = 0; s + 1 < readings.stops.size(); ++s)
    all_.push_back({readings.stops[s], readings.stops[s + 1]});
  find_intervals();
  level(readings.times);
  readings.times = engine::Times(0);
  fill(readings.lost);
  if (clock_.method != Method::coarse) return;
  note_dropped();
  drop_far_out(differences_.total, clock_.tick);
  drop_far_out(differences_.entry, clock_.tick);
}

void Stretches::find_intervals() {
  intervals_.clear();
  for (std::size_t s = 0; s < all_.size(); ++s) {
    const std::array alone{StretchRange{.begin = s, .end = s + 1}};
    intervals_.push_back(interval_of(alone));
  }
}

engine::EdgeCosts Stretches::regress(std::vector<engine::EdgeCounts> held) {
  engine::EdgeCosts costs(fit_, std::move(held));
  if (costs.are_regressed()) find_intervals();
  return costs;
}

/// Folds twins and takes gains out, as the engine does before it subtracts: sums then need only the ends of a
/// range.
void Stretches::level(const engine::Times& times) {
  const std::vector<double>& gains = differences_.gains;
  for (std::size_t s = 0; s < times.stops(); ++s) {
    const std::vector<double>& raw = times.at(s);
    std::vector<double>& column = reached_.emplace_back(gains.size());
    for (std::size_t r = 0; r < gains.size(); ++r) {
      const double t = differences_.folded ? (raw[2 * r] + raw[2 * r + 1]) / 2 : raw[r];
      column[r] = t / gains[r];
    }
  }
}

void Stretches::fill(const std::vector<std::vector<std::uint32_t>>& lost) {
  filled_.resize(reached_.size());
  std::vector<std::vector<std::uint32_t>> gaps(differences_.gains.size());  // by round: stops
  for (std::uint32_t s = 0; s < lost.size(); ++s)
    for (const std::uint32_t row : lost[s]) {
      const std::size_t r = differences_.folded ? row / 2 : row;
      const bool is_new = r < gaps.size() && (gaps[r].empty() || gaps[r].back() != s);
      if (is_new) gaps[r].push_back(s);
    }
  std::vector<double> medians;
  for (const std::vector<double>& block : differences_.blocks)
    medians.push_back(engine::median(engine::present(block)));
  for (std::uint32_t r = 0; r < gaps.size(); ++r) {
    if (gaps[r].empty()) continue;
    std::size_t asked = gaps[r].size();
    for (const std::vector<double>& column : reached_) asked += is_missing(column[r]) ? 0 : 1;
    if (gaps[r].size() > asked / one_in) continue;
    for (const std::uint32_t s : gaps[r]) fill_stop(s, r, medians);
  }
}

/// The stretches between the nearest measured stops share what they cost together: each its median, and an
/// equal part of what is over.
void Stretches::fill_stop(std::size_t stop, std::size_t round, const std::vector<double>& medians) {
  std::size_t before = stop;
  while (before > 0 && is_missing(reached_[before][round])) --before;
  std::size_t behind = stop;
  while (behind + 1 < reached_.size() && is_missing(reached_[behind][round])) ++behind;
  double over = reached_[behind][round] - reached_[before][round];
  for (std::size_t s = before; s < behind; ++s) over -= medians[s];
  double value = reached_[before][round];
  for (std::size_t s = before; s < stop; ++s)
    value += medians[s] + over / static_cast<double>(behind - before);
  if (is_missing(value)) return;
  reached_[stop][round] = value;
  filled_[stop].push_back(static_cast<std::uint32_t>(round));
}

void Stretches::note_dropped() {
  dropped_.resize(all_.size());
  for (std::size_t s = 0; s < all_.size(); ++s)
    for (std::uint32_t r = 0; r < reached_[s].size(); ++r)
      if (is_missing(differences_.blocks[s][r]) && !is_missing(reached_[s + 1][r] - reached_[s][r]))
        dropped_[s].push_back(r);
}

std::vector<double> Stretches::sum(std::span<const StretchRange> ranges, FarOut far) const {
  if (ranges.empty()) return {};
  std::vector<double> values(differences_.gains.size(), 0);
  std::vector<std::uint32_t> guessed(values.size(), 0);
  std::size_t stretches = 0;
  for (const StretchRange& range : ranges) {
    const std::vector<double>& from = reached_[range.begin];
    const std::vector<double>& to = reached_[range.end];
    for (std::size_t r = 0; r < values.size(); ++r) values[r] += range.share * (to[r] - from[r]);
    for (const std::size_t end : {range.begin, range.end})
      for (const std::uint32_t r : filled_[end]) ++guessed[r];
    stretches += range.end - range.begin;
    if (dropped_.empty() || far == FarOut::kept) continue;
    for (std::size_t s = range.begin; s < range.end; ++s)
      for (const std::uint32_t r : dropped_[s]) values[r] = missing;
  }
  for (std::size_t r = 0; r < values.size(); ++r)
    if (one_in * guessed[r] > stretches) values[r] = missing;
  return values;
}

std::vector<double> Stretches::gains() const {
  std::vector<double> result;
  for (std::size_t r = 0; r < differences_.gains.size(); ++r) {
    const auto is_known = [r](const std::vector<double>& column) { return !is_missing(column[r]); };
    if (std::ranges::count_if(reached_, is_known) >=
        static_cast<std::ptrdiff_t>(engine::fewest_stops_for_gain))
      result.push_back(differences_.gains[r]);
  }
  return result;
}

Hot Stretches::hotness(std::size_t stretch, double ticks) const {
  return engine::hotness(engine::present(differences_.blocks[stretch]), differences_, clock_, {.hot = 1},
                         ticks);
}

Interval Stretches::interval_of(const std::vector<double>& values) const {
  if (values.empty()) return {};
  return engine::interval_of(values, differences_, clock_, alpha_);
}

Interval Stretches::median_of(const std::vector<double>& values) const {
  return clock_.method == Method::exact ? interval_of(values) : engine::sign_interval(values, alpha_);
}

}  // namespace jcprof::annotator
