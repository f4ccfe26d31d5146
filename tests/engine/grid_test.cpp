// SPDX-License-Identifier: Apache-2.0
#include "src/engine/grid.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

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

constexpr GridSearch search{.longest_pause = 40, .finest = 0.3, .longest = 250};

}  // namespace

TEST_CASE("a grid is found to a hundredth of itself, also where it is longer than any pause") {
  for (const double grid : {1.0, 15.6, 22.0, 25.0, 50.0}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
      CHECK(find_grid(readings(grid, 0.15, seed), search) == Approx(grid).epsilon(0.01));
  }
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
