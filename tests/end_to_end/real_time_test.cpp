// SPDX-License-Identifier: Apache-2.0
// Programs of known work by a real clock: one profile each, and one tolerance. A machine that is too busy is
// told by the whole command, which no test asserts; then the shares are not looked at.
#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/ranges.h>
#include <catch2/catch.hpp>

#include "harness/awake.hpp"
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
  const json profile = profiled(place, project / "jcprof.json", 20);
  test::check_known_work_by_a_real_clock(profile, project / "src/work.c", known_lines);
}

TEST_CASE("known work has its shares by the processor's time of a thread") {
  const Workplace place("real-agent");
  const fs::path project = with_agent(place, "tests/end_to_end/known_work");
  const json profile = profiled(place, project / "agent.json", 20);
  test::check_known_work_by_a_real_clock(profile, project / "src/work.c", known_lines);
}

TEST_CASE("known work in an enclave has its shares by the time-stamp counter") {
  const Workplace place("real-enclave");
  const fs::path project = place.copied("tests/end_to_end/known_enclave");
  const json profile = profiled(place, project, 60);
  test::check_known_work_by_a_real_clock(profile, project / "enclave/work.cpp",
                                         {{"spin(4)", 4.0 / 40},
                                          {"spin(5)", 5.0 / 40},
                                          {"spin(2)", 2.0 / 40},
                                          {"spin(16)", 16.0 / 40},
                                          {"spin(3)", 12.0 / 40, 4}});
}

TEST_CASE("the example c-sort shows that insertion sort takes most, each shot a process of its own") {
  const Workplace place("c-sort");
  const fs::path project = with_agent(place, "examples/c-sort");
  const json profile = profiled(place, project, 12);
  JCPROF_NEEDS_A_QUIET_MACHINE(profile);
  const json hottest = *std::ranges::max_element(
      profile["lines"], {}, [](const json& line) { return line["share"]["value"].get<double>(); });
  CHECK(hottest["line"] == 30);
  CHECK(hottest["path"] == "src/sort.c");
  CHECK(hottest["share"]["value"].get<double>() > 0.5);
}

/// A profile by stops, and a recording, of a process each.
struct BothWays {
  json stopped;
  json recorded;
};

BothWays both_ways(const std::string& name) {
  const Workplace place(name);
  const fs::path project = place.copied("examples/enclave-kv");
  BothWays result{.stopped = profiled(place, project, 40)};
  // The first command finds its pages cold. Among so many it does not count.
  const Said said = place.run({"jcprof", "record", "--project", project.string(), "--runs", "4000"});
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  result.recorded =
      json::parse(place
                      .run({"jcprof", "export", (project / "jcprof-out/record/profile.jcprof").string(),
                            "--format", "json"})
                      .out);
  return result;
}

TEST_CASE("stops and a recording of the same enclave agree") {
  // Two processes run the same code a little differently, which no interval of one knows.
  constexpr double process_to_process = 0.1;
  constexpr double known_to = 0.15;
  constexpr int processes = 5;
  // A call wakes a thread, whose processor sleeps more or less deeply: most of the noise, in both ways.
  const harness::AwakeProcessors awake;
  std::vector<BothWays> all;
  for (int i = 0; i < processes; ++i) {
    all.push_back(both_ways("enclave-recorded-" + std::to_string(i)));
    CHECK(all.back().recorded["device"] == "host build, no enclave");
    CHECK(all.back().recorded["recorded"]["lost"] == 0);
    JCPROF_NEEDS_A_QUIET_MACHINE(all.back().stopped);
    JCPROF_NEEDS_A_QUIET_MACHINE(all.back().recorded);
  }
  // Where processes that are measured in one way differ by more, the two ways cannot be compared.
  const BothWays& first = all.front();
  std::vector<std::string> compared;
  std::vector<std::string> noise;
  for (const std::string function : {"ecall_get", "ecall_put", "fetched", "kv::Table::find"}) {
    const auto differs = [&](const BothWays& other) {
      return !test::disagreements(first.stopped, other.stopped, {function}, process_to_process).empty() ||
             !test::disagreements(first.recorded, other.recorded, {function}, process_to_process).empty();
    };
    const bool is_noise = !test::is_known_to(first.stopped, function, known_to) ||
                          !test::is_known_to(first.recorded, function, known_to) ||
                          std::ranges::any_of(all, differs);
    (is_noise ? noise : compared).push_back(function);
  }
  REQUIRE(test::disagreements(first.stopped, first.recorded, compared, process_to_process) ==
          std::vector<std::string>{});
  if (!noise.empty())
    WARN("SKIPPED: these are known to no better than "
         << 100 * known_to << " %, or differ by more than " << 100 * process_to_process
         << " % from process to process: " << fmt::format("{}", fmt::join(noise, ", ")));
}

// Programs beside it would slow down loads and hooks, each in its own way.
TEST_CASE("a load that misses the caches is own time of the function that loads") {
  const Workplace files("record-chase");
  const Said built = files.run({"gcc", "-O1", "-g", "-pthread", "-finstrument-functions",
                                JCPROF_SOURCE_DIR "/tests/end_to_end/recorded/chase.c", "-o", "chase"});
  INFO(built.err);
  REQUIRE(built.status == 0);
  const Said said = files.run({"jcprof", "record", "-o", "out", "--", "./chase", "200000"});
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.err, !Catch::Contains("the clock"));
  std::istringstream printed(said.out);
  double even = 0;
  double odd = 0;
  double ticks_per_ns = 0;
  REQUIRE(printed >> even >> odd >> ticks_per_ns);
  const double truth = (even + odd) / 2;
  // These differ by chance alone, and so may those that are recorded.
  if (const double difference = std::abs(even - odd) / truth; difference > 0.03) {
    WARN("SKIPPED: this machine is too busy: loads of even and odd passes differ by " << 100 * difference
                                                                                      << " %");
    return;
  }
  const auto ticks_of = [&](const std::string& function) {
    return ticks_per_ns *
           std::stod(
               test::value_of(files / "out/profile.jcprof",
                              "SELECT exclusive / calls FROM function WHERE function = '" + function + "'")
                   .value_or("-1"));
  };
  // Events cost more where loads miss, by how much depends on the machine: up to half of the load was seen.
  CHECK(ticks_of("chase") > 0.9 * truth);
  CHECK(ticks_of("chase") < 2 * truth);
  CHECK(ticks_of("after") < 0.25 * truth);
}

}  // namespace
}  // namespace jcprof
