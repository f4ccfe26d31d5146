// SPDX-License-Identifier: Apache-2.0
// A target whose speed changes while it is measured.
#include <catch2/catch.hpp>

#include "src/engine/random.hpp"
#include "tests/harness/measure_bench.hpp"

using namespace jcprof;
using namespace jcprof::harness;
using Bench = jcprof::test::MeasureBench;
using jcprof::test::has;

TEST_CASE("a command that gets slower while it is measured brings a warning with the change") {
  const bool is_growing = GENERATE(true, false);
  Bench bench;
  bench.target.twist = [is_growing](const Shot& shot, std::uint64_t n, Sample& sample) {
    const Ticks grown = is_growing && shot.stop != Event{TrapId{1}, 1} ? sample.ticks * n / 20 : 0;
    sample.ticks = 100 * sample.ticks + grown + engine::draw(3, n, shot.stop.hit, 20'000);
  };
  bench.options.rounds = 40;
  const std::vector<Warning> warnings = bench.run().warnings;
  CHECK(has(warnings, "trend: the command got ") == is_growing);
  CHECK(has(warnings, " % slower while it was measured") == is_growing);
}
