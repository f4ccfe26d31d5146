// SPDX-License-Identifier: Apache-2.0
// jcprof layers, from an agent's answers, or a file of timestamps, to the table.
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "annotator/hops/hops.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;

// Rungs of 16, 2016 and 2016 + 1000 times (trap + length of the input); the first answer is that of a cold
// machine.
constexpr const char* agent = R"(import json, sys
answers = 0
for line in sys.stdin:
    request = json.loads(line)
    verb = request["do"]
    answer = {"ok": {}}
    if verb == "hello":
        answer = {"ok": {"protocol": 1, "agent": "ladder/1", "device": "qemu", "simulated": True,
                         "clock": {"unit": "instructions", "exact": True}}}
    elif verb == "layers" and "fail" in sys.argv:
        answer = {"error": {"message": "no /dev/tee0", "hint": "is optee.ko loaded?"}}
    elif verb == "layers" and "stranger" not in sys.argv:
        answers += 1
        cold = 500 if answers == 1 else 0
        depth = 2016 + 1000 * (request["trap"] + len(request["input"]))
        last = "entry" if "change" in sys.argv and answers == 3 else "command"
        answer = {"ok": {"rungs": [{"name": name, "ticks": [cold + ticks] * request["rounds"]}
                                   for name, ticks in (("clock", 16), ("driver", 2016), (last, depth))]}}
    elif verb == "layers":
        answer = {"error": {"message": "unknown verb"}}
    answer["id"] = request["id"]
    print(json.dumps(answer), flush=True)
    if verb == "bye":
        break
)";

constexpr const char* traps = R"({"format": "jcprof-traps", "version": 1, "language": "c", "sources": [],
 "traps": [{"id": 1, "key": "a", "name": "A", "kind": "entry", "function": "f", "path": "a.c", "line": 1, "column": 1, "offset": 0},
           {"id": 2, "key": "b", "name": "B", "kind": "entry0", "function": "g", "path": "a.c", "line": 2, "column": 1, "offset": 9}]})";

struct Place {
  test::TemporaryFolder folder;

  explicit Place(const std::string& transport) {
    write_file(folder / "agent.py", agent);
    write_file(
        folder / "jcprof.json",
        R"({"format": "jcprof-project", "version": 1, "name": "hmac", "target": "program", "sources": ["a.c"], "entry": "f",
      "trigger": {}, "inputs": {"fixed": "0102"}, "transport": ")" +
            transport + "\"}");
  }
  ProcessResult layers(std::vector<std::string> more) const {
    std::vector<std::string> argv{fs::path(JCPROF_BIN_DIR) / "jcprof", "layers", "."};
    argv.insert(argv.end(), more.begin(), more.end());
    return run_and_wait({.argv = argv, .cwd = folder.path()}, {}, std::chrono::seconds{60});
  }
};

TEST_CASE("an agent's ladder becomes a table of layers") {
  const Place place("agent:python3 agent.py");
  const ProcessResult bare = place.layers({"--rounds", "9"});
  INFO(bare.tail);
  CHECK(bare.exit_status == 0);
  CHECK(bare.tail ==
        "hmac on qemu, SIMULATED: 10 rounds\n"
        "layer       instructions  least to most   share\n"
        "clock                 16       16 to 16  0.27 %\n"
        "driver              2000   2000 to 2000  33.2 %\n"
        "command             4000   4000 to 4000  66.5 %\n"
        "round trip          6016   6016 to 6016\n");
  CHECK(place.layers({"--rounds", "9", "--quiet"}).tail.empty());
}

TEST_CASE("the ladder ends at the first trap of the entry that traps.json has") {
  const Place place("agent:python3 agent.py");
  write_file(place.folder / "jcprof-out" / ".jcprof-out", "");
  write_file(place.folder / "jcprof-out" / "traps.json", traps);
  const ProcessResult result = place.layers({"-o", "jcprof-out", "--json"});
  INFO(result.tail);
  REQUIRE(result.exit_status == 0);
  const auto json = nlohmann::json::parse(result.tail);
  CHECK(json.at("rounds") == 100);
  CHECK(json.at("total").at("value") == 2016 + 1000 * (2 + 4));
  CHECK(json.at("layers").back().at("name") == "command");
}

TEST_CASE("an agent that gives no layers, or others than before, is told with its words") {
  const auto first_lines = [](const std::string& argument) {
    const ProcessResult result = Place("agent:python3 agent.py " + argument).layers({});
    CHECK(result.exit_status == 3);
    return result.tail;
  };
  using Catch::Contains;
  CHECK_THAT(first_lines("stranger"),
             Contains("the agent gives no layers: unknown verb\npython3 agent.py stranger\n") &&
                 Contains("hint: an agent that knows \"layers\" is jcprof-agent-teec: docs/optee.md\n"));
  CHECK_THAT(first_lines("fail"), Contains("the agent gives no layers: no /dev/tee0\n") &&
                                      Contains("hint: is optee.ko loaded?\n"));
  CHECK_THAT(first_lines("change"), Contains("the agent answers with other layers than before\n"));
}

/// So many calls, on four cores in turn.
std::string stamps_of(std::size_t calls) {
  std::string text = "timestamps:\n";
  for (std::size_t call = 0, counter = 0; call < calls; ++call)
    for (const char* component : {"libteec", "kmodule", "core", "core", "kmodule", "libteec"})
      text += fmt::format("- core: {}\n  counter: {}\n  address: 0x{:x}\n  component: {}\n", call % 4,
                          counter += 6400, counter, component);
  return text + "...\n";
}

TEST_CASE("a file of a hundred thousand timestamps is read, in a time that grows as it does") {
  const test::TemporaryFolder folder;
  const auto read = [&](std::size_t calls) {
    write_file(folder / "hello.ts", stamps_of(calls));
    const std::clock_t begin = std::clock();
    std::ifstream text(folder / "hello.ts");
    annotator::HopTally tally;
    annotator::read_stamps("hello.ts", text, [&](const annotator::Stamp& stamp) { tally.take(stamp); });
    CHECK(tally.finish().stamps == 6 * calls);
    return static_cast<double>(std::clock() - begin);
  };
  const double less = read(1667);
  const double more = read(16'670);
  CHECK(more < 40 * less);  // a hundred times, if each looked at all before it
  const ProcessResult result = run_and_wait(
      {.argv = {fs::path(JCPROF_BIN_DIR) / "jcprof", "layers", "hello.ts", "--hz", "1e9", "--json"},
       .cwd = folder.path()},
      {.file = folder / "out.json"}, std::chrono::seconds{60});
  REQUIRE(result.exit_status == 0);
  const auto json = nlohmann::json::parse(read_file(folder / "out.json"));
  CHECK(json.at("timestamps") == 100'020);
  CHECK(json.at("round_trip").at("all").at("count") == 16'670);
  CHECK(json.at("round_trip").at("all").at("ns").at("most") == 5 * 6400);
}

TEST_CASE("a file that is none of timestamps, and options of the other kind, are mistakes") {
  const Place place("agent:python3 agent.py");
  const auto message = [&](std::vector<std::string> argv) {
    argv.insert(argv.begin(), {fs::path(JCPROF_BIN_DIR) / "jcprof", "layers"});
    const ProcessResult result =
        run_and_wait({.argv = argv, .cwd = place.folder.path()}, {}, std::chrono::seconds{60});
    CHECK(result.exit_status == 2);
    return result.tail;
  };
  write_file(place.folder / "a.ts", "timestamps:\n- core: 0\n  counter: many\n- core: 1\n");
  CHECK_THAT(message({"a.ts"}), Catch::StartsWith("a.ts:3: \"counter\" cannot be \"many\"\nhint: "));
  CHECK(message({"b.ts"}) == "cannot read \"b.ts\"\n");
  CHECK(message({"a.ts", "--rounds", "7"}) ==
        "--rounds goes with a project: the rounds of a FILE.ts are fixed\n");
  CHECK(message({".", "--hz", "1e9"}) ==
        "--hz goes with a FILE.ts: an agent states the rate of its ticks itself\n");
}

TEST_CASE("layers are asked of agents only") {
  const Place place("exec:");
  std::string project = read_file(place.folder / "jcprof.json");
  const std::string asked = R"("trigger": {}, "inputs": {"fixed": "0102"})";
  project.replace(project.find(asked), asked.size(), R"("trigger": {"run": ["true"]})");
  write_file(place.folder / "jcprof.json", project);
  const ProcessResult result = place.layers({});
  CHECK(result.exit_status == 2);
  CHECK_THAT(result.tail, Catch::Contains("jcprof.json: an agent is wanted, and transport is \"exec:\"\n"
                                          "hint: \"transport\": \"agent:COMMAND\"\n"));
}

}  // namespace
}  // namespace jcprof
