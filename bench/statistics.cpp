// SPDX-License-Identifier: Apache-2.0
// Whether the engine's intervals hold, and how many commands it needs for them: on devices whose truth is
// known, beside the closest tool's fixed number of rounds on the same devices.
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bench/bars.hpp"
#include "bench/differing.hpp"
#include "bench/fixed_1000.hpp"
#include "bench/hot_blocks.hpp"
#include "bench/lines.hpp"
#include "bench/plain_mean.hpp"
#include "bench/published.hpp"
#include "bench/situations.hpp"
#include "tests/support/parallel.hpp"
#include "tests/support/trial.hpp"

namespace jcprof::bench {
namespace {

using test::Experiment;
using test::Tally;
using test::Trial;

/// Half widths in which a profile is good enough: at a first look, and for a comparison.
const std::vector<engine::Precision> precisions{{.absolute = 0.005, .relative = 0.05},
                                                {.absolute = 0.001, .relative = 0.02}};
enum class Aim : std::uint8_t { a, b };

struct Options {
  std::uint64_t seeds = 10;
  std::uint64_t first = 1;
  std::string only;  // device
  bool is_quick = false;
  bool only_situations = false;
};

struct Row {
  std::string device;
  std::string noise;  // on top; empty: none
  std::size_t blocks = 20;
  Aim aim = Aim::a;
};

struct Result {
  Row row;
  Tally tally;
  Published published;
  double differing = 0;  // profiles of which exports or sums disagree
  double shots = 0;      // of one profile, warm-up included
  double warm_up = 0;
  double broken = 0;           // part of the profiles that are said to break an assumption
  double changing = 0;         // part of those that are said to get faster or slower
  double settled = 0;          // part of the profiles that ended because all blocks were good enough
  double coarse = 0;           // part of the profiles that saw a coarse clock or a grid
  double tick = 0;             // that the last of them saw, in ms
  double oracle = 0;           // shots that the rival would have needed; 0: not asked
  bool is_oracle_cut = false;  // it would have needed more
  double rival = 0;            // of its blocks after 1000 rounds are so good
};

std::string label(const Row& row) {
  return row.device + (row.noise.empty() ? "" : " " + row.noise);
}

double shots_of_fixed_1000(const Row& row) {
  return static_cast<double>(rounds_of_fixed_1000 * (row.blocks + 1));
}

std::vector<Row> rows_of(const Options& options) {
  std::vector<Row> rows;
  const std::set<std::string_view> quick{"card", "ecall", "bimod", "coarse", "flaky"};
  const auto wanted = [&](std::string_view device) {
    return (options.only.empty() || options.only == device) && (!options.is_quick || quick.contains(device));
  };
  for (const std::size_t blocks : {20U, 100U})
    for (const Aim aim : {Aim::a, Aim::b})
      for (const std::string_view device : test::device_names())
        if (wanted(device) && !(options.is_quick && (blocks == 100 || aim == Aim::b)))
          rows.push_back({.device = std::string(device), .blocks = blocks, .aim = aim});
  for (const Aim aim : {Aim::a, Aim::b})
    for (const std::string_view noise : test::noise_names())
      if (wanted("card") && !(options.is_quick && (aim == Aim::b || noise.starts_with("grid-15"))))
        rows.push_back({.device = "card", .noise = std::string(noise), .aim = aim});
  return rows;
}

Experiment experiment(const Row& row, std::uint64_t seed) {
  test::DeviceModel model = test::device_named(row.device).value();
  if (!row.noise.empty()) model = test::with_noise(model, row.noise).value();
  return {.model = model,
          .blocks = row.blocks,
          .precision = precisions.at(static_cast<std::size_t>(row.aim)),
          .seed = seed};
}

struct Job {
  Row row;
  std::uint64_t seed = 1;
};

struct Done {
  Trial trial;
  bool differs = false;
};

Done run_job(const Job& job) {
  Done done{.trial = run_trial(experiment(job.row, job.seed))};
  done.differs = differs(done.trial);
  return done;
}

Result summary(const Row& row, std::span<const Done> all) {
  Result result{.row = row};
  const auto part = 1 / static_cast<double>(all.size());
  for (const auto& [trial, is_differing] : all) {
    if (is_differing) ++result.differing;
    result.tally.add(test::tally(trial, precisions.at(static_cast<std::size_t>(row.aim))));
    result.published.add(published(trial, precisions.at(static_cast<std::size_t>(row.aim))));
    result.shots += part * static_cast<double>(trial.shots);
    result.warm_up += part * static_cast<double>(trial.warm_up);
    if (trial.assumptions.locked_grid > 0 || trial.is_prepared) result.broken += part;
    // A simulator that compiles what is hot does get faster.
    if (trial.assumptions.trend != 0 && row.device != "sim") result.changing += part;
    if (trial.look.settled == trial.look.blocks.size()) ++result.settled;
    if (trial.clock.method == Method::coarse) {
      ++result.coarse;
      result.tick = trial.clock.tick / 1e6;
    }
  }
  return result;
}

std::vector<Result> measure(const std::vector<Row>& rows, std::uint64_t seeds) {
  std::vector<Job> jobs;
  for (const Row& row : rows)
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) jobs.push_back({row, seed});
  const std::vector<Done> trials = test::parallel_map(jobs, run_job);
  std::vector<Result> results;
  for (std::size_t i = 0; i < rows.size(); ++i)
    results.push_back(summary(rows[i], std::span(trials).subspan(i * seeds, seeds)));
  return results;
}

/// What the rival does on the devices of `results`: as good after 1000 rounds as..., and the rounds after
/// which as many of its blocks would have been close enough as we ask of ours.
void compare(std::vector<Result>& results, std::uint64_t seeds) {
  constexpr double good_enough = 0.95;
  std::vector<Job> jobs;
  std::map<std::pair<std::string, std::size_t>, std::size_t> first_job;
  for (const Result& result : results) {
    if (!first_job.try_emplace({label(result.row), result.row.blocks}, jobs.size()).second) continue;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) jobs.push_back({result.row, seed});
  }
  const auto all = test::parallel_map(
      jobs, [](const Job& job) { return fixed_rounds(experiment(job.row, job.seed), precisions); });
  for (Result& result : results) {
    const std::size_t first = first_job.at({label(result.row), result.row.blocks});
    const auto aim = static_cast<std::size_t>(result.row.aim);
    result.is_oracle_cut = true;
    for (std::size_t p = 0; p < all[first].size(); ++p) {
      Tally tally;
      for (std::size_t s = 0; s < seeds; ++s) tally.add(all[first + s][p].tallies[aim]);
      const std::size_t rounds = all[first][p].rounds;
      if (rounds == rounds_of_fixed_1000) result.rival = tally.accuracy();
      if (!result.is_oracle_cut) continue;
      result.oracle = static_cast<double>(rounds * (result.row.blocks + 1));
      result.is_oracle_cut = tally.accuracy() < good_enough;
    }
  }
}

void print_head() {
  fmt::print(
      "{:20} |   K | target | coverage, of blocks | lines | functions | differ | within |    shots | warm-up "
      "| "
      "settled | "
      "fixed-1000 | within | oracle\n",
      "device");
}

void print_row(const Result& result) {
  const std::string grid =
      result.coarse > 0 ? fmt::format("  steps of {:.3g} ms seen in {} profiles", result.tick, result.coarse)
                        : "";
  fmt::print(
      "{:20} | {:3} | {:>6} | {:5.1f} %, {:8.1f} % | {:5.1f} | {:9.1f} | {:6} | {:4.0f} % | {:8.0f} | "
      "{:7.0f} | "
      "{:7} | {:8.1f} x | {:4.0f} % "
      "| {}{:.1f} x{}\n",
      label(result.row), result.row.blocks, result.row.aim == Aim::a ? "A" : "B",
      100 * result.tally.coverage(), 100 * result.published.blocks.coverage(),
      100 * result.published.lines.coverage(), 100 * result.published.functions.coverage(), result.differing,
      100 * result.published.blocks.accuracy(), result.shots, result.warm_up, result.settled,
      shots_of_fixed_1000(result.row) / result.shots, 100 * result.rival, result.is_oracle_cut ? "> " : "",
      result.oracle / result.shots, grid);
}

void check_row(const Result& result, std::uint64_t seeds, Bars& bars) {
  const bool is_coarse = result.row.device == "coarse";
  const std::string name =
      fmt::format("{}, K {}, {}", label(result.row), result.row.blocks, result.row.aim == Aim::a ? "A" : "B");
  bars.at_least(name + ": coverage, %", 100 * result.tally.coverage(), is_coarse ? 90 : 93);
  bars.at_least(name + ": coverage of published blocks, %", 100 * result.published.blocks.coverage(),
                is_coarse ? 90 : 93);
  bars.at_most(name + ": profiles of which exports or sums disagree", result.differing, 0);
  const auto profiles = static_cast<double>(seeds);
  if (is_coarse || result.row.noise.starts_with("grid"))
    bars.at_least(name + ": profiles in which the steps are seen", static_cast<double>(result.coarse),
                  profiles);
  if (result.row.noise == "grid-15.6ms") return;  // out of reach
  if (!result.row.noise.empty())
    return bars.at_least(name + ": profiles that end settled", static_cast<double>(result.settled), profiles);
  if (result.row.blocks == 20) bars.at_least(name + ": within, %", 100 * result.tally.accuracy(), 95);
  const std::set<std::string> ten_times{"card", "ecall", "sticky", "flaky", "therm"};
  const double ratio = shots_of_fixed_1000(result.row) / result.shots;
  if (result.row.aim == Aim::a && !is_coarse) bars.at_least(name + ": fixed-1000", ratio, 10);
  if (result.row.aim == Aim::b && ten_times.contains(result.row.device))
    bars.at_least(name + ": fixed-1000", ratio, 10);
  if (result.row.aim == Aim::b && result.row.device == "bimod")
    bars.at_least(name + ": fixed-1000", ratio, 4);
}

void check_all(const std::vector<Result>& results, Bars& bars) {
  Tally tally;
  Published published;
  double broken = 0;
  double changing = 0;
  std::vector<double> ratios;
  std::vector<double> oracles;
  for (const Result& result : results) {
    if (result.row.noise.empty() && result.row.blocks == 20) tally.add(result.tally);
    if (result.row.blocks == 20) published.add(result.published);
    broken += 100 * result.broken / static_cast<double>(results.size());
    changing += 100 * result.changing / static_cast<double>(results.size());
    if (!result.row.noise.empty() || result.row.device == "coarse") continue;
    if (result.row.aim == Aim::a) ratios.push_back(std::log(shots_of_fixed_1000(result.row) / result.shots));
    if (result.row.aim == Aim::b) oracles.push_back(std::log(result.oracle / result.shots));
  }
  const auto geometric_mean = [](const std::vector<double>& logs) {
    double sum = 0;
    for (const double value : logs) sum += value;
    return std::exp(sum / static_cast<double>(logs.size()));
  };
  if (tally.blocks > 0) bars.at_least("all devices, K 20: coverage, %", 100 * tally.coverage(), 94);
  for (const auto& [what, all] : {std::pair{"blocks", published.blocks},
                                  {"lines", published.lines},
                                  {"functions", published.functions}})
    if (all.blocks > 0)
      bars.at_least(fmt::format("all devices and noises, K 20: coverage of published {}, %", what),
                    100 * all.coverage(), 94);
  bars.at_most("profiles said to break an assumption, %", broken, 1);
  bars.at_most("profiles said to get faster or slower, %", changing, 1);
  if (!ratios.empty())
    bars.at_least("all but coarse, A: fixed-1000, geometric mean", geometric_mean(ratios), 30);
  if (!oracles.empty())
    bars.at_least("all but coarse, B: oracle, geometric mean", geometric_mean(oracles), 5);
}

int run(const Options& options) {
  if (options.only_situations) {
    Bars bars;
    check_situations({.first = options.first, .count = options.seeds}, options.only, bars);
    return bars.missed() == 0 ? 0 : 1;
  }
  std::vector<Result> results = measure(rows_of(options), options.seeds);
  compare(results, options.seeds);
  print_head();
  for (const Result& result : results) print_row(result);
  fmt::print("\n");
  Bars bars;
  for (const Result& result : results) check_row(result, options.seeds, bars);
  check_all(results, bars);
  constexpr std::uint64_t most_runs = 100;
  if (options.only.empty()) {
    check_zoom(options.seeds, bars);
    if (!options.is_quick) check_lines(options.seeds, bars);
    check_hot_calls(options.is_quick ? 4 * options.seeds : most_runs, bars);
  }
  return bars.missed() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace jcprof::bench

int main(int argc, char** argv) {
  jcprof::bench::Options options;
  CLI::App app(
      "Coverage of the intervals and number of shots on synthetic devices, beside 1000 fixed rounds");
  app.add_option("--seeds", options.seeds, "profiles of each row")->capture_default_str();
  app.add_option("--first", options.first,
                 "the first seed of situations; formulas are chosen on others than 1 to 26")
      ->capture_default_str();
  app.add_option("--only", options.only, "this device only");
  app.add_flag("--situations", options.only_situations, "only devices that break what measuring assumes");
  app.add_flag("--quick", options.is_quick, "less than a minute: some devices, the wider target");
  CLI11_PARSE(app, argc, argv);
  return jcprof::bench::run(options);
}
