// SPDX-License-Identifier: Apache-2.0
#include "src/engine/leak_search.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "tests/engine/leaking_device.hpp"

namespace jcprof::engine {
namespace {

using test::LeakingDevice;

LeakFindings searched(LeakingDevice device, LeakSettings settings = {}) {
  settings.stops = device.blocks;
  settings.seed = device.seed;
  return search_leak(settings, device);
}

TEST_CASE(
    "a block of half a sigma is found among 37 in 19 of 20 runs, with a third of the shots of a sweep") {
  int right = 0;
  double shots = 0;
  constexpr int runs = 40;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    const std::size_t block = seed * 7 % 37;
    const LeakFindings found = searched({.leaks = {{block, 50}}, .seed = seed});
    right += found.blocks.size() == 1 && found.blocks[0].begin == block && found.blocks[0].end == block + 1 &&
                     found.blocks[0].is_confirmed
                 ? 1
                 : 0;
    shots += static_cast<double>(found.shots);
  }
  CHECK(right >= runs * 19 / 20);
  CHECK(shots <= 37.0 * static_cast<double>(LeakSettings{}.sweep_shots) * runs / 3);
}

TEST_CASE("a block is found with a clock whose steps are four times what it leaks") {
  int right = 0;
  constexpr int runs = 20;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    const std::size_t block = seed * 7 % 37;
    const LeakFindings found =
        searched({.sigma = 30, .leaks = {{block, 50}}, .step = 200, .seed = seed}, {.most_shots = 4000});
    right += found.blocks.size() == 1 && found.blocks[0].begin == block && found.blocks[0].end == block + 1 &&
                     found.blocks[0].is_confirmed
                 ? 1
                 : 0;
  }
  CHECK(right >= runs * 17 / 20);
}

TEST_CASE("the shift of the block has its interval, and the whole command has another") {
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const LeakFindings found = searched({.leaks = {{5, 60}, {30, 40}}, .seed = seed});
    REQUIRE(found.is_found);
    if (found.blocks.size() != 1) continue;
    const double truth = found.blocks[0].begin == 5 ? 60 : found.blocks[0].begin == 30 ? 40 : 0;
    covered += found.blocks[0].shift.low <= truth && truth <= found.blocks[0].shift.high ? 1 : 0;
  }
  CHECK(covered >= 35);
}

TEST_CASE("no leak is found where there is none, and the findable one is told") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const LeakFindings found = searched({.left_over = 0.08, .seed = seed});
    CHECK_FALSE(found.is_found);
    CHECK(found.blocks.empty());
    CHECK(found.findable > 10);
    CHECK(found.findable < 60);
    CHECK(found.shots == 2000);
  }
}

TEST_CASE("a leak that later code cancels is found by a sweep alone") {
  const LeakingDevice device{.leaks = {{10, 80}, {20, -80}}};
  CHECK_FALSE(searched(device).is_found);
  const LeakFindings swept = searched(device, {.sweeps = true});
  REQUIRE(swept.is_found);
  REQUIRE(swept.blocks.size() == 2);
  CHECK(swept.blocks[0].begin == 10);
  CHECK(swept.blocks[0].shift.low > 0);
  CHECK(swept.blocks[1].begin == 20);
  CHECK(swept.blocks[1].shift.high < 0);
}

TEST_CASE("a sweep of a long path looks at some stops and searches between them") {
  const LeakFindings swept =
      searched({.blocks = 1000, .leaks = {{333, 100}}}, {.sweeps = true, .sweep_shots = 300});
  REQUIRE(swept.blocks.size() == 1);
  CHECK(swept.blocks[0].begin == 333);
  CHECK(swept.blocks[0].end == 334);
}

TEST_CASE("a leak of the tail alone is found, with the whole command as its place") {
  const LeakFindings found = searched({.blocks = 1, .tail = 0.1});
  CHECK(found.is_found);
  REQUIRE(found.blocks.size() == 1);
  CHECK(found.blocks[0].end == 1);
}

TEST_CASE("a sweep that the budget ends proves nothing, and what it could find is that of all stops") {
  const LeakFindings spent = searched({.most = 400}, {.sweeps = true});
  CHECK(spent.is_spent);
  CHECK_FALSE(spent.is_found);
  const LeakFindings whole = searched({.blocks = 8});
  const LeakFindings swept = searched({.blocks = 8}, {.sweeps = true});
  CHECK(swept.findable > 1.5 * whole.findable);
}

TEST_CASE("a sweep that finds no block itself searches the whole command's") {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const LeakFindings swept = searched({.leaks = {{20, 55}}, .seed = seed}, {.sweeps = true});
    found += !swept.blocks.empty() && swept.blocks[0].begin == 20 ? 1 : 0;
  }
  CHECK(found >= 4);
}

TEST_CASE("shots of one class that come less often to their stop are no leak, and are told") {
  LeakingDevice device;
  std::uint64_t shot = 0;
  const ClassedShots some_missing = [&](std::span<const std::size_t> stops) {
    std::vector<ClassedTime> times = device(stops);
    for (ClassedTime& time : times)
      if (time.is_second && ++shot % 2 == 0) time.ticks = missing;
    return times;
  };
  CHECK(search_leak({.stops = 37}, some_missing).is_uneven);
  CHECK_FALSE(searched({}).is_uneven);
}

TEST_CASE("a budget that ends early leaves what is known") {
  const LeakFindings found = searched({.leaks = {{5, 50}}, .most = 500});
  CHECK(found.is_spent);
  CHECK(found.shots == 500);
  const LeakFindings none = searched({.most = 0});
  CHECK(none.is_spent);
  CHECK_FALSE(none.is_found);
}

TEST_CASE("what the class of the command before left behind is told, and is no leak") {
  // Behind the last stop: no time holds it, but the next command finds it.
  const LeakFindings found = searched({.leaks = {{37, 1000}}, .left_over = 0.2});
  CHECK(found.leaves_behind);
  CHECK_FALSE(found.is_found);
  CHECK_FALSE(searched({.left_over = 0.2}).leaves_behind);
}

TEST_CASE("shots that do not come to their stop are not counted, and end some time") {
  const ClassedShots missing_all = [](std::span<const std::size_t> stops) {
    return std::vector<ClassedTime>(stops.size(), {.ticks = missing});
  };
  const LeakFindings found = search_leak({.stops = 3}, missing_all);
  CHECK_FALSE(found.is_found);
  CHECK(found.looks.front().times.empty());
}

}  // namespace
}  // namespace jcprof::engine
