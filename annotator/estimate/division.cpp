// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/division.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace jcprof::annotator {
namespace {

constexpr double half_a_tick = 0.5;
constexpr double next_to_nothing = 1e-18;  // weight of a hit with too few rounds for an interval
constexpr double normal_95 = 1.96;         // half widths of 95 % in standard deviations

/// The half width of the middle hit, or what a clock that repeats its readings leaves open.
double usual_half_width(const std::vector<Interval>& alone) {
  std::vector<double> halves;
  for (const Interval& cost : alone)
    if (std::isfinite(half_width(cost))) halves.push_back(half_width(cost));
  return std::max(halves.empty() ? 0 : engine::median(halves), half_a_tick);
}

/// The cost of an edge from its hits: their values, weighted by the inverse squares of their half widths,
/// since noise that grows with the time since the start makes late hits poor ones. No hit counts as better
/// known than the middle one: with few rounds a half width is small by chance. Where the hits differ by more
/// than their noise, the half width grows with their scatter (Birge 1932).
Interval typical_cost(const std::vector<Interval>& alone, Division::Doubt doubt) {
  struct Hit {
    double value = 0;
    double weight = 0;
  };
  const double usual = usual_half_width(alone);
  std::vector<Hit> hits;
  double weights = 0;
  double weighted = 0;
  for (const Interval& cost : alone) {
    const double half = std::max(half_width(cost), usual);
    const double weight = std::isfinite(half) ? 1 / (half * half) : next_to_nothing;
    hits.push_back({cost.value, weight});
    weights += weight;
    weighted += weight * cost.value;
  }
  const double value = weighted / weights;
  double scatter = 0;
  for (const Hit& hit : hits) scatter += hit.weight * (hit.value - value) * (hit.value - value);
  const double freedom = std::max<double>(1, static_cast<double>(hits.size()) - 1);
  const double wider = doubt == Division::Doubt::whole ? normal_95 * normal_95 * scatter / freedom : 1;
  const double half = std::sqrt(std::max(1.0, wider) / weights);
  return {std::max(0.0, value), std::max(0.0, value - half), std::max(half, value + half)};
}

std::map<EdgeKey, Interval> typical_costs(const Stretches& stretches, const std::vector<Event>& path,
                                          const Attribution& attribution, Division::Doubt doubt) {
  std::map<EdgeKey, std::vector<Interval>> alone;
  for (std::size_t s = 0; s < stretches.all().size(); ++s) {
    const Stretch& stretch = stretches.all()[s];
    if (stretch.end == stretch.begin + 1 && stretches.rounds(s) > 0)
      alone[edge_of(path, attribution, stretch.begin)].push_back(stretches.interval(s));
  }
  std::map<EdgeKey, Interval> costs;
  for (const auto& [edge, hits] : alone) costs.emplace(edge, typical_cost(hits, doubt));
  return costs;
}

}  // namespace

EdgeKey edge_of(const std::vector<Event>& path, const Attribution& attribution, std::size_t block) {
  const TrapId to = block + 1 < path.size() ? path[block + 1].trap : run_to_end;
  return {path[block].trap, to, attribution.blocks[block].line};
}

Weight& Weight::operator+=(const Weight& other) {
  blocks += other.blocks;
  value += other.value;
  low += other.low;
  high += other.high;
  return *this;
}

Weight operator-(const Weight& a, const Weight& b) {
  return {a.blocks - b.blocks, a.value - b.value, a.low - b.low, a.high - b.high};
}

Fraction fraction(const Weight& part, const Weight& whole) {
  if (part.blocks == whole.blocks) return {1, 1, 1};
  const Weight others = whole - part;
  const double even = static_cast<double>(part.blocks) / static_cast<double>(whole.blocks);
  const auto of = [](double mine, double theirs, double otherwise) {
    return mine + theirs > 0 && std::isfinite(mine + theirs) ? std::clamp(mine / (mine + theirs), 0.0, 1.0)
                                                             : otherwise;
  };
  const double value = of(part.value, others.value, even);
  return {value, std::min(value, of(part.low, others.high, 0)),
          std::max(value, of(part.high, others.low, 1))};
}

Division::Division(const Stretches& stretches, const std::vector<Event>& path, const Attribution& attribution,
                   Doubt doubt) {
  before_.resize(path.size() + 1);
  const std::map<EdgeKey, Interval> typical = typical_costs(stretches, path, attribution, doubt);
  for (std::size_t s = 0; s < stretches.all().size(); ++s) {
    const Stretch& stretch = stretches.all()[s];
    std::vector<std::size_t> unknown;
    Weight known;
    for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
      const auto cost = typical.find(edge_of(path, attribution, i));
      if (cost == typical.end())
        unknown.push_back(i);
      else
        before_[i] = {1, cost->second.value, cost->second.low, cost->second.high};
      known += before_[i];
    }
    // An edge that was never measured alone gets what the stretch costs beyond those that were, and may be
    // anything.
    const double whole = std::max(0.0, stretches.interval(s).value);
    const double rest = std::max(0.0, whole - known.value);
    const double even = rest / static_cast<double>(std::max<std::size_t>(unknown.size(), 1));
    for (const std::size_t i : unknown)
      before_[i] = {1, even, doubt == Doubt::whole ? 0 : even, doubt == Doubt::whole ? whole : even};
  }
  Weight sum;
  for (Weight& weight : before_) {
    const Weight own = weight;
    weight = sum;
    sum += own;
  }
}

}  // namespace jcprof::annotator
