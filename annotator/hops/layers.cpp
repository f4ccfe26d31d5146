// SPDX-License-Identifier: Apache-2.0
#include "annotator/hops/layers.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "annotator/estimate/measured_path.hpp"
#include "annotator/estimate/quantity.hpp"
#include "annotator/interval_json.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"
#include "src/engine/random.hpp"

namespace jcprof::annotator {
namespace {

using Json = nlohmann::ordered_json;
using Values = std::vector<double>;

constexpr double alpha = 0.05;
// The ends are the 50th of 2,000 from outside: certain to a tenth of the half width.
constexpr std::uint64_t resamples = 2000;
constexpr std::uint64_t seed = 1;
constexpr std::size_t fewest_rounds = 7;  // as for sign intervals

/// The medians of the rungs over the rounds that are named, the last one less the one before it, and so on.
Values steps_over(const std::vector<Values>& rungs, const std::vector<std::size_t>& rounds) {
  Values steps;
  double before = 0;
  for (const Values& rung : rungs) {
    Values drawn;
    drawn.reserve(rounds.size());
    for (const std::size_t round : rounds) drawn.push_back(rung[round]);
    const double median = engine::median(std::move(drawn));
    steps.push_back(median - before);
    before = median;
  }
  steps.push_back(before);
  return steps;
}

/// The ends are quantiles over `count` choices of rounds, of each layer and of all of them.
template <class RoundsOf>
std::vector<Interval> intervals_over(std::uint64_t count, double tail, const RoundsOf& rounds_of,
                                     const std::vector<Values>& rungs, const Values& values) {
  std::vector<Values> drawn(values.size());
  for (std::uint64_t i = 0; i < count; ++i) {
    const Values steps = steps_over(rungs, rounds_of(i));
    for (std::size_t s = 0; s < steps.size(); ++s) drawn[s].push_back(steps[s]);
  }
  std::vector<Interval> intervals;
  for (std::size_t s = 0; s < values.size(); ++s)
    intervals.push_back({values[s], engine::quantile(drawn[s], tail), engine::quantile(drawn[s], 1 - tail)});
  return intervals;
}

std::vector<Interval> intervals_of(const std::vector<Values>& rungs, bool is_exact) {
  std::vector<std::size_t> all(rungs.front().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const Values values = steps_over(rungs, all);
  // An exact clock measures each round to the tick, so the ends are what rounds have had.
  const auto alone = [](std::uint64_t round) { return std::vector<std::size_t>{round}; };
  if (is_exact) return intervals_over(all.size(), 0, alone, rungs, values);
  const auto resampled = [&](std::uint64_t i) {
    std::vector<std::size_t> chosen;
    for (const std::size_t r : all) chosen.push_back(engine::draw(seed, i, r, all.size()));
    return chosen;
  };
  if (all.size() >= fewest_rounds) return intervals_over(resamples, alpha / 2, resampled, rungs, values);
  std::vector<Interval> open;
  for (const double value : values) open.push_back({.value = value});
  return open;
}

/// Whole ticks, and those of neighbours add up to those of both.
long long whole(double ticks) {
  return std::llround(ticks);
}

std::string ends(const Interval& ticks) {
  if (!std::isfinite(ticks.high)) return "?";
  return fmt::format("{:.0f} to {:.0f}", std::floor(ticks.low), std::ceil(ticks.high));
}

double share_of(double ticks, const Interval& total) {
  return total.value > 0 ? ticks / total.value : 0;
}

/// `value` as printed; a layer that is not told from nothing has a bound.
Row row_of(const Layer& layer, long long value, const Interval& total) {
  if (layer.resolved || !std::isfinite(layer.ticks.high))
    return {plain_line(layer.name), std::to_string(value), ends(layer.ticks),
            percent(share_of(layer.ticks.value, total))};
  const double bound = std::max(1.0, std::ceil(layer.ticks.high));
  return {plain_line(layer.name), fmt::format("< {:.0f}", bound), ends(layer.ticks),
          "< " + percent(share_of(bound, total))};
}

}  // namespace

Layers layers_of(LadderRun run, std::span<const Rung> rungs) {
  check(!rungs.empty() && !rungs.front().ticks.empty(), "a ladder has rungs, and rounds");
  std::vector<Values> values;
  for (const Rung& rung : rungs) values.emplace_back(rung.ticks.begin(), rung.ticks.end());
  const std::vector<Interval> intervals = intervals_of(values, run.exact);
  Layers result{
      .run = std::move(run), .rounds = values.front().size(), .layers = {}, .total = intervals.back()};
  for (std::size_t r = 0; r < rungs.size(); ++r) {
    const Interval& ticks = intervals[r];
    const bool is_resolved_here = result.run.exact ? ticks.value >= 0 : is_resolved(ticks);
    result.layers.push_back({rungs[r].name, ticks, is_resolved_here});
  }
  return result;
}

std::string to_text(const Layers& layers, const TableStyle& style) {
  const LadderRun& run = layers.run;
  std::string text = painted(plain_line(run.project), bold, style) + " on " +
                     plain_line(run.device.empty() ? "an unknown device" : run.device);
  if (run.simulated) text += ", " + painted("SIMULATED", yellow, style);
  text += fmt::format(": {} rounds\n", layers.rounds);
  std::vector<Row> rows;
  double depth = 0;
  for (const Layer& layer : layers.layers) {
    const double before = depth;
    depth += layer.ticks.value;
    rows.push_back(row_of(layer, whole(depth) - whole(before), layers.total));
  }
  rows.push_back({"round trip", std::to_string(whole(depth)), ends(layers.total), ""});
  return text + table({{"layer", Align::left},
                       {std::string(name_of(run.unit))},
                       {run.exact ? "least to most" : "95 % interval"},
                       {"share"}},
                      std::move(rows), style);
}

std::string to_json(const Layers& layers) {
  const LadderRun& run = layers.run;
  Json list = Json::array();
  for (const Layer& layer : layers.layers)
    list.push_back({{"name", layer.name},
                    {"ticks", interval_json(layer.ticks)},
                    {"share", share_of(layer.ticks.value, layers.total)},
                    {"resolved", layer.resolved}});
  const Json all{{"format", "jcprof-layers"},
                 {"version", 1},
                 {"project", run.project},
                 {"device", run.device},
                 {"agent", run.agent},
                 {"unit", name_of(run.unit)},
                 {"hz", run.hz},
                 {"simulated", run.simulated},
                 {"exact", run.exact},
                 {"rounds", layers.rounds},
                 {"layers", list},
                 {"total", interval_json(layers.total)}};
  return all.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace jcprof::annotator
