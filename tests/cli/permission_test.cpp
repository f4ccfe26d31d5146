// SPDX-License-Identifier: Apache-2.0
// Programs that a project names run only when somebody has allowed them.
#include "programs/permission.hpp"

#include <array>
#include <csignal>
#include <cstdlib>

#include <fmt/format.h>
#include <pty.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

struct Asked {
  int status = 0;
  std::string said;
};

/// ask_about() in front of a terminal, at which somebody types `answer`.
Asked at_terminal(const TemporaryFolder& folder, const std::vector<std::string>& programs,
                  const std::string& answer) {
  const Project project{.file = folder / "jcprof.json", .root = folder.path()};
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  REQUIRE(child >= 0);
  if (child == 0) {
    ::setenv("XDG_STATE_HOME", (folder / "state").c_str(), 1);
    try {
      ask_about(project, programs, Consent::to_be_asked);
      ::_exit(0);
    } catch (const UserError& error) {
      ::_exit(static_cast<int>(error.exit_code()));
    }
  }
  REQUIRE(::write(terminal, answer.data(), answer.size()) == static_cast<ssize_t>(answer.size()));
  Asked asked;
  std::array<char, 1000> block{};
  for (ssize_t size = 0; (size = ::read(terminal, block.data(), block.size())) > 0;)
    asked.said.append(block.data(), static_cast<std::size_t>(size));
  ::close(terminal);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  asked.status = WEXITSTATUS(status);
  return asked;
}

TEST_CASE("programs are shown and asked about once, and again when one changes") {
  const TemporaryFolder folder;
  const Asked first = at_terminal(folder, {"build: make all", "trigger: ./app\n\x1b[31m"}, "y\n");
  CHECK(first.status == 0);
  CHECK_THAT(first.said, Catch::Contains("build: make all") && Catch::Contains("trigger: ./app??[31m"));
  const Asked again = at_terminal(folder, {"build: make all"}, "n\n");
  CHECK(again.status == 0);
  CHECK_THAT(again.said, !Catch::Contains("make"));
  const Asked changed = at_terminal(folder, {"build: make all", "build: make evil"}, "\n");
  CHECK(changed.status == 2);
  CHECK_THAT(changed.said, Catch::Contains("make evil") && !Catch::Contains("make all"));
  CHECK(at_terminal(folder, {"build: make evil"}, "no\n").status == 2);
  const TemporaryFolder other;
  fs::create_directory_symlink(folder / "state", other / "state");
  CHECK(at_terminal(other, {"build: make all"}, "n\n").status == 2);
}

/// The source tree that attacks: its database names a script of its own.
struct HostileProject {
  TemporaryFolder folder;

  HostileProject() {
    write_file(folder / "p/a.c", "int main(void) { return 0; }\n");
    write_file(folder / "p/cc.sh", "#!/bin/sh\ntouch " + (folder / "ran").string() + "\nexec gcc \"$@\"\n");
    fs::permissions(folder / "p/cc.sh", fs::perms::owner_all);
    write_file(folder / "p/compile_commands.json",
               R"([{"directory": ".", "file": "a.c", "arguments": ["./cc.sh", "-c", "a.c"]}])");
    write_file(
        folder / "p/jcprof.json",
        R"({"format": "jcprof-project", "version": 1, "target": "program", "sources": ["a.c"], "entry": "main",
                   "compile": {"database": "compile_commands.json"}, "build": [{"run": ["touch", "{project}/../ran"]}],
                   "trigger": {"run": ["x"]}})");
  }

  ProcessResult run(std::vector<std::string> argv, const std::string& yes = "") const {
    argv.insert(argv.begin() + 1, (folder / "p").string());
    argv.front() = (fs::path(JCPROF_BIN_DIR) / argv.front()).string();
    return run_and_wait(
        {.argv = std::move(argv),
         .cwd = folder.path(),
         .environment = {{"JCPROF_YES", yes}, {"XDG_STATE_HOME", (folder / "state").string()}}},
        {}, std::chrono::minutes{1});
  }
  bool has_run() const { return fs::exists(folder / "ran"); }
};

TEST_CASE("without a terminal and without --yes nothing of the project runs, and the commands are said") {
  const HostileProject project;
  const ProcessResult refused = project.run({"jcprof-gen"});
  CHECK(refused.exit_status == 2);
  CHECK_THAT(refused.tail, Catch::Contains("compiler: ./cc.sh") && Catch::Contains("--yes"));
  CHECK_FALSE(project.has_run());
  CHECK(project.run({"jcprof-gen", "--yes"}).exit_status == 0);
  CHECK(project.has_run());
}

TEST_CASE("the hook of a secure channel is asked about") {
  Project project;
  project.session.exchange = {"python3", "scp03.py"};
  CHECK(programs_of_run(project) == std::vector<std::string>{"exchange: python3 scp03.py (in {project})"});
}

TEST_CASE("JCPROF_YES=1 allows a project's programs") {
  const HostileProject project;
  CHECK(project.run({"jcprof-gen"}, "1").exit_status == 0);
  CHECK(project.has_run());
}

TEST_CASE("gen loads no plug-in and writes no file that a compile database names") {
  const HostileProject project;
  const std::string dump = (project.folder / "dump").string();
  write_file(
      project.folder / "p/compile_commands.json",
      R"([{"directory": ".", "file": "a.c", "arguments": ["gcc", "-fplugin=./evil.so", "-fdump-tree-all=)" +
          dump + R"(", "-aux-info", ")" + dump + R"(", "-c", "a.c"]}])");
  const ProcessResult made = project.run({"jcprof-gen"});
  CHECK(made.exit_status == 0);
  CHECK_THAT(made.tail, Catch::Contains("leaves out flags") && Catch::Contains("-aux-info " + dump) &&
                            Catch::Contains("-fplugin=./evil.so"));
  CHECK_FALSE(fs::exists(dump));
}

TEST_CASE("compilers of a database that allowed steps have made are asked about") {
  const HostileProject project;
  const fs::path root = project.folder / "p";
  write_file(root / "compile_commands.json",
             R"([{"directory": "..", "file": "a.c", "arguments": ["./cc.sh", "-c", "a.c"]}])");
  write_file(
      root / "jcprof.json",
      R"({"format": "jcprof-project", "version": 1, "target": "program", "sources": ["a.c"], "entry": "main",
          "compile": {"prepare": [{"run": ["cp", "compile_commands.json", "{out}/db.json"], "cwd": "{project}"}],
                      "database": "{out}/db.json"}, "trigger": {"run": ["x"]}})");
  const std::string step = "prepare: cp compile_commands.json {out}/db.json (in {project})";
  write_file(project.folder / "state/jcprof/allowed",
             sha256(fmt::format("{}{}{}", fs::canonical(root).string(), '\0', step)) + "\n");
  const ProcessResult refused = project.run({"jcprof-gen"});
  CHECK(refused.exit_status == 2);
  CHECK_THAT(refused.tail, Catch::Contains("compiler: ./cc.sh") && !Catch::Contains("prepare: "));
  CHECK(fs::exists(root / "jcprof-out/db.json"));
  CHECK_FALSE(project.has_run());
  CHECK(project.run({"jcprof-gen", "--yes"}).exit_status == 0);
}

TEST_CASE("a pipe in place of the project file or of what it names is refused at once") {
  const HostileProject project;
  fs::remove(project.folder / "p/compile_commands.json");
  REQUIRE(::mkfifo((project.folder / "p/compile_commands.json").c_str(), 0600) == 0);
  CHECK_THAT(project.run({"jcprof-gen"}).tail, Catch::Contains("it is a pipe, not a regular file"));
  fs::remove(project.folder / "p/jcprof.json");
  REQUIRE(::mkfifo((project.folder / "p/jcprof.json").c_str(), 0600) == 0);
  const ProcessResult refused = project.run({"jcprof-gen"});
  CHECK(refused.exit_status == 2);
  CHECK_THAT(refused.tail, Catch::Contains("jcprof.json: cannot read: it is a pipe, not a regular file"));
}

}  // namespace
}  // namespace jcprof::cli
