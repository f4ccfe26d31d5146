// SPDX-License-Identifier: Apache-2.0
#include "bench/hot_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench/fixed_1000.hpp"
#include "bench/plain_mean.hpp"
#include "tests/support/parallel.hpp"
#include "tests/support/trial.hpp"

namespace jcprof::bench {
namespace {

using test::Experiment;
using test::Trial;

std::vector<Trial> run_seeds(const Experiment& experiment, std::uint64_t seeds) {
  std::vector<Experiment> all(seeds, experiment);
  for (std::uint64_t s = 0; s < seeds; ++s) all[s].seed = s + 1;
  return test::parallel_map(all, test::run_trial);
}

}  // namespace

void check_zoom(std::uint64_t seeds, Bars& bars) {
  constexpr double hot = 0.01;
  constexpr double surely_hot = 0.0125;
  for (const char* device : {"card", "ecall"}) {
    const Experiment experiment{.model = test::device_named(device).value(), .blocks = 1000, .zoom = hot};
    double shots = 0;
    test::Found found;
    test::Tally tally;
    for (const Trial& trial : run_seeds(experiment, seeds)) {
      shots += static_cast<double>(trial.shots) / static_cast<double>(seeds);
      const test::Found here = test::found_blocks(trial, experiment, surely_hot);
      found.blocks += here.blocks;
      found.missed += here.missed;
      tally.add(test::tally(trial, experiment.precision));
    }
    const double ratio = static_cast<double>(rounds_of_fixed_1000 * (experiment.blocks + 1)) / shots;
    fmt::print("zoom, {}, K 1000: {} of {} blocks found, {:.0f} shots, coverage of the result {:.1f} %\n",
               device, found.blocks - found.missed, found.blocks, shots, 100 * tally.coverage());
    bars.at_most(fmt::format("zoom, {}, K 1000: blocks of 1.25 % missed", device),
                 static_cast<double>(found.missed), 0);
    bars.at_least(fmt::format("zoom, {}, K 1000: fixed-1000", device), ratio, 100);
  }
}

void check_hot_calls(std::uint64_t seeds, Bars& bars) {
  constexpr std::size_t blocks = 20;
  for (const char* device : {"card", "ecall", "bimod", "sticky"}) {
    const test::DeviceModel model = test::device_named(device).value();
    const std::vector<double> work = test::work_at_stops(model, blocks, test::Shape::skew);
    // The sixth largest is the threshold; the precision is so high that there are many looks.
    std::vector<double> shares;
    for (std::size_t b = 0; b < blocks; ++b) shares.push_back((work[b + 1] - work[b]) / work.back());
    std::ranges::nth_element(shares, shares.begin() + 5, std::greater<>());
    const Experiment experiment{
        .model = model, .blocks = blocks, .precision = {.absolute = 5e-4, .relative = 0, .hot = shares[5]}};
    double wrong = 0;
    for (const Trial& trial : run_seeds(experiment, seeds))
      if (std::ranges::count(trial.hot_mistakes, true) > 0) ++wrong;
    bars.at_most(fmt::format("hot calls, {}, a block at the threshold: runs with a wrong one, %", device),
                 100 * wrong / static_cast<double>(seeds), 5);
  }
}

}  // namespace jcprof::bench
