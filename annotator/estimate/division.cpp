// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/division.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace jcprof::annotator {
namespace {

constexpr double half_a_tick = 0.5;
constexpr double next_to_nothing = 1e-18;  // weight of a hit with too few rounds for an interval

constexpr std::uint32_t no_edge = std::numeric_limits<std::uint32_t>::max();

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
  const double wider =
      doubt == Division::Doubt::whole ? engine::deviations_95 * engine::deviations_95 * scatter / freedom : 1;
  const double half = std::sqrt(std::max(1.0, wider) / weights);
  return {std::max(0.0, value), std::max(0.0, value - half), std::max(half, value + half)};
}

std::map<EdgeKey, Interval> typical_costs(const Stretches& stretches, std::span<const EdgeKey> keys,
                                          Division::Doubt doubt) {
  std::map<EdgeKey, std::vector<Interval>> alone;
  for (std::size_t s = 0; s < stretches.all().size(); ++s) {
    const Stretch& stretch = stretches.all()[s];
    if (stretch.end == stretch.begin + 1 && stretches.rounds(s) > 0)
      alone[keys[stretch.begin]].push_back(stretches.interval(s));
  }
  std::map<EdgeKey, Interval> costs;
  for (const auto& [edge, hits] : alone) costs.emplace(edge, typical_cost(hits, doubt));
  return costs;
}

/// The edges of each stretch that takes part in the regression: those of several blocks, all measured alone
/// somewhere, and the single blocks that have one of these edges. Numbers the edges by block.
std::vector<engine::EdgeCounts> edges_held(const Stretches& stretches, std::vector<std::uint32_t>& edges,
                                           std::span<const EdgeKey> keys,
                                           const std::map<EdgeKey, Interval>& alone) {
  const auto blocks_of = [&](std::size_t s) {
    const Stretch& stretch = stretches.all()[s];
    return keys.subspan(stretch.begin, stretch.end - stretch.begin);
  };
  const auto is_alone = [&](const EdgeKey& key) { return alone.contains(key); };
  std::map<EdgeKey, std::uint32_t> numbers;
  std::vector<bool> takes_part(stretches.all().size());
  std::size_t rows = 0;
  for (std::size_t s = 0; s < takes_part.size(); ++s) {
    if (blocks_of(s).size() < 2 || stretches.rounds(s) == 0) continue;
    takes_part[s] = std::ranges::all_of(blocks_of(s), is_alone);
    if (!takes_part[s]) continue;
    for (const EdgeKey& key : blocks_of(s))
      numbers.try_emplace(key, static_cast<std::uint32_t>(numbers.size()));
  }
  std::vector<engine::EdgeCounts> held(takes_part.size());
  for (std::size_t s = 0; s < held.size(); ++s) {
    if (blocks_of(s).size() == 1 && stretches.rounds(s) > 0)
      takes_part[s] = numbers.contains(blocks_of(s).front());
    if (!takes_part[s]) continue;
    ++rows;
    for (std::size_t block = stretches.all()[s].begin; block < stretches.all()[s].end; ++block) {
      edges[block] = numbers.at(keys[block]);
      engine::add_pass(held[s], edges[block]);
    }
  }
  if (rows * numbers.size() > engine::most_cells) return {};
  return held;
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

Division::Division(Stretches& stretches, const std::vector<Event>& path, const Attribution& attribution,
                   Doubt doubt)
    : edges_(path.size(), no_edge) {
  std::vector<EdgeKey> keys;
  for (std::size_t block = 0; block < path.size(); ++block) keys.push_back(edge_of(path, attribution, block));
  const std::map<EdgeKey, Interval> typical = typical_costs(stretches, keys, doubt);
  costs_ = stretches.regress(edges_held(stretches, edges_, keys, typical));
  before_.resize(path.size() + 1);
  for (std::size_t s = 0; s < stretches.all().size(); ++s) {
    if (!costs_.holds(s)) {
      weigh(stretches, s, keys, typical, doubt);
      continue;
    }
    for (std::size_t i = stretches.all()[s].begin; i < stretches.all()[s].end; ++i) {
      const double cost = costs_.cost(edges_[i]);
      before_[i] = {1, cost, cost, cost};
    }
  }
  Weight sum;
  for (Weight& weight : before_) {
    const Weight own = weight;
    weight = sum;
    sum += own;
  }
}

/// An edge that was never measured alone gets what the stretch costs beyond those that were, and may be
/// anything.
void Division::weigh(const Stretches& stretches, std::size_t index, std::span<const EdgeKey> keys,
                     const std::map<EdgeKey, Interval>& typical, Doubt doubt) {
  const Stretch& stretch = stretches.all()[index];
  std::vector<std::size_t> unknown;
  Weight known;
  for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
    const auto cost = typical.find(keys[i]);
    if (cost == typical.end())
      unknown.push_back(i);
    else
      before_[i] = {1, cost->second.value, cost->second.low, cost->second.high};
    known += before_[i];
  }
  const double whole = std::max(0.0, stretches.interval(index).value);
  const double rest = std::max(0.0, whole - known.value);
  const double even = rest / static_cast<double>(std::max<std::size_t>(unknown.size(), 1));
  for (const std::size_t i : unknown)
    before_[i] = {1, even, doubt == Doubt::whole ? 0 : even, doubt == Doubt::whole ? whole : even};
}

}  // namespace jcprof::annotator
