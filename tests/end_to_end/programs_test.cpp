// SPDX-License-Identifier: Apache-2.0
// `jcprof profile` on C programs, each shot a process of its own and in one process behind an agent.
#include <csignal>

#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/known_work.hpp"
#include "tests/end_to_end/profiled.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::check_known_work;
using test::KnownLine;
using test::profiled;
using test::TestClock;
using test::Workplace;

/// A copy of a folder of ours in the workplace, with the agent of c-sort beside it.
fs::path copied(const Workplace& place, const fs::path& folder) {
  const fs::path to = place.copied(folder);
  place.copied("examples/c-sort/agent", to.filename().string() + "/agent");
  return to;
}

const std::vector<KnownLine> known_lines{{"spin(4)", 4.0 / 40},
                                         {"spin(8)", 8.0 / 40},
                                         {"spin(16)", 16.0 / 40},
                                         {"spin(2)", 8.0 / 40, 4},
                                         {"spin(1)", 4.0 / 40, 4}};

constexpr const char* loop_of_work =
    "  unsigned long passes = units * 300000ul;\n  while (passes-- > 0) sink = sink * 5u + 1u;\n";

TEST_CASE("known work has its shares, each shot a process of its own") {
  const Workplace place("known-exec", TestClock::virtual_time);
  const fs::path project = copied(place, "tests/end_to_end/known_work");
  test::replace_in(project / "jcprof.json", R"("clock": "cpu")", R"("clock": "wall")");
  test::spin_in_virtual_time(project / "src/work.c", loop_of_work);
  const json profile = profiled(place, project / "jcprof.json", 12);
  check_known_work(profile, project / "src/work.c", known_lines);
  CHECK(profile["transport"] == "exec");
  CHECK(profile["unit"] == "ns");
  CHECK(profile["simulated"] == false);
}

TEST_CASE("known work has its shares in one process behind an agent") {
  const Workplace place("known-agent", TestClock::virtual_time);
  const fs::path project = copied(place, "tests/end_to_end/known_work");
  test::spin_in_virtual_time(project / "src/work.c", loop_of_work);
  const json profile = profiled(place, project / "agent.json", 12);
  check_known_work(profile, project / "src/work.c", known_lines);
  CHECK(profile["transport"] == "agent");
}

TEST_CASE("a run that is killed leaves no file of reports behind") {
  const Workplace place("killed");
  const fs::path project = copied(place, "tests/end_to_end/known_work");
  const fs::path where = project / "where";
  test::replace_in(
      project / "jcprof.json", R"({"run": ["{out}/work"])",
      R"({"run": ["sh", "-c", "echo $JCPROF_REPORT >$0; exec \"$1\"", "{project}/where", "{out}/work"])");
  test::Running profile = place.start({"jcprof", "profile", (project / "jcprof.json").string()});
  REQUIRE(test::becomes_true([&] { return fs::exists(where) && fs::file_size(where) > 1; },
                             std::chrono::seconds{90}));
  std::string report = read_file(where);
  report.resize(report.find('\n'));
  CHECK(fs::exists(report));
  REQUIRE(::kill(profile.pid(), SIGKILL) == 0);
  CHECK(profile.wait() == 128 + SIGKILL);
  CHECK_FALSE(fs::exists(report));
}

}  // namespace
}  // namespace jcprof
