// SPDX-License-Identifier: Apache-2.0
// The agent as users have it: behind `jcprof doctor --agent` and `jcprof run`, found beside jcprof, and gone
// with it.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "src/core/store.hpp"
#include "tests/ecall_agent/bridges.hpp"
#include "tests/support/processes.hpp"

namespace jcprof::test {
namespace {

namespace fs = std::filesystem;

ProcessResult run(const std::string& program, std::vector<std::string> arguments, const fs::path& cwd) {
  arguments.insert(arguments.begin(), fs::path(JCPROF_BIN_DIR) / program);
  return run_and_wait({.argv = arguments, .cwd = cwd}, {}, std::chrono::seconds{150});
}

TEST_CASE("jcprof-agent-ecall passes the examination") {
  const Shop shop;
  const ProcessResult result =
      run("jcprof", {"doctor", "--agent", "jcprof-agent-ecall bridge.so"}, shop.folder().path());
  INFO(result.tail);
  CHECK(result.exit_status == 0);
  CHECK(result.tail.find("failed") == std::string::npos);
  CHECK(result.tail.find("passed  a stop leaves the target as it was\n") != std::string::npos);
}

/// A project and a trap map by hand, for the six traps of shop.c, each on a line of its own in a file of six.
fs::path project_of(const Shop& shop) {
  std::string traps;
  for (int id = 1; id <= 6; ++id)
    traps += fmt::format(
        R"({}{{"id": {}, "key": "{:064}", "name": "TRAP_work_{}", "kind": "{}", "function": "work",
               "path": "shop.c", "line": {}, "column": 1, "offset": {}}})",
        id > 1 ? "," : "", id, id, id,
        id == 1   ? "entry0"
        : id == 2 ? "entry"
                  : "before",
        id, 2 * (id - 1));
  write_file(shop.folder() / "shop.c", "a\nb\nc\nd\ne\nf\n");
  write_file(shop.folder() / "jcprof-out/.jcprof-out", "");
  write_file(shop.folder() / "jcprof-out/traps.json",
             R"({"format": "jcprof-traps", "version": 1, "language": "c", "sources": [], "traps": [)" +
                 traps + "]}");
  write_file(shop.folder() / "jcprof.json", R"({"format": "jcprof-project", "version": 1, "name": "shop",
    "target": "program", "sources": ["shop.c"], "entry": "work",
    "transport": "agent:jcprof-agent-ecall bridge.so", "trigger": {"ecall": "ecall_work", "expect": "42"},
    "session": {"timeout": "2s"}, "inputs": {"list": ["02"]}})");
  return shop.folder().path();
}

using Rows = decltype(QueryResult::rows);

Rows rows(const Shop& shop, const std::string& sql) {
  return query(shop.folder() / "jcprof-out/profile.jcprof", sql).rows;
}

TEST_CASE("jcprof run measures through the agent that lies beside it") {
  const Shop shop({"FAULT=LEAK_END"});
  const ProcessResult result =
      run("jcprof-run", {"--rounds", "10", "--max-time", "60s", "."}, project_of(shop));
  INFO(result.tail);
  CHECK(result.exit_status == 0);
  CHECK(rows(shop, "SELECT transport, agent, device, simulated, state FROM run") ==
        Rows{{"agent", "jcprof-agent-ecall/" JCPROF_VERSION, "a shop, no enclave", "0", "complete"}});
  CHECK(rows(shop, "SELECT DISTINCT outcome FROM sample ORDER BY outcome") == Rows{{"ended"}, {"stopped"}});
}

TEST_CASE("a run whose ecall crashes at one event is complete without that event") {
  const Shop shop({"FAULT=CRASH"});
  const ProcessResult result =
      run("jcprof-run", {"--rounds", "10", "--max-time", "60s", "."}, project_of(shop));
  INFO(result.tail);
  CHECK(result.exit_status == 0);
  CHECK(result.tail.find("leaves out the stop at") != std::string::npos);
  CHECK(rows(shop, "SELECT state FROM run") == Rows{{"complete"}});
  CHECK(rows(shop, "SELECT count(*) FROM sample WHERE outcome = 'lost'") == Rows{{"2"}});
}

/// Processes whose command line holds `text`.
std::vector<pid_t> processes_with(const std::string& text) {
  std::vector<pid_t> found;
  for (const auto& [pid, line] : test::command_lines())
    if (line.find(text) != std::string::npos &&
        line.find("jcprof-agent-ecall") == line.rfind("jcprof-agent-ecall"))
      found.push_back(pid);
  return found;
}

TEST_CASE("the process of the enclave goes with the agent, however that is ended") {
  const Shop shop;
  {
    const auto agent = shop.agent();
    CHECK(agent->describe().device == "a shop, no enclave");
    const std::vector<pid_t> both = processes_with(shop.bridge());
    REQUIRE(both.size() >= 2);
    for (const pid_t pid : both) {
      std::ifstream stat(fmt::format("/proc/{}/stat", pid));
      std::string skipped;
      pid_t parent = 0;
      stat >> skipped >> skipped >> skipped >> parent;
      if (std::count(both.begin(), both.end(), parent) > 0) ::kill(parent, SIGKILL);
    }
    for (int i = 0; i < 500 && !processes_with(shop.bridge()).empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    CHECK(processes_with(shop.bridge()).empty());
  }
}

}  // namespace
}  // namespace jcprof::test
