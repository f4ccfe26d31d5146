// SPDX-License-Identifier: Apache-2.0
// Runs that end early or with another goal, and the calls that resume them.
#include "harness/measure.hpp"

#include <map>
#include <set>
#include <utility>

#include <catch2/catch.hpp>

#include "src/core/error.hpp"
#include "src/engine/random.hpp"
#include "tests/harness/measure_bench.hpp"

using namespace jcprof;
using namespace jcprof::harness;
using Bench = jcprof::test::MeasureBench;
using jcprof::test::has;

namespace {

// A pause is a function of round and position, and the noise one of event and pause: what a round reads is
// the same in whichever call it is made.
void noisy(const Shot& shot, std::uint64_t /*n*/, Sample& sample) {
  const std::uint64_t stream = std::uint64_t{number(shot.stop.trap)} << 32U | shot.stop.hit;
  sample.ticks = 20 * sample.ticks +
                 static_cast<Ticks>(engine::draw(1, stream, static_cast<std::uint64_t>(shot.delay_ns), 6000));
}

}  // namespace

TEST_CASE("an interrupted run keeps what it has, and is resumed") {
  Bench bench;
  bench.target.after_shot = [&bench](std::uint64_t n) {
    if (n == 1 + 60 + 9) bench.cancellation.ask(SIGINT);
  };
  const Measured first = bench.run();
  CHECK(first.run.state == RunState::interrupted);
  CHECK(bench.in_rounds() == 9);  // and one that prepares another
  bench.cancellation.forget();
  const Measured second = bench.run();
  CHECK(second.continued);
  CHECK(second.run.id == first.run.id);
  CHECK(second.run.state == RunState::complete);
  // Half a pair of twins is measured again.
  CHECK(bench.in_rounds() == 9 + 4 * 7);
  CHECK(bench.calibrations.size() == 2 * 3 + 20 * 5);
  std::set<std::uint64_t> sequences;
  for (const StoredSample& sample : bench.samples) CHECK(sequences.insert(sample.sequence).second);
}

TEST_CASE("a run that was interrupted again and again ends with the numbers of one that was not") {
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

TEST_CASE("a run whose commands leave something behind is resumed with a whole one before each stop") {
  Ticks before = 0;
  const auto leaves_behind = [&before](const Shot& shot, std::uint64_t n, Sample& sample) {
    noisy(shot, n, sample);
    const Ticks ticks = sample.ticks;
    sample.ticks += before / 5;
    before = ticks;
  };
  Bench bench;
  bench.target.twist = leaves_behind;
  bench.options.rounds = 60;
  bench.options.max_shots = 420;
  bench.run();
  const std::uint32_t first = bench.looks.back().first_round;
  REQUIRE(first > 10);
  bench.options.max_shots.reset();
  bench.options.seed = 2;
  const Measured second = bench.run();
  CHECK(second.continued);
  CHECK(has(second.warnings, "prepared: the time of a command depends on the command before it"));
  CHECK(bench.looks.back().first_round == first);
  CHECK(second.rounds >= 60);
  // Before each stop of the rounds from there on there is a whole command, which is of no round.
  for (std::size_t i = 1; i < bench.samples.size(); ++i) {
    const StoredSample& sample = bench.samples[i];
    const StoredSample& ahead = bench.samples[i - 1];
    if (sample.round >= first) CHECK((ahead.round == 0 && ahead.asked == Event{}));
    if (sample.round < first && sample.round > 0 && ahead.round > 0)
      CHECK(sample.sequence == ahead.sequence + 1);
  }
}

TEST_CASE("a whole command that moves the first stop behind it moves no time of a run") {
  bool was_whole = false;
  int moved = 0;
  Bench bench;
  bench.target.twist = [&](const Shot& shot, std::uint64_t n, Sample& sample) {
    noisy(shot, n, sample);
    if (was_whole && shot.stop.trap == TrapId{1}) {
      sample.ticks += 8000;
      ++moved;
    }
    was_whole = shot.stop.trap == run_to_end;
  };
  bench.options.rounds = 40;
  bench.options.precision.absolute = 0.0001;
  const Measured measured = bench.run();
  CHECK(moved <= 30 + 4);  // the pairs of the warm-up, and rounds that begin at the first stop
  CHECK(measured.rounds == 40);
  CHECK(bench.looks.back().first_round == 1);
  CHECK_FALSE(has(measured.warnings, "prepared: "));
  CHECK_FALSE(has(measured.warnings, "memory: "));
}

TEST_CASE(
    "a run is void where a command changes the one after the next, or that is told where it is little") {
  const auto part = GENERATE(20, 300);
  INFO(part);
  Ticks before = 0;
  Ticks before_that = 0;
  Bench bench;
  bench.target.twist = [&](const Shot& shot, std::uint64_t n, Sample& sample) {
    const Ticks ticks = 20 * sample.ticks + static_cast<Ticks>(engine::draw(2, n, shot.stop.hit, 100));
    sample.ticks = ticks + before / 5 + before_that / part;
    before_that = std::exchange(before, ticks);
  };
  bench.options.rounds = 40;
  const std::vector<Warning> warnings = bench.run().warnings;
  CHECK(has(warnings, "memory: ") == (part == 20));
  CHECK(has(warnings, "even with a whole command before each stop") == (part == 20));
  CHECK(has(warnings, "prepared: ") == (part == 300));
  CHECK(has(warnings, "Times within the command are off by up to 0.1") == (part == 300));
}

TEST_CASE("a run of another build, project, device, input or path is not resumed, and the reason is named") {
  const auto obstacle_after = [](const std::function<void(Bench&)>& change) {
    Bench bench;
    bench.target.after_shot = [&bench](std::uint64_t n) {
      if (n == 75) bench.cancellation.ask(SIGINT);
    };
    std::string obstacle;
    bench.options.obstacle = [&obstacle](const std::string& text) { obstacle = text; };
    const std::int64_t run = bench.run().run.id;
    CHECK(obstacle.empty());
    bench.cancellation.forget();
    change(bench);
    const Measured measured = bench.run();
    CHECK(measured.continued == obstacle.empty());
    CHECK((measured.run.id == run) == obstacle.empty());
    return obstacle;
  };
  CHECK(obstacle_after([](Bench&) {}).empty());
  CHECK(obstacle_after([](Bench& bench) { bench.options.rounds = *bench.options.rounds + 2; }).empty());
  CHECK(obstacle_after([](Bench& bench) { bench.options.rounds.reset(); }).empty());
  CHECK(obstacle_after([](Bench& bench) { bench.options.seed = 2; }).empty());
  CHECK(obstacle_after([](Bench& bench) { bench.options.precision.absolute = 0.1; }).empty());
  CHECK(obstacle_after([](Bench& bench) { bench.options.zoom = 0.5; }).empty());
  CHECK(obstacle_after([](Bench& bench) { bench.options.tool = "jcprof 9"; }) ==
        "its jcprof was \"jcprof " JCPROF_VERSION "\" and is \"jcprof 9\" now");
  CHECK(obstacle_after([](Bench& bench) { bench.target.description.agent = "test/2"; }) ==
        "its agent was \"test/1\" and is \"test/2\" now");
  CHECK(obstacle_after([](Bench& bench) { bench.options.build = "another"; }) ==
        "it belongs to other sources, other traps or another build");
  CHECK(obstacle_after([](Bench& bench) { bench.target.description.device = "gd60"; }) ==
        "its device was \"nothing\" and is \"gd60\" now");
  CHECK(obstacle_after([](Bench& bench) { bench.target.description.unit = ClockUnit::cycles; }) ==
        "its clock was \"ns\" and is \"cycles\" now");
  CHECK(obstacle_after([](Bench& bench) { bench.project.digest = "d2"; }) ==
        "it belongs to another jcprof.json");
  CHECK(obstacle_after([](Bench& bench) { bench.map.traps.pop_back(); }) ==
        "it belongs to other sources, other traps or another build");
  CHECK(obstacle_after([](Bench& bench) { bench.project.inputs = FixedInput{"00"}; }) ==
        "it had other inputs");
  CHECK(obstacle_after([](Bench& bench) { bench.target.paths[0].pop_back(); }) ==
        "the command took another path");
}

TEST_CASE(
    "a finished run is of another build than one that was made since, one that was broken off is resumed") {
  Bench bench;
  bench.target.after_shot = [&bench](std::uint64_t n) {
    if (n == 75) bench.cancellation.ask(SIGINT);
  };
  const std::int64_t first = bench.run().run.id;
  bench.cancellation.forget();
  bench.options.is_new_build = true;
  CHECK(bench.run().run.id == first);
  std::string obstacle;
  bench.options.obstacle = [&obstacle](const std::string& text) { obstacle = text; };
  CHECK(bench.run().run.id != first);
  CHECK(obstacle == "it is finished, and this is a new build");
}

TEST_CASE("a run is resumed though another device was measured since, and is the newest from there on") {
  Bench bench;
  const auto run_on = [&](const std::string& device) {
    bench.target.description.device = device;
    return bench.run();
  };
  run_on("first");
  const std::int64_t second = run_on("second").run.id;
  std::string obstacle;
  bench.options.obstacle = [&obstacle](const std::string& text) { obstacle = text; };
  bench.options.rounds = 8;
  const Measured again = run_on("first");
  CHECK(again.continued);
  CHECK(obstacle.empty());
  CHECK(bench.in_rounds() == 8 * 7);
  CHECK(again.run.id > second);
  const Store store(bench.folder / "profile.jcprof", OpenMode::read_only);
  const std::vector<RunInfo> runs = store.runs();
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].id == again.run.id);
  CHECK(runs[0].device == "first");
  CHECK(runs[1].id == second);
  CHECK(store.samples(second).size() == 60 + 4 * (7 + 1));
  CHECK(store.last_run()->device == "first");
  CHECK(store.traps(again.run.id).traps.size() == 5);
  CHECK(store.looks(again.run.id).size() > 1);
}

TEST_CASE("a path that seldom varies is resumed, whichever call saw it vary") {
  const std::vector<TrapId> other{TrapId{1}, TrapId{4}};
  const bool first_saw_it = GENERATE(true, false);
  Bench bench;
  bench.target.knows_run = true;
  const std::vector<TrapId> usual = bench.target.paths[0];
  // Every fourth traced run is another one; a path of one window takes two runs to be called steady.
  const auto vary = [&](bool varies) {
    bench.target.window = 16;
    bench.target.before_trace = [&, varies](std::uint64_t n) {
      bench.target.paths[0] = varies && n % 4 == 2 ? other : usual;
    };
    bench.target.traces = 0;
    bench.target.after_shot = [&](std::uint64_t) {};
    bench.target.twist = [&](const Shot&, std::uint64_t, Sample&) { bench.target.paths[0] = usual; };
  };
  vary(first_saw_it);
  const std::int64_t run = bench.run().run.id;
  vary(!first_saw_it);
  bench.options.rounds = 6;
  const Measured again = bench.run();
  CHECK(again.continued);
  CHECK(again.run.id == run);
  CHECK(has(again.warnings, "runs of input 0 () take different paths"));
  const Store store(bench.folder / "profile.jcprof", OpenMode::read_only);
  CHECK(store.paths(run).size() == 2);
  CHECK(store.paths(run).front().events == events_of(usual));
}

TEST_CASE("inputs that another seed draws are others") {
  Bench bench;
  bench.project.inputs = RandomInput{8};
  std::string obstacle;
  bench.options.obstacle = [&obstacle](const std::string& text) { obstacle = text; };
  bench.options.seed = 7;
  bench.run();
  bench.options.seed = 2;
  CHECK_FALSE(bench.run().continued);
  CHECK(obstacle == "it had other inputs, and seed 7");
}

TEST_CASE("a run that has as many rounds as are wanted makes no more, and one that wants more resumes it") {
  for (const std::uint32_t rounds : {4U, 5U}) {
    Bench bench;
    bench.options.rounds = rounds;
    const Measured first = bench.run();
    CHECK(bench.in_rounds() == rounds * 7);
    const Measured second = bench.run();
    CHECK(second.continued);
    CHECK(second.run.id == first.run.id);
    CHECK(second.shots == 0);
    CHECK(second.is_done);
    CHECK(second.rounds >= rounds);
    bench.options.rounds = 8;
    bench.options.seed = 2;
    CHECK(bench.run().run.id == first.run.id);
    // Of five the last has no twin. What comes next is no twin of it.
    CHECK(bench.in_rounds() == 8 * 7);
  }
}

TEST_CASE("an odd number of rounds is enough for each of several paths, also when they are resumed") {
  Bench bench;
  bench.project.inputs = InputList{{"00", "01"}};
  bench.target.paths[1] = {TrapId{1}, TrapId{4}};
  bench.options.rounds = 5;
  bench.run();
  CHECK(bench.in_rounds() == 5 * (7 + 3));
  CHECK(bench.run().shots == 0);
  bench.options.rounds = 7;
  bench.run();
  CHECK(bench.in_rounds() == 7 * (7 + 3));
}

TEST_CASE("a zoom that a budget cuts off has all its rounds as the result, and is resumed there") {
  const auto zooming = [](Bench& bench, const std::string& name) {
    bench.folder += name;
    std::filesystem::create_directories(bench.folder);
    bench.map.traps.resize(300, bench.map.traps.front());
    bench.target.paths[0].clear();
    for (std::uint32_t id = 1; id <= 300; ++id) {
      bench.map.traps[id - 1].id = TrapId{id};
      bench.target.paths[0].push_back(TrapId{id});
    }
    bench.target.twist = noisy;
    bench.options.rounds.reset();
    bench.options.zoom = 0.01;
  };
  Bench whole;
  zooming(whole, "-whole");
  const std::uint32_t rounds = whole.run().rounds;
  REQUIRE(whole.looks.size() > 3);
  CHECK(whole.looks.back().first_round > 20);
  Bench cut;
  zooming(cut, "-cut");
  cut.options.max_shots = 60 + 13 * 18;
  cut.run();
  CHECK(cut.looks.back().rounds == 10);
  CHECK(cut.looks.back().first_round == 1);
  cut.options.max_shots.reset();
  CHECK(cut.run().rounds == rounds);
  REQUIRE(cut.looks.size() == whole.looks.size());
  CHECK(cut.looks.back().first_round == whole.looks.back().first_round);
}

TEST_CASE("a run whose stops are all given up is resumed, and has nothing to measure") {
  Bench bench;
  bench.options.rounds.reset();
  bench.target.twist = [](const Shot& shot, std::uint64_t, Sample& sample) {
    if (shot.stop.trap != run_to_end) sample = {.outcome = Outcome::lost};
  };
  CHECK(bench.run().is_done);
  const Measured again = bench.run();
  CHECK(again.continued);
  CHECK(again.shots == 0);
}

TEST_CASE("what a budget ended is resumed until the goal is met, and the run keeps the newest goal") {
  Bench bench;
  bench.target.twist = noisy;
  bench.options.rounds.reset();
  bench.options.max_shots = 60 + 30;
  Measured measured = bench.run();
  CHECK(measured.run.state == RunState::complete);
  CHECK_FALSE(measured.is_done);
  CHECK(has(measured.warnings, "ended by --max-shots in round 4; `jcprof run` resumes"));
  const std::int64_t run = measured.run.id;
  int calls = 1;
  bench.options.precision.absolute = 0.01;
  for (; has(measured.warnings, "ended by"); ++calls) {
    REQUIRE(calls < 100);
    measured = bench.run();
    CHECK(measured.run.id == run);
    CHECK(measured.continued);
  }
  CHECK(calls > 2);
  CHECK(measured.run.absolute == 0.01);
  CHECK(bench.looks.back().settled == bench.looks.back().blocks);
  const std::uint32_t rounds = measured.rounds;
  bench.options.max_shots.reset();
  CHECK(bench.run().shots == 0);
  bench.options.precision.absolute = 0.004;
  measured = bench.run();
  CHECK(measured.rounds > rounds);
  CHECK(bench.looks.back().rounds == measured.rounds);
  CHECK(bench.looks.back().first_round == 1);
}

TEST_CASE("shots that went wrong in an earlier call are warned of as long as they are part of the result") {
  Bench bench;
  bench.target.twist = [](const Shot& shot, std::uint64_t n, Sample& sample) {
    if (n == 70 && shot.stop.trap != run_to_end) sample = {.outcome = Outcome::ended, .status = 0x6985};
  };
  CHECK(has(bench.run().warnings, "1 of 92 shots ran to their end"));
  bench.options.rounds = 8;
  CHECK(has(bench.run().warnings, "shots ran to their end instead of stopping (first: "));
}

TEST_CASE("what was measured before a fatal error is kept, and resumed") {
  Bench bench;
  bench.target.after_shot = [](std::uint64_t n) {
    if (n == 70) throw environment_error("the reader is gone");
  };
  CHECK_THROWS_WITH(bench.run(), "the reader is gone");
  bench.target.after_shot = [](std::uint64_t) {};
  CHECK(bench.run().continued);
  CHECK(bench.in_rounds() == 8 + 4 * 7);
}
