// SPDX-License-Identifier: Apache-2.0
// The example agent, as its README has people use it.
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "src/core/store.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;

ProcessResult run(const std::string& program, std::vector<std::string> arguments, const fs::path& cwd) {
  arguments.insert(arguments.begin(), fs::path(JCPROF_BIN_DIR) / program);
  return run_and_wait({.argv = arguments, .cwd = cwd}, {}, std::chrono::seconds{100});
}

TEST_CASE("the example agent passes the examination") {
  const ProcessResult result = run("jcprof", {"doctor", ".", "--agent", "python3 agent.py"},
                                   JCPROF_SOURCE_DIR "/examples/agent-python");
  CHECK(result.exit_status == 0);
  CHECK(result.tail ==
        "passed  hello is answered, with everything that it should say\n"
        "passed  an unknown verb is answered with an error\n"
        "passed  the whole command runs to its end\n"
        "passed  unknown fields are ignored\n"
        "passed  the path is traced\n"
        "passed  windows of the trace are parts of one path\n"
        "passed  it stops where it is asked to, and says where that is\n"
        "passed  a trap that is never passed does not stop it\n"
        "passed  a stop leaves the target as it was\n"
        "passed  a batch of the most shots is answered in order\n"
        "passed  delays are waited, and each shot is answered at once\n"
        "passed  ticks are times of the bare command\n"
        "skipped an exact clock repeats its ticks: the clock is not called exact\n"
        "passed  calibration is as it says in \"can\"\n"
        "skipped reset is as it says in \"can\": it is not in \"can\", and answered with an error\n"
        "passed  bye ends it\n"
        "passed  the end of its input ends it\n"
        "passed  requests that are all there at once are answered in order\n");
}

TEST_CASE("jcprof doctor --agent fails with one line a fault") {
  const test::TemporaryFolder folder;
  const ProcessResult result =
      run("jcprof", {"doctor", "--json", "--agent", "sh -c 'echo no board >&2; exit 3'"}, folder.path());
  CHECK(result.exit_status == 1);
  CHECK(nlohmann::json::parse(result.tail) ==
        nlohmann::json::parse(
            R"([{"check": "hello is answered, with everything that it should say", "verdict": "failed",
                 "why": "it ended with status 3; the last of its log:\nno board\n"}])"));
}

/// Measures examples/agent-python with this "agent" of its project file.
void measures_example(const std::string& agent) {
  const test::TemporaryFolder folder;
  const fs::path project = folder / "project";
  fs::copy(JCPROF_SOURCE_DIR "/examples/agent-python", project);
  const ProcessResult map =
      run_and_wait({.argv = {"python3", "make_traps.py"}, .cwd = project}, {}, std::chrono::seconds{20});
  REQUIRE(map.exit_status == 0);
  write_file(project / "jcprof-out" / ".jcprof-out", "");
  write_file(project / "jcprof-out" / "traps.json", map.tail);
  std::string text = read_file(project / "jcprof.json");
  text.replace(text.find("\"trigger\""), 0, "\"agent\": " + agent + ",\n  ");
  write_file(project / "jcprof-agent.json", text);
  const ProcessResult result =
      run("jcprof-run", {"jcprof-agent.json", "--fresh", "--rounds", "4", "--max-time", "90s", "--json"},
          project);
  INFO(result.tail);
  CHECK(result.exit_status == 0);
  CHECK(run("jcprof-annotate", {"jcprof-agent.json", "--quiet"}, project).exit_status == 0);
  const QueryResult run_row = query(project / "jcprof-out" / "profile.jcprof",
                                    "SELECT transport, agent, unit, simulated, state FROM run");
  CHECK(run_row.rows == decltype(run_row.rows){{"agent", "agent-python/1.0", "ns", "0", "complete"}});
  const QueryResult lines =
      query(project / "jcprof-out" / "profile.jcprof", "SELECT DISTINCT line FROM line ORDER BY line");
  CHECK(lines.rows ==
        decltype(lines.rows){{"8"}, {"10"}, {"12"}, {"14"}, {"16"}, {"18"}, {"23"}, {"25"}, {"27"}});
}

TEST_CASE("the example of an agent is measured with a trap map written by hand") {
  measures_example("{}");
}

// Each calibration starts the agent anew.
TEST_CASE("an agent that lives for a batch is measured with a trap map written by hand", "[real]") {
  measures_example(R"({"per_batch": true})");
}

}  // namespace
}  // namespace jcprof
