// SPDX-License-Identifier: Apache-2.0
// Devices whose stops cost more at one trap than at another, which no calibration tells.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "annotator/estimate/estimates.hpp"
#include "tests/annotator/scripted_run.hpp"
#include "tests/annotator/synthetic_device.hpp"
#include "tests/annotator/trap_maps.hpp"

namespace jcprof::annotator {
namespace {

using enum TrapKind;

constexpr std::size_t passes = 4;

/// 1 p() { 10 for (4 times) { 11 f(); 12 } 20 x; 21 }      30 f() { 31 work; 32 return }
SyntheticDevice device_of(std::uint64_t seed, double traps_differ) {
  SyntheticDevice device{.map = MapMaker()
                                    .trap(entry0, "p", 1)
                                    .trap(entry, "p", 1)
                                    .trap(before, "p", 10, 12)
                                    .trap(loop_body, "p", 11)
                                    .trap(after, "p", 12)
                                    .trap(before, "p", 20)
                                    .trap(exit, "p", 21)
                                    .trap(entry, "f", 30)
                                    .trap(before, "f", 31)
                                    .trap(returns, "f", 32)
                                    .map(),
                         .traps_differ = traps_differ,
                         .seed = seed};
  std::vector<std::uint32_t> traps{1, 2, 3};
  device.costs = {1000, 700, 300};
  for (std::size_t i = 0; i < passes; ++i) {
    traps.insert(traps.end(), {4, 8, 9, 10, 5});
    device.costs.insert(device.costs.end(), {400, 900, 2000, 350, 600});
  }
  traps.insert(traps.end(), {6, 7});
  device.costs.insert(device.costs.end(), {5000, 800});
  device.path = path_of(traps);
  return device;
}

const std::map<std::size_t, double> truth_of_lines{
    {1, 1700}, {10, 300 + passes * 600}, {11, passes * (400 + 350)}, {20, 5000},
    {21, 800}, {30, passes * 900},       {31, passes * 2000}};
constexpr double truth_of_f = passes * (900 + 2000);
constexpr double truth_of_loop = 300 + passes * (400 + 900 + 2000 + 350 + 600);

struct Covered {
  int asked = 0;
  int held = 0;
  int without = 0;  // held by the interval without the doubt of places
  void add(const Estimate& estimate, double truth) {
    ++asked;
    const auto holds = [&](const Interval& ticks) { return ticks.low <= truth && truth <= ticks.high; };
    if (holds(estimate.ticks)) ++held;
    if (holds(*estimate.comparable)) ++without;
  }
  double part() const { return static_cast<double>(held) / asked; }
  double part_without() const { return static_cast<double>(without) / asked; }
};

/// No noise but that of the calibrations of stops: doubts are all that intervals hold.
RunData quiet_run(SyntheticDevice device, Ticks calibrations_differ) {
  device.pass = device.counting = device.noise = 0;
  RunData data = device.run(10);
  std::map<std::string, int> repetitions;
  for (StoredCalibration& one : data.calibrations)
    if (one.kind == "stop" || one.kind == "frames" || one.kind == "guards")
      one.ticks += ++repetitions[one.kind] % 2 == 0 ? calibrations_differ : -calibrations_differ;
  return data;
}

/// The lower end may be kept from falling below nothing.
double upper_width(const Estimate& estimate) {
  return estimate.ticks.high - estimate.ticks.value;
}

// Of a stop that costs 4000.
constexpr double doubt = 0.22 * 4000;

}  // namespace

TEST_CASE("where stops cost more at one trap than at another, intervals hold", "[statistics]") {
  Covered blocks;
  Covered lines;
  Covered functions;
  Covered loops;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const SyntheticDevice device = device_of(seed, 0.2);
    const Profile profile = estimate(device.run(20));
    for (std::size_t i = 0; i < device.costs.size(); ++i) blocks.add(profile.blocks[i].cost, device.costs[i]);
    for (const LineEstimate& line : profile.lines) lines.add(line.cost, truth_of_lines.at(line.line));
    for (const FunctionEstimate& f : profile.functions)
      if (f.function == "f") functions.add(f.inclusive, truth_of_f);
    loops.add(profile.loops.at(0).cost, truth_of_loop);
  }
  for (const Covered* kind : {&blocks, &lines, &functions, &loops}) {
    INFO(kind->part() << ", without the doubt of places " << kind->part_without());
    CHECK(kind->part() >= 0.95);
    CHECK(kind->part_without() < 0.7);
  }
}

TEST_CASE("where stops cost more at one trap than at another, what is hot or hottest is so, or is left open",
          "[statistics]") {
  constexpr int runs = 100;
  constexpr double hot = 0.03;
  int wrong = 0;
  int decided = 0;
  int named = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    const SyntheticDevice device = device_of(seed, 0.2);
    const double whole = std::accumulate(device.costs.begin(), device.costs.end(), 0.0);
    RunData data = device.run(60);
    data.run.hot = hot;
    const Profile profile = estimate(data);
    bool is_wrong = false;
    for (std::size_t i = 0; i < device.costs.size(); ++i) {
      const Hot call = profile.blocks[i].hot;
      if (call == Hot::undecided) continue;
      ++decided;
      is_wrong |= (call == Hot::yes) != (device.costs[i] >= hot * whole);
    }
    if (is_wrong) ++wrong;
    if (std::ranges::count(profile.hottest_lines.among, 31U, &HotPlace::line) > 0) ++named;
  }
  CHECK(wrong <= 0.05 * runs);
  CHECK(decided > 0);
  CHECK(named >= 0.95 * runs);
}

TEST_CASE(
    "a sum has the doubt of its two ends, however many stops lie between, and once for each of its parts") {
  const Profile profile = estimate(quiet_run(device_of(1, 0), 100));
  const double of_two_traps = doubt * std::numbers::sqrt2;
  CHECK(upper_width(profile.blocks[3].cost) == Approx(of_two_traps).epsilon(1e-3));
  CHECK(upper_width(profile.loops.at(0).cost) == Approx(of_two_traps).epsilon(1e-3));
  CHECK(upper_width(line_of(profile, 31)->cost) == Approx(passes * of_two_traps).epsilon(1e-3));
  // From the stop in line 21 to the end there is one.
  CHECK(upper_width(line_of(profile, 21)->cost) == Approx(doubt).epsilon(0.01));
  CHECK(profile.total.ticks.high == profile.total.ticks.value);
}

TEST_CASE("from one hit of a trap to the next nothing is unknown of what stops there cost") {
  SyntheticDevice device = device_of(1, 0);
  device.is_measured = [path = device.path](std::size_t i) {
    return path[i].trap == TrapId{4} || number(path[i].trap) == 3 || number(path[i].trap) == 6;
  };
  const Profile profile = estimate(quiet_run(device, 100));
  REQUIRE(profile.blocks.size() == 6);
  for (std::size_t pass = 1; pass < passes; ++pass)
    CHECK(upper_width(profile.blocks[pass].cost) == Approx(0).margin(1e-6));
  CHECK(upper_width(profile.blocks[passes].cost) > doubt);
}

TEST_CASE("where calibrations agree to the tick, or the clock is exact, there is no doubt") {
  for (const bool is_exact : {false, true}) {
    RunData data = quiet_run(device_of(1, 0), is_exact ? 1 : 0);
    if (is_exact) data.looks = {{.number = 1, .method = Method::exact}};
    const Profile profile = estimate(data);
    for (std::size_t i = 0; i + 1 < profile.blocks.size(); ++i)
      CHECK(upper_width(profile.blocks[i].cost) == Approx(0).margin(1e-6));
  }
}

TEST_CASE("steps that take less than nothing show how far stops differ, but not one step alone") {
  const TrapCost cost{.stop = {1000, 990, 1010}};
  const auto doubt_of = [&](const std::vector<Interval>& ticks, Method method = Method::fine) {
    std::vector<Step> steps;
    for (const Interval& one : ticks) steps.push_back({TrapId{1}, TrapId{2}, one});
    return place_doubt(cost, method, steps, {0, 1, 2}).stop;
  };
  const Interval step{50, 40, 60};
  const Interval unknown{-9000, -HUGE_VAL, HUGE_VAL};
  CHECK(doubt_of({}) == Approx(220));
  CHECK(doubt_of({unknown}) == Approx(220));
  CHECK(doubt_of({step, step, step, step, step, {-9000, -9010, -8990}}) == Approx(220));
  CHECK(doubt_of({{-400, -430, -370}, {-400, -430, -370}, step, step, unknown}) ==
        Approx(1.96 / 0.6745 * 340 / std::numbers::sqrt2));
  CHECK(doubt_of({}, Method::exact) == 0);
  CHECK(doubt_of({{-10, -11, -9}}, Method::exact) == Approx(1.96 / 0.6745 * (10 - 2) / std::numbers::sqrt2));
}

TEST_CASE("stops at one trap add up and cancel, and those at several are independent") {
  Places places;
  places.add(TrapId{1}, 1);
  places.add(TrapId{2}, -3);
  places.add(TrapId{2}, 1);
  const PlaceDoubt alone{.stop = 100, .site = 100, .groups = {0, 1, 2}};
  CHECK(places.half_width(alone) == Approx(100 * std::sqrt(1 + 4)));
  Places other;
  other.add(TrapId{1}, 0.5);
  places.add(other, -2);
  CHECK(places.half_width(alone) == Approx(200));
}

TEST_CASE("stops at statements of one function differ by their sites alone") {
  Places places;
  places.add(TrapId{1}, -3);
  places.add(TrapId{2}, 3);
  CHECK(places.half_width({.stop = 100, .site = 10, .groups = {0, 1, 1}}) == Approx(30 * std::sqrt(2)));
  CHECK(places.half_width({.stop = 100, .site = 10, .groups = {0, 1, 2}}) == Approx(300 * std::sqrt(2)));
  places.add(TrapId{2}, -3);
  CHECK(places.half_width({.stop = 100, .site = 10, .groups = {0, 1, 1}}) == Approx(300));
}

TEST_CASE("sites are known where they were calibrated, the clock is fine and no step says otherwise") {
  const TrapCost cost{.stop = {1000, 990, 1010}, .site = 20};
  const Groups groups{0, 1, 1, 3, 3};
  const auto doubt_of = [&](const Interval& ticks, Method method = Method::fine) {
    return place_doubt(cost, method, std::vector<Step>{{TrapId{1}, TrapId{2}, ticks}}, groups);
  };
  const PlaceDoubt known = doubt_of({-30, -35, -25});
  CHECK(known.stop == Approx(220));
  CHECK(known.site == 20);
  CHECK(known.groups == groups);
  CHECK(doubt_of({-50, -55, -45}).groups == Groups{0, 1, 2, 3, 3});
  CHECK(doubt_of({-48, -58, -38}).groups == groups);
  // A step from one function to another says nothing of either.
  CHECK(place_doubt(cost, Method::fine, std::vector<Step>{{TrapId{1}, TrapId{3}, {-50, -55, -45}}}, groups)
            .groups == groups);
  CHECK(doubt_of({-500, -510, -490}).site > 220);  // as of a stop: sites were calibrated too well
  CHECK(doubt_of({50, 40, 60}, Method::coarse).site == Approx(220));
  CHECK(place_doubt({.stop = {1000, 990, 1010}}, Method::fine, {}, groups).site == Approx(220));
  CHECK(place_doubt({.stop = {1000, 990, 1010}, .site = 500}, Method::fine, {}, groups).site == Approx(220));
}

TEST_CASE("statements of one function under as many guards are one group, and other traps are alone") {
  TrapMap map;
  const auto add = [&](TrapKind kind, const char* function, std::uint32_t guards = 0) {
    map.traps.push_back({.id = TrapId{static_cast<std::uint32_t>(map.traps.size() + 1)},
                         .kind = kind,
                         .function = function,
                         .path = "A.java",
                         .guards = guards});
  };
  add(entry, "f");
  add(before, "f");
  add(loop_body, "f");
  add(before, "f", 1);
  add(after, "f");
  add(exit, "f");
  add(entry, "g");
  add(before, "g");
  add(entry, "f");  // another one
  add(before, "f");
  CHECK(groups_of(map) == Groups{0, 1, 2, 2, 4, 2, 6, 7, 8, 9, 10});
}

}  // namespace jcprof::annotator
