// SPDX-License-Identifier: Apache-2.0
// Engines that begin with the rounds of earlier ones.
#include <algorithm>
#include <functional>
#include <vector>

#include <catch2/catch.hpp>

#include "src/engine/engine.hpp"
#include "tests/support/synthetic_device.hpp"

namespace jcprof::engine {
namespace {

constexpr std::size_t blocks = 20;

/// A target whose readings depend on nothing but round and stop: whoever asks is told the same.
double ticks_at(std::uint32_t round, std::size_t stop, double most) {
  return 10'000.0 + 5000.0 * static_cast<double>(stop) + most * test::normal(7, round, 2 * stop);
}

struct Recording {
  EarlierRounds earlier;
  std::vector<std::vector<std::size_t>> asked;    // by round
  std::vector<std::vector<std::size_t>> counted;  // of these, what a round is made of
  double left_over = 0;  // of the whole: what a command that ends behind the middle leaves to the next one
};

/// Answers until the engine is done or `rounds` are there, and notes all of it.
void answer_until(Engine& engine, std::uint32_t rounds, double noise, Recording& into) {
  while (engine.next().phase != Phase::done && engine.next().round <= rounds) {
    const Batch batch = engine.next();
    RoundReadings round;
    std::vector<Reading> readings;
    std::vector<std::size_t> asked;
    std::vector<std::size_t> counted;
    std::size_t before = 0;
    for (const PlannedShot& shot : batch.shots) {
      const double more = before > blocks / 2 ? into.left_over * 5000 * blocks : 0;
      before = shot.stop;
      readings.push_back(
          {.kind = Reading::Kind::timed, .ticks = ticks_at(batch.round, shot.stop, noise) + more});
      asked.push_back(shot.stop);
      if (shot.prepares) continue;
      round.push_back({shot.stop, readings.back()});
      counted.push_back(shot.stop);
    }
    if (batch.phase != Phase::warm_up) {
      if (batch.shots.front().prepares)
        into.earlier.prepared_from = std::min(into.earlier.prepared_from, into.earlier.rounds.size());
      into.earlier.rounds.push_back(round);
      into.asked.push_back(asked);
      into.counted.push_back(counted);
    }
    engine.take(readings);
  }
  if (engine.pilot()) into.earlier.pilot = *engine.pilot();
  into.earlier.clock = engine.clock();
}

Recording measured(const Settings& settings, std::uint32_t rounds, double noise = 800, double left_over = 0) {
  Engine engine(settings);
  Recording recording{.left_over = left_over};
  answer_until(engine, rounds, noise, recording);
  return recording;
}

Settings settings_for(double absolute) {
  return {.stops = blocks + 1, .precision = {.absolute = absolute, .relative = 0.001}};
}

}  // namespace

TEST_CASE("an engine that resumes asks for what the one before it would have asked for") {
  Settings settings = settings_for(0.002);
  const auto zoomed = GENERATE(false, true);
  if (zoomed) settings = {.stops = 301, .zoom = 0.004};
  const Recording whole = measured(settings, 1000);
  REQUIRE(whole.asked.size() >= 30);
  for (const std::uint32_t after : {2U, 10U, 16U, 26U}) {
    INFO(after);
    Recording parts = measured(settings, after);
    Engine second(settings);
    second.resume_from(parts.earlier);
    answer_until(second, 1000, 800, parts);
    CHECK(parts.asked == whole.asked);
  }
}

TEST_CASE("an engine that resumes goes on with a whole command before each stop") {
  constexpr double left_over = 0.2;
  Settings settings = settings_for(0.002);
  const auto zoomed = GENERATE(false, true);
  if (zoomed) settings = {.stops = 301, .zoom = 0.004};
  const Recording whole = measured(settings, 1000, 800, left_over);
  REQUIRE(whole.asked.size() >= 30);
  CHECK(whole.earlier.prepared_from == 10);
  for (const std::uint32_t after : {2U, 10U, 12U, 26U}) {
    INFO(after);
    Recording parts = measured(settings, after, 800, left_over);
    Engine second(settings);
    second.resume_from(parts.earlier);
    answer_until(second, 1000, 800, parts);
    CHECK(parts.asked == whole.asked);
  }
  // Whoever resumes with another seed and precision has the same rounds.
  Engine same(settings);
  same.resume_from(whole.earlier);
  settings.seed = 77;
  settings.precision.absolute /= 2;
  Engine other(settings);
  other.resume_from(whole.earlier);
  CHECK(other.is_prepared());
  CHECK(other.first_round() == same.first_round());
  CHECK(other.times().rounds() == same.times().rounds());
}

TEST_CASE("memory that shows in rounds of earlier calls is measured out in the next one") {
  constexpr double left_over = 0.2;
  Settings settings = settings_for(1e-6);
  settings.most_rounds = 10;
  Recording recording = measured(settings, 10, 800, left_over);
  CHECK(recording.earlier.prepared_from == EarlierRounds::no_round);
  Engine second(settings);
  second.resume_from(recording.earlier);
  CHECK(second.is_prepared());
  CHECK(second.assumptions().memory.moves > 0);
  CHECK_FALSE(second.assumptions().memory.lasts);
  answer_until(second, 1000, 800, recording);
  CHECK(recording.asked.size() == 20);
  CHECK(second.first_round() == 11);
  CHECK(second.assumptions().memory.moves == 0);
}

TEST_CASE("one or two whole commands before each stop make it two and a half times the shots that are left") {
  const Settings settings = settings_for(0.002);
  Recording prepared{.left_over = 0.2};
  Engine engine(settings);
  answer_until(engine, 24, 800, prepared);
  REQUIRE(engine.is_prepared());
  Engine plain(settings);
  prepared.earlier.prepared_from = EarlierRounds::no_round;
  prepared.earlier.rounds.erase(prepared.earlier.rounds.begin(), prepared.earlier.rounds.begin() + 10);
  plain.resume_from(prepared.earlier);
  REQUIRE_FALSE(plain.is_prepared());
  CHECK(engine.shots_left() > 0);
  CHECK(engine.shots_left() == Approx(2.5 * static_cast<double>(plain.shots_left())).margin(2));
}

TEST_CASE("rounds that were measured for another precision count, and the newest look says if they suffice") {
  const Recording earlier = measured(settings_for(0.004), 1000);
  Engine finer(settings_for(0.002));
  finer.resume_from(earlier.earlier);
  CHECK(finer.next().phase == Phase::rounds);
  CHECK(finer.next().round == earlier.asked.size() + 1);
  CHECK(finer.times().rounds() == earlier.asked.size());
  Engine coarser(settings_for(0.01));
  coarser.resume_from(earlier.earlier);
  CHECK(coarser.next().phase == Phase::done);
  CHECK(coarser.times().rounds() == earlier.asked.size());
  CHECK(coarser.look()->settled == blocks);
}

TEST_CASE("rounds of any stops are taken where they are known, and those of too few count for nothing") {
  Recording earlier = measured(settings_for(0.0005), 8);
  for (std::size_t r = 0; r < 4; ++r)
    std::erase_if(earlier.earlier.rounds[r], [](const StopReading& one) { return one.stop % 2 == 1; });
  earlier.earlier.rounds[5].resize(2);
  Engine engine(settings_for(0.0005));
  engine.resume_from(earlier.earlier);
  // Its twin would be alone.
  CHECK(engine.times().rounds() == 6);
  CHECK(engine.next().round == 9);
  const auto known = [&](std::size_t stop) {
    return std::ranges::count_if(engine.times().columns()[stop], [](double v) { return !is_missing(v); });
  };
  CHECK(known(2) == 6);
  CHECK(known(3) == 2);
}

TEST_CASE("a round without its twin counts, whether others follow or not") {
  Settings settings = settings_for(1e-6);
  settings.fixed = true;
  settings.most_rounds = 5;
  Recording recording = measured(settings, 1000);
  REQUIRE(recording.asked.size() == 5);
  for (const std::size_t rounds : {5U, 6U}) {
    recording.earlier.rounds.resize(rounds);
    Engine same(settings);
    same.resume_from(recording.earlier);
    CHECK(same.next().phase == Phase::done);
    CHECK(same.times().rounds() == rounds);
  }
  settings.most_rounds = 8;
  Engine more(settings);
  more.resume_from(recording.earlier);
  answer_until(more, 1000, 800, recording);
  CHECK(recording.asked.size() == 8);
  CHECK(more.times().rounds() == 9);
  // What was measured behind it are twins again.
  std::vector<std::size_t> back = recording.counted[6];
  std::ranges::reverse(back);
  CHECK(recording.counted[5] == back);
  CHECK(more.next().phase == Phase::done);
}

TEST_CASE("an engine whose stops were all given up has nothing to resume") {
  for (const bool fixed : {false, true}) {
    Settings settings{.stops = 3};
    settings.fixed = fixed;
    settings.most_rounds = 12;
    const Recording recording = measured(settings, 12);
    Engine engine(settings);
    engine.give_up(0);
    engine.give_up(1);
    engine.resume_from(recording.earlier);
    CHECK(engine.next().phase == Phase::done);
    CHECK_FALSE(engine.look());
  }
}

TEST_CASE("rounds of each call are counted by themselves, and those that were fixed in number together") {
  Settings settings = settings_for(1e-6);
  settings.most_rounds = 10;
  Recording recording = measured(settings, 1000);
  CHECK(recording.asked.size() == 10);
  Engine second(settings);
  second.resume_from(recording.earlier);
  answer_until(second, 1000, 800, recording);
  CHECK(recording.asked.size() == 20);

  settings.fixed = true;
  settings.most_rounds = 24;
  Engine third(settings);
  third.resume_from(recording.earlier);
  answer_until(third, 1000, 800, recording);
  CHECK(recording.asked.size() == 24);
  Engine fourth(settings);
  fourth.resume_from(recording.earlier);
  CHECK(fourth.next().phase == Phase::done);
  CHECK(fourth.look()->blocks.size() == blocks);
}

TEST_CASE("stops that earlier rounds left out are measured until each has as many as were asked for") {
  Recording earlier = measured(settings_for(1e-6), 8);
  for (std::size_t r = 4; r < 8; ++r)
    std::erase_if(earlier.earlier.rounds[r], [](const StopReading& one) { return one.stop == 9; });
  Settings settings = settings_for(1e-6);
  settings.fixed = true;
  settings.most_rounds = 8;
  Engine engine(settings);
  engine.resume_from(earlier.earlier);
  Recording more;
  answer_until(engine, 1000, 800, more);
  REQUIRE(more.asked.size() == 4);
  for (std::vector<std::size_t> asked : more.asked) {
    std::ranges::sort(asked);
    CHECK(std::ranges::includes(asked, std::vector<std::size_t>{0, 8, 9, 10, blocks}));
    CHECK(asked.size() <= 6);
  }
}

TEST_CASE("rounds that were not paused for a coarse clock are begun again") {
  const auto in_steps = [](Recording recording) {
    for (RoundReadings& round : recording.earlier.rounds)
      for (StopReading& one : round) one.reading.ticks = 1000 * std::round(one.reading.ticks / 1000);
    return recording;
  };
  Recording earlier = in_steps(measured(settings_for(1e-6), 20, 100));
  Engine unpaused(settings_for(0.005));
  unpaused.resume_from(earlier.earlier);
  CHECK(unpaused.clock().method == Method::coarse);
  CHECK(unpaused.first_round() == 21);
  CHECK(unpaused.times().rounds() == 0);
  earlier.earlier.clock = {.method = Method::coarse, .tick = 1000};
  Engine paused(settings_for(0.005));
  paused.resume_from(earlier.earlier);
  CHECK(paused.first_round() == 11);
  CHECK(paused.times().rounds() == 10);
}

TEST_CASE("five rounds of an exact clock suffice whenever they were made") {
  const Settings settings{.stops = 5, .exact = true};
  Recording recording = measured(settings, 1000, 0);
  REQUIRE(recording.asked.size() == 5);
  Engine second(settings);
  second.resume_from(recording.earlier);
  CHECK(second.next().phase == Phase::done);
  recording.earlier.rounds.resize(2);
  Engine third(settings);
  third.resume_from(recording.earlier);
  recording.asked.resize(2);
  answer_until(third, 1000, 0, recording);
  CHECK(recording.asked.size() == 5);
}

}  // namespace jcprof::engine
