// SPDX-License-Identifier: Apache-2.0
#include "tests/ecall_agent/bridges.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "harness/path.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"

namespace jcprof::test {

namespace fs = std::filesystem;

Shop::Shop(const std::vector<std::string>& definitions) {
  const bool throws = std::ranges::count(definitions, "FAULT=THROW") > 0;
  std::vector<std::string> argv{throws ? "g++" : "gcc", "-shared", "-fPIC", "-O2", "-DJCPROF", "-I",
                                JCPROF_SOURCE_DIR};
  if (throws) argv.insert(argv.end(), {"-x", "c++"});
  for (const std::string& definition : definitions) argv.push_back("-D" + definition);
  argv.insert(argv.end(), {JCPROF_SOURCE_DIR "/tests/ecall_agent/bridges/shop.c", "-o", bridge()});
  const ProcessResult result =
      run_and_wait({.argv = argv, .cwd = folder_.path()}, {}, std::chrono::seconds{60});
  INFO(result.tail);
  REQUIRE(result.exit_status == 0);
  write_file(folder_ / "time", std::string(sizeof(std::int64_t), '\0'));
}

std::unique_ptr<harness::Transport> Shop::agent() const {
  const std::string program = (fs::path(JCPROF_BIN_DIR) / "jcprof-agent-ecall").string();
  harness::AgentSetup setup{.traps = 6};
  setup.settings.command = {.argv = {program, bridge()},
                            .cwd = folder_.path(),
                            .environment = {{"JCPROF_TEST_TIME", (folder_ / "time").string()},
                                            {"LD_PRELOAD", JCPROF_VIRTUAL_CLOCK}}};
  setup.settings.log = {.file = folder_ / "agent.log", .start = LogStart::go_on};
  setup.settings.greeting = {.project = "shop",
                             .target = "sgx-enclave",
                             .trigger = "{}",
                             .session = R"({"timeout": "2s"})",
                             .options = R"({"clock": "monotonic"})"};
  setup.settings.timeout = std::chrono::seconds{2};
  setup.right.expect = "0000002A";
  return harness::make_agent_transport(setup, nullptr);
}

std::string Shop::account() const {
  const std::string log = read_file(folder_ / "agent.log");
  const std::size_t at = log.rfind("jcprof-agent-ecall: ");
  return at == std::string::npos ? "" : log.substr(at);
}

int Shop::count_of(const std::string& what) const {
  const std::string text = account();
  const std::size_t end = text.find(" " + what);
  INFO(text);
  REQUIRE(end != std::string::npos);
  return std::stoi(text.substr(text.find_last_of(" (", end - 1) + 1));
}

std::vector<std::string> wrong_answers(harness::Transport& agent, int rounds) {
  const harness::TraceWindow window = agent.trace(0, 0, 1000);
  REQUIRE(window.end.why == "");
  std::vector<Shot> shots;
  for (const Event& event : harness::events_of(window.traps)) shots.push_back({.stop = event});
  shots.push_back({});
  std::set<std::string> wrong;
  for (int round = 0; round < rounds; ++round)
    agent.measure(shots, [&](const Shot& shot, const Sample& sample) {
      const bool is_right =
          shot.stop.trap == run_to_end
              ? sample.outcome == Outcome::ended && sample.status == 42U && sample.reply == Bytes{7}
              : sample.outcome == Outcome::stopped && sample.reached == shot.stop;
      if (!is_right)
        wrong.insert(fmt::format("{}/{}: {} {}", number(shot.stop.trap), shot.stop.hit,
                                 name_of(sample.outcome), sample.why));
      return true;
    });
  return {wrong.begin(), wrong.end()};
}

}  // namespace jcprof::test
