// SPDX-License-Identifier: Apache-2.0
// measure() on a target that is lost, fails or does not stop.
#include "harness/measure.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/harness/measure_bench.hpp"

using namespace jcprof;
using namespace jcprof::harness;
using jcprof::test::has;
using Bench = jcprof::test::MeasureBench;

TEST_CASE("an event of another variant that loses the target twice is not asked for again") {
  Bench bench;
  bench.options.rounds = 10;
  bench.target.window = 100;
  bench.target.before_trace = [&bench](std::uint64_t n) {
    bench.target.paths[0].back() = TrapId{n % 3 == 2 ? 4U : 5U};
  };
  const Event elsewhere{.trap = TrapId{4}, .hit = 1};
  bench.target.twist = [elsewhere](const Shot& shot, std::uint64_t, Sample& sample) {
    if (shot.stop == elsewhere) sample = {.outcome = Outcome::lost, .why = "it died"};
  };
  bench.run();
  CHECK(std::ranges::count(bench.samples, elsewhere, &StoredSample::asked) == 2);
}

TEST_CASE("an event that loses the target twice in a row is not asked for again") {
  Bench bench;
  const Event bad{.trap = TrapId{3}, .hit = 1};
  bench.target.twist = [bad](const Shot& shot, std::uint64_t, Sample& sample) {
    if (shot.stop == bad) sample = {.outcome = Outcome::lost, .why = "it died"};
  };
  const Measured measured = bench.run();
  CHECK(std::ranges::count(bench.samples, bad, &StoredSample::asked) == 2);
  CHECK(has(measured.warnings, "jcprof leaves out the stop at TRAP_run_3 (A.java:13), hit 1"));
  CHECK(has(measured.warnings, "lost the target (first: TRAP_run_3 (A.java:13), hit 1: it died)"));
}

TEST_CASE("losses now and then do not cost an event") {
  Bench bench;
  bench.options.rounds = 10;
  bench.target.twist = [](const Shot&, std::uint64_t n, Sample& sample) {
    if (n > 61 && n % 50 == 0) sample = {.outcome = Outcome::lost, .why = "flaky"};
  };
  CHECK_FALSE(has(bench.run().warnings, "cannot be stopped"));
}

TEST_CASE("a target that was lost is warmed up again before the next round") {
  Bench bench;
  bench.target.twist = [](const Shot&, std::uint64_t n, Sample& sample) {
    if (n == 65) sample = {.outcome = Outcome::lost, .why = "once"};
  };
  bench.run();
  // Twice 30 pairs, the full run that shows that the target answers as before, and one more shot a round.
  CHECK(bench.samples.size() - bench.in_rounds() == 121 + 4);
}

TEST_CASE("after a loss a good full run comes before the next number") {
  Bench bench;
  bench.target.twist = [](const Shot&, std::uint64_t n, Sample& sample) {
    if (n == 65) sample = {.outcome = Outcome::lost, .why = "once"};
    if (n == 66) sample.status = 0x6A80;
  };
  bench.run();
  const auto lost = std::ranges::find(bench.samples, Outcome::lost, &StoredSample::outcome);
  REQUIRE(bench.samples.end() - lost > 3);
  CHECK(lost[1].round == 0);
  CHECK(lost[1].asked.trap == run_to_end);
  CHECK(lost[1].status == 0x6A80);
  CHECK(lost[2].round == 0);
  CHECK(lost[2].status == 0x9000);
  CHECK(lost[3].round == lost[0].round);
}

TEST_CASE("a target that is not what it was after a loss ends the run, with all that was measured") {
  Bench bench;
  bench.target.twist = [](const Shot&, std::uint64_t n, Sample& sample) {
    if (n == 70) sample = {.outcome = Outcome::lost, .why = "once"};
    if (n > 70) sample.status = 0x6985;
  };
  CHECK_THROWS_WITH(bench.run(),
                    Catch::Contains("3 runs of the whole command had another answer than at first contact"));
  const Store store(bench.folder / "profile.jcprof", OpenMode::read_only);
  CHECK(store.last_run()->state == RunState::interrupted);
  // All but the very first full run, which is the first contact.
  CHECK(store.samples(store.last_run()->id).size() == 69 + 3);
}

TEST_CASE("a shot that ran past its stop is counted, and both answers are told") {
  Bench bench;
  bench.target.twist = [&bench](const Shot& shot, std::uint64_t, Sample& sample) {
    if (shot.stop.trap == TrapId{4}) sample = bench.target.whole;
    if (shot.stop.trap == TrapId{4}) sample.status = 0x6A80;
  };
  CHECK(has(bench.run().warnings,
            "missed: 6 of 92 shots ran to their end instead of stopping (first: TRAP_run_4 (A.java:14), hit "
            "1: 6A80 with 2 bytes of data instead of 9000 with 2 bytes of data); the command takes another "
            "path at times, or a stop leaves something behind: undo that with \"before_each\""));
}

TEST_CASE("a failing run is not taken for a fast run") {
  Bench bench;
  bench.target.twist = [](const Shot& shot, std::uint64_t n, Sample& sample) {
    if (n > 61 && shot.stop.trap == run_to_end) sample.status = 0x6985;
  };
  CHECK(has(bench.run().warnings,
            "4 of 92 shots of the whole command had another answer than the known good run"));
}
