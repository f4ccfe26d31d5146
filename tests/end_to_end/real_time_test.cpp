// SPDX-License-Identifier: Apache-2.0
// Programs of known work by a real clock: one profile each, and one tolerance. A machine that is too busy is
// told by the whole command, which no test asserts; then the shares are not looked at.
#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/end_to_end/agreement.hpp"
#include "tests/end_to_end/known_work.hpp"
#include "tests/end_to_end/profiled.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::profiled;
using test::Said;
using test::Workplace;

/// A copy of a folder of ours in the workplace, with the agent of c-sort beside it.
fs::path with_agent(const Workplace& place, const fs::path& folder) {
  const fs::path to = place.copied(folder);
  place.copied("examples/c-sort/agent", to.filename().string() + "/agent");
  return to;
}

const std::vector<test::KnownLine> known_lines{{"spin(4)", 4.0 / 40},
                                               {"spin(8)", 8.0 / 40},
                                               {"spin(16)", 16.0 / 40},
                                               {"spin(2)", 8.0 / 40, 4},
                                               {"spin(1)", 4.0 / 40, 4}};

TEST_CASE("known work has its shares by the processor's time of a process") {
  const Workplace place("real-exec");
  const fs::path project = with_agent(place, "tests/end_to_end/known_work");
  const json profile = profiled(place, project / "jcprof.json", 60);
  JCPROF_NEEDS_A_QUIET_MACHINE(profile);
  test::check_known_work(profile, project / "src/work.c", known_lines);
}

TEST_CASE("known work has its shares by the processor's time of a thread") {
  const Workplace place("real-agent");
  const fs::path project = with_agent(place, "tests/end_to_end/known_work");
  const json profile = profiled(place, project / "agent.json", 60);
  JCPROF_NEEDS_A_QUIET_MACHINE(profile);
  test::check_known_work(profile, project / "src/work.c", known_lines);
}

TEST_CASE("known work in an enclave has its shares by the time-stamp counter") {
  const Workplace place("real-enclave");
  const fs::path project = place.copied("tests/end_to_end/known_enclave");
  const json profile = profiled(place, project, 60);
  JCPROF_NEEDS_A_QUIET_MACHINE(profile);
  test::check_known_work(profile, project / "enclave/work.cpp",
                         {{"spin(4)", 4.0 / 40},
                          {"spin(5)", 5.0 / 40},
                          {"spin(2)", 2.0 / 40},
                          {"spin(16)", 16.0 / 40},
                          {"spin(3)", 12.0 / 40, 4}});
}

TEST_CASE("the example c-sort shows that insertion sort takes most, each shot a process of its own") {
  const Workplace place("c-sort");
  const fs::path project = with_agent(place, "examples/c-sort");
  const json profile = profiled(place, project, 40);
  JCPROF_NEEDS_A_QUIET_MACHINE(profile);
  const json hottest = *std::ranges::max_element(
      profile["lines"], {}, [](const json& line) { return line["share"]["value"].get<double>(); });
  CHECK(hottest["line"] == 30);
  CHECK(hottest["path"] == "src/sort.c");
  CHECK(hottest["share"]["value"].get<double>() > 0.5);
}

TEST_CASE("stops and a recording of the same enclave agree") {
  // Two processes run the same code a little differently, which no interval of one knows.
  constexpr double process_to_process = 0.1;
  const Workplace place("enclave-recorded");
  const fs::path project = place.copied("examples/enclave-kv");
  const json stopped = profiled(place, project, 40);
  const Said said = place.run({"jcprof", "record", "--project", project.string(), "--runs", "200"});
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  const json recorded =
      json::parse(place
                      .run({"jcprof", "export", (project / "jcprof-out/record/profile.jcprof").string(),
                            "--format", "json"})
                      .out);
  CHECK(recorded["device"] == "host build, no enclave");
  CHECK(recorded["recorded"]["lost"] == 0);
  JCPROF_NEEDS_A_QUIET_MACHINE(stopped);
  JCPROF_NEEDS_A_QUIET_MACHINE(recorded);
  CHECK(test::disagreements(stopped, recorded, {"ecall_get", "ecall_put", "fetched", "kv::Table::find"},
                            process_to_process) == std::vector<std::string>{});
}

}  // namespace
}  // namespace jcprof
