// SPDX-License-Identifier: Apache-2.0
#include "bench/published.hpp"

#include <algorithm>
#include <cmath>

#include "src/engine/fit.hpp"

namespace jcprof::bench {
namespace {

using Ranges = std::vector<engine::BlockRange>;

void tally(const Ranges& ranges, const engine::Fit& fit, const test::Trial& trial,
           const engine::Precision& precision, test::Tally& result) {
  double truth = 0;
  double value = 0;
  for (const engine::BlockRange& range : ranges) {
    for (std::size_t b = range.begin; b < range.end; ++b) truth += trial.truth[b];
    value += fit.risen(range.end) - fit.risen(range.begin);
  }
  const double whole = fit.risen(trial.truth.size());
  const engine::Interval ticks = fit.interval_of(ranges, precision.alpha);
  const double low = std::min(ticks.low, value) / whole;
  const double high = std::max(ticks.high, value) / whole;
  ++result.blocks;
  if (low <= truth && truth <= high) ++result.covered;
  if (std::abs(value / whole - truth) <= test::allowed(precision, truth)) ++result.within;
}

}  // namespace

void Published::add(const Published& other) {
  blocks.add(other.blocks);
  lines.add(other.lines);
  functions.add(other.functions);
}

Published published(const test::Trial& trial, const engine::Precision& precision) {
  const engine::Fit fit(engine::differences(trial.times, trial.clock), trial.clock);
  const std::size_t blocks = trial.truth.size();
  Published result;
  for (std::size_t b = 0; b < blocks; ++b)
    tally({{.begin = b, .end = b + 1}}, fit, trial, precision, result.blocks);
  for (std::size_t b = 0; 2 * b + 1 < blocks; ++b)
    tally({{.begin = b, .end = b + 1}, {.begin = blocks / 2 + b, .end = blocks / 2 + b + 1}}, fit, trial,
          precision, result.lines);
  constexpr std::size_t functions = 5;
  for (std::size_t f = 0; f < functions; ++f) {
    Ranges ranges;
    for (std::size_t b = 2 * f; b + 2 <= blocks; b += 2 * functions)
      ranges.push_back({.begin = b, .end = b + 2});
    tally(ranges, fit, trial, precision, result.functions);
  }
  return result;
}

}  // namespace jcprof::bench
