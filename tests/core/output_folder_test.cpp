// SPDX-License-Identifier: Apache-2.0
#include "src/core/output_folder.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "src/core/child_output.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "tests/core/fault_text.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using test::fault_text;
using test::TemporaryFolder;

std::string refused(const fs::path& folder, const fs::path& project = {}) {
  return fault_text([&] { OutputFolder({.folder = folder, .verb = "jcprof test", .project = project}); });
}

/// The folder's names, sorted.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

TEST_CASE("a folder that is missing or empty becomes jcprof's, and is opened again") {
  const TemporaryFolder place;
  fs::create_directories(place / "empty");
  for (const char* name : {"empty", "new/deep"}) {
    for (int i = 0; i < 2; ++i) {
      const OutputFolder folder({.folder = place / name, .verb = "jcprof test"});
      CHECK(folder.path() == fs::canonical(place / name));
    }
    {
      const OutputFolder folder({.folder = place / name, .verb = "jcprof test"});
      CHECK(names_in(place / name) == std::vector<std::string>{".jcprof-out"});
      write_own_file(place / name / "traps.json", "{}");
    }
    CHECK(refused(place / name) == "(no error)");
  }
}

TEST_CASE("a folder that was made and got nothing goes again") {
  const TemporaryFolder place;
  CHECK(refused(place / "new") == "(no error)");
  CHECK_FALSE(fs::exists(place / "new"));
}

TEST_CASE("a folder with anything of somebody else's in it is refused and stays as it was") {
  const TemporaryFolder place;
  write_file(place / "theirs/tree/a.c", "int a;");
  const std::string path = (place / "theirs").string();
  CHECK(refused(place / "theirs") ==
        fmt::format("\"{}\" is not empty, and jcprof did not make it: nothing is written there\n"
                    "hint: name another folder with -o, or move away what is in it",
                    path));
  CHECK(names_in(place / "theirs") == std::vector<std::string>{"tree"});
  write_file(place / "odd/.jcprof-out", "another program's");
  CHECK_THAT(refused(place / "odd"), Catch::Contains("jcprof did not make it"));
  write_file(place / "file", "");
  CHECK_THAT(refused(place / "file"), Catch::Contains("is no folder"));
}

TEST_CASE("the output of jcprof 0.1 can be taken over") {
  const TemporaryFolder place;
  write_file(place / "my old/tree/a.c", "int a;");
  write_file(place / "my old/traps.json", "{}");
  const std::string marker = (place / "my old/.jcprof-out").string();
  CHECK(
      refused(place / "my old") ==
      fmt::format("\"{}\" looks like an output folder of jcprof, but lacks its mark (jcprof 0.1 made none)\n"
                  "hint: if nothing in it is yours, `touch '{}'` lets jcprof take it over; or remove the "
                  "folder, or name another one with -o",
                  (place / "my old").string(), marker));
  write_file(marker, "");
  CHECK(refused(place / "my old") == "(no error)");
}

TEST_CASE("project and output folder do not contain each other") {
  const TemporaryFolder place;
  write_file(place / "out/project/a.c", "int a;");
  write_file(place / "out/.jcprof-out", "");
  const fs::path project = place / "out/project";
  CHECK_THAT(refused(place / "out", project), Catch::Contains("holds the project"));
  CHECK_THAT(refused(project / "..", project), Catch::Contains("holds the project"));
  CHECK_THAT(refused(project, project), Catch::Contains("holds the project"));
  CHECK_THAT(refused(project / "out", project), Catch::Contains("lies inside the project"));
  CHECK(refused(project / "jcprof-out", project) == "(no error)");
  CHECK(refused(project / "deep/jcprof-out/record", project) == "(no error)");
  fs::create_directory_symlink(project, place / "alias");
  CHECK_THAT(refused(place / "alias/out", project), Catch::Contains("lies inside the project"));
  CHECK_THAT(refused(place / "out", place / "alias"), Catch::Contains("holds the project"));
}

TEST_CASE("a link as the output folder is refused") {
  const TemporaryFolder place;
  fs::create_directory(place / "real");
  fs::create_directory_symlink("real", place / "link");
  for (const char* name : {"link", "link/", "link/."})
    CHECK_THAT(refused(place / name), Catch::Contains("link\" is a link"));
  CHECK(fs::is_empty(place / "real"));
  write_file(place / "other/.jcprof-out", "");
  fs::remove(place / "other/.jcprof-out");
  fs::create_symlink("../elsewhere", place / "other/.jcprof-out");
  CHECK(refused(place / "other") != "(no error)");
  CHECK_FALSE(fs::exists(place / "elsewhere"));
}

TEST_CASE("the second one is told who holds the folder, until that one has ended") {
  const TemporaryFolder place;
  {
    const OutputFolder first({.folder = place / "out", .verb = "jcprof run"});
    try {
      const OutputFolder second({.folder = place / "out", .verb = "jcprof gen"});
      FAIL("opened twice");
    } catch (const UserError& error) {
      CHECK(error.exit_code() == ExitCode::environment);
      CHECK(error.what() ==
            fmt::format("\"{}\" is in use: jcprof run (process {}) works in it\n"
                        "hint: wait until it has ended, or end it; name another folder with -o",
                        (place / "out").string(), ::getpid()));
    }
  }
  CHECK(refused(place / "out") == "(no error)");
}

TEST_CASE("a holder that was killed holds nothing") {
  const TemporaryFolder place;
  const Pipe ready = make_pipe();
  const pid_t child = ::fork();
  if (child == 0) {
    const OutputFolder folder({.folder = place / "out", .verb = "jcprof run"});
    write_own_file(folder.path() / (std::string(part_prefix) + "left/x"), "x");
    write_all(ready.write.get(), "!");
    ::pause();
  }
  char byte = 0;
  REQUIRE(::read(ready.read.get(), &byte, 1) == 1);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(refused(place / "out") == "(no error)");
  CHECK(names_in(place / "out") == std::vector<std::string>{".jcprof-out"});
}

TEST_CASE("a program that is started with the lock works along, and no other one") {
  const TemporaryFolder place;
  const OutputFolder first({.folder = place / "out", .verb = "jcprof profile"});
  const auto opens = [&](const fs::path& folder) {
    const pid_t child = ::fork();
    if (child == 0) {
      first.hand_over();
      try {
        const OutputFolder second({.folder = folder, .verb = "jcprof run"});
        ::_exit(::fcntl(second.path().empty() ? 0 : 1, F_GETFD) >= 0 ? 0 : 1);
      } catch (const UserError&) {
        ::_exit(2);
      }
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  CHECK(opens(place / "out") == 0);
  CHECK_THAT(refused(place / "out"), Catch::Contains("jcprof profile"));
  const OutputFolder other({.folder = place / "other", .verb = "jcprof gen"});
  CHECK(opens(place / "other") == 2);
}

TEST_CASE("what is written into an output folder follows no link") {
  const TemporaryFolder place;
  const OutputFolder folder({.folder = place / "out", .verb = "jcprof test"});
  write_file(place / "theirs/report.html", "theirs");
  const fs::path out = folder.path();
  fs::create_directory_symlink(place / "theirs", out / "annotated");
  fs::create_symlink(place / "theirs/report.html", out / "report.html");
  fs::create_symlink(place / "theirs/report.html", out / "build.log");
  fs::create_hard_link(place / "theirs/report.html", out / "run.log");
  fs::create_hard_link(place / "theirs/report.html", out / "start.log");

  CHECK_THAT(fault_text([&] { write_own_file(out / "annotated/report.html", "ours"); }),
             Catch::Contains("out/annotated: a link, which jcprof does not follow"));
  CHECK_THAT(fault_text([&] { write_own_file(out / "annotated/src/x", "ours"); }),
             Catch::Contains("out/annotated: a link"));
  CHECK_THAT(fault_text([&] { make_part_folder(out / "annotated"); }), Catch::Contains("a link"));
  CHECK_THAT(fault_text([&] { open_own_file(out / "build.log", OwnStart::go_on); }),
             Catch::Contains("out/build.log: a link"));
  CHECK_THAT(fault_text([&] { open_own_file(out / "start.log", OwnStart::go_on); }),
             Catch::Contains("one with other names"));
  write_own_file(out / "report.html", "ours");
  const Command echo{.argv = {"echo", "ours"}, .cwd = place.path()};
  for (const char* log : {"build.log", "run.log"})
    run_and_wait(echo, {.file = out / log}, std::chrono::seconds{10});

  CHECK(read_file(place / "theirs/report.html") == "theirs");
  CHECK(names_in(place / "theirs") == std::vector<std::string>{"report.html"});
  CHECK(read_file(out / "report.html") == "ours");
  CHECK(read_file(out / "build.log") == "ours\n");
  CHECK(read_file(out / "run.log") == "ours\n");
}

TEST_CASE("a file that the user names may be a link or a device, and keeps its mode") {
  const TemporaryFolder place;
  write_file(place / "real", "old");
  fs::permissions(place / "real", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("real", place / "link");
  write_file(place / "link", "new");
  CHECK(fs::is_symlink(place / "link"));
  CHECK(read_file(place / "real") == "new");
  CHECK(fs::status(place / "real").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  write_file("/dev/null", "gone");
  CHECK(fs::is_character_file("/dev/null"));
  // The name that a predictable temporary would have.
  fs::create_symlink("victim", place / fmt::format("new.part{}", ::getpid()));
  write_file(place / "new", "new");
  CHECK_FALSE(fs::exists(place / "victim"));
}

}  // namespace
}  // namespace jcprof
