// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/figures.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "annotator/estimate/attribution.hpp"
#include "annotator/estimate/division.hpp"
#include "annotator/estimate/place_doubt.hpp"
#include "annotator/estimate/stretches.hpp"

namespace jcprof::annotator {
namespace {

struct Piece {
  Weight weight;
  engine::EdgeCounts edges;  // where the stretch is part of a regression
};
/// The parts of stretches that belong to one line or function, by stretch.
using Shares = std::map<std::size_t, Piece>;

struct Path {
  std::vector<Event> events;
  std::vector<std::size_t> positions;
  Attribution attribution;
  std::function<TrapCost()> cost;
  Groups groups;
};

/// If a stop costs as little as its calibration allows.
TrapCost at_least(TrapCost cost) {
  cost.stop.value = cost.stop.low;
  return cost;
}

/// Makes the figures of one table of times.
class FigureMaker {
 public:
  FigureMaker(const Path& path, const TrapCost& cost, const engine::Times& times,
              std::span<const std::size_t> stops, const engine::Clock& clock)
      : path_(path),
        readings_(readings(times, stops)),
        stretches_(readings_, clock, engine::Precision{}.alpha),
        division_(stretches_, path.events, path.attribution, Division::Doubt::of_noise),
        place_doubt_(place_doubt(cost, clock.method, {}, path.groups)),
        least_place_doubt_(place_doubt(at_least(cost), clock.method, {}, path.groups)) {
    note_alone();
  }

  std::vector<engine::Figure> figures() const {
    const Attribution& all = path_.attribution;
    std::vector<Shares> lines(all.lines.size());
    std::vector<Shares> functions(all.functions.size());
    std::vector<std::set<std::uint32_t>> lines_in(all.functions.size());
    Shares between;
    for (std::size_t s = 0; s < stretches_.all().size(); ++s)
      for (std::size_t i = stretches_.all()[s].begin; i < stretches_.all()[s].end; ++i) {
        const Block& block = all.blocks[i];
        if (block.is_between()) {
          add(between[s], s, i);
          continue;
        }
        add(lines[block.line][s], s, i);
        add(functions[block.function][s], s, i);
        lines_in[block.function].insert(block.line);
      }
    std::vector<engine::Figure> result;
    for (std::size_t l = 0; l < lines.size(); ++l)
      result.push_back(figure(fmt::format("{}:{}", all.lines[l].path, all.lines[l].line), lines[l]));
    for (std::size_t f = 0; f < functions.size(); ++f)
      if (lines_in[f].size() > 1) result.push_back(figure(all.functions[f].name, functions[f]));
    result.push_back(figure("after the last trap", between));
    return result;
  }

 private:
  Readings readings(const engine::Times& times, std::span<const std::size_t> stops) const {
    Readings result{.times = times};
    for (const std::size_t stop : stops) result.stops.push_back(path_.positions[stop]);
    return result;
  }

  void add(Piece& part, std::size_t stretch, std::size_t block) const {
    part.weight += division_.weight(block, block + 1);
    if (division_.edge_costs().holds(stretch)) engine::add_pass(part.edges, division_.edge(block));
  }

  void note_alone() {
    for (std::size_t s = 0; s < stretches_.all().size(); ++s) {
      const Stretch& stretch = stretches_.all()[s];
      if (stretch.end != stretch.begin + 1) continue;
      alone_[edge_of(path_.events, path_.attribution, stretch.begin)].push_back(s);
      if (division_.edge_costs().holds(s)) one_alone_.try_emplace(division_.edge(stretch.begin), s);
    }
  }

  engine::Figure figure(std::string name, const Shares& shares) const {
    engine::Figure result{.name = std::move(name)};
    std::set<EdgeKey> asked;
    std::vector<engine::StretchPart> parts;
    for (const auto& [s, part] : shares) {
      const Stretch& stretch = stretches_.all()[s];
      const Fraction share = fraction(part.weight, division_.weight(stretch.begin, stretch.end));
      result.doubt += (share.high - share.low) / 2 * std::max(0.0, stretches_.interval(s).value);
      const bool goes_on =
          !result.ranges.empty() && result.ranges.back().end == s && result.ranges.back().share == 1;
      if (goes_on && share.value == 1)
        ++result.ranges.back().end;
      else
        result.ranges.push_back({s, s + 1, share.value});
      parts.push_back({s, share.value, part.edges});
      if (share.high > share.low || (division_.edge_costs().holds(s) && share.value < 1))
        for (std::size_t i = stretch.begin; i < stretch.end; ++i)
          asked.insert(edge_of(path_.events, path_.attribution, i));
    }
    for (const EdgeKey& edge : asked)
      if (const auto told = alone_.find(edge); told != alone_.end())
        result.told_by.insert(result.told_by.end(), told->second.begin(), told->second.end());
    const engine::EdgeCosts::Doubt doubt = division_.edge_costs().doubt_of(parts);
    const Places places =
        places_of(factors_of(parts, doubt, stretches_.all().size()), stretches_.all(), path_.events);
    result.lasting = places.half_width(place_doubt_);
    result.least_lasting = places.half_width(least_place_doubt_);
    add_regression(result, parts, doubt);
    return result;
  }

  /// Adds the noise that is published, and by how much passes differ. How times change is left out, since
  /// neither more rounds nor more passes tell that.
  void add_regression(engine::Figure& figure, std::span<const engine::StretchPart> parts,
                      const engine::EdgeCosts::Doubt& doubt) const {
    const auto takes_part = [&](const auto& part) { return division_.edge_costs().holds(part.stretch); };
    if (std::ranges::none_of(parts, takes_part)) return;
    engine::Swayed sum = stretches_.fit().sum_of(figure.ranges);
    engine::EdgeCosts::add(doubt, sum);
    sum.changed = 0;
    sum.apart_of_units.clear();
    figure.noise = half_width(stretches_.interval_of(sum));
    figure.factors = doubt.factors;
    figure.passes = doubt.half_width;
    figure.passes_of = passes_of(parts);
  }

  /// A pass of each edge whose passes differ by a notable part of what those of the worst one do.
  std::vector<std::size_t> passes_of(std::span<const engine::StretchPart> parts) const {
    constexpr double notable = 0.05;
    std::map<std::uint32_t, double> variances;  // up to a factor
    double worst = 0;
    for (const engine::StretchPart& part : parts)
      for (const engine::EdgeCount& one : part.edges) {
        const double cost = division_.edge_costs().cost(one.edge);
        worst = std::max(worst, variances[one.edge] += one.times * cost * cost);
      }
    std::vector<std::size_t> passes;
    for (const auto& [edge, variance] : variances)
      if (const auto alone = one_alone_.find(edge); alone != one_alone_.end() && variance >= notable * worst)
        passes.push_back(alone->second);
    return passes;
  }

  const Path& path_;
  Readings readings_;
  Stretches stretches_;
  Division division_;
  PlaceDoubt place_doubt_;
  PlaceDoubt least_place_doubt_;                       // if stops cost as little as their calibration allows
  std::map<EdgeKey, std::vector<std::size_t>> alone_;  // stretches
  std::map<std::uint32_t, std::size_t> one_alone_;     // by edge of the regression: a stretch
};

}  // namespace

engine::FigureSource figures_of(const TrapMap& map, const std::vector<Event>& path,
                                std::vector<std::size_t> positions, std::function<TrapCost()> cost) {
  // A function that is copied, and what it knows is not.
  const auto shared = std::make_shared<const Path>(
      Path{path, std::move(positions), attribute(map, path), std::move(cost), groups_of(map)});
  return
      [shared](const engine::Times& times, std::span<const std::size_t> stops, const engine::Clock& clock) {
        return FigureMaker(*shared, shared->cost(), times, stops, clock).figures();
      };
}

}  // namespace jcprof::annotator
