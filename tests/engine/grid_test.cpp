// SPDX-License-Identifier: Apache-2.0
#include "src/engine/grid.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "src/engine/engine.hpp"

using namespace jcprof::engine;

namespace {

/// 60 answers of a command of `of_end` ms (every second one stops after 9) that come at multiples of `grid`.
std::vector<PausedReading> readings(double grid, double noise, std::uint64_t seed, double of_end = 70) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> pause(0, 40);
  std::lognormal_distribution<double> skewed(0, 0.6);
  std::vector<PausedReading> result;
  for (int i = 0; i < 60; ++i) {
    const double waited = pause(random);
    const double work = (i % 2 == 0 ? 9 : of_end) + noise * skewed(random);
    const double answered = grid > 0 ? std::ceil((waited + work) / grid) * grid : waited + work;
    result.push_back({.time = answered - waited, .pause = waited});
  }
  return result;
}

/// Answers of a short command on a grid so long that no pause moves them to the next step.
std::vector<PausedReading> at_one_step(double grid, double noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> pause(0, 40);
  std::lognormal_distribution<double> skewed(0, 0.6);
  std::vector<PausedReading> result;
  for (int i = 0; i < 60; ++i) {
    const double waited = pause(random);
    result.push_back({.time = grid + noise * skewed(random) - waited, .pause = waited});
  }
  return result;
}

/// A command of which both stops take `work` ms, and whose answers come at steps of `grid` ms. Returns the
/// engine behind its warm-up, and the longest pause it asked for.
std::pair<Engine, std::int64_t> warmed_up(double grid, double work) {
  constexpr double ns_per_ms = 1e6;
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> skewed(0, 0.6);
  Engine engine({.stops = 2});
  std::int64_t longest = 0;
  const auto answer = [&] {
    std::vector<Reading> readings;
    for (const PlannedShot& shot : engine.next().shots) {
      const double waited = static_cast<double>(shot.pause_ns) / ns_per_ms;
      const double took = std::ceil((waited + work + 0.01 * skewed(random)) / grid) * grid - waited;
      readings.push_back({.kind = Reading::Kind::timed, .ticks = std::round(took * ns_per_ms)});
      longest = std::max(longest, shot.pause_ns);
    }
    engine.take(readings);
  };
  while (engine.next().phase == Phase::warm_up) answer();
  for (int round = 0; round < 10; ++round) answer();
  return {std::move(engine), longest};
}

constexpr GridSearch search{.longest_pause = 40, .finest = 0.3, .longest = 250};

}  // namespace

TEST_CASE("a grid is found to a hundredth of itself, also where it is longer than any pause") {
  for (const double grid : {1.0, 15.6, 22.0, 25.0, 50.0}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
      CHECK(find_grid(readings(grid, 0.15, seed), search) == Approx(grid).epsilon(0.01));
  }
}

TEST_CASE("where all answers come at one step, their time is the period, or longer than any") {
  for (const double noise : {0.0, 1e-7, 0.15})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      for (const double grid : {60.0, 100.0, 150.0, 249.0})
        CHECK(find_grid(at_one_step(grid, noise, seed), search) == Approx(grid).epsilon(0.01));
      CHECK(find_grid(at_one_step(400, noise, seed), search) == 0);
    }
}

TEST_CASE("no period is longer than what is looked for") {
  for (const double grid : {100.0, 200.0, 249.0, 251.0, 300.0, 400.0, 1000.0})
    for (std::uint64_t seed = 1; seed <= 50; ++seed)
      for (const double pause : {40.0, 120.0, 250.0}) {
        GridSearch wide = search;
        wide.longest_pause = pause;
        std::vector<PausedReading> some = readings(grid, 0.15, seed);
        std::mt19937_64 random(seed);
        for (PausedReading& one : some) {
          one.pause = std::uniform_real_distribution<double>(0, pause)(random);
          one.time = std::ceil((one.pause + 0.3 * grid) / grid) * grid - one.pause;
        }
        const double found = find_grid(some, wide);
        CHECK((found >= 0 && found <= 250));
      }
}

TEST_CASE("the longest period that is looked for is found") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<PausedReading> some;
    for (int i = 0; i < 60; ++i) {
      const double waited = std::uniform_real_distribution<double>(0, 250)(random);
      some.push_back({.time = 250 * std::ceil((waited + 70) / 250) - waited, .pause = waited});
    }
    CHECK(find_grid(some, {.longest_pause = 250, .finest = 0.3, .longest = 250}) ==
          Approx(250).epsilon(0.01));
  }
}

TEST_CASE("a short command is paused longer until its grid shows, and never longer than a grid is") {
  for (const double grid : {60.0, 100.0, 150.0, 240.0, 400.0}) {
    const auto& [engine, longest] = warmed_up(grid, 0.3 * grid);
    INFO(grid << " ms");
    CHECK(longest <= 250'000'000);
    REQUIRE(engine.pilot());
    if (grid < 250) CHECK(engine.pilot()->grid == Approx(grid * 1e6).epsilon(0.01));
  }
  // All stops wait for the second step. Pauses of up to twice that tell the period.
  CHECK(warmed_up(100, 110).first.pilot()->grid == Approx(100e6).epsilon(0.01));
}

TEST_CASE("a long command is paused no longer than a grid is") {
  CHECK(warmed_up(1e-6, 60'000).second <= 250'000'000);
}

TEST_CASE("the search ends, however fine a grid would matter") {
  CHECK(find_grid(readings(1, 0.15, 1), {.longest_pause = 40, .finest = 1e-12, .longest = 250}) ==
        Approx(1).epsilon(0.01));
}

TEST_CASE("where there is none, none is found") {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed)
    found += find_grid(readings(0, 0.15, seed), search) > 0 ? 1 : 0;
  CHECK(found <= 2);
}

TEST_CASE("a command that is shorter than the pauses shows no grid where there is none") {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed)
    found += find_grid(readings(0, 0.01, seed, 10), search) > 0 ? 1 : 0;
  CHECK(found <= 2);
}

TEST_CASE("without pauses or readings there is nothing to say") {
  CHECK(find_grid({}, search) == 0);
  CHECK(find_grid(readings(1, 0.15, 1), {.longest_pause = 0, .finest = 0.3, .longest = 250}) == 0);
  CHECK(find_grid(readings(1, 0.15, 1), {.longest_pause = 40, .finest = 0, .longest = 250}) == 0);
}
