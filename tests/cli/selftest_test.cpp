// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "programs/doctor_selftest.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

harness::Selftest good_test() {
  return {
      .device = {.transport = "pcsc",
                 .reader = "Reader A",
                 .protocol = "T=1",
                 .device = "gd60",
                 .unit = ClockUnit::ns},
      .loop = harness::CalibrationKind::empty,
      .blocks = {{.passes = 10'000, .ticks = {250'000, 249'000, 251'000}, .ratio = {1, 1, 1}},
                 {.passes = 20'000,
                  .ticks = {501'000, 500'000, 502'000},
                  .truth = 2,
                  .ratio = {2.004, 1.992, 2.0161},
                  .error = 0.002},
                 {.passes = 40'000, .ticks = {1e6, 999'000, 1'001'000}, .truth = 4, .ratio = {4, 3.98, 4.02}},
                 {.passes = 1000,
                  .ticks = {24'000, 22'000, 26'000},
                  .truth = 0.1,
                  .ratio = {0.096, 0.0876, 0.1044},
                  .error = -0.04}},
      .complete = true,
      .commands = 250,
      .shots = 110,
      .whole = 1'775'000,
      .sigma = 2800,
      .least_ticks = 2000,
      .least_share = 2000 / 1'775'000.0};
}

TEST_CASE("a selftest is told as a table, with what the line resolves") {
  CHECK(render(good_test()) ==
        "gd60 in \"Reader A\", T=1, loop \"empty\"\n"
        "block          passes  truth  found                       error  time\n"
        "1x              10000      1  1                                  250 us\n"
        "2x              20000      2  2.004 (1.992 to 2.016)     +0.2 %  501 us\n"
        "4x              40000      4  4.000 (3.980 to 4.020)     +0.0 %  1 ms\n"
        "known extra      1000    0.1  0.096 (0.088 to 0.104)     -4.0 %  24 us\n"
        "110 shots (250 commands), sigma 2.8 us; the clock is fine\n"
        "resolves 0.11 % of a command of 1.775 ms: 2 us\n"
        "no ratio is off by more than the interval and 5 %\n");
}

TEST_CASE("what is off, a grid, warnings and an early end are told") {
  harness::Selftest test = good_test();
  test.device = {.transport = "agent", .agent = "board/1", .simulated = true};
  test.grid = 1e6;
  test.blocks.resize(2);
  test.blocks[1].is_off = true;
  test.complete = false;
  test.warnings = {{.kind = WarningKind::bimodal, .text = "the same code takes one of two times"}};
  CHECK(render(test) ==
        "agent, board/1 (SIMULATED), loop \"empty\"\n"
        "block          passes  truth  found                       error  time\n"
        "1x              10000      1  1                                  250 us\n"
        "2x              20000      2  2.004 (1.992 to 2.016)     +0.2 %  501 us  OFF\n"
        "110 shots (250 commands), sigma 2.8 us; answers come on a grid of 1 ms\n"
        "resolves 0.11 % of a command of 1.775 ms: 2 us\n"
        "warning: two speeds: the same code takes one of two times\n"
        "ended early: intervals are wider than they could be\n"
        "1 of 2 off by more than the interval and 5 %\n");
}

ProcessResult selftest(const fs::path& project, std::vector<std::string> more = {}) {
  std::vector<std::string> argv{fs::path(JCPROF_BIN_DIR) / "jcprof", "doctor", ".", "--selftest"};
  argv.insert(argv.end(), more.begin(), more.end());
  return run_and_wait({.argv = argv, .cwd = project}, {}, std::chrono::seconds{100});
}

void write_project(const fs::path& folder) {
  write_file(folder / "jcprof.json",
             R"({"format": "jcprof-project", "version": 1, "name": "test", "target": "program",
                 "sources": ["a.c"], "entry": "f", "transport": "agent:)" JCPROF_SYNTHETIC_AGENT R"(",
                 "trigger": {"device": "card", "trap": 1, "blocks": 2}, "inputs": {"pattern": "00"}})");
  write_file(folder / "a.c", "");
  write_file(folder / "jcprof-out" / ".jcprof-out", "");
  write_file(folder / "jcprof-out" / "traps.json",
             R"({"format": "jcprof-traps", "version": 1, "language": "c", "sources": [], "traps": []})");
}

TEST_CASE("jcprof doctor --selftest finds the ratios of a device whose costs are known") {
  const test::TemporaryFolder folder;
  write_project(folder.path());
  const ProcessResult result = selftest(folder.path(), {"--json"});
  INFO(result.tail);
  REQUIRE(result.exit_status == 0);
  const auto found = nlohmann::json::parse(result.tail);
  CHECK(found["loop"] == "unarmed");
  CHECK(found["complete"] == true);
  REQUIRE(found["blocks"].size() == 4);
  CHECK(found["blocks"][2]["block"] == "4x");
  CHECK(found["blocks"][2]["truth"] == 4);
  CHECK(found["blocks"][2]["ratio"].get<double>() == Approx(4).epsilon(0.05));
  CHECK(found["blocks"][3]["truth"] == 0.1);
  for (const auto& block : found["blocks"]) {
    CHECK(block["low"].get<double>() <= block["truth"].get<double>());
    CHECK(block["high"].get<double>() >= block["truth"].get<double>());
  }
}

TEST_CASE("jcprof doctor --selftest ends with 1 where a loop does not take what it should") {
  const test::TemporaryFolder folder;
  write_project(folder.path());
  write_file(folder / "agent.py", R"(import json, sys
for line in sys.stdin:
    request = json.loads(line)
    ok = {}
    if request["do"] == "hello":
        ok = {"protocol": 1, "agent": "bent/1", "device": "none", "simulated": True, "max_batch": 1,
              "clock": {"name": "none", "unit": "ns", "resolution": 1, "exact": True}, "can": ["trace", "calibrate"]}
    if request["do"] == "calibrate":
        ok = {"ticks": int(request["passes"] ** 1.5)}
    print(json.dumps({"id": request["id"], "ok": ok}), flush=True)
    if request["do"] == "bye":
        break
)");
  const ProcessResult result = selftest(folder.path(), {"--transport", "agent:python3 {project}/agent.py"});
  INFO(result.tail);
  CHECK(result.exit_status == 1);
  CHECK(result.tail.ends_with("3 of 4 off by more than the interval and 5 %\n"));
}

TEST_CASE("jcprof doctor --selftest needs traps in the target") {
  const test::TemporaryFolder folder;
  write_project(folder.path());
  fs::remove(folder / "jcprof-out" / "traps.json");
  const ProcessResult result = selftest(folder.path());
  CHECK(result.exit_status == 2);
  CHECK(result.tail == "there is no \"" + (folder.path() / "jcprof-out" / "traps.json").string() +
                           "\"\n"
                           "hint: a target that carries no traps cannot be tested: run `jcprof gen` first, "
                           "or `jcprof profile`, which does it all\n");
}

}  // namespace
}  // namespace jcprof::cli
