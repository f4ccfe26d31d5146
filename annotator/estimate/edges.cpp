// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/edges.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace jcprof::annotator {
namespace {

constexpr std::size_t most_places = 3;

using Ends = std::pair<TrapId, TrapId>;
struct Edge {
  double rate = 0;
  std::uint64_t count = 0;
  std::vector<double> values;  // for `count` times
  Doubt doubt = {};            // the largest
  engine::Clock clock = {};
  double sd = 0;
  std::size_t terms = 0;
  bool is_vague = false;
  bool is_contradicted = false;
  bool is_of_one_path = false;
  bool is_between = false;  // no line owns it (Block::is_between)
  Estimate of_path = {};    // its cost there
};
using Edges = std::map<Ends, Edge>;

TrapId trap_at(const TakenPath& path, std::size_t position) {
  return position < path.end() ? path.events()[position].trap : run_to_end;
}

/// The inputs of a path, by the number of events that it shares at its beginning with an earlier path of the
/// same input: the edges between those were counted there.
std::map<std::size_t, std::vector<std::uint32_t>> inputs_by_shared_events(const std::vector<TakenPath>& paths,
                                                                          std::size_t index) {
  std::map<std::size_t, std::vector<std::uint32_t>> result;
  for (const std::uint32_t input : paths[index].inputs) {
    std::size_t shared = 0;
    for (std::size_t i = 0; i < index; ++i)
      if (std::ranges::binary_search(paths[i].inputs, input))
        shared = std::max(shared, paths[index].common_with(paths[i]));
    result[shared].push_back(input);
  }
  return result;
}

void count(const TakenPath& path, Edges& edges) {
  std::map<Ends, std::uint64_t> gone;
  for (std::size_t i = 0; i < path.end(); ++i) ++gone[{trap_at(path, i), trap_at(path, i + 1)}];
  for (const auto& [ends, times] : gone) {
    Edge& edge = edges[ends];
    edge.rate += path.rate;
    if (edge.count == 0) edge.count = times;
  }
}

void take(const MeasuredPath& measured, std::size_t first_block, Edges& edges) {
  struct Found {
    Parts parts;
    std::uint64_t times = 0;
    bool is_vague = false;
  };
  const TakenPath& path = measured.path();
  const std::vector<bool>& is_vague = measured.about().is_vague;
  for (std::size_t i = first_block; i < path.end(); ++i)
    if (measured.attribution().blocks[i].is_between())
      edges[{trap_at(path, i), trap_at(path, i + 1)}].is_between = true;
  std::map<Ends, Found> all;
  for (std::size_t s = 0; s < measured.stretches().all().size(); ++s) {
    const Stretch& stretch = measured.stretches().all()[s];
    for (std::size_t i = std::max(stretch.begin, first_block); i < stretch.end; ++i) {
      Found& found = all[{trap_at(path, i), trap_at(path, i + 1)}];
      measured.add_block(found.parts, s, i);
      ++found.times;
      found.is_vague = found.is_vague || is_vague[i] || is_vague[i + 1];
    }
  }
  for (const auto& [ends, found] : all) {
    Edge& edge = edges[ends];
    const Sum sum = measured.sum_of(found.parts);
    const std::vector<double> values = engine::present(sum.rounds);
    edge.is_contradicted = edge.is_contradicted || sum.is_contradicted;
    if (values.empty()) {
      edge.is_vague = edge.is_vague || found.is_vague;
      continue;
    }
    if (edge.values.empty()) edge.clock = measured.clock();
    edge.is_of_one_path = edge.values.empty() && found.times == edge.count;
    edge.of_path = measured.estimate_of(sum);
    const double scale = static_cast<double>(edge.count) / static_cast<double>(found.times);
    for (const double value : values) edge.values.push_back(scale * value);
    edge.doubt.traps = std::max(edge.doubt.traps, scale * sum.doubt.traps);
    edge.doubt.places = std::max(edge.doubt.places, scale * sum.doubt.places);
    edge.doubt.division_low = std::max(edge.doubt.division_low, scale * sum.doubt.division_low);
    edge.doubt.division_high = std::max(edge.doubt.division_high, scale * sum.doubt.division_high);
    edge.sd = std::max(edge.sd, scale * measured.stretches().sd());
    edge.terms = std::max(edge.terms, sum.terms);
  }
}

std::vector<EdgeEstimate> estimates_of(const Edges& edges, const RunView& run) {
  std::vector<EdgeEstimate> result;
  for (const auto& [ends, edge] : edges) {
    if (edge.is_between) continue;
    const Trap& from = run.map.at(ends.first);
    EdgeEstimate& estimate = result.emplace_back(EdgeEstimate{.from = ends.first,
                                                              .to = ends.second,
                                                              .function = from.function,
                                                              .path = from.path,
                                                              .line = from.line,
                                                              .count = edge.count,
                                                              .rate = std::min(1.0, edge.rate)});
    if (ends.second != run_to_end) {
      estimate.to_path = run.map.at(ends.second).path;
      estimate.to_line = run.map.at(ends.second).line;
    }
    if (edge.values.empty()) continue;
    const engine::Differences noise{.sd = edge.sd};
    const Interval raw = engine::interval_of(edge.values, noise, edge.clock, run.alpha, edge.terms);
    // On one path alone it is the sum of its blocks, as a line is.
    estimate.cost = edge.is_of_one_path ? edge.of_path : estimate_from(raw, edge.values.size(), edge.doubt);
    if (edge.is_contradicted) estimate.cost = unreliable(estimate.cost);
    if (!was_measured(estimate.cost)) continue;
    const auto not_below_nothing = [](double ticks) { return std::max(0.0, ticks); };
    const double sum = std::accumulate(edge.values.begin(), edge.values.end(), 0.0);
    estimate.mean = not_below_nothing(sum / static_cast<double>(edge.values.size()));
    estimate.q05 = not_below_nothing(engine::quantile(edge.values, 0.05));
    estimate.q95 = not_below_nothing(engine::quantile(edge.values, 0.95));
  }
  return result;
}

std::vector<std::string> warnings_of(const Edges& edges, const TrapMap& map) {
  std::size_t vague = 0;
  std::string places;
  for (const auto& [ends, edge] : edges) {
    if (!edge.is_vague || !edge.values.empty()) continue;
    const Trap& from = map.at(ends.first);
    if (++vague <= most_places)
      places += fmt::format("{}{}:{}", places.empty() ? "" : ", ", from.path, from.line);
  }
  if (vague == 0) return {};
  return {
      fmt::format("the path varies before {} pairs of traps, and shots do not show which way they came, so "
                  "the time between is not known ({}{})",
                  vague, places, vague > most_places ? ", …" : "")};
}

}  // namespace

EdgeEstimates edge_estimates(const RunView& run, const MeasuredPath& first) {
  Edges edges;
  for (const TakenPath& path : run.paths) count(path, edges);
  take(first, 0, edges);
  for (std::size_t i = 1; i < run.paths.size(); ++i)
    for (const auto& [shared, inputs] : inputs_by_shared_events(run.paths, i))
      take(MeasuredPath(run, run.paths[i], inputs), shared == 0 ? 0 : shared - 1, edges);
  return {.edges = estimates_of(edges, run), .warnings = warnings_of(edges, run.map)};
}

}  // namespace jcprof::annotator
