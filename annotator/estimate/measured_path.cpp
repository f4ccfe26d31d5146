// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/measured_path.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "annotator/estimate/consistency.hpp"

namespace jcprof::annotator {
namespace {

engine::Clock clock_of(const StoredLook& look) {
  // Readings are whole numbers: a file that claims a finer step is damaged, and no step is worth its while.
  constexpr double finest = 1;
  const double tick = std::max(look.tick, look.grid);
  return {.method = look.method, .tick = tick >= finest ? tick : 0};
}

/// An empty look where nobody has looked yet.
StoredLook newest_look(const std::vector<StoredLook>& looks, const TakenPath& path) {
  StoredLook newest;
  for (const StoredLook& look : looks)
    if (std::ranges::binary_search(path.inputs, look.input)) newest = look;
  return newest;
}

ReadingScope scope_of(const RunView& run, const TakenPath& path, std::span<const std::uint32_t> inputs,
                      const Attribution& attribution) {
  const StoredLook look = newest_look(run.looks, path);
  return {.paths = run.paths,
          .path = path,
          .inputs = inputs,
          .first_round = look.first_round,
          .looked_at = look.rounds - std::min(look.rounds, look.first_round - 1),
          .fewest_rounds = engine::fewest_rounds(look.method, look.folded),
          .unwinding = attribution.unwinding,
          .cost = run.cost};
}

}  // namespace

bool is_resolved(const Interval& ticks) {
  return ticks.low > 0 && half_width(ticks) <= ticks.value;
}

namespace {

/// Nothing takes less than no time; what noise put below may still be as large as the noise.
Interval not_below_nothing(const Interval& raw, double value) {
  return {.value = value,
          .low = std::clamp(raw.low, 0.0, value),
          .high = std::max({raw.high, half_width(raw), value})};
}

}  // namespace

Estimate estimate_from(Interval raw, std::size_t rounds, const Doubt& doubt, double value) {
  // Two at a time: hypot of three makes NaN of the infinite ends that few rounds have (libstdc++ 12).
  const auto widened = [&raw](double low, double high) {
    return Interval{raw.value, raw.value - std::hypot(raw.value - raw.low, low),
                    raw.value + std::hypot(raw.high - raw.value, high)};
  };
  raw = widened(std::hypot(doubt.traps, doubt.division_low), std::hypot(doubt.traps, doubt.division_high));
  Estimate estimate{.raw = raw.value, .rounds = static_cast<std::uint32_t>(rounds)};
  if (!std::isfinite(raw.high)) return estimate;
  estimate.comparable = not_below_nothing(raw, value);
  estimate.ticks = not_below_nothing(widened(doubt.places, doubt.places), value);
  estimate.resolved = is_resolved(estimate.ticks);
  return estimate;
}

Estimate unreliable(Estimate estimate) {
  estimate.ticks = estimate.share = {};
  estimate.comparable.reset();
  estimate.resolved = false;
  estimate.unreliable = true;
  return estimate;
}

MeasuredPath::MeasuredPath(const RunView& run, const TakenPath& path, std::span<const std::uint32_t> inputs)
    : path_(path),
      cost_(run.cost),
      stops_leap_(stops_leap(run.map.language)),
      clock_(clock_of(newest_look(run.looks, path))),
      attribution_(attribute(run.map, path.events())),
      about_(read(run.samples, scope_of(run, path, inputs, attribution_))),
      stretches_(about_, clock_, run.alpha),
      division_(stretches_, path.events(), attribution_),
      is_contradicted_(run.is_void ? std::vector<bool>(stretches_.all().size(), true) : contradictions()),
      has_contradictions_(std::ranges::count(is_contradicted_, true) > 0),
      place_doubt_(doubt_of_places(groups_of(run.map))),
      costs_(block_costs()) {
  mark_elsewhere();
}

/// Stretches that begin or end where stops come elsewhere, or hold such a place.
void MeasuredPath::mark_elsewhere() {
  for (std::size_t s = 0; s < stretches_.all().size(); ++s)
    for (std::size_t at = stretches_.all()[s].begin; at <= stretches_.all()[s].end; ++at)
      if (about_.is_elsewhere[at]) is_contradicted_[s] = true;
}

CostLimits MeasuredPath::cost_limits() const {
  CostLimits limits;
  for (std::size_t s = 0; s < about_.stops.size(); ++s)
    if (const double ticks = stretches_.reached(s); !engine::is_missing(ticks))
      limits.take(traps_at(about_.stops[s], path_, attribution_.unwinding), ticks);
  if (stops_leap_) limits.frame = limits.guard = 0;
  return limits;
}

std::vector<bool> MeasuredPath::contradictions() const {
  const std::size_t count = stretches_.all().size();
  std::vector<StretchRounds> parts;
  const CostLimits limits = cost_limits();
  const auto doubt_between = [&](std::size_t begin, std::size_t end) {
    return widest_doubt(traps_at(begin, path_, attribution_.unwinding),
                        traps_at(end, path_, attribution_.unwinding), cost_, limits);
  };
  for (std::size_t s = 0; s < count; ++s) {
    const StretchRange range{s, s + 1};
    parts.push_back({.rounds = stretches_.sum(std::span(&range, 1)),
                     .doubt = doubt_between(stretches_.all()[s].begin, stretches_.all()[s].end)});
  }
  if (count == 0) return {};
  const StretchRange whole{0, count};
  return contradicted(parts, {.total = engine::median(engine::present(stretches_.totals())),
                              .between = stretches_.sum(std::span(&whole, 1)),
                              .doubt = doubt_between(stretches_.all().front().begin, path_.end())});
}

TrapCount MeasuredPath::traps_of(const Stretch& stretch) const {
  TrapCount result = traps_at(stretch.end, path_, attribution_.unwinding);
  result.add(traps_at(stretch.begin, path_, attribution_.unwinding), -1);
  return result;
}

/// Adds the costs of traps to a sum that holds each stretch `factors` times.
void MeasuredPath::add_traps(Sum& sum, std::span<const double> factors) const {
  for (std::size_t s = 0; s < factors.size(); ++s) {
    if (factors[s] == 0) continue;
    sum.traps.add(traps_of(stretches_.all()[s]), factors[s]);
  }
  sum.places.add(places_of(factors, stretches_.all(), path_.events()), 1);
}

Doubt MeasuredPath::doubt_of(const TrapCount& traps, const Places& places) const {
  return {.traps = half_width_of(traps, cost_), .places = places.half_width(place_doubt_)};
}

PlaceDoubt MeasuredPath::doubt_of_places(Groups groups) const {
  std::map<std::pair<TrapId, TrapId>, std::vector<StretchRange>> edges;
  for (std::size_t s = 0; s + 1 < stretches_.all().size(); ++s) {
    const TrapId from = path_.events()[stretches_.all()[s].begin].trap;
    const TrapId to = path_.events()[stretches_.all()[s].end].trap;
    if (from != to && !is_contradicted_[s]) edges[{from, to}].push_back({s, s + 1});
  }
  std::vector<Step> steps;
  for (const auto& [ends, hits] : edges) {
    const auto count = static_cast<double>(hits.size());
    const Interval all = stretches_.interval_of(hits);
    steps.push_back({ends.first, ends.second, {all.value / count, all.low / count, all.high / count}});
  }
  return place_doubt(cost_, clock_.method, steps, std::move(groups));
}

void MeasuredPath::add_block(Parts& parts, std::size_t stretch, std::size_t block) const {
  if (parts.empty() || parts.back().stretch != stretch) parts.push_back({.stretch = stretch});
  parts.back().weight += division_.weight(block, block + 1);
  parts.back().cost += costs_[block];
  if (division_.edge_costs().holds(stretch)) engine::add_pass(parts.back().edges, division_.edge(block));
}

void MeasuredPath::add_blocks(Parts& parts, std::size_t begin, std::size_t end) const {
  const std::vector<Stretch>& all = stretches_.all();
  const auto first = std::ranges::upper_bound(all, begin, {}, &Stretch::end);
  for (auto s = first; s != all.end() && s->begin < end; ++s)
    for (std::size_t block = std::max(s->begin, begin); block < std::min(s->end, end); ++block)
      add_block(parts, static_cast<std::size_t>(s - all.begin()), block);
}

/// Noise puts some stops before those that they follow. To raise each difference to 0 would add up what noise
/// takes away nowhere else.
std::vector<double> MeasuredPath::block_costs() const {
  std::vector<double> costs(path_.end());
  for (std::size_t s = 0; s < stretches_.all().size(); ++s) {
    const Stretch& stretch = stretches_.all()[s];
    const double whole = stretches_.risen(s);
    const Weight weight = division_.weight(stretch.begin, stretch.end);
    for (std::size_t block = stretch.begin; block < stretch.end; ++block)
      costs[block] = whole * fraction(division_.weight(block, block + 1), weight).value;
  }
  return costs;
}

Sum MeasuredPath::sum_of(const Parts& parts) const {
  Sum sum;
  std::vector<StretchRange> ranges;
  std::vector<engine::StretchPart> regressed;
  for (const Part& part : parts) {
    const Stretch& stretch = stretches_.all()[part.stretch];
    const Fraction share = fraction(part.weight, division_.weight(stretch.begin, stretch.end));
    sum.is_contradicted = sum.is_contradicted || is_contradicted_[part.stretch];
    sum.value += part.cost;
    const double whole = std::max(0.0, stretches_.interval(part.stretch).value);
    regressed.push_back({part.stretch, share.value, part.edges});
    sum.doubt.division_low += (share.value - share.low) * whole;
    sum.doubt.division_high += (share.high - share.value) * whole;
    const bool goes_on = !ranges.empty() && ranges.back().end == part.stretch && ranges.back().share == 1;
    if (goes_on && share.value == 1)
      ++ranges.back().end;
    else
      ranges.push_back({part.stretch, part.stretch + 1, share.value});
  }
  const engine::EdgeCosts::Doubt division = division_.edge_costs().doubt_of(regressed);
  add_traps(sum, factors_of(regressed, division, stretches_.all().size()));
  const Doubt doubt = doubt_of(sum.traps, sum.places);
  sum.doubt.traps = doubt.traps;
  sum.doubt.places = doubt.places;
  sum.terms = ranges.size();
  sum.sway = stretches_.fit().sum_of(ranges);
  add_regression(sum, division);
  sum.raw = stretches_.interval_of(sum.sway);
  sum.known = sum.sway.rounds;
  sum.rounds = stretches_.sum(ranges);
  sum.every_round = stretches_.tells_far_out() ? stretches_.sum(ranges, FarOut::kept) : sum.rounds;
  return sum;
}

/// Adds the doubt that costs of edges are uncertain and that passes differ.
void MeasuredPath::add_regression(Sum& sum, const engine::EdgeCosts::Doubt& doubt) const {
  sum.doubt_of_rounds = sum.doubt;
  if (doubt.of_units.empty()) return;
  engine::EdgeCosts::add(doubt, sum.sway);
  const engine::Swayed division{.of_units = doubt.of_units,
                                .rounds = sum.sway.rounds,
                                .equal_rounds = sum.sway.equal_rounds,
                                .terms = sum.sway.terms,
                                .changed = doubt.changed};
  const auto widen = [](Doubt& wide, double half) {
    wide.division_low = std::hypot(wide.division_low, half);
    wide.division_high = std::hypot(wide.division_high, half);
  };
  widen(sum.doubt, doubt.half_width);
  widen(sum.doubt_of_rounds, std::hypot(doubt.half_width, half_width(stretches_.interval_of(division))));
}

Estimate MeasuredPath::estimate_of(const Sum& sum) const {
  const Estimate estimate = estimate_from(sum.raw, sum.known, sum.doubt, sum.value);
  return sum.is_contradicted ? unreliable(estimate) : estimate;
}

Doubt MeasuredPath::doubt_of_stretch(std::size_t index) const {
  const std::array part{engine::StretchPart{.stretch = index, .edges = division_.edge_costs().held(index)}};
  const engine::EdgeCosts::Doubt division = division_.edge_costs().doubt_of(part);
  Sum sum;
  add_traps(sum, factors_of(part, division, stretches_.all().size()));
  Doubt doubt = doubt_of(sum.traps, sum.places);
  doubt.division_low = doubt.division_high = division.half_width;
  return doubt;
}

Estimate MeasuredPath::stretch(std::size_t index) const {
  const Estimate estimate = estimate_from(stretches_.interval(index), stretches_.rounds(index),
                                          doubt_of_stretch(index), stretches_.risen(index));
  return is_contradicted_[index] ? unreliable(estimate) : estimate;
}

Hot MeasuredPath::hotness(std::size_t stretch, double ticks) const {
  const Doubt doubt = doubt_of_stretch(stretch);
  const double half = std::hypot(doubt.traps, doubt.places);
  if (stretches_.hotness(stretch, ticks + half) == Hot::yes) return Hot::yes;
  return stretches_.hotness(stretch, ticks - half) == Hot::no ? Hot::no : Hot::undecided;
}

Estimate MeasuredPath::total() const {
  const std::vector<double> values = engine::present(stretches_.totals());
  return estimate_from(stretches_.interval_of(values), values.size(), {.traps = total_doubt()});
}

double MeasuredPath::total_doubt() const {
  return half_width_of(traps_at(path_.end(), path_, attribution_.unwinding), cost_);
}

double MeasuredPath::doubt_between(const Sum& a, const Sum& b) const {
  TrapCount more = a.traps;
  more.add(b.traps, -1);
  Places places = a.places;
  places.add(b.places, -1);
  const Doubt doubt = doubt_of(more, places);
  return std::hypot(doubt.traps, doubt.places);
}

Estimate MeasuredPath::entry() const {
  if (stretches_.all().empty()) return {};
  const std::vector<double> values = engine::present(stretches_.entries());
  const std::size_t first = stretches_.all().front().begin;
  Places places;
  places.add(path_.events()[first].trap, 1);
  return estimate_from(stretches_.interval_of(values), values.size(),
                       doubt_of(traps_at(first, path_, attribution_.unwinding), places));
}

Interval MeasuredPath::behind_entry() const {
  std::vector<double> values;
  for (std::size_t r = 0; r < stretches_.totals().size(); ++r)
    values.push_back(stretches_.totals()[r] - stretches_.entries()[r]);
  return stretches_.interval_of(engine::present(values));
}

}  // namespace jcprof::annotator
