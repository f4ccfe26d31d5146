// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/pin_bench.hpp"

#include <csignal>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "src/core/file.hpp"

namespace jcprof::test {

namespace fs = std::filesystem;

namespace {

/// javacard-pin with two records of its eight: each has stops of its own.
fs::path small_pin(const Workplace& place, const std::string& as = {}) {
  const fs::path project = place.example("javacard-pin", as);
  replace_in(project / "src/PinApplet.java", "RECORDS = (short) 8", "RECORDS = (short) 2");
  return project;
}

}  // namespace

fs::path paced_pin(const Workplace& place, const std::string& as) {
  const fs::path project = small_pin(place, as);
  const fs::path applet = project / "src/PinApplet.java";
  // Where javac looks for it, and no source is profiled.
  write_file(project / "src/com/example/pin/Pace.java",
             fmt::format(
                 "package com.example.pin;\n\nfinal class Pace {{{}\n    static void round(short unused) {{\n"
                 "        passTime(1000000L);\n    }}\n}}\n",
                 java_virtual_time));
  const std::string hashed = "sha.doFinal(block, (short) 0, (short) block.length, block, (short) 0)";
  replace_in(applet, hashed, "Pace.round(" + hashed + ")");
  replace_in(project / "jcprof.json", R"("max_time": "30s")", R"("max_time": "100h")");
  replace_in(project / "jcprof.json", "\"session\": {", "\"session\": {\"timeout\": \"10m\",");
  return project;
}

PinBench::PinBench(const std::string& name, const std::string& from, const std::string& to)
    : place(name), project(small_pin(place)) {
  // A tenth of the work: commands are sent by the thousand.
  replace_in(project / "src/PinApplet.java", "ROUNDS = (short) 1000", "ROUNDS = (short) 100");
  if (!from.empty()) replace_in(project / "src/PinApplet.java", from, to);
  // Not the example's own budget: a run lasts until what happens to it here happens.
  replace_in(project / "jcprof.json", R"("max_time": "30s")", R"("max_time": "10m")");
  REQUIRE(place.run({"jcprof-gen", project.string(), "-q"}).status == 0);
  place.build(project);
}

void PinBench::set_in_session(const std::string& settings) const {
  replace_in(project / "jcprof.json", "\"session\": {", "\"session\": {" + settings + ",");
}

Running PinBench::start(const std::string& rounds) const {
  return place.start({"jcprof-run", project.string(), "--rounds", rounds, "-q"});
}

void PinBench::wait_for_rounds(int rounds) const {
  REQUIRE(
      becomes_true([&] { return std::stoi(ask("SELECT max(round) FROM sample").value_or("0")) >= rounds; }));
}

void PinBench::kept(int rounds, const std::string& state) const {
  CHECK(ask(states) == "1 " + state);
  CHECK(std::stoi(ask(rounds_stored).value_or("0")) >= rounds);
}

void PinBench::has_rounds(int rounds) const {
  const int stored = std::stoi(ask(rounds_stored).value_or("0"));
  const bool is_begun_again = ask("SELECT max(first_round) > 1 FROM look") == "1";
  INFO(stored << " rounds of " << rounds << (is_begun_again ? ", begun again" : ""));
  CHECK((is_begun_again ? stored > rounds : stored == rounds));
}

void PinBench::goes_on() const {
  const int rounds = std::stoi(ask(rounds_stored).value_or("0")) + 4;
  const Said said =
      place.run({"jcprof", "run", project.string(), "--rounds", std::to_string(rounds), "--json"});
  INFO(said.err << said.out);
  CHECK(said.status == 0);
  CHECK(said.out.find("\"continued\": true") != std::string::npos);
  CHECK(ask(states) == "1 complete");
  has_rounds(rounds);
  CHECK(ask("SELECT count(*) - count(DISTINCT sequence) FROM sample") == "0");
  CHECK(is_sound(profile()));
  CHECK(place.run({"jcprof", "annotate", project.string(), "-q"}).status == 0);
}

void PinBench::survives(const std::function<void()>& mishap, const std::string& outcomes) const {
  // So many that the mishap comes in time, also where the test itself has to wait for a processor.
  constexpr int rounds = 24;
  Running run = start(std::to_string(rounds));
  wait_for_rounds(3);
  mishap();
  const int status = run.wait();
  INFO(run.said());
  CHECK(status == 0);
  CHECK(ask(states) == "1 complete");
  has_rounds(rounds);
  CHECK(ask(fmt::format("SELECT count(*) FROM sample WHERE outcome IN ({})", outcomes)) == "1");
  CHECK(ask(shots_gone) == "1");
  CHECK(ask("SELECT text FROM warning WHERE kind = 'lost'")
            .value_or("")
            .find(" shots lost the target (first: ") != std::string::npos);
  CHECK(is_sound(profile()));
  CHECK(place.processes("java").empty());
}

void PinBench::signal_simulator(int signal) const {
  const std::vector<pid_t> simulators = place.processes("java");
  REQUIRE(simulators.size() == 1);
  ::kill(simulators.front(), signal);
}

}  // namespace jcprof::test
