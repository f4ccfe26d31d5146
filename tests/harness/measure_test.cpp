// SPDX-License-Identifier: Apache-2.0
// measure() from beginning to end. Losses: measure_losses_test.cpp; runs that go on: measure_again_test.cpp.
#include "harness/measure.hpp"
#include "harness/judgement.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/harness/measure_bench.hpp"

using namespace jcprof;
using namespace jcprof::harness;
using jcprof::test::has;
using Bench = jcprof::test::MeasureBench;

TEST_CASE("rounds on a grid are foretold only where the warm-up has seen how long a command takes") {
  const engine::Precision precision{.absolute = 0.005};
  CHECK(
      warning_of_grid({.grid = 100, .whole = 10'000}, precision, ClockUnit::ns).text ==
      "answers come only every 100 ns. jcprof pauses at random to see between these steps: ±0.5 points takes "
      "about 4 rounds");
  CHECK(warning_of_grid({.grid = 100, .whole = -2000}, precision, ClockUnit::ns).text ==
        "answers come only every 100 ns. jcprof pauses at random to see between these steps");
}

TEST_CASE("a run stores its path and every event of it once a round, raw") {
  Bench bench;
  const Measured measured = bench.run();
  CHECK(measured.warnings == std::vector<Warning>{});
  CHECK(measured.run.state == RunState::complete);
  CHECK(measured.run.device == "nothing");
  CHECK(bench.path == events_of(bench.target.paths[0]));
  CHECK(bench.in_rounds() == 4 * 7);
  std::map<std::uint32_t, std::set<Event>> rounds;
  for (const StoredSample& sample : bench.samples) {
    if (sample.round > 0) CHECK(rounds[sample.round].insert(sample.asked).second);
    if (sample.asked == Event{.trap = TrapId{2}, .hit = 2}) CHECK(sample.ticks == 4000);
    CHECK_FALSE(sample.signature);
  }
  CHECK(rounds.size() == 4);
  CHECK(bench.calibrations.size() == 2 * 3 + 20 * 5);
  CHECK(measured.shots == bench.samples.size());
}

TEST_CASE("a run of a target that refuses a calibration says so once, also when it is resumed") {
  Bench bench;
  bench.target.refused = {harness::CalibrationKind::counting};
  const auto told = [](const harness::Measured& measured) {
    return std::ranges::count(
        measured.warnings,
        Warning{.kind = WarningKind::trap_cost,
                .text = "calibration failed, so times include the cost of a counted pass"});
  };
  bench.target.after_shot = [&](std::uint64_t n) {
    if (n == 70) bench.cancellation.ask(SIGINT);
  };
  const harness::Measured first = bench.run();
  REQUIRE(first.run.state == RunState::interrupted);
  CHECK(told(first) == 1);
  bench.cancellation.forget();
  bench.target.after_shot = [](std::uint64_t) {};
  const harness::Measured second = bench.run();
  CHECK(second.continued);
  CHECK(told(second) == 1);
}

TEST_CASE("what the target says of itself is a warning of the profile") {
  Bench bench;
  bench.target.description.note = "ecall_put gets null for data";
  CHECK(bench.run().warnings == std::vector<Warning>{{.text = "ecall_put gets null for data"}});
}

TEST_CASE("a number of rounds that is asked for is made of every stop, however well all is known") {
  Bench bench;
  bench.options.rounds = 30;
  bench.run();
  CHECK(bench.in_rounds() == 30 * 7);
  CHECK(bench.looks.back().rounds == 30);
}

TEST_CASE("the first thing a target sees is one full run") {
  Bench bench;
  bench.run();
  CHECK(bench.target.asked.front().stop.trap == run_to_end);
}

TEST_CASE("warm-up pairs, and the shot more that a round makes, are stored in round 0") {
  Bench bench;
  bench.run();
  CHECK(bench.samples.size() - bench.in_rounds() == 60 + 4);
}

TEST_CASE("twin rounds are each other's reverse") {
  Bench bench;
  bench.run();
  std::map<std::uint32_t, std::vector<Event>> order;
  for (const StoredSample& sample : bench.samples) order[sample.round].push_back(sample.asked);
  std::ranges::reverse(order[2]);
  CHECK(order[1] == order[2]);
}

TEST_CASE("inputs of another path are measured on theirs") {
  Bench bench;
  bench.project.inputs = InputList{{"00", "01", "02"}};
  bench.target.paths[1] = {TrapId{1}};
  const Measured measured = bench.run();
  CHECK(has(
      measured.warnings,
      "path varies: the inputs take 2 paths: each is measured by itself, and what is reported line by line "
      "is the path of 2 of 3 inputs"));
  std::map<std::uint32_t, std::set<Event>> asked;
  for (const StoredSample& sample : bench.samples) asked[sample.input].insert(sample.asked);
  CHECK(asked[0].size() == 7);
  CHECK(asked[1] == std::set<Event>{Event{}, Event{.trap = TrapId{1}}});
  CHECK(asked[2] == asked[0]);
}

TEST_CASE("all shots of a round and of its twin are of one input") {
  Bench bench;
  bench.project.inputs = InputList{{"00", "01"}};
  bench.run();
  std::map<std::uint32_t, std::set<std::uint32_t>> inputs;
  for (const StoredSample& sample : bench.samples)
    if (sample.round > 0) inputs[(sample.round - 1) / 2].insert(sample.input);
  CHECK(inputs == std::map<std::uint32_t, std::set<std::uint32_t>>{{0, {0}}, {1, {1}}});
}

TEST_CASE("a command that passes no trap is refused with its answer") {
  Bench bench;
  bench.target.paths[0] = {};
  bench.target.whole.status = 0x6D00;
  CHECK_THROWS_WITH(bench.run(), Catch::Contains("the command passes none of the 5 traps") &&
                                     Catch::Contains("it answered 6D00"));
}

TEST_CASE("a varying path brings a warning, and is measured all the same") {
  Bench bench;
  bench.target.window = 100;
  bench.target.before_trace = [&bench](std::uint64_t n) {
    bench.target.paths[0].back() = TrapId{n % 3 == 2 ? 4U : 5U};
  };
  CHECK(has(
      bench.run().warnings,
      "path varies: runs of input 0 () take different paths, 20 of 30 the most frequent one: that is what is "
      "reported line by line, and of the others the edges; where a state of the target decides, bring the "
      "target back to one state before each run: \"before_each\" or \"reset\" in \"session\""));
  // Seven stops, and the event that only the other way passes.
  CHECK(bench.in_rounds() == 4 * 8);
  CHECK(bench.path.back() == Event{.trap = TrapId{5}});
}

TEST_CASE("max_shots ends a run, which is complete then and says so") {
  Bench bench;
  bench.options.max_shots = 70;
  const Measured measured = bench.run();
  CHECK(measured.shots == 70);
  CHECK(measured.run.state == RunState::complete);
  CHECK(has(measured.warnings, "ended by --max-shots in round 2"));
}

/// The whole command takes a hundredth longer each time.
void slow_down_for_ever(Bench& bench) {
  bench.options.rounds = std::nullopt;
  bench.target.twist = [](const Shot& shot, std::uint64_t n, Sample& sample) {
    if (shot.stop.trap == run_to_end) sample.ticks += 100 * static_cast<Ticks>(n);
  };
}

constexpr const char* cut_short =
    "unsteady: --max-time or --max-shots ended the warm-up before the target was steady";

TEST_CASE("a target that never gets steady is measured all the same: a quarter of the shots warms it up") {
  Bench bench;
  slow_down_for_ever(bench);
  bench.options.max_shots = 800;
  const Measured measured = bench.run();
  CHECK(has(measured.warnings, cut_short));
  const auto first = std::ranges::find_if(bench.samples, [](const StoredSample& s) { return s.round > 0; });
  CHECK(first - bench.samples.begin() == 204);  // 200, to the end of a window
  CHECK(bench.in_rounds() > 0);
}

TEST_CASE("a target that never gets steady is measured all the same: a quarter of the time warms it up") {
  Bench bench;
  slow_down_for_ever(bench);
  bench.options.max_time = std::chrono::seconds{2};
  bench.target.after_shot = [](std::uint64_t) { std::this_thread::sleep_for(std::chrono::milliseconds{2}); };
  const Measured measured = bench.run();
  CHECK(has(measured.warnings, cut_short));
  CHECK(bench.in_rounds() > 0);
}

TEST_CASE(
    "a budget too small for a quarter of it to show a steady target warms up for as long as that takes") {
  Bench bench;
  bench.options.max_shots = 100;
  CHECK_FALSE(has(bench.run().warnings, "unsteady"));
}

TEST_CASE("max_time ends a run") {
  Bench bench;
  bench.options.max_time = std::chrono::minutes{5};
  bench.target.after_shot = [&bench](std::uint64_t n) {
    if (n == 70) bench.cancellation.end_by(std::chrono::steady_clock::now());
  };
  const Measured measured = bench.run();
  CHECK(measured.shots == 70);
  CHECK(measured.run.state == RunState::complete);
  CHECK(has(measured.warnings, "ended by --max-time in round 2"));
  CHECK_FALSE(bench.cancellation.is_asked());
}

TEST_CASE("progress names the phases in order") {
  Bench bench;
  std::vector<std::string> phases;
  bench.options.progress = [&phases](const Progress& progress) {
    if (phases.empty() || phases.back() != progress.phase) phases.emplace_back(progress.phase);
  };
  bench.run();
  CHECK(phases.front() == "path");
  CHECK(phases.back() == "rounds");
}
