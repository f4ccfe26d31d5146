// SPDX-License-Identifier: Apache-2.0
#include "annotator/division.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

#include "annotator/statistics.hpp"

namespace jcprof::annotator {
namespace {

/// What makes two blocks alike: the traps at their ends, and the line that they belong to.
using Edge = std::tuple<TrapId, TrapId, std::uint32_t>;

Edge edge_of(const std::vector<Event>& path, const Attribution& attribution, std::size_t block) {
  const TrapId to = block + 1 < path.size() ? path[block + 1].trap : run_to_end;
  return {path[block].trap, to, attribution.blocks[block].line};
}

struct Weighed {
  double value = 0;
  double weight = 0;
};

/// The value with half of the weight on either side (Edgeworth 1888); the plain median where all weigh the
/// same.
double weighted_median(std::vector<Weighed> values) {
  std::ranges::sort(values, {}, &Weighed::value);
  double left = 0;
  for (const Weighed& one : values) left += one.weight / 2;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    left -= values[i].weight;
    if (left < 0) return values[i].value;
    if (left == 0) return (values[i].value + values[i + 1].value) / 2;
  }
  return values.back().value;
}

/// How much a hit says: noise grows along the path where the time of a run varies by a part of it, and then
/// the late hits of a loop drown what the early ones show clearly. One tick keeps an exact clock's weights
/// finite.
double weight_of(const Stretch& hit) {
  std::vector<double> present;
  std::ranges::copy_if(hit.rounds, std::back_inserter(present), [](double v) { return !is_missing(v); });
  return 1 / (1 + mad_sigma(present));
}

/// The cost of an edge in one round is the weighted median over its hits; then median and interval over the
/// rounds.
Interval typical_cost(const std::vector<const Stretch*>& alone, std::size_t rounds, double alpha) {
  std::vector<double> weights;
  for (const Stretch* stretch : alone) weights.push_back(weight_of(*stretch));
  std::vector<double> costs;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<Weighed> hits;
    for (std::size_t i = 0; i < alone.size(); ++i)
      if (!is_missing(alone[i]->rounds[round])) hits.push_back({alone[i]->rounds[round], weights[i]});
    if (!hits.empty()) costs.push_back(weighted_median(std::move(hits)));
  }
  const Interval cost = sign_interval(std::move(costs), alpha);
  const double value = std::max(0.0, cost.value);
  // Too few rounds for an interval: then the line's own is infinite, too, and need not be widened.
  if (!std::isfinite(cost.high)) return {value, value, value};
  return {value, std::max(0.0, cost.low), std::max(0.0, cost.high)};
}

std::map<Edge, Interval> typical_costs(const Stretches& stretches, const std::vector<Event>& path,
                                       const Attribution& attribution, double alpha) {
  std::map<Edge, std::vector<const Stretch*>> alone;
  for (const Stretch& stretch : stretches.all)
    if (stretch.end == stretch.begin + 1 && !is_missing(median_of_present(stretch.rounds)))
      alone[edge_of(path, attribution, stretch.begin)].push_back(&stretch);
  std::map<Edge, Interval> costs;
  for (const auto& [edge, hits] : alone) costs.emplace(edge, typical_cost(hits, stretches.rounds, alpha));
  return costs;
}

}  // namespace

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
                   double alpha) {
  const std::map<Edge, Interval> typical = typical_costs(stretches, path, attribution, alpha);
  before_.resize(path.size() + 1);
  for (const Stretch& stretch : stretches.all) {
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
    const double whole = std::max(0.0, median_of_present(stretch.rounds));
    const double rest = std::max(0.0, whole - known.value);
    for (const std::size_t i : unknown)
      before_[i] = {1, rest / static_cast<double>(unknown.size()), 0, whole};
  }
  Weight sum;
  for (Weight& weight : before_) {
    const Weight own = weight;
    weight = sum;
    sum += own;
  }
}

}  // namespace jcprof::annotator
