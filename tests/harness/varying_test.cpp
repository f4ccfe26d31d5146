// SPDX-License-Identifier: Apache-2.0
// Commands that now and then go another way: the shots tell, and the survey looks again.
#include <algorithm>

#include <catch2/catch.hpp>

#include "src/core/path_signature.hpp"
#include "tests/harness/measure_bench.hpp"
#include "tests/support/synthetic_device.hpp"

namespace jcprof::harness {
namespace {

using test::has;

std::vector<TrapId> way(std::initializer_list<std::uint32_t> traps) {
  std::vector<TrapId> result;
  for (const std::uint32_t trap : traps) result.push_back(TrapId{trap});
  return result;
}

/// A command that goes the other way in this part of its runs, by chance.
struct VaryingBench : test::MeasureBench {
  explicit VaryingBench(double rate, std::uint64_t seed = 1) {
    target.before_trace = [this](std::uint64_t) { go(); };
    target.after_shot = [this](std::uint64_t) { go(); };
    target.window = 100;  // a whole run
    this->rate = rate;
    this->seed = seed;
    go();
  }
  void go() {
    target.paths[0] =
        ++executions > always_usual && test::uniform(seed, executions, 0) < rate ? other : usual;
  }
  /// Shots carry the signature of what they passed in front of their stop.
  void carry_signatures() {
    target.twist = [this](const Shot& shot, std::uint64_t, Sample& sample) {
      std::vector<TrapId> before;
      std::uint32_t hits = 0;
      for (const TrapId trap : target.paths[0]) {
        if (sample.outcome == Outcome::stopped && trap == shot.stop.trap && ++hits == shot.stop.hit) break;
        before.push_back(trap);
      }
      sample.signature = path_signature(before) ^ foreign;
    };
  }
  std::size_t ways_in_store() {
    Store store(folder / "profile.jcprof", OpenMode::read_only);
    return store.paths(store.last_run()->id).size();
  }

  std::vector<TrapId> usual = way({1, 2, 4, 5});
  std::vector<TrapId> other = way({1, 2, 3, 4, 5});
  std::uint64_t executions = 0;
  std::uint64_t always_usual = 0;  // at first
  std::uint32_t foreign = 0;
  double rate = 0;
  std::uint64_t seed = 1;
};

}  // namespace

TEST_CASE("a way that no traced run took is found by the signatures of shots") {
  std::size_t noticed = 0;
  for (std::uint64_t seed = 1; seed <= 26; ++seed) {
    VaryingBench bench(0.3, seed);
    bench.carry_signatures();
    bench.always_usual = 8;  // the survey's
    const Measured measured = bench.run();
    const bool is_told = has(measured.warnings, "take different paths");
    noticed += is_told && bench.ways_in_store() == 2 ? 1 : 0;
  }
  CHECK(noticed >= 25);
}

TEST_CASE("a way of one run in ten is found by the signatures of shots") {
  std::size_t noticed = 0;
  for (std::uint64_t seed = 1; seed <= 26; ++seed) {
    VaryingBench bench(0.1, seed);
    bench.carry_signatures();
    bench.options.rounds = 20;
    noticed += has(bench.run().warnings, "take different paths") ? 1 : 0;
  }
  CHECK(noticed >= 25);
}

TEST_CASE("where shots carry no signature more runs are traced") {
  std::size_t noticed = 0;
  for (std::uint64_t seed = 1; seed <= 26; ++seed)
    noticed += has(VaryingBench(0.3, seed).run().warnings, "take different paths") ? 1 : 0;
  CHECK(noticed >= 25);
}

TEST_CASE("shots that run past their stop have the survey look again") {
  VaryingBench bench(0.3);
  bench.other = way({1, 2, 5});
  bench.always_usual = 80;  // the survey's and the warm-up's
  bench.options.rounds = 20;
  CHECK(has(bench.run().warnings, "take different paths"));
  CHECK(bench.ways_in_store() == 2);
}

TEST_CASE("a steady path is surveyed once, whatever the shots' digest is") {
  VaryingBench bench(0);
  bench.carry_signatures();
  (void)bench.run();
  const std::uint64_t traces = bench.target.traces;
  VaryingBench foreign(0);
  foreign.carry_signatures();
  foreign.foreign = 0xA5A5A5A5;
  (void)foreign.run();
  CHECK(foreign.target.traces == traces);
  CHECK(traces <= 2);
}

TEST_CASE("a stop that leaves a state behind, which makes the command fail, ends the run with what to do") {
  VaryingBench bench(0);
  bench.other = way({1, 5});
  bench.target.right = {0x9000};
  std::uint64_t stops = 0;
  bench.target.twist = [&](const Shot&, std::uint64_t, Sample& sample) {
    stops += sample.outcome == Outcome::stopped ? 1 : 0;
    if (stops > 60) bench.rate = 1;
    if (stops > 60 && sample.outcome == Outcome::ended) sample.status = 0x6F64;
  };
  bench.options.rounds = 100;
  std::string obstacle;
  bench.options.obstacle = [&](const std::string& text) { obstacle = text; };
  CHECK_THROWS_WITH(
      bench.run(),
      "the command was answered right at first, and is answered with 6F64 since jcprof stopped it in its "
      "midst\n"
      "hint: commands, or those that are stopped, leave a state behind: put what undoes that, such as the "
      "SELECT of "
      "\"after_reset\", into \"before_each\" of \"session\"; or set \"reset\" there");
  CHECK(obstacle.empty());
}

TEST_CASE("shots that are strange while traced runs are not end the looking, not the run") {
  VaryingBench bench(0);
  bench.carry_signatures();
  bench.options.rounds = 100;
  const auto plain = bench.target.twist;
  bench.target.twist = [plain](const Shot& shot, std::uint64_t n, Sample& sample) {
    plain(shot, n, sample);
    if (n % 5 == 0) sample.signature = 1;
  };
  const Measured measured = bench.run();
  CHECK(measured.is_done);
  CHECK(bench.ways_in_store() == 1);
  CHECK(bench.target.traces > 30);
  CHECK(bench.target.traces < 100);
}

TEST_CASE("a run of a path that varies is resumed though two traced runs agree") {
  VaryingBench bench(0.3);
  bench.carry_signatures();
  const std::int64_t run = bench.run().run.id;
  REQUIRE(bench.ways_in_store() == 2);
  bench.always_usual = bench.executions + 4;
  bench.options.rounds = 10;
  const Measured again = bench.run();
  CHECK(again.continued);
  CHECK(again.run.id == run);
  CHECK(has(again.warnings, "take different paths"));
  CHECK(bench.ways_in_store() == 2);
}

TEST_CASE("budgets are those of a call, with all its surveys") {
  VaryingBench bench(0.3);
  bench.carry_signatures();
  bench.always_usual = 8;
  bench.options.rounds = 1000;
  bench.options.max_shots = 400;
  CHECK(bench.run().shots == 400);
}

}  // namespace jcprof::harness
