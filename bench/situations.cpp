// SPDX-License-Identifier: Apache-2.0
#include "bench/situations.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/differing.hpp"
#include "bench/published.hpp"
#include "tests/support/parallel.hpp"
#include "tests/support/trial.hpp"

namespace jcprof::bench {
namespace {

using test::Experiment;
using test::Trial;

constexpr std::size_t blocks_of_situation = 37;

struct InSituation {
  Published typical;
  Published means;
  double shots = 0;
  std::size_t settled = 0;
  std::size_t locked = 0;    // said to have a locked grid
  std::size_t prepared = 0;  // with a whole command before each stop
  std::size_t lasting = 0;   // said to have a memory that lasts longer
  std::size_t changing = 0;  // said to get faster or slower
  std::size_t average = 0;   // said to take another time on average than typically
  std::size_t two_speeds = 0;
  std::size_t said = 0;  // any of these, but for prepared ones and two speeds
};

bool has_locked_grid(const test::DeviceModel& model) {
  return model.situation.poll > 0 || model.situation.timer > 0;
}

double least_coverage(const Published& published) {
  return 100 *
         std::min({published.blocks.coverage(), published.lines.coverage(), published.functions.coverage()});
}

void check(std::string_view name, const InSituation& result, std::uint64_t seeds, Bars& bars) {
  const test::DeviceModel model = test::situation_named(name).value();
  const auto part = [seeds](std::size_t profiles) {
    return 100 * static_cast<double>(profiles) / static_cast<double>(seeds);
  };
  // The truth is what passes cost on average.
  const Published& published = model.situation.dear_rate > 0 ? result.means : result.typical;
  if (part(result.said) < 95)
    bars.at_least(fmt::format("{}: least coverage of blocks, lines and functions, %", name),
                  least_coverage(published), 94);
  const std::string what = fmt::format("{}: profiles said to have a locked grid, %", name);
  if (has_locked_grid(model))
    bars.at_least(what, part(result.locked), 95);
  else
    bars.at_most(what, part(result.locked), 1);
}

InSituation measure_in(const test::DeviceModel& model, const Seeds& seeds) {
  std::vector<Experiment> all(seeds.count, {.model = model, .blocks = blocks_of_situation});
  for (std::uint64_t s = 0; s < seeds.count; ++s) all[s].seed = seeds.first + s;
  InSituation result;
  for (const Trial& trial : test::parallel_map(all, test::run_trial)) {
    result.typical.add(published(trial, all.front().precision));
    result.means.add(published_means(trial, all.front().precision));
    result.shots += static_cast<double>(trial.shots) / static_cast<double>(seeds.count);
    if (trial.look.settled == trial.look.blocks.size()) ++result.settled;
    const bool is_locked = trial.assumptions.locked_grid > 0;
    const bool is_lasting =
        trial.assumptions.memory.moves > all.front().precision.absolute * trial.look.whole;
    const bool is_changing = trial.assumptions.trend != 0;
    const bool has_average = says_average(trial);
    if (is_locked) ++result.locked;
    if (trial.is_prepared) ++result.prepared;
    if (is_changing) ++result.changing;
    if (is_lasting) ++result.lasting;
    if (has_average) ++result.average;
    if (trial.look.is_bimodal) ++result.two_speeds;
    if (is_locked || is_changing || is_lasting || has_average) ++result.said;
  }
  return result;
}

std::string percents(const Published& published) {
  return fmt::format("{:5.1f} {:5.1f} {:5.1f}", 100 * published.blocks.coverage(),
                     100 * published.lines.coverage(), 100 * published.functions.coverage());
}

}  // namespace

void check_situations(const Seeds& seeds, std::string_view only, Bars& bars) {
  fmt::print(
      "{:16} | {:17} | {:17} | {:5} | settled | prepared | locked grid | memory | trend | average | two "
      "speeds | any of "
      "these\n",
      "situation", "covered, typical", "means", "shots");
  for (const std::string_view name : test::situation_names()) {
    if (!only.empty() && only != name) continue;
    const InSituation result = measure_in(test::situation_named(name).value(), seeds);
    fmt::print("{:16} | {} | {} | {:5.0f} | {:7} | {:8} | {:11} | {:6} | {:5} | {:7} | {:10} | {:3}\n", name,
               percents(result.typical), percents(result.means), result.shots, result.settled,
               result.prepared, result.locked, result.lasting, result.changing, result.average,
               result.two_speeds, result.said);
    check(name, result, seeds.count, bars);
  }
}

}  // namespace jcprof::bench
