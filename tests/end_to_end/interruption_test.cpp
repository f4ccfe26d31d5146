// SPDX-License-Identifier: Apache-2.0
// Runs that are broken off, and simulators that are.
#include <csignal>
#include <functional>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::becomes_true;
using test::Running;
using test::Said;
using test::value_of;
using test::Workplace;

/// The applet of javacard-pin, built, and a profile-to-be.
struct Bench {
  explicit Bench(const std::string& name, const std::string& from = "", const std::string& to = "")
      : place(name), project(place.example("javacard-pin")) {
    if (!from.empty()) test::replace_in(project / "src/PinApplet.java", from, to);
    REQUIRE(place.run({"jcprof-gen", project.string(), "-q"}).status == 0);
    place.build(project);
  }

  Running start(const std::string& rounds) const {
    return place.start({"jcprof-run", project.string(), "--rounds", rounds});
  }
  /// Waits until a few rounds are stored.
  void wait_for_rounds(int rounds) const {
    REQUIRE(becomes_true(
        [&] { return std::stoi(ask("SELECT max(round) FROM sample").value_or("0")) >= rounds; }));
  }
  std::optional<std::string> ask(const std::string& sql) const { return value_of(profile(), sql); }
  fs::path profile() const { return project / "jcprof-out/profile.jcprof"; }

  Workplace place;
  fs::path project;
};

constexpr const char* rounds_stored = "SELECT count(DISTINCT round) FROM sample WHERE round > 0";
constexpr const char* states = "SELECT group_concat(id || ' ' || state) FROM run";

void goes_on(const Bench& bench) {
  const Said said = bench.place.run({"jcprof", "run", bench.project.string(), "--rounds", "24", "--json"});
  INFO(said.err << said.out);
  CHECK(said.status == 0);
  CHECK(said.out.find("\"continued\": true") != std::string::npos);
  CHECK(bench.ask(states) == "1 complete");
  CHECK(bench.ask(rounds_stored) == "24");
  CHECK(bench.ask("SELECT count(*) - count(DISTINCT sequence) FROM sample") == "0");
  CHECK(test::is_sound(bench.profile()));
  CHECK(bench.place.run({"jcprof", "annotate", bench.project.string(), "-q"}).status == 0);
}

TEST_CASE("a run that Ctrl-C ends keeps what it measured, and the next one goes on") {
  const Bench bench("interrupted");
  Running run = bench.start("24");
  bench.wait_for_rounds(3);
  ::kill(run.pid(), SIGINT);
  CHECK(run.wait() == 130);
  CHECK(test::is_sound(bench.profile()));
  CHECK(bench.ask(states) == "1 interrupted");
  CHECK(std::stoi(bench.ask(rounds_stored).value_or("0")) >= 3);
  CHECK(std::stoi(bench.ask(rounds_stored).value_or("0")) < 24);
  CHECK(bench.place.processes("java").empty());
  goes_on(bench);
}

TEST_CASE("a run that is killed takes its simulator along, and the next one goes on") {
  const Bench bench("killed");
  Running run = bench.start("24");
  bench.wait_for_rounds(3);
  REQUIRE(bench.place.processes("java").size() == 1);
  ::kill(run.pid(), SIGKILL);
  CHECK(run.wait() == 128 + SIGKILL);
  CHECK(becomes_true([&] { return bench.place.processes("java").empty(); }, 5s));
  CHECK(becomes_true([&] { return bench.place.processes("jcprof-run").empty(); }, 5s));
  CHECK(bench.ask(states) == "1 running");
  CHECK(std::stoi(bench.ask(rounds_stored).value_or("0")) >= 3);
  goes_on(bench);
}

/// Something happens to the simulator while the rounds go on; the run must come to its end all the same.
void survives(const Bench& bench, const std::function<void()>& mishap, const std::string& outcomes) {
  Running run = bench.start("24");
  bench.wait_for_rounds(3);
  mishap();
  CHECK(run.wait() == 0);
  CHECK(bench.ask(states) == "1 complete");
  CHECK(bench.ask(rounds_stored) == "24");
  CHECK(bench.ask(fmt::format("SELECT count(*) FROM sample WHERE outcome IN ({})", outcomes)) == "1");
  CHECK(bench.ask("SELECT count(*) FROM sample WHERE outcome NOT IN ('stopped', 'ended')") == "1");
  CHECK(bench.ask("SELECT text FROM warning").value_or("").find(" shots lost the target (first: ") !=
        std::string::npos);
  CHECK(test::is_sound(bench.profile()));
  CHECK(bench.place.processes("java").empty());
}

void signal_simulator(const Bench& bench, int signal) {
  const std::vector<pid_t> simulators = bench.place.processes("java");
  REQUIRE(simulators.size() == 1);
  ::kill(simulators.front(), signal);
}

TEST_CASE("a simulator that dies in the middle of a run is started again, and costs one shot") {
  const Bench bench("dead");
  survives(bench, [&] { signal_simulator(bench, SIGKILL); }, "'lost'");
}

TEST_CASE("a simulator that is stopped is started again after the time-out, and costs one shot") {
  const Bench bench("stopped");
  test::replace_in(bench.project / "jcprof.json", "\"session\": {", "\"session\": {\"timeout\": \"1s\",");
  // The kernel stops a JVM that computes when it next waits for a command: mostly before the trigger.
  survives(bench, [&] { signal_simulator(bench, SIGSTOP); }, "'lost', 'timed_out'");
}

TEST_CASE("a command that hangs is given up after the time-out, and costs one shot") {
  const Bench bench("hung", "triesLeft--;",
                    "triesLeft--; if (new java.io.File(\"hang\").delete()) for (;;);");
  test::replace_in(bench.project / "jcprof.json", "\"session\": {", "\"session\": {\"timeout\": \"1s\",");
  survives(bench, [&] { write_file(bench.project / "hang", ""); }, "'timed_out'");
}

}  // namespace
}  // namespace jcprof
