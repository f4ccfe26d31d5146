// SPDX-License-Identifier: Apache-2.0
// Passes of loops that join a measurement when a line needs them.
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <catch2/catch.hpp>

#include "src/engine/engine.hpp"
#include "tests/support/synthetic_device.hpp"

namespace jcprof::engine {
namespace {

using Stops = std::vector<std::size_t>;

constexpr std::size_t passes = 64;
constexpr std::size_t stops = 2 * passes + 1;

/// Block 2n is a pass of edge 1, and in sample n % 4. Between these are stretches of several edges.
Settings loop(double half_width_of_one_pass) {
  Settings settings{.stops = stops, .precision = {.absolute = 0.01, .relative = 0}};
  for (std::size_t s = 0; s < stops; ++s) {
    settings.edges.push_back(s % 2 == 0 ? 1 : 0);
    settings.samples.push_back(s + 1 == stops ? 0 : static_cast<std::uint32_t>(s / 2 % 4));
  }
  settings.edges.pop_back();
  settings.figures = [=](const Times& times, std::span<const std::size_t> measured, const Clock&) {
    double count = 0;
    for (std::size_t c = 0; c + 1 < measured.size(); ++c)
      count += measured[c] % 2 == 0 && measured[c + 1] == measured[c] + 1 ? 1 : 0;
    const double whole = 1000.0 * (stops - 1);
    return std::vector{Figure{.name = "line",
                              .ranges = {{.begin = 0, .end = times.blocks()}},
                              .noise = 0.006 * whole,
                              .passes = whole * half_width_of_one_pass / std::sqrt(count),
                              .passes_of = {0}}};
  };
  return settings;
}

Engine begun(const Settings& settings,
             const EarlierRounds& earlier = {.pilot = {.whole = 1e6, .shot = 1e6}}) {
  Engine engine(settings);
  engine.resume_from(earlier);
  return engine;
}

std::vector<Reading> readings_of(const Batch& batch) {
  std::vector<Reading> readings;
  for (const PlannedShot& shot : batch.shots)
    readings.push_back({.kind = Reading::Kind::timed,
                        .ticks = 5000 + 1000.0 * static_cast<double>(shot.stop) +
                                 test::normal(7, batch.round * 1000 + shot.stop, 0)});
  return readings;
}

/// Until it is done; the rounds that it made.
std::vector<RoundReadings> run(Engine& engine, std::size_t most = 1000) {
  std::vector<RoundReadings> rounds;
  while (engine.next().phase != Phase::done && rounds.size() < most) {
    const Batch batch = engine.next();
    const std::vector<Reading> readings = readings_of(batch);
    RoundReadings& round = rounds.emplace_back();
    for (std::size_t i = 0; i < readings.size(); ++i) round.push_back({batch.shots[i].stop, readings[i]});
    engine.take(readings);
  }
  return rounds;
}

std::size_t passes_of(const Engine& engine) {
  return static_cast<std::size_t>(std::ranges::count_if(
      engine.stops(), [](std::size_t stop) { return stop % 2 == 0 && stop + 1 < stops; }));
}

}  // namespace

TEST_CASE("whole samples join until there are so many passes, or all") {
  const Settings settings = loop(0);
  MorePasses more(stops, settings.samples, settings.edges);
  CHECK(more.first_stops().size() == 2 * passes / 4 + 1);
  CHECK(more.has_more(1));
  CHECK_FALSE(more.has_more(2));
  CHECK(more.waits(2));
  CHECK_FALSE(more.waits(0));
  // Sixteen times 1.5 are not more than two samples have.
  const Stops second = more.next(1, 1.5, stops);
  CHECK(second.size() == 2 * passes / 4);
  CHECK(Stops(second.begin(), second.begin() + 3) == Stops{2, 3, 10});
  CHECK(more.next(2, 1.5, stops).empty());
  // The nearest to 35 are 32, and to 42 they are 48.
  CHECK(more.next(1, 2.2, stops) == second);
  CHECK(more.next(1, 2.6, stops).size() == 2 * second.size());
  for (const std::size_t stop : second) more.join(stop);
  CHECK_FALSE(more.waits(2));
  CHECK(more.next(1, 1, stops).empty());
  const Stops others = more.next(1, 100, stops);
  CHECK(others.size() == passes);
  CHECK(more.has_more(1));
  for (const std::size_t stop : others) more.join(stop);
  CHECK_FALSE(more.has_more(1));
  CHECK(more.next(1, 100, stops).empty());
  CHECK(more.joined().size() == 2 * passes * 3 / 4);
}

TEST_CASE("passes join where others tell most, and behind that once none is left there") {
  const Settings settings = loop(0);
  MorePasses more(stops, settings.samples, settings.edges);
  // Pass 15 ends at stop 31. Four passes up to there are measured, and so many are in each sample.
  CHECK(more.next(1, 2, 31) == Stops{2, 3, 10, 11, 18, 19, 26, 27});
  const Stops near = more.next(1, 100, 31);
  CHECK(near.size() == 2 * 12);
  CHECK(near.back() == 31);
  CHECK(more.next(1, 100, 30).back() == 29);
  for (const std::size_t stop : near) more.join(stop);
  CHECK(more.next(1, 1.5, 31).front() == 34);
}

TEST_CASE("stops that join have no times yet, and are open with their neighbours") {
  Columns columns = columns_for({0, 10, 20, 30});
  columns.times.add_round(std::vector<double>{1, 2, 3, 4});
  columns.open = {true, false, false, true};
  columns.attempts = {5, 6, 7, 8};
  columns.hits = {1, 2, 3, 4};
  add(columns, {12, 13});
  CHECK(columns.stops == Stops{0, 10, 12, 13, 20, 30});
  CHECK(columns.open == std::vector<bool>{true, true, true, true, true, true});
  CHECK(columns.attempts == std::vector<std::uint32_t>{5, 6, 0, 0, 7, 8});
  CHECK(columns.hits == std::vector<std::uint32_t>{1, 2, 0, 0, 3, 4});
  CHECK(columns.times.at(1).front() == 2);
  CHECK(is_missing(columns.times.at(2).front()));
  CHECK(columns.times.at(5).front() == 4);
  CHECK(columns.times.rounds() == 1);
  CHECK(blocks_between({0, 10, 20, 30}, columns.stops, {0, 1}) == Stops{0, 1, 2, 3});
  CHECK(blocks_between({0, 10, 20, 30}, columns.stops, {2}) == Stops{4});
  CHECK(blocks_between(columns.stops, {0, 10, 20, 30}, {2, 3}) == Stops{1});
  CHECK(blocks_between(columns.stops, {12, 13}, {0, 4}).empty());
  columns.open.assign(6, false);
  add(columns, {31});
  CHECK(columns.open == std::vector<bool>{false, false, false, false, false, true, true});
}

TEST_CASE("more passes are measured where they differ too much, and only then") {
  // Half widths of 0.4 and 0.85 % with sixteen passes; 0.7 % are allowed to them, and noise has 0.6 %.
  Engine alike = begun(loop(0.016));
  CHECK(run(alike).size() == first_look);
  CHECK(passes_of(alike) == passes / 4);
  CHECK(alike.figures().front().settled);
  Engine different = begun(loop(0.034));
  run(different);
  CHECK(passes_of(different) == passes / 2);
  CHECK(different.figures().front().settled);
  CHECK(different.figures().front().lasting == 0);
}

TEST_CASE("passes that joined are looked at after as many rounds as the first ones") {
  Engine engine = begun(loop(0.034));
  const std::vector<RoundReadings> rounds = run(engine);
  CHECK(rounds.size() == 2 * first_look);
  CHECK(engine.looks() == 2);
  std::map<std::size_t, std::size_t> readings;
  for (const RoundReadings& round : rounds)
    for (const StopReading& one : round) ++readings[one.stop];
  CHECK(readings.size() == engine.stops().size());
  for (const auto& [stop, count] : readings) CHECK(count >= first_look);
}

TEST_CASE("a forecast counts the rounds and the shots of passes that join, once") {
  Engine engine = begun(loop(0.034));
  run(engine, first_look);
  const FigureLook& line = engine.figures().front();
  REQUIRE(passes_of(engine) == passes / 2);
  CHECK(line.open);
  CHECK(line.rounds_left >= first_look);
  CHECK(line.shots_left >= first_look * 2.0 * passes / 4);
  CHECK(line.more_passes == 1);
  // Those of the look, in the numbers of the columns with the new stops among them.
  REQUIRE_FALSE(line.wanted.empty());
  CHECK(line.wanted.back() > passes / 2);
}

TEST_CASE("a warm-up begins at a stop that is measured from the first round on") {
  Settings settings = loop(0.034);
  settings.samples[0] = settings.samples[1] = 1;
  const Engine engine(settings);
  CHECK(engine.next().shots.front().stop == 8);
}

TEST_CASE("a line whose passes differ too much to be known ends when all that may be are measured") {
  Engine engine = begun(loop(1));
  run(engine);
  CHECK(passes_of(engine) == passes);
  CHECK_FALSE(engine.figures().front().settled);
  CHECK(engine.figures().front().lasting == Approx(1 / std::sqrt(passes)).epsilon(0.001));
}

TEST_CASE("no passes join a run of a given number of rounds, nor one with too few rounds left") {
  Settings settings = loop(0.034);
  settings.fixed = true;
  settings.most_rounds = 30;
  Engine fixed = begun(settings);
  CHECK(run(fixed).size() == 30);
  CHECK(passes_of(fixed) == passes / 4);
  settings.fixed = false;
  settings.most_rounds = 18;
  Engine brief = begun(settings);
  run(brief);
  CHECK(passes_of(brief) == passes / 4);
}

TEST_CASE("a run is resumed with the passes that have joined") {
  Engine whole = begun(loop(0.034));
  const std::vector<RoundReadings> rounds = run(whole);
  Engine first = begun(loop(0.034));
  EarlierRounds earlier{.pilot = {.whole = 1e6, .shot = 1e6}, .rounds = run(first, 14)};
  REQUIRE(first.next().phase == Phase::rounds);
  Engine second = begun(loop(0.034), earlier);
  CHECK(second.stops() == first.stops());
  CHECK(second.looks() == 1);
  REQUIRE(second.figures().size() == 1);
  CHECK(second.figures().front().half == first.figures().front().half);
  CHECK(second.shots_left() == first.shots_left());
  CHECK(run(second).size() == rounds.size() - 14);
  CHECK(second.stops() == whole.stops());
  CHECK(second.figures().front().settled);
  // They join as well where the earlier call ended with the look that asks for them.
  earlier.rounds.resize(first_look);
  Engine third = begun(loop(0.034), earlier);
  CHECK(third.stops() == whole.stops());
}

TEST_CASE("a zoom sees only the passes that are measured from the first round on") {
  Settings settings = loop(0.034);
  settings.zoom = 0.001;
  settings.alone.assign(stops - 1, true);
  Engine engine = begun(settings);
  CHECK(engine.stops().size() == 2 * passes / 4 + 1);
  run(engine);
  CHECK(passes_of(engine) == passes / 2);
  // The rounds of the zoom are no part of the result, also where a call ends before the next look.
  settings.alone.clear();
  Engine with_levels = begun(settings);
  const std::vector<RoundReadings> rounds = run(with_levels);
  CHECK(passes_of(with_levels) == passes / 2);
  CHECK(with_levels.first_round() > 1);
  const std::vector<RoundReadings> some(rounds.begin(), rounds.end() - 6);
  const Engine resumed = begun(settings, {.pilot = {.whole = 1e6, .shot = 1e6}, .rounds = some});
  CHECK(resumed.first_round() == with_levels.first_round());
}

TEST_CASE("stops that were given up do not join") {
  Engine engine = begun(loop(0.034));
  constexpr std::size_t waiting = 2;
  engine.give_up(waiting);
  run(engine, 14);
  CHECK(passes_of(engine) == passes / 2 - 1);
  CHECK_FALSE(std::ranges::binary_search(engine.stops(), waiting));
  const Stops before = engine.stops();
  const std::size_t joined = 3;
  REQUIRE(std::ranges::binary_search(before, joined));
  engine.give_up(joined);
  CHECK(engine.stops().size() == before.size() - 1);
}

TEST_CASE("where rounds begin again, only the first passes are measured until a look wants more") {
  EarlierRounds earlier{.pilot = {.whole = 1e6, .shot = 1e6}};
  Engine first = begun(loop(0.034));
  earlier.rounds = run(first, 14);
  earlier.prepared_from = earlier.rounds.size();
  earlier.rounds.resize(16);
  Engine engine = begun(loop(0.034), earlier);
  CHECK(engine.is_prepared());
  CHECK(passes_of(engine) == passes / 4);
  run(engine);
  CHECK(passes_of(engine) == passes / 2);
}

TEST_CASE("a path of which only passes are left that do not take part yet is given up") {
  Engine engine = begun(loop(0.034));
  for (const std::size_t stop : Stops(engine.stops()))
    if (stop + 1 < stops) engine.give_up(stop);
  CHECK(engine.next().phase == Phase::done);
}

TEST_CASE("the rounds of passes that will join count in what is left") {
  Engine engine = begun(loop(0.034));
  run(engine, first_look - 1);
  CHECK(engine.shots_left() == 0);
  Settings settings = loop(0.034);
  settings.most_rounds = first_look + 1;  // too few are left
  Engine brief = begun(settings);
  run(brief, first_look);
  CHECK(brief.shots_left() < first_look * passes);
  // Where a look wants more passes after an odd number of rounds, they join later.
  EarlierRounds earlier{.pilot = {.whole = 1e6, .shot = 1e6}};
  Engine whole = begun(loop(0.034));
  earlier.rounds = run(whole, first_look);
  earlier.rounds.emplace_back();
  Engine odd = begun(loop(0.034), earlier);
  CHECK(passes_of(odd) == passes / 4);
  CHECK(odd.shots_left() >= first_look * 2 * passes / 4);
  CHECK(odd.figures().front().shots_left >= first_look * 2 * passes / 4);
}

}  // namespace jcprof::engine
