// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/trap_cost.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

namespace jcprof::annotator {
namespace {

using Times = std::vector<Ticks>;

void add(std::vector<StoredCalibration>& calibrations, const std::string& kind, std::uint64_t passes,
         const Times& times) {
  for (const Ticks ticks : times) calibrations.push_back({kind, passes, ticks});
}

/// The cost of a pass whose loops of a hundred took so much longer than empty ones.
Interval pass_of(const Times& longer) {
  std::vector<StoredCalibration> calibrations;
  add(calibrations, "empty", 100, Times(longer.size(), 5000));
  Times unarmed = longer;
  for (Ticks& ticks : unarmed) ticks += 5000;
  add(calibrations, "unarmed", 100, unarmed);
  return trap_cost(calibrations, 0.05).pass;
}

}  // namespace

TEST_CASE("the interval of a few calibrations is their range") {
  CHECK(pass_of({1000, 1700, 1200}) == Interval{12, 10, 17});
}

TEST_CASE("a calibrated cost is never below nothing, nor is an end of its interval") {
  CHECK(pass_of({-500, -300, 400}) == Interval{0, 0, 4});
  CHECK(pass_of({-500, -300, -400}) == Interval{0, 0, 0});
  CHECK(pass_of({-500, 300, 400}) == Interval{3, 0, 4});
  CHECK(pass_of({}) == Interval{0, 0, 0});
}

TEST_CASE("a frame costs by how much unwinding is dearer than returning") {
  std::vector<StoredCalibration> calibrations;
  add(calibrations, "returned", 0, {1000});
  add(calibrations, "stop", 0, {1700});
  add(calibrations, "calls", 10, {1050});
  add(calibrations, "frames", 10, {2350});
  add(calibrations, "guards", 10, {3150});
  const TrapCost cost = trap_cost(calibrations, 0.05);
  CHECK(cost.stop.value == 700);
  CHECK(cost.frame.value == Approx((2350 - 1700 - (1050 - 1000)) / 10.0));
  CHECK(cost.guard.value == 80);
}

TEST_CASE(
    "a kind that was refused costs nothing and has no doubt, and what others cost does not depend on it") {
  const Interval none{0, 0, 0};
  const auto cost_without = [](const std::vector<std::string>& refused) {
    const std::vector<std::pair<std::string, Ticks>> kinds{
        {"empty", 5000}, {"unarmed", 9000}, {"counting", 9700}, {"returned", 10}, {"stop", 730}};
    std::vector<StoredCalibration> calibrations;
    for (const auto& [kind, ticks] : kinds)
      if (std::ranges::find(refused, kind) == refused.end())
        add(calibrations, kind, kind == "stop" || kind == "returned" ? 1 : 100, {ticks, ticks, ticks});
    return trap_cost(calibrations, 0.05);
  };
  CHECK(cost_without({}).pass == Interval{40, 40, 40});
  CHECK(cost_without({}).counting == Interval{7, 7, 7});
  CHECK(cost_without({}).stop == Interval{720, 720, 720});
  CHECK(cost_without({"counting"}).pass == Interval{40, 40, 40});
  CHECK(cost_without({"counting"}).counting == none);
  CHECK(cost_without({"counting"}).stop == Interval{720, 720, 720});
  CHECK(cost_without({"unarmed"}).pass == none);
  CHECK(cost_without({"unarmed"}).counting == Interval{47, 47, 47});
  CHECK(cost_without({"returned"}).stop == none);
  CHECK(cost_without({"stop"}).stop == none);
}

TEST_CASE("where the unwinding alone was timed a frame is the slope between none and many") {
  std::vector<StoredCalibration> calibrations;
  for (int i = 0; i < 3; ++i) {
    add(calibrations, "unwind", 0, {1000 + 7 * i});
    add(calibrations, "unwind", 64, {1000 + 7 * i + 64 * 50});
  }
  CHECK(trap_cost(calibrations, 0.05).frame == Interval{50, 50, 50});
  std::vector<StoredCalibration> none;
  add(none, "unwind", 0, {1000, 1200, 1100, 1300});
  CHECK(trap_cost(none, 0.05).frame == Interval{0, 0, 0});
}

TEST_CASE("stops at several sites of a function show how far sites differ, passes before them taken off") {
  std::vector<StoredCalibration> calibrations;
  add(calibrations, "empty", 100, {5000, 5000, 5000});
  add(calibrations, "unarmed", 100, {9000, 9000, 9000});
  add(calibrations, "counting", 100, {9700, 9700, 9700});
  CHECK(std::isinf(trap_cost(calibrations, 0.05).site));
  add(calibrations, "sites", 1, {1547, 9047});
  CHECK(std::isinf(trap_cost(calibrations, 0.05).site));
  add(calibrations, "sites", 2, {1594 + 10, 1094 + 10});
  add(calibrations, "sites", 3, {1641 + 20, 1141 + 20});
  const auto add_turns = [&](int turns) {
    for (const Ticks site : {1, 2, 3})
      add(calibrations, "sites", static_cast<std::uint64_t>(site),
          Times(turns, 1000 + 47 * site + 10 * (site - 1)));
  };
  add_turns(7);
  CHECK(std::isinf(trap_cost(calibrations, 0.05).site));  // nine turns may all have been disturbed
  add_turns(1);
  // 1000, 1010, 1020, in a slow turn as well, and a reading far out: a standard deviation of 10, times
  // Student's 4.303 of two degrees of freedom
  CHECK(trap_cost(calibrations, 0.05).site == Approx(43.03).epsilon(1e-3));
}

namespace {

constexpr TrapCost costs{.pass = {40, 38, 42},
                         .counting = {25, 24, 26},
                         .stop = {4000, 3970, 4030},
                         .frame = {60, 57, 63},
                         .guard = {110, 105, 115}};

}  // namespace

TEST_CASE("what is taken off is the sum of what was passed") {
  CHECK(cost_of({.passes = 100, .counted = 50, .stops = 1, .frames = 2, .guards = 4}, costs) ==
        100 * 40 + 50 * 25 + 4000 + 2 * 60 + 4 * 110);
}

TEST_CASE("the doubt of what is taken off has each part's own, and of passes fifteen percent more") {
  const auto doubt = [](const TrapCount& count) { return half_width_of(count, costs); };
  // A pass is known to 2, and may be another by 0.15 x 40 = 6.
  CHECK(doubt({.passes = 100}) == Approx(100 * std::sqrt(4.0 + 36)));
  CHECK(doubt({.counted = 50}) == Approx(50));
  CHECK(doubt({.stops = 1}) == Approx(30));
  CHECK(doubt({.frames = 2}) == Approx(6));
  CHECK(doubt({.guards = 4}) == Approx(20));
  CHECK(doubt({.passes = 100, .counted = 50, .stops = 1, .frames = 2, .guards = 4}) ==
        Approx(std::sqrt(400'000 + 2500 + 900 + 36 + 400)));
}

TEST_CASE("no kind costs more than what the times leave to one of it") {
  CostLimits limits;
  limits.take({.passes = 1, .stops = 1}, 9000);
  limits.take({.passes = 10, .counted = 4, .stops = 1, .frames = 2}, 12000);
  limits.take({.passes = 30, .frames = 0}, 15000);
  CHECK(limits.pass == 500);
  CHECK(limits.counted == 3000);
  CHECK(limits.stop == 9000);
  CHECK(limits.frame == 6000);
  CHECK(std::isinf(limits.guard));
  limits.take({.stops = 1}, -5);  // noise, where costs that are known were taken off
  CHECK(limits.stop == 0);
}

TEST_CASE("a target is accused of what neither calibrated costs nor limits of the others can explain") {
  const CostLimits none;
  const CostLimits limits{.pass = 10, .counted = 20, .stop = 600, .frame = 40, .guard = 80};
  constexpr double counts = 0.25;  // a limit is asked for four times over
  const TrapCost unknown{
      .pass = {0, 0, 0}, .counting = {0, 0, 0}, .stop = {0, 0, 0}, .frame = {0, 0, 0}, .guard = {0, 0, 0}};
  const TrapCount begin{.passes = 7, .counted = 6, .stops = 1, .frames = 3, .guards = 1};
  const TrapCount same{.passes = 7, .counted = 6, .stops = 1, .frames = 3, .guards = 1};
  CHECK(widest_doubt(begin, same, unknown, limits) == Approx(600.0 / 6 * 2));
  CHECK(widest_doubt(begin, {.passes = 9, .counted = 1, .stops = 1, .frames = 1, .guards = 2}, unknown,
                     limits) == Approx(600.0 / 6 * 2 + counts * (2 * 10 + 5 * 20 + 2 * 40 + 80)));
  CHECK(widest_doubt(begin, {.passes = 7, .counted = 6, .frames = 3, .guards = 1}, unknown, limits) ==
        Approx(600.0 / 6 + counts * 600));
  CHECK(std::isinf(widest_doubt(begin, {.passes = 8, .counted = 6, .frames = 3}, unknown, none)));
  // Of what was calibrated limits say nothing.
  CHECK(widest_doubt(begin, same, costs, none) == Approx(4000.0 / 6 * 2));
  const TrapCount end{.passes = 7, .counted = 2, .stops = 1, .frames = 1, .guards = 3};
  CHECK(widest_doubt(begin, end, costs, none) ==
        Approx(std::sqrt(16.0 + 36 + 100) + (2 * 4000 + 4 * 25 + 2 * 60 + 2 * 110) / 6.0));
}

TEST_CASE("a share of what was passed counts as that part of it") {
  TrapCount count{.passes = 1, .counted = 2, .stops = 3, .frames = 4, .guards = 5};
  count.add({.passes = 10, .counted = 20, .stops = 30, .frames = 40, .guards = 50}, 0.5);
  CHECK(count.passes == 6);
  CHECK(count.counted == 12);
  CHECK(count.stops == 18);
  CHECK(count.frames == 24);
  CHECK(count.guards == 30);
}

}  // namespace jcprof::annotator
