// SPDX-License-Identifier: Apache-2.0
// A Profile as rows of the store.
#include <algorithm>
#include <cmath>

#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {
namespace {

/// An estimate without an interval has no value: NULL in the file.
double known(double value, const Estimate& estimate) {
  return was_measured(estimate) ? value : engine::missing;
}

StoredEstimate row(EstimateScope scope, std::size_t position, const Estimate& estimate) {
  return {.scope = scope,
          .position = static_cast<std::uint32_t>(position),
          .rounds = estimate.rounds,
          .raw = known(estimate.raw, estimate),
          .ticks = known(estimate.ticks.value, estimate),
          .low = estimate.ticks.low,
          .high = estimate.ticks.high,
          .share = known(estimate.share.value, estimate),
          .share_low = estimate.share.low,
          .share_high = estimate.share.high,
          .resolved = estimate.resolved};
}

void add_averages(StoredEstimate& row, const Estimate& estimate) {
  if (!estimate.averages) return;
  row.mean = estimate.averages->mean.value;
  row.mean_low = estimate.averages->mean.low;
  row.mean_high = estimate.averages->mean.high;
  if (std::isfinite(estimate.averages->median.high)) row.median = estimate.averages->median.value;
  row.median_low = estimate.averages->median.low;
  row.median_high = estimate.averages->median.high;
  row.q05 = estimate.averages->q05;
  row.q95 = estimate.averages->q95;
}

/// Nothing where no ranking is known.
template <class Item>
std::optional<bool> is_among(const Hottest& hottest, const Item& item) {
  if (hottest.among.empty()) return std::nullopt;
  return std::ranges::any_of(hottest.among, [&](const HotPlace& place) {
    return place.path == item.path && place.line == item.line && place.function == item.function;
  });
}

template <class Item>
StoredEstimate placed_row(EstimateScope scope, std::size_t position, const Item& item,
                          const Estimate& estimate) {
  StoredEstimate result = row(scope, position, estimate);
  result.function = item.function;
  result.path = item.path;
  result.line = item.line;
  return result;
}

}  // namespace

std::vector<StoredEstimate> stored(const Profile& profile) {
  std::vector<StoredEstimate> rows{row(EstimateScope::total, 0, profile.total),
                                   row(EstimateScope::entry, 0, profile.entry)};
  add_averages(rows.front(), profile.total);
  if (profile.between) rows.push_back(row(EstimateScope::between, 0, *profile.between));
  const Interval& rest = profile.unattributed;
  rows.push_back({.scope = EstimateScope::unattributed,
                  .raw = std::isfinite(rest.high) ? rest.value : engine::missing,
                  .ticks = std::isfinite(rest.high) ? rest.value : engine::missing,
                  .low = rest.low,
                  .high = rest.high});
  for (std::size_t i = 0; i < profile.blocks.size(); ++i) {
    const BlockEstimate& block = profile.blocks[i];
    rows.push_back(placed_row(EstimateScope::block, i, block, block.cost));
    rows.back().from = block.from;
    rows.back().to = block.to;
    rows.back().hits = block.passed;
    rows.back().hot = block.hot;
  }
  for (std::size_t i = 0; i < profile.lines.size(); ++i) {
    rows.push_back(placed_row(EstimateScope::line, i, profile.lines[i], profile.lines[i].cost));
    rows.back().hits = profile.lines[i].hits;
    rows.back().hottest = is_among(profile.hottest_lines, profile.lines[i]);
    add_averages(rows.back(), profile.lines[i].cost);
  }
  for (std::size_t i = 0; i < profile.functions.size(); ++i) {
    const FunctionEstimate& function = profile.functions[i];
    rows.push_back(placed_row(EstimateScope::function, i, function, function.exclusive));
    rows.back().hits = function.calls;
    rows.back().hottest = is_among(profile.hottest_functions, function);
    add_averages(rows.back(), function.exclusive);
    rows.back().inclusive = known(function.inclusive.ticks.value, function.inclusive);
    rows.back().inclusive_low = function.inclusive.ticks.low;
    rows.back().inclusive_high = function.inclusive.ticks.high;
  }
  for (std::size_t i = 0; i < profile.edges.size(); ++i) {
    const EdgeEstimate& edge = profile.edges[i];
    rows.push_back(placed_row(EstimateScope::edge, i, edge, edge.cost));
    rows.back().from = {edge.from, 0};
    rows.back().to = {edge.to, 0};
    rows.back().hits = edge.count;
    rows.back().rate = edge.rate;
    if (!was_measured(edge.cost)) continue;
    rows.back().mean = edge.mean;
    rows.back().q05 = edge.q05;
    rows.back().q95 = edge.q95;
  }
  for (std::size_t i = 0; i < profile.loops.size(); ++i) {
    const LoopEstimate& loop = profile.loops[i];
    rows.push_back(placed_row(EstimateScope::loop, i, loop, loop.cost));
    rows.back().hits = loop.passes;
    rows.back().entries = loop.entries;
    add_averages(rows.back(), loop.cost);
  }
  return rows;
}

}  // namespace jcprof::annotator
