// SPDX-License-Identifier: Apache-2.0
// How rounds become numbers: stops that were left out, twins, clocks, rounds that do not count.
#include <limits>
#include <numeric>
#include <random>

#include <catch2/catch.hpp>

#include "annotator/estimate/estimates.hpp"
#include "src/engine/schedule.hpp"
#include "tests/annotator/scripted_run.hpp"
#include "tests/annotator/synthetic_device.hpp"
#include "tests/annotator/trap_maps.hpp"

namespace jcprof::annotator {
namespace {

using enum TrapKind;

/// 1 p() { 10 a; 11 b; 12 c; 13 }, in a loop without a trap: 10 and 11 are passed twice.
TrapMap twice_map() {
  return MapMaker()
      .trap(entry0, "p", 1)
      .trap(entry, "p", 1)
      .trap(before, "p", 10)
      .trap(before, "p", 11)
      .trap(before, "p", 12)
      .trap(exit, "p", 13)
      .map();
}
const std::vector<Event> twice = path_of({1, 2, 3, 4, 3, 4, 5, 6});
const std::vector<double> twice_costs{100, 200, 3000, 400, 3100, 500, 6000, 70};

/// T at a position without any noise.
double reached(std::size_t position) {
  return std::accumulate(twice_costs.begin(), twice_costs.begin() + static_cast<std::ptrdiff_t>(position),
                         9000.0);
}

bool covers(const Interval& interval, double truth) {
  return interval.low <= truth && truth <= interval.high;
}

}  // namespace

TEST_CASE("where stops are left out of later rounds, a line is a sum of blocks as each is known best") {
  // From round 11 on only the second pass of line 10 is measured, and it takes another 500 there.
  RunData data = scripted_run(twice_map(), twice, 40, [](std::uint32_t round, std::size_t at) {
    std::optional<double> ticks = reached(at);
    if (round > 10 && at >= 5) *ticks += 500;
    if (round > 10 && at != 0 && at != 4 && at != 5 && at != 8) ticks.reset();
    return ticks;
  });
  data.looks = {{.number = 1, .method = Method::exact}};
  const Profile profile = estimate(data);
  REQUIRE(profile.blocks.size() == 8);
  CHECK(profile.blocks[2].cost.rounds == 10);
  CHECK(profile.blocks[2].cost.ticks.value == Approx(3000));
  CHECK(profile.blocks[4].cost.rounds == 40);
  CHECK(profile.blocks[4].cost.ticks.value == Approx(3600));
  const LineEstimate& line = *line_of(profile, 10);
  CHECK(line.cost.rounds == 10);  // those of the pass that is known worst
  CHECK(line.cost.ticks.value == Approx(3000 + 3600));
  CHECK(profile.functions.front().inclusive.ticks.value == Approx(13370 + 500));
  double blocks = 0;
  for (const BlockEstimate& block : profile.blocks) blocks += block.cost.ticks.value;
  CHECK(profile.total.raw == Approx(profile.entry.raw + blocks + profile.unattributed.value).epsilon(1e-12));
}

TEST_CASE(
    "a stop that was lost now and then does not cost its neighbours their rounds, one given up parts "
    "nothing") {
  const Profile lost = estimate(scripted_run(twice_map(), twice, 40, [](std::uint32_t round, std::size_t at) {
    return at == 3 && round % 10 == 0 ? engine::missing : reached(at);
  }));
  CHECK(lost.blocks.size() == 8);
  CHECK(lost.blocks[2].cost.rounds == 36);
  CHECK(lost.blocks[2].cost.ticks.value == Approx(3000));
  const Profile given_up =
      estimate(scripted_run(twice_map(), twice, 40, [](std::uint32_t round, std::size_t at) {
        std::optional<double> ticks = reached(at);
        if (at == 3 && round > 20) ticks = engine::missing;
        if (at == 3 && round > 22) ticks.reset();
        return ticks;
      }));
  REQUIRE(given_up.blocks.size() == 7);
  CHECK(given_up.blocks[2].passed == 2);
  CHECK(given_up.blocks[2].cost.rounds == 40);
  CHECK(given_up.blocks[2].cost.ticks.value == Approx(3400));
}

TEST_CASE("of two shots at a stop in a round the last one counts, and rounds before the first do not") {
  RunData data = scripted_run(twice_map(), twice, 30, [](std::uint32_t round, std::size_t at) {
    return reached(at) * (round <= 10 ? 3 : 1);
  });
  data.looks = {{.number = 0}, {.number = 1, .first_round = 11}};
  const std::vector<StoredSample> first = data.samples;
  for (StoredSample& sample : data.samples)
    if (sample.round == 30) sample.ticks *= 5;  // broken off, as it were
  for (const StoredSample& sample : first)
    if (sample.round == 30) data.samples.push_back(sample);
  const Profile profile = estimate(data);
  CHECK(profile.rounds == 20);
  CHECK(profile.shots == 31 * 9);
  CHECK(profile.total.ticks == Interval{22370, 22370, 22370});
  CHECK(profile.blocks[4].cost.ticks == Interval{3100, 3100, 3100});
  CHECK(line_of(profile, 10)->cost.ticks == Interval{6100, 6100, 6100});
}

TEST_CASE("stops of a level of the zoom that was cut off part nothing that earlier rounds know as a whole") {
  const auto profile_after = [](std::uint32_t rounds, Method method) {
    RunData data = scripted_run(twice_map(), twice, rounds, [](std::uint32_t round, std::size_t at) {
      const bool is_coarse = at == 0 || at == 4 || at == 8;
      return is_coarse || round > 10 ? std::optional(reached(at)) : std::nullopt;
    });
    data.looks = {{.number = 1, .rounds = 10, .method = method}};
    return estimate(data);
  };
  const Profile cut = profile_after(16, Method::fine);
  REQUIRE(cut.blocks.size() == 2);
  CHECK(cut.blocks[0].cost.rounds == 16);
  CHECK(cut.blocks[0].cost.ticks == Interval{3700, 3700, 3700});
  CHECK(cut.blocks[1].cost.ticks == Interval{9670, 9670, 9670});
  CHECK(cut.functions.front().inclusive.ticks == Interval{13370, 13370, 13370});
  CHECK(profile_after(17, Method::fine).blocks.size() == 8);
  CHECK(profile_after(11, Method::exact).blocks.size() == 8);
  // Where no stop has more rounds there is nothing to be known as a whole.
  CHECK(estimate(scripted_run(twice_map(), twice, 6, [](std::uint32_t, std::size_t at) {
          return std::optional(reached(at));
        })).blocks.size() == 8);
}

TEST_CASE("stops that joined late part nothing until there are a quarter more rounds") {
  const auto blocks_after = [](std::uint32_t rounds, std::uint32_t looked_at) {
    RunData data = scripted_run(twice_map(), twice, rounds, [](std::uint32_t round, std::size_t at) {
      const bool has_joined = (at != 4 && at != 5) || round > 60;
      return has_joined ? std::optional(reached(at)) : std::nullopt;
    });
    data.looks = {{.number = 1, .rounds = looked_at}};
    return estimate(data).blocks;
  };
  const std::vector<BlockEstimate> early = blocks_after(74, 60);
  REQUIRE(early.size() == 6);
  CHECK(early[3].cost.rounds == 74);
  CHECK(blocks_after(75, 60).size() == 8);
  CHECK(blocks_after(70, 70).size() == 8);  // there was a look at them
}

TEST_CASE("a round without its twin, in the middle of a run that was resumed, counts as a round") {
  const Profile profile =
      estimate(scripted_run(twice_map(), twice, 12, [](std::uint32_t round, std::size_t at) {
        // At every second command it is slower; the odd rounds and the even ones go opposite ways.
        const double extra = (round + at) % 2 == 0 ? 400 : 0;
        return round == 6 ? std::nullopt : std::optional(reached(at) + extra);
      }));
  CHECK(profile.rounds == 11);
  CHECK(profile.blocks[4].cost.rounds == 5);  // twins
  CHECK(profile.blocks[4].cost.ticks == Interval{3100, 3100, 3100});
  CHECK(profile.functions.front().inclusive.ticks.value == Approx(13370));
}

TEST_CASE("what comes at every second command is gone once twins are one") {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 5);
  const Profile profile =
      estimate(scripted_run(twice_map(), twice, 60, [&](std::uint32_t round, std::size_t at) {
        return reached(at) + ((round + at) % 2 == 0 ? 2000 : 0) + noise(random);
      }));
  CHECK(profile.blocks[4].cost.rounds == 30);
  CHECK(profile.blocks[4].cost.ticks.value == Approx(3100).margin(10));
  const LineEstimate& line = *line_of(profile, 10);
  CHECK(line.cost.rounds == 30);
  CHECK(line.cost.ticks.value == Approx(6100).margin(15));
  CHECK(line.cost.ticks.high - line.cost.ticks.low < 30);
}

TEST_CASE("where rounds run slower and faster, times are as in the usual one, and shares do not notice") {
  const Profile profile =
      estimate(scripted_run(twice_map(), twice, 40, [](std::uint32_t round, std::size_t at) {
        return 9000 + (reached(at) - 9000) * (1 + 0.01 * (static_cast<double>(round % 21) - 10));
      }));
  CHECK(profile.blocks[6].cost.ticks.value == Approx(6000).epsilon(0.001));
  CHECK(profile.blocks[6].cost.share.high - profile.blocks[6].cost.share.low < 0.001);
  CHECK(line_of(profile, 10)->cost.ticks.value == Approx(6100).epsilon(0.001));
  const LineEstimate& line = *line_of(profile, 10);
  CHECK(line.cost.share.high - line.cost.share.low < 0.001);
  // The speed is anything from 0.9 to 1.1 of the usual one.
  CHECK(line.cost.ticks.low < 0.92 * 6100);
  CHECK(line.cost.ticks.high > 1.08 * 6100);
}

TEST_CASE("a coarse clock is read by means, and lines are known far below its tick") {
  constexpr double tick = 1000;
  int asked = 0;
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> pause(0, tick);
    RunData data = scripted_run(twice_map(), twice, 200, [&](std::uint32_t round, std::size_t at) {
      const double begin = pause(random);
      const double ticks = (std::floor((begin + reached(at)) / tick) - std::floor(begin / tick)) * tick;
      return round == 50 && at == 5 ? 90000 : ticks;
    });
    data.looks = {{.number = 1, .method = Method::coarse, .tick = tick, .grid = 0}};
    const Profile profile = estimate(data);
    for (const auto& [line, truth] : {std::pair{10, 6100.0}, {11, 900.0}, {12, 6000.0}}) {
      const Interval& ticks = line_of(profile, static_cast<std::size_t>(line))->cost.ticks;
      ++asked;
      covered += covers(ticks, truth) ? 1 : 0;
      CHECK(ticks.high - ticks.low < 500);
    }
  }
  CHECK(static_cast<double>(covered) / asked > 0.9);
}

TEST_CASE("the interval of an exact clock is the spread of its readings") {
  RunData data = scripted_run(twice_map(), twice, 5, [](std::uint32_t round, std::size_t at) {
    return reached(at) + (at >= 5 ? 10 * round : 0);
  });
  data.looks = {{.number = 1, .method = Method::exact}};
  const Profile profile = estimate(data);
  CHECK(profile.blocks[2].cost.ticks == Interval{3000, 3000, 3000});
  CHECK(profile.blocks[4].cost.ticks == Interval{3130, 3110, 3150});
  CHECK(line_of(profile, 10)->cost.ticks == Interval{6130, 6110, 6150});
  CHECK(profile.blocks[4].hot == Hot::yes);
  CHECK(profile.blocks[7].hot == Hot::no);
}

TEST_CASE("behind a loop of 100,000 passes a block is within its interval of the truth") {
  constexpr std::uint32_t passes = 100'000;
  // 1 p() { 10 for (…) { 11 a; } 20 b; 21 }
  SyntheticDevice device{.map = MapMaker()
                                    .trap(entry0, "p", 1)
                                    .trap(entry, "p", 1)
                                    .trap(before, "p", 10, 12)
                                    .trap(loop_body, "p", 11)
                                    .trap(before, "p", 20)
                                    .trap(exit, "p", 21)
                                    .map(),
                         .pass = 10,
                         .counting = 8};
  std::vector<std::uint32_t> traps{1, 2, 3};
  device.costs = {100, 200, 300};
  traps.insert(traps.end(), passes, 4);
  device.costs.insert(device.costs.end(), passes, 30);
  traps.insert(traps.end(), {5, 6});
  device.costs.insert(device.costs.end(), {200'000, 80});
  device.path = path_of(traps);
  const std::vector<std::size_t> chosen = engine::choose_positions(device.path, 1);
  device.is_measured = [&](std::size_t at) { return std::ranges::binary_search(chosen, at); };
  const RunData data = device.run(30);
  const Profile profile = estimate(data);
  const auto behind_last_pass = [&](const Profile& of) {
    const auto last = [&](const BlockEstimate& block) { return block.from == Event{TrapId{4}, passes}; };
    return std::ranges::find_if(of.blocks, last)->cost.ticks;
  };
  const Interval last = behind_last_pass(profile);
  CHECK(last.low <= 30);
  CHECK(last.high >= 30);
  CHECK(last.high < 0.01 * profile.total.ticks.value);
  CHECK(covers(line_of(profile, 20)->cost.ticks, 200'000));
  CHECK(line_of(profile, 20)->cost.resolved);
  CHECK(covers(profile.loops.front().cost.ticks, 300 + 30.0 * passes));
  CHECK(profile.loops.front().passes == passes);
  // Otherwise the passes that were counted on the way to the last one are missing behind it.
  RunData uncorrected = data;
  std::erase_if(uncorrected.calibrations, [](const StoredCalibration& c) { return c.kind == "counting"; });
  const Profile wrong = estimate(uncorrected);
  CHECK(behind_last_pass(wrong).value == 0);
  CHECK(wrong.loops.front().cost.raw == Approx(300 + 30.0 * passes).epsilon(0.01));
  CHECK_FALSE(is_unreliable(wrong));
}

TEST_CASE("under an exact clock a helper that is called 65 times with other work each time is known") {
  // 1 p() { 10 for (…) { 11 help(); } 12 } 20 help() { 21 work; 22 }: one of the calls takes most of the
  // time.
  constexpr std::size_t calls = 65;
  SyntheticDevice device{.map = MapMaker()
                                    .trap(entry0, "p", 1)
                                    .trap(before, "p", 10, 12)
                                    .trap(loop_body, "p", 11)
                                    .trap(entry, "help", 20)
                                    .trap(before, "help", 21)
                                    .trap(exit, "help", 22)
                                    .trap(exit, "p", 12)
                                    .map(),
                         .noise = 0};
  std::vector<std::uint32_t> traps{1, 2};
  device.costs = {100, 10};
  double work = 0;
  for (std::size_t call = 0; call < calls; ++call) {
    traps.insert(traps.end(), {3, 4, 5, 6});
    const double each = call == 40 ? 401'000 : 100.0 * static_cast<double>(call % 7);
    device.costs.insert(device.costs.end(), {10, 20, each, 10});
    work += each;
  }
  traps.push_back(7);
  device.costs.push_back(10);
  device.path = path_of(traps);
  const std::vector<std::size_t> chosen =
      engine::choose_positions(device.path, 1, engine::measured_passes(device.path, true));
  device.is_measured = [&](std::size_t at) { return std::ranges::binary_search(chosen, at); };
  RunData data = device.run(5);
  data.looks = {{.number = 1, .method = Method::exact}};
  const Profile profile = estimate(data);
  CHECK(line_of(profile, 21)->cost.ticks.value == Approx(work).epsilon(0.001));
  CHECK(line_of(profile, 11)->cost.ticks.value == Approx(20 * calls).margin(50));
  CHECK(profile.lines.front().line == 21);
}

}  // namespace jcprof::annotator
