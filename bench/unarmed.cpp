// SPDX-License-Identifier: Apache-2.0
// What traps cost a program that nobody measures: the same program built with them and without, turn about,
// in processor time.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bench/processor_time.hpp"
#include "programs/main_guard.hpp"
#include "src/core/error.hpp"
#include "src/core/process.hpp"
#include "src/engine/statistics.hpp"

namespace jcprof::bench {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string bare;
  std::string with_traps;
  std::vector<std::string> arguments;
  std::string name;
  std::uint32_t pairs = 15;
};

double milliseconds_of(const std::string& program, const Options& options) {
  std::vector<std::string> argv{program};
  argv.insert(argv.end(), options.arguments.begin(), options.arguments.end());
  return milliseconds_of_children([&] {
    const ProcessResult result =
        run_and_wait({.argv = argv, .cwd = fs::current_path()}, {}, std::chrono::minutes{5});
    if (result.exit_status != 0)
      throw environment_error(
          fmt::format("\"{}\" failed with status {}\n{}", program, result.exit_status, result.tail));
  });
}

ExitCode compare(const Options& options) {
  std::vector<double> bare;
  std::vector<double> with_traps;
  std::vector<double> ratio;
  for (std::uint32_t pair = 0; pair < options.pairs; ++pair) {
    const auto run_bare = [&] { bare.push_back(milliseconds_of(options.bare, options)); };
    if (pair % 2 == 0) run_bare();
    with_traps.push_back(milliseconds_of(options.with_traps, options));
    if (pair % 2 == 1) run_bare();
    ratio.push_back(with_traps.back() / bare.back());
  }
  const engine::Interval interval = engine::sign_interval(ratio, 0.05);
  const auto [least, most] = std::ranges::minmax(ratio);
  fmt::print(
      "{:<10} | {:>6.0f} ms bare | {:>6.0f} ms with unarmed traps | {:.2f} times   95 % interval {:.2f} to "
      "{:.2f}, "
      "{} pairs from {:.2f} to {:.2f}\n",
      options.name, engine::median(bare), engine::median(with_traps), interval.value, interval.low,
      interval.high, options.pairs, least, most);
  return ExitCode::done;
}

}  // namespace
}  // namespace jcprof::bench

int main(int argc, char** argv) {
  CLI::App app{"What unarmed traps cost a program.", "bench-unarmed"};
  jcprof::bench::Options options;
  app.add_option("NAME", options.name, "what to call it")->required();
  app.add_option("BARE", options.bare, "the program without traps")->required();
  app.add_option("TRAPS", options.with_traps, "the same with traps")->required();
  app.add_option("ARGUMENT", options.arguments, "what both are given");
  app.add_option("--pairs", options.pairs, "of one run each")
      ->check(CLI::Range(7U, 1000U))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return jcprof::cli::guarded([&] { return jcprof::bench::compare(options); });
}
