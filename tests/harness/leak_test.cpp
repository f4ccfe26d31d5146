// SPDX-License-Identifier: Apache-2.0
#include "harness/leak.hpp"

#include <cmath>
#include <memory>

#include <catch2/catch.hpp>

#include "src/core/error.hpp"
#include "tests/harness/measure_bench.hpp"

namespace jcprof::harness {
namespace {

/// Three inputs of class "right", then three of class "wrong".
struct LeakBench : test::MeasureBench {
  LeakBench() {
    project.inputs = std::make_shared<InputClasses>(InputClasses{
        .classes = {{"right", InputList{{"01", "02", "03"}}}, {"wrong", InputList{{"04", "05", "06"}}}}});
    target.twist = [this](const Shot& shot, std::uint64_t n, Sample& sample) {
      sample.ticks += static_cast<Ticks>(engine::draw(7, 1, n, 400));
      // Trap 3 is passed second at event 3.
      if (shot.input >= 3 && sample.ticks >= 3000) sample.ticks += longer;
    };
    settings.cancellation = &cancellation;
  }

  engine::LeakRun find() {
    Store store(folder / "leak.jcprof", OpenMode::fresh);
    engine::LeakRun found = find_leak(project, map, target, store, settings);
    samples = store.samples(found.run.id);
    store.close();
    return found;
  }

  Ticks longer = 0;
  LeakOptions settings;
};

TEST_CASE("a time that depends on the class is found in its block") {
  LeakBench bench;
  bench.longer = 100;
  const engine::LeakRun found = bench.find();
  CHECK(found.classes == std::vector<std::string>{"right", "wrong"});
  CHECK(found.inputs == std::vector<std::size_t>{3, 3});
  CHECK(found.path.size() == 6);
  CHECK(found.is_whole);
  CHECK(found.partings.empty());
  REQUIRE(found.pairs.size() == 1);
  REQUIRE(found.pairs[0].findings.blocks.size() == 1);
  const engine::LeakingBlock& block = found.pairs[0].findings.blocks[0];
  CHECK(block.is_confirmed);
  CHECK(block.begin == 2);
  CHECK(block.end == 3);
  CHECK(block.shift.low <= 100);
  CHECK(block.shift.high >= 100);
}

TEST_CASE("inputs of both classes are drawn at random for each shot, and all samples are stored") {
  LeakBench bench;
  bench.settings.search.most_shots = 300;
  const engine::LeakRun found = bench.find();
  CHECK_FALSE(found.pairs.at(0).findings.is_found);
  CHECK(bench.samples.size() == 300);
  std::map<std::uint32_t, int> drawn;
  for (const StoredSample& sample : bench.samples) ++drawn[sample.input];
  CHECK(drawn.size() == 6);
  for (const auto& [input, times] : drawn) CHECK(times > 20);
  CHECK(found.run.state == RunState::complete);
}

TEST_CASE("classes whose paths part are told so, and times are taken up to there") {
  LeakBench bench;
  for (const std::uint32_t input : {3U, 4U, 5U})
    bench.target.paths[input] = {TrapId{1}, TrapId{2}, TrapId{4}};
  bench.settings.search.most_shots = 200;
  const engine::LeakRun found = bench.find();
  REQUIRE(found.partings.size() == 1);
  CHECK(found.partings[0].is_of_class);
  CHECK(found.partings[0].last == TrapId{2});
  CHECK(found.path.size() == 2);
  CHECK_FALSE(found.is_whole);
}

TEST_CASE("a third class is compared with the first, within half of the shots") {
  LeakBench bench;
  bench.project.inputs = std::make_shared<InputClasses>(InputClasses{
      .classes = {{"a", FixedInput{"01"}}, {"b", FixedInput{"02"}}, {"c", InputList{{"03", "04"}}}}});
  bench.longer = 200;
  bench.settings.max_shots = 2000;
  const engine::LeakRun found = bench.find();
  REQUIRE(found.pairs.size() == 2);
  CHECK(found.pairs[0].second == 1);
  CHECK_FALSE(found.pairs[0].findings.is_found);
  CHECK(found.pairs[0].findings.shots == 1000);
  CHECK(found.pairs[1].second == 2);
  CHECK(found.pairs[1].findings.is_found);
}

TEST_CASE("classes that are drawn have many inputs, of which the paths of some are traced") {
  LeakBench bench;
  bench.project.inputs = std::make_shared<InputClasses>(
      InputClasses{.classes = {{"fixed", FixedInput{"01"}}, {"random", RandomInput{4}}}});
  bench.settings.search.most_shots = 100;
  const engine::LeakRun found = bench.find();
  CHECK(found.inputs == std::vector<std::size_t>{1, 1000});
  CHECK(bench.target.inputs.size() == 1001);
  CHECK(bench.target.asked.size() == 1 + 16 + 100);
}

TEST_CASE("a clock that repeats itself needs few shots") {
  LeakBench bench;
  bench.target.description.exact = true;
  bench.target.twist = [](const Shot&, std::uint64_t, Sample&) {};
  const engine::LeakRun found = bench.find();
  CHECK(found.pairs.at(0).findings.shots == 200);
  CHECK(found.pairs.at(0).findings.findable == 1);
}

TEST_CASE("inputs of one class are refused before the target is asked") {
  LeakBench bench;
  bench.project.inputs = FixedInput{"01"};
  CHECK_THROWS_WITH(bench.find(), Catch::Contains("has one class"));
  CHECK(bench.target.asked.empty());
}

TEST_CASE("a search that is interrupted has what it found so far") {
  LeakBench bench;
  bench.longer = 100;
  bench.target.after_shot = [&](std::uint64_t n) {
    if (n == 100) bench.cancellation.ask(SIGINT);
  };
  const engine::LeakRun found = bench.find();
  CHECK(found.run.state == RunState::interrupted);
  REQUIRE(found.pairs.size() == 1);
  CHECK(found.pairs[0].findings.is_spent);
  CHECK(found.pairs[0].findings.shots < 100);
}

TEST_CASE("answers that are not right are no times, and each input may have its own right one") {
  LeakBench bench;
  bench.settings.search.most_shots = 200;
  bench.target.right = {0x9000, 0x6300};
  bench.target.twist = [](const Shot& shot, std::uint64_t n, Sample& sample) {
    if (shot.stop.trap != run_to_end) return;
    if (shot.input >= 3) sample.status = 0x6300;
    if (n > 20 && n % 2 == 0) sample.status = 0x6F00;
  };
  const engine::LeakRun found = bench.find();
  const std::size_t times = found.pairs.at(0).findings.looks.front().times.size();
  CHECK(times >= 90);
  CHECK(times <= 110);
  CHECK_FALSE(found.pairs.at(0).findings.is_uneven);
}

TEST_CASE("a path that varies from run to run is no leak, and is told") {
  LeakBench bench;
  bench.settings.search.most_shots = 100;
  bench.target.before_trace = [&](std::uint64_t n) {
    const bool is_long = engine::draw(3, 3, n, 2) == 1;
    bench.target.paths[0] =
        is_long ? std::vector{TrapId{1}, TrapId{2}, TrapId{3}} : std::vector{TrapId{1}, TrapId{3}};
  };
  const engine::LeakRun found = bench.find();
  CHECK(found.partings.empty());
  CHECK(test::has(found.warnings, "varies from run to run"));
  CHECK(found.path.size() == 1);
}

}  // namespace
}  // namespace jcprof::harness
