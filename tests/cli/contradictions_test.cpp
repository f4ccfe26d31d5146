// SPDX-License-Identifier: Apache-2.0
// A target in which stops leave a state behind, measured and annotated by the programs.
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "src/core/trap_map.hpp"
#include "tests/core/temporary_folder.hpp"
#include "tests/support/line_traps.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint32_t traps = 20;  // one a line

/// A project of an agent with these options, as if jcprof gen had been there.
void write_project(const fs::path& folder, json agent) {
  std::string source;
  for (std::uint32_t id = 1; id <= traps; ++id) source += fmt::format("work({:2});\n", id);
  const TrapMap map = test::traps_at_lines(source, traps, 10);
  std::vector<std::uint32_t> path(traps);
  std::iota(path.begin(), path.end(), 1U);
  agent["path"] = path;
  agent["noise"] = 100'000;  // a tenth of a block
  const json project{{"format", "jcprof-project"},
                     {"version", 1},
                     {"name", "contradictions"},
                     {"target", "program"},
                     {"sources", {"a.c"}},
                     {"entry", "f"},
                     {"transport", "agent:" JCPROF_FAULTY_AGENT " '" + agent.dump() + "'"},
                     {"trigger", {{"function", "f"}}}};
  write_file(folder / "a.c", source);
  write_file(folder / "jcprof.json", project.dump());
  write_file(folder / "jcprof-out/.jcprof-out", "");
  write_file(folder / "jcprof-out/traps.json", write_trap_map(map));
}

ProcessResult run(const std::string& program, std::vector<std::string> arguments, const fs::path& cwd) {
  arguments.insert(arguments.begin(), fs::path(JCPROF_BIN_DIR) / program);
  return run_and_wait({.argv = arguments, .cwd = cwd}, {}, std::chrono::seconds{100});
}

}  // namespace

TEST_CASE("run and annotate end with 4 where a whole command does not undo what a stop has left behind") {
  const test::TemporaryFolder folder;
  // A whole command between two stops does not bring the target back.
  write_project(folder.path(), {{"half_done", 12}, {"half_done_for", 2}, {"stop", 1000}});
  const ProcessResult measured = run("jcprof-run", {".", "--rounds", "80"}, folder.path());
  INFO(measured.tail);
  CHECK(measured.exit_status == 4);
  const ProcessResult annotated = run("jcprof-annotate", {"."}, folder.path());
  INFO(annotated.tail);
  CHECK(annotated.exit_status == 4);
  CHECK(annotated.tail.find("unreliable") != std::string::npos);
  CHECK(measured.tail.find("even with a whole command before each stop") != std::string::npos);
  const std::string copy = read_file(folder / "jcprof-out/annotated/a.c");
  CHECK(copy.find("work(12); // unreliable ×1 (") != std::string::npos);
  const ProcessResult shown = run("jcprof-annotate", {".", "--show", "a.c:12", "--json"}, folder.path());
  CHECK(shown.exit_status == 4);
  CHECK(json::parse(shown.tail)["unreliable"] == true);
}

TEST_CASE("where a whole command undoes what a stop has left behind, times are right") {
  const test::TemporaryFolder folder;
  write_project(folder.path(), {{"half_done", 12}, {"stop", 1000}});
  const ProcessResult measured = run("jcprof-run", {".", "--rounds", "12"}, folder.path());
  INFO(measured.tail);
  CHECK(measured.exit_status == 0);
  CHECK(measured.tail.find("warning: prepared: the time of a command depends on the command before it") !=
        std::string::npos);
  CHECK(run("jcprof-annotate", {"."}, folder.path()).exit_status == 0);
  for (const int line : {3, 11, 12, 17}) {
    const ProcessResult shown =
        run("jcprof-annotate", {".", "--show", fmt::format("a.c:{}", line), "--json"}, folder.path());
    INFO(shown.tail);
    // Of 50 such events the first is in front of all lines.
    const json share = json::parse(shown.tail)["share"];
    CHECK(share["value"].get<double>() == Approx(1.0 / 49).epsilon(0.1));
  }
}

TEST_CASE("run and annotate end with 4 where no shots are left for a whole command before each stop") {
  const test::TemporaryFolder folder;
  write_project(folder.path(), {{"half_done", 12}, {"stop", 1000}});
  const ProcessResult measured =
      run("jcprof-run", {".", "--rounds", "20", "--max-shots", "600"}, folder.path());
  INFO(measured.tail);
  CHECK(measured.exit_status == 4);
  CHECK(measured.tail.find("warning: memory: ") != std::string::npos);
  CHECK(run("jcprof-annotate", {"."}, folder.path()).exit_status == 4);
}

TEST_CASE("run and annotate end with 4 where answers come at whole steps from the start of each command") {
  const test::TemporaryFolder folder;
  write_project(folder.path(), {});
  json project = json::parse(read_file(folder / "jcprof.json"));
  project["transport"] = "agent:" JCPROF_SYNTHETIC_AGENT;
  for (const std::string situation : {"sleep-1ms", "late-answers"}) {
    INFO(situation);
    project["trigger"] = {{"device", "card"}, {"situation", situation}, {"blocks", traps}};
    write_file(folder / "jcprof.json", project.dump());
    const int exit_code = situation == "sleep-1ms" ? 4 : 0;
    const ProcessResult measured = run("jcprof-run", {".", "--rounds", "24", "--fresh"}, folder.path());
    INFO(measured.tail);
    CHECK(measured.exit_status == exit_code);
    CHECK((measured.tail.find("warning: locked grid: answers come only at whole steps of 1.00") !=
           std::string::npos) == (exit_code == 4));
    const ProcessResult annotated = run("jcprof-annotate", {"."}, folder.path());
    CHECK(annotated.exit_status == exit_code);
    const std::string copy = read_file(folder / "jcprof-out/annotated/a.c");
    for (std::uint32_t line = 1; line <= traps; ++line)
      CHECK((copy.find(fmt::format("work({:2}); // unreliable ×1", line)) != std::string::npos) ==
            (exit_code == 4));
  }
}

TEST_CASE("run and annotate end with 0 where stops leave nothing behind") {
  const test::TemporaryFolder folder;
  write_project(folder.path(), {{"stop", 1000}});
  CHECK(run("jcprof-run", {".", "--rounds", "24"}, folder.path()).exit_status == 0);
  const ProcessResult annotated = run("jcprof-annotate", {"."}, folder.path());
  CHECK(annotated.exit_status == 0);
  CHECK(annotated.tail.find("unreliable") == std::string::npos);
}

}  // namespace jcprof
