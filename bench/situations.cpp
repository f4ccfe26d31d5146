// SPDX-License-Identifier: Apache-2.0
#include "bench/situations.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/published.hpp"
#include "tests/support/parallel.hpp"
#include "tests/support/trial.hpp"

namespace jcprof::bench {
namespace {

using test::Experiment;
using test::Trial;

constexpr std::size_t blocks_of_situation = 37;

struct InSituation {
  Published published;
  double shots = 0;
  std::size_t settled = 0;
  std::size_t locked = 0;    // said to have a locked grid
  std::size_t prepared = 0;  // with a whole command before each stop
  std::size_t lasting = 0;   // said to have a memory that lasts longer
  std::size_t changing = 0;  // said to get faster or slower
};

bool has_locked_grid(const test::DeviceModel& model) {
  return model.situation.poll > 0 || model.situation.timer > 0;
}

bool has_memory(const test::DeviceModel& model) {
  const test::Situation& at = model.situation;
  return at.left_over > 0 || at.undone > 0 || at.cold_caches > 0 || at.after_stop > 0 || at.evicted > 0 ||
         at.heat > 0;
}

bool has_trend(const test::DeviceModel& model) {
  return model.situation.hot_slow > 0 || model.situation.leak > 0;
}

void check(std::string_view name, const InSituation& result, std::uint64_t seeds, Bars& bars) {
  const double locked = 100 * static_cast<double>(result.locked) / static_cast<double>(seeds);
  const bool is_said = 100 * result.lasting >= 95 * seeds;
  if (!is_said && has_memory(test::situation_named(name).value()))
    bars.at_least(fmt::format("{}: coverage of blocks, %", name), 100 * result.published.blocks.coverage(),
                  94);
  if (has_trend(test::situation_named(name).value()))
    bars.at_least(fmt::format("{}: profiles said to get faster or slower, %", name),
                  100 * static_cast<double>(result.changing) / static_cast<double>(seeds), 95);
  const std::string what = fmt::format("{}: profiles said to have a locked grid, %", name);
  if (has_locked_grid(test::situation_named(name).value()))
    bars.at_least(what, locked, 95);
  else
    bars.at_most(what, locked, 1);
}

InSituation measure_in(const test::DeviceModel& model, std::uint64_t seeds) {
  std::vector<Experiment> all(seeds, {.model = model, .blocks = blocks_of_situation});
  for (std::uint64_t s = 0; s < seeds; ++s) all[s].seed = s + 1;
  InSituation result;
  for (const Trial& trial : test::parallel_map(all, test::run_trial)) {
    result.published.add(published(trial, all.front().precision));
    result.shots += static_cast<double>(trial.shots) / static_cast<double>(seeds);
    if (trial.look.settled == trial.look.blocks.size()) ++result.settled;
    if (trial.assumptions.locked_grid > 0) ++result.locked;
    if (trial.is_prepared) ++result.prepared;
    if (trial.assumptions.trend != 0) ++result.changing;
    if (trial.assumptions.memory.moves > all.front().precision.absolute * trial.look.whole) ++result.lasting;
  }
  return result;
}

}  // namespace

void check_situations(std::uint64_t seeds, std::string_view only, Bars& bars) {
  fmt::print(
      "{:16} | coverage of blocks | lines | functions |    shots | settled | locked grid | prepared | "
      "lasting | trend\n",
      "situation");
  for (const std::string_view name : test::situation_names()) {
    if (!only.empty() && only != name) continue;
    const InSituation result = measure_in(test::situation_named(name).value(), seeds);
    fmt::print("{:16} | {:16.1f} % | {:5.1f} | {:9.1f} | {:8.0f} | {:7} | {:11} | {:8} | {:7} | {:5}\n", name,
               100 * result.published.blocks.coverage(), 100 * result.published.lines.coverage(),
               100 * result.published.functions.coverage(), result.shots, result.settled, result.locked,
               result.prepared, result.lasting, result.changing);
    check(name, result, seeds, bars);
  }
}

}  // namespace jcprof::bench
