// SPDX-License-Identifier: Apache-2.0
// Runs that are broken off, and simulators that are.
#include <csignal>

#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/pin_bench.hpp"

namespace jcprof {
namespace {

using test::becomes_true;
using test::PinBench;
using test::Running;

TEST_CASE("a run that Ctrl-C ends keeps what it measured, and the next one goes on") {
  const PinBench bench("interrupted");
  Running run = bench.start();
  bench.wait_for_rounds(3);
  ::kill(run.pid(), SIGINT);
  CHECK(run.wait() == 130);
  CHECK(test::is_sound(bench.profile()));
  bench.kept(3, "interrupted");
  CHECK(bench.place.processes("java").empty());
  bench.goes_on();
}

TEST_CASE("a run that is killed takes its simulator along, and the next one goes on") {
  const PinBench bench("killed");
  Running run = bench.start();
  bench.wait_for_rounds(3);
  REQUIRE(bench.place.processes("java").size() == 1);
  ::kill(run.pid(), SIGKILL);
  CHECK(run.wait() == 128 + SIGKILL);
  CHECK(becomes_true([&] { return bench.place.processes("java").empty(); }));
  CHECK(becomes_true([&] { return bench.place.processes("jcprof-run").empty(); }));
  bench.kept(3, "running");
  bench.goes_on();
}

TEST_CASE("a simulator that dies in the middle of a run is started again, and costs one shot") {
  const PinBench bench("dead");
  bench.survives([&] { bench.signal_simulator(SIGKILL); }, "'lost'");
}

TEST_CASE("a simulator that is stopped is started again after the time-out, and costs one shot") {
  const PinBench bench("stopped");
  bench.set_in_session("\"timeout\": \"1s\"");
  // The kernel stops a JVM that computes when it next waits for a command: mostly before the trigger.
  bench.survives([&] { bench.signal_simulator(SIGSTOP); }, "'lost', 'timed_out'");
}

TEST_CASE("a command that hangs is given up after the time-out, and costs one shot") {
  const PinBench bench("hung", "triesLeft--;",
                       "triesLeft--; if (new java.io.File(\"hang\").delete()) for (;;);");
  bench.set_in_session("\"timeout\": \"1s\"");
  bench.survives([&] { write_file(bench.project / "hang", ""); }, "'timed_out'");
}

}  // namespace
}  // namespace jcprof
