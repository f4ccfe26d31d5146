// SPDX-License-Identifier: Apache-2.0
#include "annotator/leak.hpp"

#include <catch2/catch.hpp>

namespace jcprof::annotator {
namespace {

TrapMap three_lines() {
  TrapMap map;
  for (std::uint32_t id = 1; id <= 3; ++id)
    map.traps.push_back({.id = TrapId{id},
                         .key = std::to_string(id),
                         .name = "TRAP_" + std::to_string(id),
                         .kind = id == 1 ? TrapKind::entry : TrapKind::before,
                         .function = "Pin.verify",
                         .path = "src/Pin.java",
                         .line = 10 + id});
  return map;
}

/// 200 shots at the end, of which those of the second class take `longer`.
engine::LeakRun a_run(double longer) {
  engine::LeakRun run{.run = {.project = "pin", .device = "card", .simulated = true},
                      .classes = {"right", "wrong"},
                      .inputs = {1, 4},
                      .path = {{TrapId{1}, 1}, {TrapId{2}, 1}, {TrapId{3}, 1}}};
  engine::LeakPair pair;
  engine::StopLook whole{.stop = 4};
  for (int i = 0; i < 200; ++i) {
    const bool is_second = i % 2 == 1;
    whole.times.push_back({.ticks = 1e6 + i % 7 * 1000 + (is_second ? longer : 0), .is_second = is_second});
  }
  pair.findings = {.p = 0.3, .whole = {longer, longer - 400, longer + 400}, .findable = 2'340, .shots = 200};
  pair.findings.looks.push_back(whole);
  run.pairs.push_back(pair);
  return run;
}

std::string told(const engine::LeakRun& run) {
  return leak_text(run, three_lines(), {.width = 100});
}

TEST_CASE("a confirmed leak is told with its line, the slower class and the interval") {
  engine::LeakRun run = a_run(3200);
  engine::LeakFindings& findings = run.pairs[0].findings;
  findings.is_found = true;
  findings.p = 2e-6;
  findings.blocks = {{.begin = 2, .end = 3, .shift = {3100, 2700, 3500}, .is_confirmed = true}};
  CHECK(verdict_of(run) == LeakVerdict::leak);
  const std::string text = told(run);
  CHECK_THAT(text, Catch::Contains("pin on card (SIMULATED): right (1 input), wrong (4 inputs)\n"));
  CHECK_THAT(text, Catch::Contains("whole command: wrong takes 3.2 µs ±0.4 longer than right\n"));
  CHECK_THAT(text, Catch::Contains(
                       "leak: src/Pin.java:12 (Pin.verify): wrong takes 3.1 µs ±0.4 longer than right\n"));
  CHECK_THAT(text, Catch::Contains("+3.2 µs"));
  const nlohmann::ordered_json json = leak_json(run, three_lines());
  CHECK(json["verdict"] == "leak");
  CHECK(json["pairs"][0]["blocks"][0]["line"] == 12);
  CHECK(json["pairs"][0]["blocks"][0]["difference"]["low"] == 2700);
  CHECK(json["pairs"][0]["findable"].is_null());
}

TEST_CASE("the first class is the slower one if the second takes less") {
  engine::LeakRun run = a_run(-500);
  CHECK_THAT(told(run), Catch::Contains("right takes 500 ns ±400 longer than wrong"));
}

TEST_CASE("negative differences along the path keep their unit, and a rest elsewhere is told") {
  engine::LeakRun run = a_run(-3200);
  engine::LeakFindings& findings = run.pairs[0].findings;
  engine::StopLook look = findings.looks.front();
  look.stop = 2;
  findings.looks.push_back(look);
  CHECK_THAT(told(run), Catch::Contains("-3.2 µs"));
  findings.is_found = true;
  findings.blocks = {{.begin = 2, .end = 3, .shift = {-1000, -1200, -800}, .is_confirmed = true}};
  CHECK_THAT(told(run), Catch::Contains("the whole command differs by another amount: --sweep"));
  findings.blocks[0].shift = {-3100, -3500, -2700};
  CHECK_THAT(told(run), !Catch::Contains("another amount"));
}

TEST_CASE("a leak whose place is not confirmed is one, and its likely place is told") {
  engine::LeakRun run = a_run(3200);
  engine::LeakFindings& findings = run.pairs[0].findings;
  findings.is_found = true;
  findings.is_spent = true;
  findings.blocks = {{.begin = 1, .end = 3}};
  CHECK(verdict_of(run) == LeakVerdict::leak);
  CHECK_THAT(
      told(run),
      Catch::Contains("leak: the time of the command depends on the class; the shots did not suffice to "
                      "find its place; it is likely between src/Pin.java:11 (Pin.verify) and "
                      "src/Pin.java:13 (Pin.verify)\n"));
}

TEST_CASE("without evidence the difference is told that would have been found") {
  const engine::LeakRun run = a_run(0);
  CHECK(verdict_of(run) == LeakVerdict::none);
  CHECK_THAT(told(run),
             Catch::Contains("no evidence: a difference of 2.4 µs or more would have been found (99 %)\n"
                             "--sweep also finds differences that cancel out before the end\n"));
  CHECK(leak_json(run, three_lines())["pairs"][0]["findable"] == 2340);
}

TEST_CASE("the text on times says that paths differ, and suggests no sweep after a sweep") {
  engine::LeakRun run = a_run(0);
  run.partings.emplace_back().is_of_class = true;
  CHECK_THAT(told(run), Catch::Contains("no further evidence beside the path: a difference of 2.4 µs"));
  run.partings.clear();
  run.pairs[0].findings.looks.push_back(run.pairs[0].findings.looks.front());
  CHECK_THAT(told(run), Catch::Contains("no evidence: ") && !Catch::Contains("--sweep"));
}

TEST_CASE("few shots, a class that was not reached, and too much noise leave it unresolved") {
  engine::LeakRun run = a_run(0);
  run.pairs[0].findings.shots = 99;
  CHECK(verdict_of(run) == LeakVerdict::unresolved);
  CHECK_THAT(told(run), Catch::Contains("unresolved: fewer than 100 shots\n"));
  run = a_run(0);
  run.pairs[0].findings.is_cut_sweep = true;
  CHECK(verdict_of(run) == LeakVerdict::unresolved);
  CHECK_THAT(told(run), Catch::Contains("unresolved: the budget ended before all stops were looked at\n"));
  run = a_run(3200);
  run.pairs[0].findings.is_found = run.pairs[0].findings.is_uneven = true;
  CHECK(verdict_of(run) == LeakVerdict::unresolved);
  CHECK_THAT(told(run), Catch::Contains("unresolved: shots of one class come to their stop less often"));
  run = a_run(0);
  run.classes.emplace_back("third");
  run.inputs.push_back(1);
  CHECK(verdict_of(run) == LeakVerdict::unresolved);
  CHECK_THAT(told(run), Catch::Contains("third against right: unresolved: the search ended before\n"));
  run = a_run(0);
  run.pairs[0].findings.findable = std::numeric_limits<double>::infinity();
  CHECK(verdict_of(run) == LeakVerdict::unresolved);
}

TEST_CASE("paths that part by class are a leak without any time") {
  engine::LeakRun run = a_run(0);
  run.path.resize(2);
  run.is_whole = false;
  run.partings = {{.events = 2,
                   .last = TrapId{2},
                   .ways = {{.next = run_to_end, .inputs = {0, 4}}, {.next = TrapId{3}, .inputs = {1, 0}}},
                   .is_of_class = true}};
  CHECK(verdict_of(run) == LeakVerdict::leak);
  CHECK_THAT(told(run), Catch::Contains("leak: the path depends on the class: behind src/Pin.java:12 "
                                        "(Pin.verify): right goes to src/Pin.java:13 (Pin.verify) (1 of 1 "
                                        "inputs); wrong goes to the end (4 of 4 inputs)\n"));
  CHECK(leak_json(run, three_lines())["partings"][0]["ways"][0]["inputs"]["wrong"] == 4);
  run.partings[0].is_of_class = false;
  CHECK(verdict_of(run) == LeakVerdict::none);
}

TEST_CASE("the part in front of the first trap, and behind a parting, are places too") {
  engine::LeakRun run = a_run(3200);
  engine::LeakFindings& findings = run.pairs[0].findings;
  findings.is_found = true;
  findings.blocks = {{.begin = 0, .end = 1, .shift = {3100, 2700, 3500}, .is_confirmed = true}};
  CHECK_THAT(told(run), Catch::Contains("leak: in front of the first trap: wrong"));
  run.is_whole = false;
  findings.blocks[0] = {.begin = 3, .end = 4, .shift = {3100, 2700, 3500}, .is_confirmed = true};
  CHECK_THAT(told(run),
             Catch::Contains("leak: behind src/Pin.java:13 (Pin.verify), where the known path ends: wrong"));
  run.partings = {{.events = 3, .last = TrapId{3}}};
  CHECK_THAT(told(run),
             Catch::Contains("leak: behind src/Pin.java:13 (Pin.verify), where paths part: wrong"));
}

}  // namespace
}  // namespace jcprof::annotator
