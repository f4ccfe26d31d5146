// SPDX-License-Identifier: Apache-2.0
#include "bench/lines.hpp"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/published.hpp"
#include "tests/support/parallel.hpp"
#include "tests/support/trial.hpp"

namespace jcprof::bench {
namespace {

using engine::Figure;

constexpr std::size_t blocks = 20;
constexpr std::size_t functions = 5;

/// Lines of one block each, functions of lines in a row.
std::vector<Figure> straight_code() {
  std::vector<Figure> figures;
  for (std::size_t b = 0; b < blocks; ++b) figures.push_back({.ranges = {{.begin = b, .end = b + 1}}});
  constexpr std::size_t size = blocks / functions;
  for (std::size_t f = 0; f < functions; ++f)
    figures.push_back({.ranges = {{.begin = f * size, .end = (f + 1) * size}}});
  return figures;
}

/// Lines of two blocks each, far apart.
std::vector<Figure> two_passes() {
  std::vector<Figure> figures;
  for (std::size_t b = 0; b < blocks / 2; ++b)
    figures.push_back(
        {.ranges = {{.begin = b, .end = b + 1}, {.begin = blocks / 2 + b, .end = blocks / 2 + b + 1}}});
  return figures;
}

/// Which figures end a run.
struct Way {
  const char* name;
  std::vector<Figure> figures;  // none: blocks do
};

struct Cost {
  double shots = 0;  // without the warm-up
  test::Tally lines;
};

Cost cost_of(const test::Experiment& experiment, std::uint64_t seeds) {
  std::vector<test::Experiment> all(seeds, experiment);
  for (std::uint64_t s = 0; s < seeds; ++s) all[s].seed = s + 1;
  Cost cost;
  for (const test::Trial& trial : test::parallel_map(all, test::run_trial)) {
    cost.shots += static_cast<double>(trial.shots - trial.warm_up) / static_cast<double>(seeds);
    cost.lines.add(published(trial, experiment.precision).lines);
  }
  return cost;
}

}  // namespace

void check_lines(std::uint64_t seeds, Bars& bars) {
  const std::array ways{Way{"blocks", {}}, Way{"straight code", straight_code()},
                        Way{"two passes", two_passes()}};
  for (const engine::Precision precision :
       {engine::Precision{}, engine::Precision{.absolute = 0.001, .relative = 0.02}}) {
    std::array<double, 3> logs{};
    test::Tally lines;
    for (const std::string_view device : test::device_names()) {
      std::string text;
      double by_blocks = 0;
      for (std::size_t w = 0; w < ways.size(); ++w) {
        test::Experiment experiment{
            .model = test::device_named(device).value(), .blocks = blocks, .precision = precision};
        if (w > 0)
          experiment.figures = [figures = ways[w].figures](const auto&, auto, const auto&) {
            return figures;
          };
        const Cost cost = cost_of(experiment, seeds);
        if (w == 0) by_blocks = cost.shots;
        if (w == 2) lines.add(cost.lines);
        logs[w] += std::log(cost.shots / by_blocks) / static_cast<double>(test::device_names().size());
        text += fmt::format(", {} {:.0f} ({:.2f} x)", ways[w].name, cost.shots, cost.shots / by_blocks);
      }
      fmt::print("ended by, {}, to ±{:g} points{}\n", device, 100 * precision.absolute, text);
    }
    const std::string name = fmt::format("ended by lines, ±{:g} points", 100 * precision.absolute);
    bars.at_most(name + ": shots of straight code to those by blocks, geometric mean", std::exp(logs[1]),
                 1.1);
    bars.at_most(name + ": shots of lines of two blocks, geometric mean", std::exp(logs[2]), 2);
    bars.at_least(name + ": coverage of lines of two blocks, %", 100 * lines.coverage(), 94);
  }
}

}  // namespace jcprof::bench
