// SPDX-License-Identifier: Apache-2.0
// Runs that end early, and what goes on with them.
#include "harness/measure.hpp"

#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "src/core/error.hpp"
#include "src/engine/random.hpp"
#include "tests/harness/measure_bench.hpp"

using namespace jcprof;
using namespace jcprof::harness;
using Bench = jcprof::test::MeasureBench;

TEST_CASE("an interrupted run keeps what it has, and is gone on with") {
  Bench bench;
  bench.target.after_shot = [&bench](std::uint64_t n) {
    if (n == 1 + 60 + 9) bench.cancellation.ask(SIGINT);
  };
  const Measured first = bench.run();
  CHECK(first.run.state == RunState::interrupted);
  CHECK(bench.in_rounds() == 10);
  bench.cancellation.forget();
  const Measured second = bench.run();
  CHECK(second.continued);
  CHECK(second.run.id == first.run.id);
  CHECK(second.run.state == RunState::complete);
  // Half a pair of twins is measured again.
  CHECK(bench.in_rounds() == 10 + 4 * 7);
  CHECK(bench.calibrations.size() == 2 * 3 + 20 * 5);
  std::set<std::uint64_t> sequences;
  for (const StoredSample& sample : bench.samples) CHECK(sequences.insert(sample.sequence).second);
}

TEST_CASE("a run that was interrupted again and again ends with the numbers of one that was not") {
  // A pause is a function of round and position, and the noise one of event and pause: what a round reads is
  // the same in whichever call it is made.
  const auto noisy = [](const Shot& shot, std::uint64_t, Sample& sample) {
    const std::uint64_t stream = std::uint64_t{number(shot.stop.trap)} << 32U | shot.stop.hit;
    sample.ticks = 20 * sample.ticks + static_cast<Ticks>(engine::draw(
                                           1, stream, static_cast<std::uint64_t>(shot.delay_ns), 6000));
  };
  const auto in_rounds = [](const Bench& bench) {
    std::map<std::pair<std::uint32_t, Event>, Ticks> last;
    for (const StoredSample& sample : bench.samples)
      if (sample.round > 0) last[{sample.round, sample.asked}] = sample.ticks;
    return last;
  };
  Bench whole;
  whole.options.rounds.reset();
  whole.target.twist = noisy;
  whole.run();

  Bench broken;
  broken.folder += "-broken";
  std::filesystem::create_directories(broken.folder);
  broken.options.rounds.reset();
  broken.target.twist = noisy;
  std::uint64_t next_stop = 100;
  broken.target.after_shot = [&](std::uint64_t n) {
    if (n >= next_stop) broken.cancellation.ask(SIGINT);
  };
  int calls = 1;
  for (; broken.run().run.state == RunState::interrupted; ++calls) {
    next_stop = broken.target.asked.size() + 150;
    broken.cancellation.forget();
  }
  CHECK(calls > 3);
  CHECK(whole.looks.back().rounds >= 24);
  CHECK(in_rounds(broken) == in_rounds(whole));
  REQUIRE(broken.looks.size() == whole.looks.size());
  for (std::size_t i = 0; i < whole.looks.size(); ++i) {
    StoredLook look = broken.looks[i];
    look.shots = whole.looks[i].shots;  // the warm-ups of the other calls count
    CHECK(look == whole.looks[i]);
  }
}

TEST_CASE("a run of other traps, another seed or another path is not gone on with, one of more rounds is") {
  const auto continued_after = [](const std::function<void(Bench&)>& change) {
    Bench bench;
    bench.target.after_shot = [&bench](std::uint64_t n) {
      if (n == 75) bench.cancellation.ask(SIGINT);
    };
    bench.run();
    bench.cancellation.forget();
    change(bench);
    return bench.run().continued;
  };
  CHECK(continued_after([](Bench&) {}));
  CHECK(continued_after([](Bench& bench) { bench.options.rounds = *bench.options.rounds + 2; }));
  CHECK_FALSE(continued_after([](Bench& bench) { bench.options.rounds.reset(); }));
  CHECK_FALSE(continued_after([](Bench& bench) { bench.project.digest = "d2"; }));
  CHECK_FALSE(continued_after([](Bench& bench) { bench.map.traps.pop_back(); }));
  CHECK_FALSE(continued_after([](Bench& bench) { bench.options.seed = 2; }));
  CHECK_FALSE(continued_after([](Bench& bench) { bench.project.inputs = FixedInput{"00"}; }));
  CHECK_FALSE(continued_after([](Bench& bench) { bench.target.paths[0].pop_back(); }));
}

TEST_CASE("after a finished run a new one is begun") {
  Bench bench;
  const Measured first = bench.run();
  const Measured second = bench.run();
  CHECK_FALSE(second.continued);
  CHECK(second.run.id != first.run.id);
}

TEST_CASE("what was measured before a fatal error is kept, and gone on with") {
  Bench bench;
  bench.target.after_shot = [](std::uint64_t n) {
    if (n == 70) throw environment_error("the reader is gone");
  };
  CHECK_THROWS_WITH(bench.run(), "the reader is gone");
  bench.target.after_shot = [](std::uint64_t) {};
  CHECK(bench.run().continued);
  CHECK(bench.in_rounds() == 9 + 4 * 7);
}
