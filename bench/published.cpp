// SPDX-License-Identifier: Apache-2.0
#include "bench/published.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "src/engine/fit.hpp"

namespace jcprof::bench {
namespace {

using Ranges = std::vector<engine::BlockRange>;

using ShareOf = std::function<engine::Interval(const Ranges&)>;

void tally(const Ranges& ranges, const ShareOf& share_of, const test::Trial& trial,
           const engine::Precision& precision, test::Tally& result) {
  double truth = 0;
  for (const engine::BlockRange& range : ranges)
    for (std::size_t b = range.begin; b < range.end; ++b) truth += trial.truth[b];
  const engine::Interval share = share_of(ranges);
  ++result.blocks;
  if (share.low <= truth && truth <= share.high) ++result.covered;
  if (std::abs(share.value - truth) <= test::allowed(precision, truth)) ++result.within;
}

Published tallies(const test::Trial& trial, const engine::Precision& precision, const ShareOf& share_of) {
  const std::size_t blocks = trial.truth.size();
  Published result;
  for (std::size_t b = 0; b < blocks; ++b)
    tally({{.begin = b, .end = b + 1}}, share_of, trial, precision, result.blocks);
  for (std::size_t b = 0; 2 * b + 1 < blocks; ++b)
    tally({{.begin = b, .end = b + 1}, {.begin = blocks / 2 + b, .end = blocks / 2 + b + 1}}, share_of, trial,
          precision, result.lines);
  constexpr std::size_t functions = 5;
  for (std::size_t f = 0; f < functions; ++f) {
    Ranges ranges;
    for (std::size_t b = 2 * f; b + 2 <= blocks; b += 2 * functions)
      ranges.push_back({.begin = b, .end = b + 2});
    tally(ranges, share_of, trial, precision, result.functions);
  }
  return result;
}

/// In each round; missing where a block is.
std::vector<double> sums_of(const Ranges& ranges, const engine::Differences& all) {
  std::vector<double> sums(all.gains.size());
  for (const engine::BlockRange& range : ranges)
    for (std::size_t b = range.begin; b < range.end; ++b)
      for (std::size_t r = 0; r < sums.size(); ++r) sums[r] += all.blocks[b][r];
  return sums;
}

}  // namespace

void Published::add(const Published& other) {
  blocks.add(other.blocks);
  lines.add(other.lines);
  functions.add(other.functions);
}

Published published(const test::Trial& trial, const engine::Precision& precision) {
  const engine::Fit fit(engine::differences(trial.times, trial.clock), trial.clock);
  const double whole = fit.risen(trial.truth.size());
  return tallies(trial, precision, [&](const Ranges& ranges) {
    double value = 0;
    for (const engine::BlockRange& range : ranges) value += fit.risen(range.end) - fit.risen(range.begin);
    const engine::Interval ticks = fit.interval_of(ranges, precision.alpha);
    return engine::Interval{value / whole, std::min(ticks.low, value) / whole,
                            std::max(ticks.high, value) / whole};
  });
}

Published published_means(const test::Trial& trial, const engine::Precision& precision) {
  const engine::Differences all = engine::differences(trial.times, trial.clock);
  const engine::Fit fit(all, trial.clock);
  const double whole = fit.mean_of(sums_of({{.begin = 0, .end = trial.truth.size()}}, all)).value;
  return tallies(trial, precision, [&](const Ranges& ranges) {
    const engine::Interval ticks = fit.interval_of(fit.mean_of(sums_of(ranges, all)), precision.alpha);
    return engine::Interval{ticks.value / whole, ticks.low / whole, ticks.high / whole};
  });
}

}  // namespace jcprof::bench
