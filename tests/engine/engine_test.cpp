// SPDX-License-Identifier: Apache-2.0
// What an engine asks for next, answered by readings that a test says one by one.
#include "src/engine/engine.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

namespace jcprof::engine {
namespace {

using Stops = std::vector<std::size_t>;
/// The reading at a stop in a round; nothing: it was missed.
using Script = std::function<std::optional<double>(std::uint32_t round, std::size_t stop)>;

void answer(Engine& engine, const Script& script) {
  std::vector<Reading> readings;
  for (const PlannedShot& shot : engine.next().shots) {
    const std::optional<double> ticks = script(engine.next().round, shot.stop);
    readings.push_back(
        {.kind = ticks ? Reading::Kind::timed : Reading::Kind::missed, .ticks = ticks.value_or(0)});
  }
  engine.take(readings);
}

/// Answers until the next batch is of another phase, or of a round behind `rounds`.
void answer_rounds(Engine& engine, std::uint32_t rounds, const Script& script) {
  const Phase phase = engine.next().phase;
  while (engine.next().phase == phase && engine.next().round <= rounds) answer(engine, script);
}

Engine measuring(Settings settings) {
  Engine engine(std::move(settings));
  engine.resume_from({.pilot = {.whole = 10'000, .shot = 11'000}});
  return engine;
}

Stops asked(const Engine& engine) {
  Stops stops;
  for (const PlannedShot& shot : engine.next().shots)
    if (!shot.prepares) stops.push_back(shot.stop);
  std::ranges::sort(stops);
  return stops;
}

std::int64_t longest_pause(const Engine& engine) {
  std::int64_t longest = 0;
  for (const PlannedShot& shot : engine.next().shots) longest = std::max(longest, shot.pause_ns);
  return longest;
}

/// Noise of up to `most` whose twins are alike, in steps that are no clock's.
double noise(std::uint32_t round, double most) {
  return most * static_cast<double>((round - 1) / 2 * 37 % 100) / 100 + 1e-4 * round * round;
}

/// Blocks of 1000; those from `noisy` on to its end are as much longer as noise says.
Script blocks_of_1000(std::size_t noisy, double most) {
  return [=](std::uint32_t round, std::size_t stop) {
    return 1000.0 + 1000.0 * static_cast<double>(stop) + (stop > noisy ? noise(round, most) : 0);
  };
}

}  // namespace

TEST_CASE("an exact clock is read five times, without warm-up or pauses") {
  Engine engine({.stops = 3, .exact = true});
  std::uint32_t rounds = 0;
  for (; engine.next().phase != Phase::done; ++rounds) {
    CHECK(engine.next().phase == Phase::rounds);
    CHECK(longest_pause(engine) == 0);
    answer(engine, blocks_of_1000(9, 0));
  }
  CHECK(rounds == 5);
}

TEST_CASE("pauses of the warm-up are up to two commands long, those of rounds up to a twentieth") {
  Engine engine({.stops = 11, .ns_per_tick = 10});
  std::int64_t longest = 0;
  while (engine.next().phase == Phase::warm_up) {
    longest = std::max(longest, longest_pause(engine));
    answer(engine, blocks_of_1000(99, 0));
  }
  // The whole command takes 11,000 ticks of 10 ns.
  CHECK(longest <= 220'000);
  CHECK(longest > 150'000);
  longest = 0;
  for (int i = 0; i < 9; ++i) {
    longest = std::max(longest, longest_pause(engine));
    answer(engine, blocks_of_1000(99, 0));
  }
  CHECK(longest <= 5500);
  CHECK(longest > 4000);
}

TEST_CASE("on a grid pauses are up to its period") {
  Engine engine({.stops = 11, .ns_per_tick = 10});
  engine.resume_from({.pilot = {.grid = 2000, .whole = 10'000, .shot = 11'000},
                      .clock = {.method = Method::coarse, .tick = 2000}});
  CHECK(engine.clock().method == Method::coarse);
  std::int64_t longest = 0;
  for (int i = 0; i < 5; ++i) {
    longest = std::max(longest, longest_pause(engine));
    answer(engine, blocks_of_1000(99, 0));
  }
  CHECK(longest <= 20'000);
  CHECK(longest > 15'000);
}

TEST_CASE("a round pauses as long whatever shots came before it") {
  Engine warmed({.stops = 5});
  answer_rounds(warmed, 0, blocks_of_1000(99, 0));
  Engine skipped({.stops = 5});
  skipped.resume_from({.pilot = *warmed.pilot()});
  for (int i = 0; i < 3; ++i) {
    REQUIRE(warmed.next().shots.size() == skipped.next().shots.size());
    for (std::size_t shot = 0; shot < warmed.next().shots.size(); ++shot) {
      CHECK(warmed.next().shots[shot].stop == skipped.next().shots[shot].stop);
      CHECK(warmed.next().shots[shot].pause_ns == skipped.next().shots[shot].pause_ns);
    }
    answer(warmed, blocks_of_1000(99, 0));
    answer(skipped, blocks_of_1000(99, 0));
  }
}

TEST_CASE("in a round no end of the path comes behind the other end, and twins have equally many shots") {
  constexpr std::size_t stops = 6;
  Engine engine = measuring({.stops = stops, .most_rounds = 40, .fixed = true});
  std::set<std::size_t> sizes;  // a round that begins at an end does not wrap around
  while (engine.next().phase != Phase::done) {
    const std::vector<PlannedShot> shots = engine.next().shots;
    answer(engine, blocks_of_1000(1, 500));
    for (std::size_t i = 1; i < shots.size(); ++i) {
      if (shots[i].prepares) continue;
      if (shots[i].stop == 0) CHECK(shots[i - 1].stop == 1);
      if (shots[i].stop == stops - 1) CHECK(shots[i - 1].stop == stops - 2);
    }
    REQUIRE(engine.next().round % 2 == 0);
    CHECK(engine.next().shots.size() == shots.size());
    answer(engine, blocks_of_1000(1, 500));
    sizes.insert(shots.size());
  }
  CHECK(sizes == std::set<std::size_t>{stops, stops + 1});
}

TEST_CASE("the first look is after ten rounds, and a measurement ends with its most rounds") {
  Engine engine = measuring({.stops = 5, .most_rounds = 12, .fixed = true});
  answer_rounds(engine, 9, blocks_of_1000(1, 500));
  CHECK(engine.looks() == 0);
  answer_rounds(engine, 10, blocks_of_1000(1, 500));
  CHECK(engine.looks() == 1);
  CHECK(engine.first_round() == 1);
  answer_rounds(engine, 99, blocks_of_1000(1, 500));
  CHECK(engine.next().phase == Phase::done);
  CHECK(engine.looks() == 2);
  CHECK(engine.look()->blocks.size() == 4);
}

TEST_CASE("rounds before a clock is found to be coarse are not part of the result") {
  const Script steps = [](std::uint32_t round, std::size_t stop) {
    return 1000.0 * static_cast<double>(stop + 1 + (round / 2 + stop) % 2);
  };
  Engine engine = measuring({.stops = 5});
  answer_rounds(engine, 10, steps);
  CHECK(engine.clock().method == Method::coarse);
  CHECK(engine.clock().tick == 1000);
  CHECK(engine.first_round() == 11);
  CHECK(engine.next().round == 11);
  // Too late for another ten rounds.
  Engine brief = measuring({.stops = 5, .most_rounds = 15});
  answer_rounds(brief, 10, steps);
  CHECK(brief.clock().method == Method::fine);
  CHECK(brief.first_round() == 1);
}

TEST_CASE("settled blocks are measured no longer, but the ends are, and as many stops as a gain needs") {
  Engine engine = measuring({.stops = 21});
  answer_rounds(engine, 10, blocks_of_1000(12, 3000));
  // The noisy block lies between 12 and 13.
  CHECK(asked(engine) == Stops{0, 12, 13, 20});
  Engine first = measuring({.stops = 21});
  answer_rounds(first, 10, blocks_of_1000(0, 3000));
  CHECK(asked(first).size() == 4);
  CHECK(asked(first).front() == 0);
  CHECK(asked(first).back() == 20);
}

TEST_CASE("a measurement does not end before its last block is settled") {
  Engine engine = measuring({.stops = 21});
  answer_rounds(engine, 10, blocks_of_1000(12, 3000));
  CHECK(engine.look()->settled == 19);
  CHECK(engine.next().phase == Phase::rounds);
}

TEST_CASE("a stop that answered once is kept, and one that never did is left out") {
  const auto answers_in = [](std::uint32_t rounds) {
    return [rounds](std::uint32_t round, std::size_t stop) {
      return stop == 2 && round > rounds
                 ? std::nullopt
                 : std::optional(1000.0 * static_cast<double>(stop + 1) + noise(round, 300));
    };
  };
  Engine once = measuring({.stops = 5, .fixed = true});
  answer_rounds(once, 10, answers_in(1));
  CHECK(once.stops() == Stops{0, 1, 2, 3, 4});
  Engine never = measuring({.stops = 5, .fixed = true});
  answer_rounds(never, 10, answers_in(0));
  CHECK(never.stops() == Stops{0, 1, 3, 4});
}

TEST_CASE("two blocks round a stop that was given up are of no line") {
  // Blocks 0, 8 and 9 are of one line, of which only 8 and 9 are not settled, together.
  Engine engine = measuring({.stops = 12, .groups = {9, 1, 2, 3, 4, 5, 6, 7, 9, 9, 8}});
  engine.give_up(9);
  answer_rounds(engine, 10, blocks_of_1000(8, 3000));
  CHECK(asked(engine) == Stops{0, 8, 10, 11});
}

TEST_CASE("when all stops but the end are given up there is nothing to measure") {
  Engine engine = measuring({.stops = 3});
  engine.give_up(0);
  CHECK(asked(engine) == Stops{1, 2});
  engine.give_up(1);
  CHECK(engine.next().phase == Phase::done);
}

TEST_CASE("a lost shot is followed by a warm-up, and that by the next round") {
  Engine engine = measuring({.stops = 5});
  std::vector<Reading> readings(engine.next().shots.size(), {.kind = Reading::Kind::timed, .ticks = 1000});
  readings[2].kind = Reading::Kind::lost;
  engine.take(readings);
  CHECK(engine.next().phase == Phase::warm_up);
  answer_rounds(engine, 0, blocks_of_1000(99, 0));
  CHECK(engine.next().phase == Phase::rounds);
  CHECK(engine.next().round == 2);
}

TEST_CASE("a warm-up that is given up is followed by rounds, and its pilot says that it was not steady") {
  int n = 0;
  const Script ever_slower = [&n](std::uint32_t, std::size_t stop) {
    return stop == 0 ? 100.0 : 1000.0 + 10 * ++n;
  };
  Engine engine({.stops = 3});
  for (int window = 0; window < 12; ++window) answer(engine, ever_slower);
  REQUIRE(engine.next().phase == Phase::warm_up);
  engine.give_up_warm_up();
  CHECK(engine.next().phase == Phase::rounds);
  CHECK(asked(engine) == Stops{0, 1, 2});
  REQUIRE(engine.pilot());
  CHECK_FALSE(engine.pilot()->steady);
  CHECK(engine.pilot()->whole > 1000);
  CHECK(engine.has_cut_warm_up());
  // One between rounds goes back to these; where none is under way nothing happens.
  engine.warm_up_again();
  engine.give_up_warm_up();
  engine.give_up_warm_up();
  CHECK(engine.next().phase == Phase::rounds);
}

TEST_CASE("what is done is not warmed up again") {
  Engine engine = measuring({.stops = 3, .most_rounds = 2, .fixed = true});
  answer_rounds(engine, 2, blocks_of_1000(99, 0));
  engine.warm_up_again();
  CHECK(engine.next().phase == Phase::done);
}

TEST_CASE("shots that are left follow from the half width, which shrinks with the root of the rounds") {
  // Of 1 to 10 the interval at 95 % is 2.657658 to 8.342342 (statistics_test.cpp): of a block of 995.5 its
  // half width is 0.0028552.
  const auto left = [](double absolute) {
    Engine engine =
        measuring({.stops = 2, .precision = {.absolute = absolute, .relative = 0, .alpha = 0.05}});
    answer_rounds(engine, 10,
                  [](std::uint32_t round, std::size_t stop) { return stop == 0 ? 100.0 : 1090.0 + round; });
    return engine.shots_left();
  };
  // Half as wide takes four times the rounds: 30 more, of two stops.
  CHECK(left(0.0028552 / 2) == Approx(60).margin(1));
  // There are four rounds before the next look, however little is missing.
  CHECK(left(0.0028) == 8);
  CHECK(left(0.003) == 0);
}

TEST_CASE("the zoom measures the ends of segments that are not decided, and later of those that are hot") {
  const Script hot_at_40 = [](std::uint32_t round, std::size_t stop) {
    return 1000 + static_cast<double>(stop) + (stop > 40 ? 10'000 + noise(round, 10) : noise(round, 0.1));
  };
  Engine engine = measuring({.stops = 65, .zoom = 0.1});
  CHECK(engine.next().phase == Phase::zoom);
  CHECK(asked(engine) == Stops{0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64});
  answer_rounds(engine, 10, hot_at_40);
  CHECK(asked(engine) == Stops{0, 40, 41, 42, 43, 44, 64});
}

TEST_CASE("rounds of the zoom are part of the result until there is a look at those behind it") {
  const Script hot_at_40 = [](std::uint32_t round, std::size_t stop) {
    return 1000 + static_cast<double>(stop) + (stop > 40 ? 10'000 + noise(round, 10) : noise(round, 0.1));
  };
  Engine engine = measuring({.stops = 65, .zoom = 0.1});
  std::uint32_t last = 0;
  for (; engine.next().phase == Phase::zoom; ++last) {
    CHECK(engine.first_round() == 1);
    answer_rounds(engine, last + 1, hot_at_40);
  }
  REQUIRE(engine.next().phase == Phase::rounds);
  answer_rounds(engine, last + 9, hot_at_40);
  CHECK(engine.first_round() == 1);
  answer_rounds(engine, last + 10, hot_at_40);
  CHECK(engine.first_round() == last + 1);
}

TEST_CASE("a zoom that its most rounds end has them all as its result") {
  const Script flat = [](std::uint32_t round, std::size_t stop) {
    return 1000 + static_cast<double>(stop) + noise(round, 0.1);
  };
  Engine engine = measuring({.stops = 65, .most_rounds = 14, .zoom = 0.001});
  answer_rounds(engine, 14, flat);
  CHECK(engine.next().phase == Phase::done);
  CHECK(engine.first_round() == 1);
}

TEST_CASE("a level of the zoom that cannot be decided ends after a hundred rounds") {
  // Sixteen segments of 6.25 % each, and 6.25 % is hot; each is as often longer as shorter, by up to five
  // times.
  const Script at_the_threshold = [](std::uint32_t round, std::size_t stop) {
    return 100'000 + 1000 * static_cast<double>(stop) + (stop % 4 == 2 ? noise(round, 20'000) - 10'000 : 0);
  };
  Engine engine = measuring({.stops = 33, .zoom = 0.0625});
  // Looks are after 10, 14, 18, 24, 30, 38, 48, 60, 76, 96 and 120 rounds.
  answer_rounds(engine, 96, at_the_threshold);
  CHECK(engine.times().rounds() == 96);
  answer_rounds(engine, 120, at_the_threshold);
  CHECK(engine.times().rounds() == 0);
}

}  // namespace jcprof::engine
