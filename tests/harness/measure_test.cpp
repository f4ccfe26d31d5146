// SPDX-License-Identifier: Apache-2.0
#include "harness/measure.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "src/core/error.hpp"
#include "src/engine/random.hpp"
#include "tests/support/fake_transport.hpp"

using namespace jcprof;
using namespace jcprof::harness;
using jcprof::test::FakeTransport;

namespace {

/// A project of five traps, a target that passes them, and a profile in a folder of its own.
struct Bench {
  Bench() : folder(std::filesystem::temp_directory_path() / fmt::format("jcprof-measure-{}", ::getpid())) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    project.name = "test";
    project.digest = "d1";
    map.language = "java";
    for (std::uint32_t id = 1; id <= 5; ++id)
      map.traps.push_back({.id = TrapId{id},
                           .key = std::to_string(id),
                           .name = fmt::format("TRAP_run_{}", id),
                           .kind = TrapKind::before,
                           .function = "A.run",
                           .path = "A.java",
                           .line = 10 + id});
    target.paths[0] = {TrapId{1}, TrapId{2}, TrapId{3}, TrapId{2}, TrapId{3}, TrapId{4}};
    options.rounds = 4;
    options.calibrations = 2;
    options.interrupted = &interrupted;
  }
  ~Bench() { std::filesystem::remove_all(folder); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  Measured run() {
    Store store(folder / "profile.jcprof", OpenMode::read_write);
    Measured measured = measure(project, map, target, store, options);
    samples = store.samples(measured.run.id);
    path = store.paths(measured.run.id).at(0).events;
    calibrations = store.calibrations(measured.run.id);
    looks = store.looks(measured.run.id);
    store.close();
    return measured;
  }

  std::uint64_t in_rounds() const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(samples, [](const StoredSample& s) { return s.round > 0; }));
  }

  std::filesystem::path folder;
  Project project;
  TrapMap map;
  FakeTransport target;
  MeasureOptions options;
  std::atomic<bool> interrupted = false;
  std::vector<StoredSample> samples;
  std::vector<Event> path;
  std::vector<StoredCalibration> calibrations;
  std::vector<StoredLook> looks;
};

bool has(const std::vector<Warning>& warnings, const std::string& text) {
  return std::ranges::any_of(
      warnings, [&](const Warning& one) { return to_text(one).find(text) != std::string::npos; });
}

}  // namespace

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

TEST_CASE("a number of rounds that is asked for is made of every stop, however well all is known") {
  Bench bench;
  bench.options.rounds = 30;
  bench.run();
  CHECK(bench.in_rounds() == 30 * 7);
  CHECK(bench.looks.back().rounds == 30);
}

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

TEST_CASE("the first thing a target sees is one full run") {
  Bench bench;
  bench.run();
  CHECK(bench.target.asked.front().stop.trap == run_to_end);
}

TEST_CASE("warm-up pairs are stored in round 0") {
  Bench bench;
  bench.run();
  CHECK(bench.samples.size() - bench.in_rounds() == 60);
}

TEST_CASE("twin rounds are each other's reverse") {
  Bench bench;
  bench.run();
  std::map<std::uint32_t, std::vector<Event>> order;
  for (const StoredSample& sample : bench.samples) order[sample.round].push_back(sample.asked);
  std::ranges::reverse(order[2]);
  CHECK(order[1] == order[2]);
}

TEST_CASE("an interrupted run keeps what it has, and is gone on with") {
  Bench bench;
  bench.target.after_shot = [&bench](std::uint64_t n) {
    if (n == 1 + 60 + 9) bench.interrupted = true;
  };
  const Measured first = bench.run();
  CHECK(first.run.state == RunState::interrupted);
  CHECK(bench.in_rounds() == 10);
  bench.interrupted = false;
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
  broken.target.after_shot = [&](std::uint64_t n) { broken.interrupted = n >= next_stop; };
  int calls = 1;
  for (; broken.run().run.state == RunState::interrupted; ++calls) {
    next_stop = broken.target.asked.size() + 150;
    broken.interrupted = false;
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
    bench.target.after_shot = [&bench](std::uint64_t n) { bench.interrupted = n == 75; };
    bench.run();
    bench.interrupted = false;
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

TEST_CASE("an event that loses the target twice in a row is not asked for again") {
  Bench bench;
  const Event bad{.trap = TrapId{3}, .hit = 1};
  bench.target.twist = [bad](const Shot& shot, std::uint64_t, Sample& sample) {
    if (shot.stop == bad) sample = {.outcome = Outcome::lost, .why = "it died"};
  };
  const Measured measured = bench.run();
  CHECK(std::ranges::count(bench.samples, bad, &StoredSample::asked) == 2);
  CHECK(has(measured.warnings, "TRAP_run_3 (A.java:13), hit 1 cannot be stopped here"));
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
  // Twice 30 pairs, and the full run that shows that the target answers as before.
  CHECK(bench.samples.size() - bench.in_rounds() == 121);
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
                    Catch::Contains("3 runs of the whole command were not answered as at the first contact"));
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
            "missed: 4 of 88 shots ran to the end instead of stopping (first: TRAP_run_4 (A.java:14), hit 1: "
            "6A80 with 2 "
            "bytes of data, known good is 9000 with 2 bytes of data); the command does not always take the "
            "traced path, "
            "or a stop leaves a state behind that \"before_each\" must reset"));
}

TEST_CASE("a failing run is not taken for a fast run") {
  Bench bench;
  bench.target.twist = [](const Shot& shot, std::uint64_t n, Sample& sample) {
    if (n > 61 && shot.stop.trap == run_to_end) sample.status = 0x6985;
  };
  CHECK(has(bench.run().warnings,
            "4 of 88 shots of the whole command were answered otherwise than the known good run"));
}

TEST_CASE("a command that passes no trap is refused with its answer") {
  Bench bench;
  bench.target.paths[0] = {};
  bench.target.whole.status = 0x6D00;
  CHECK_THROWS_WITH(bench.run(), Catch::Contains("the command passes none of the 5 traps") &&
                                     Catch::Contains("it answered 6D00"));
}

TEST_CASE("a varying path is told, and measured all the same") {
  Bench bench;
  bench.target.window = 100;
  bench.target.before_trace = [&bench](std::uint64_t n) {
    bench.target.paths[0].back() = TrapId{n % 3 == 2 ? 4U : 5U};
  };
  CHECK(has(
      bench.run().warnings,
      "path varies: runs of input 0 () go different ways, 20 of 30 the most frequent one: that is what is "
      "reported line by line, and of the others the edges"));
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

TEST_CASE("max_time ends a run") {
  Bench bench;
  bench.options.max_time = std::chrono::milliseconds{0};
  const Measured measured = bench.run();
  CHECK(measured.shots == 0);
  CHECK(has(measured.warnings, "ended by --max-time"));
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
