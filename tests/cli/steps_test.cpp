// SPDX-License-Identifier: Apache-2.0
// Steps of a project, and jcprof-gen as they are started.
#include "programs/steps.hpp"

#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "src/core/trap_map.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a folder that a step works in is made in the output folder, and never through a link out of it") {
  const test::TemporaryFolder folder;
  fs::create_directories(folder / "elsewhere");
  fs::create_directories(folder / "out");
  fs::create_directory_symlink(folder / "elsewhere", folder / "out/link");
  const Placeholders values{{"out", (folder / "out").string()}};
  const auto run_in = [&](const std::string& cwd) {
    run_steps("build", {{.run = {"touch", "here"}, .cwd = cwd}}, values, {.is_shown = false});
  };
  run_in("{out}/a/b");
  CHECK(fs::exists(folder / "out/a/b/here"));
  CHECK_THROWS_AS(run_in("{out}/link/b"), UserError);
  CHECK(fs::is_empty(folder / "elsewhere"));
}

constexpr const char* steps_project = R"({
  "format": "jcprof-project", "version": 1, "target": "program", "sources": ["a.c"], "entry": "main",
  "compile": {"prepare": [{"run": ["true", "{out}/prepared"]}], "database": "{out}/prepared/compile_commands.json"},
  "build": [{"run": ["cc", "-o", "{out}/app", "a.c"]}], "transport": "exec:", "trigger": {"run": ["{out}/app"]}
})";

TEST_CASE("a dry run shows the steps that prepare the reading of sources, and runs none of them") {
  const test::TemporaryFolder folder;
  write_file(folder / "jcprof.json", steps_project);
  const ProcessResult result =
      run_and_wait({.argv = {JCPROF_BIN_DIR "/jcprof", "profile", "--dry-run", folder.path().string()},
                    .cwd = folder.path()},
                   {}, std::chrono::seconds{100});
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.tail, Catch::StartsWith("prepare: true ") && Catch::Contains("\nbuild: cc -o "));
  CHECK_FALSE(fs::exists(folder / "jcprof-out"));
}

TEST_CASE("a dry run shows the hook of a secure channel") {
  const test::TemporaryFolder folder;
  write_file(folder / "jcprof.json", R"({"format": "jcprof-project", "version": 1, "target": "applet",
    "sources": ["A.java"], "entry": "A.process", "transport": "pcsc:", "trigger": {"apdu": "80000000"},
    "session": {"exchange": {"run": ["python3", "{project}/scp03.py"]}}})");
  const ProcessResult result =
      run_and_wait({.argv = {JCPROF_BIN_DIR "/jcprof", "profile", "--dry-run", folder.path().string()},
                    .cwd = folder.path()},
                   {}, std::chrono::seconds{100});
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.tail, Catch::Contains("exchange: python3 " + (folder / "scp03.py").string() + "\n"));
}

TEST_CASE("more traps are left out than a command line holds") {
  const test::TemporaryFolder folder;
  write_file(folder / "a.c", "int main(void) {\n  return 0;\n}\n");
  write_file(folder / "jcprof.json", R"({"format": "jcprof-project", "version": 1, "target": "program",
    "sources": ["a.c"], "entry": "main", "trigger": {"run": ["a"]}})");
  const CommonOptions common{.project = folder.path().string(), .quiet = true, .yes = true};
  const OutputFolder held({.folder = folder / "jcprof-out", .verb = "a test", .project = folder.path()});
  GenOptions options{.common = common};
  options.without.assign(8'000, std::string(1'000, 'k'));
  CHECK(make_tree(options, held) == ExitCode::done);
  CHECK_FALSE(read_trap_map(folder / "jcprof-out/traps.json").traps.empty());
}

}  // namespace
}  // namespace jcprof::cli
