// SPDX-License-Identifier: Apache-2.0
// What the engine says of devices whose truth is known: a small part of bench/statistics, with fixed seeds.
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/parallel.hpp"
#include "tests/support/trial.hpp"

namespace jcprof::test {
namespace {

constexpr std::uint64_t seeds = 10;
constexpr std::size_t fixed_rounds = 1000;

DeviceModel model(std::string_view device, std::string_view noise = "") {
  const DeviceModel plain = device_named(device).value();
  return noise.empty() ? plain : with_noise(plain, noise).value();
}

struct Summary {
  Tally tally;
  std::uint64_t shots = 0;
  std::uint64_t settled = 0;  // profiles that ended because all was good enough
  std::uint64_t coarse = 0;   // profiles in which steps of a clock or a grid were seen
};

Summary summary(const Experiment& experiment) {
  std::vector<Experiment> all(seeds, experiment);
  for (std::uint64_t s = 0; s < seeds; ++s) all[s].seed = s + 1;
  Summary summary;
  for (const Trial& trial : parallel_map(all, run_trial)) {
    summary.tally.add(tally(trial, experiment.precision));
    summary.shots += trial.shots;
    if (trial.look.settled == trial.look.blocks.size()) ++summary.settled;
    if (trial.clock.method == Method::coarse) ++summary.coarse;
  }
  return summary;
}

TEST_CASE("intervals hold the truth on every device, at a tenth of the shots of a thousand rounds",
          "[statistics]") {
  Tally all;
  for (const std::string_view device : device_names()) {
    INFO(device);
    const Summary result = summary({.model = model(device)});
    const bool is_coarse = device == "coarse";
    CHECK(result.tally.coverage() >= (is_coarse ? 0.90 : 0.93));
    CHECK(result.tally.accuracy() >= 0.95);
    CHECK(result.settled == seeds);
    CHECK(result.coarse == (is_coarse ? seeds : 0));
    if (!is_coarse) CHECK(10 * result.shots <= seeds * fixed_rounds * 21);
    all.add(result.tally);
  }
  CHECK(all.coverage() >= 0.94);
}

TEST_CASE("what recurs every so many commands, or has no variance, does not fool the intervals",
          "[statistics]") {
  for (const std::string_view noise : noise_names()) {
    if (noise.starts_with("grid")) continue;
    INFO(noise);
    const Summary result = summary({.model = model("card", noise)});
    CHECK(result.tally.coverage() >= 0.93);
    CHECK(result.settled == seeds);
    CHECK(result.coarse == 0);
  }
}

TEST_CASE("a grid on which the replies come is found, and smoothed by pauses", "[statistics]") {
  for (const std::string_view noise : {"grid-1ms", "grid-15.6ms"}) {
    INFO(noise);
    const Summary result = summary({.model = model("card", noise)});
    CHECK(result.tally.coverage() >= 0.93);
    CHECK(result.coarse == seeds);
    // The coarser one would need two thousand rounds: all are used, and nothing is called settled.
    CHECK(result.settled == (noise == "grid-1ms" ? seeds : 0));
  }
}

TEST_CASE("all hot blocks of a thousand are found at a hundredth of the shots", "[statistics]") {
  for (const std::string_view device : {"card", "ecall"}) {
    INFO(device);
    const Experiment experiment{.model = model(device), .blocks = 1000, .zoom = 0.01};
    const Trial trial = run_trial(experiment);
    const Found found = found_blocks(trial, experiment, 0.0125);
    CHECK(found.blocks > 0);
    CHECK(found.missed == 0);
    CHECK(100 * trial.shots <= fixed_rounds * 1001);
  }
}

TEST_CASE("a block at the threshold is not called hot or cold, however often it is looked at",
          "[statistics]") {
  Experiment experiment{.model = model("card"), .precision = {.absolute = 0.001, .relative = 0}};
  const std::vector<double> work = work_at_stops(experiment.model, experiment.blocks, experiment.shape);
  experiment.precision.hot = (work[2] - work[1]) / work.back();
  for (experiment.seed = 1; experiment.seed <= seeds; ++experiment.seed) {
    const Trial trial = run_trial(experiment);
    CHECK(trial.hot_mistakes == std::vector<bool>(experiment.blocks, false));
  }
}

}  // namespace
}  // namespace jcprof::test
