// SPDX-License-Identifier: Apache-2.0
// jcprof record on commands that execute several programs: each has a log and a profile of its own.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "src/core/trap_map.hpp"
#include "tests/end_to_end/record_place.hpp"
#include "tests/support/log_file.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using test::becomes_true;
using test::events_of;
using test::LogFile;
using test::read_log;
using test::Said;

struct ProgramsPlace : test::RecordPlace {
  explicit ProgramsPlace(const std::string& name) : RecordPlace("programs-" + name) {}

  static std::vector<std::string> script(const std::string& text) { return {"sh", "-c", text}; }
  Said run(const std::string& text, std::vector<std::string> options = {}) const {
    options.insert(options.end(), {"--summary", "summary.json"});
    Said said = RecordPlace::run(script(text), options);
    UNSCOPED_INFO(said.err);
    return said;
  }
  fs::path log_of(int number) const {
    return files / (number == 1 ? "out/record.jcplog" : fmt::format("out/programs/{}/record.jcplog", number));
  }
  std::string ask(int number, const std::string& sql) const {
    return test::value_of(log_of(number).parent_path() / "profile.jcprof", sql).value_or("nothing");
  }
  nlohmann::json programs() const {
    return nlohmann::json::parse(read_file(files / "summary.json")).at("programs");
  }
};

constexpr const char* calls_of_leaf = "SELECT calls FROM function WHERE function = 'leaf'";

TEST_CASE("each program that a command executes has a log and a profile of its own") {
  const ProgramsPlace place("several");
  const Said said = place.run("./calls work 100; ./calls work 10; ./calls work 20");
  CHECK(said.status == 0);
  CHECK_THAT(said.err, !Catch::Contains("not recorded"));
  const std::string table = said.err.substr(std::min(said.err.find("program  "), said.err.size()));
  const std::string numbers = " +[0-9]+ +[0-9]+ +[0-9.]+ [^ ]+ +";
  CHECK_THAT(table, Catch::Matches("program  process  parent +time  events  lost  command +profile\n +1" +
                                   numbers + "202 +0  ./calls work 100  @/out/profile.jcprof\n +2" + numbers +
                                   "22 +0  ./calls work 10   @/out/programs/2/profile.jcprof\n +3" + numbers +
                                   "42 +0  ./calls work 20   @/out/programs/3/profile.jcprof\n"));
  const nlohmann::json programs = place.programs();
  REQUIRE(programs.size() == 3);
  const std::vector<int> calls{100, 10, 20};
  for (int number = 1; number <= 3; ++number) {
    const auto expected = static_cast<std::uint64_t>(calls[static_cast<std::size_t>(number - 1)]);
    const LogFile log = read_log(place.log_of(number));
    CHECK(log.events == events_of(expected));
    CHECK(log.end->lost == 0);
    CHECK(log.pairs.size() >= 2);
    CHECK(log.head.refused == 0);
    CHECK(place.ask(number, calls_of_leaf) == std::to_string(expected));
    CHECK(place.ask(number, "SELECT project FROM run") == (number == 1 ? "sh" : "calls"));
    const nlohmann::json& program = programs[static_cast<std::size_t>(number - 1)];
    CHECK(program["number"] == number);
    CHECK(program["process"] == log.head.attached);
    CHECK(program["parent"] == programs[0]["parent"]);
    CHECK(program["events"] == events_of(expected));
    CHECK(program["log"] == place.log_of(number).string());
    CHECK(program["bytes"] == fs::file_size(place.log_of(number)));
  }
  const Said all = place.files.run({"jcprof", "query", "out/profile.jcprof", "out/programs/2/profile.jcprof",
                                    "out/programs/3/profile.jcprof",
                                    "SELECT sum(calls) FROM function WHERE function = 'leaf'"});
  CHECK_THAT(all.out, Catch::Contains("130"));
  // They go with the next recording.
  CHECK_THAT(place.run("exec ./calls work 7").err, !Catch::Contains("parent"));
  CHECK_FALSE(fs::exists(place.files / "out/programs"));
  CHECK(place.programs().empty());
}

TEST_CASE("a program that executes itself is several programs, of one process") {
  const ProgramsPlace place("itself");
  CHECK(place.run("./calls become 10 become 20 work 30").status == 0);
  for (int number = 1; number <= 3; ++number) {
    const LogFile log = read_log(place.log_of(number));
    CHECK(log.events == events_of(static_cast<std::uint64_t>(10 * number)));
    CHECK(log.head.attached == read_log(place.log_of(1)).head.attached);
  }
}

TEST_CASE("a profile has the name of its program, which may have blanks") {
  const ProgramsPlace place("blanks");
  fs::create_directory(place.files / "My Tools");
  fs::copy_file(place.files / "calls", place.files / "My Tools/my calls");
  CHECK(place.run("./calls work 10; './My Tools/my calls' work 20").status == 0);
  CHECK(place.ask(2, "SELECT project FROM run") == "my calls");
}

TEST_CASE("programs that begin at once have a log each") {
  const ProgramsPlace place("at-once");
  write_file(place.files / "Makefile", "all: 1 2 3 4 5 6 7 8\n1 2 3 4 5 6 7 8:\n\t./calls work 1000\n");
  CHECK(place.run("make -s -j8").status == 0);
  CHECK(place.programs().size() == 8);
  for (int number = 1; number <= 8; ++number) {
    const LogFile log = read_log(place.log_of(number));
    CHECK(log.events == events_of(1000));
    CHECK(log.end->lost == 0);
    CHECK(log.head.refused == 0);
  }
}

TEST_CASE("many programs that begin at once wait for their logs") {
  const ProgramsPlace place("crowd");
  CHECK(place.run("for i in $(seq 100); do ./calls work 10 & done; wait").status == 0);
  const nlohmann::json programs = place.programs();
  CHECK(programs.size() == 100);
  for (const nlohmann::json& program : programs) CHECK(program["events"] == events_of(10));
}

TEST_CASE("the memory of a program that has ended is free while the command goes on") {
  const ProgramsPlace place("many");
  // Those of an earlier recording take their time to go.
  for (int i = 0; i < 2000; ++i)
    write_file(place.files / fmt::format("out/programs/{}/record.jcplog", i), "");
  write_file(place.files / "out/.jcprof-out", "");
  const Said said = place.run(
      "for i in $(seq 20); do for j in $(seq 10); do ./calls work 5; done; "
      "ls -l /proc/$PPID/fd | grep -c memfd:jcprof-record; done");
  CHECK(said.status == 0);
  std::istringstream counts(said.out);
  int lines = 0;
  for (int count = 0; counts >> count; ++lines) CHECK(count <= 16);
  CHECK(lines == 20);
  const nlohmann::json programs = place.programs();
  CHECK(programs.size() == 200);
  std::uint64_t events = 0;
  for (const nlohmann::json& program : programs) events += program["events"].get<std::uint64_t>();
  CHECK(events == 200 * events_of(5));
  CHECK_THAT(said.err, Catch::Contains("160 programs with fewer events are not shown"));
}

TEST_CASE("a child keeps the log of its program, and one that the command leaves behind is told") {
  const ProgramsPlace place("behind");
  write_file(place.files / "first", "");
  const pid_t run = place.start_unguarded(
      ProgramsPlace::script("./calls work 10; setsid ./calls thrice 100 first second third >said & while ! "
                            "grep -q 1 said; do sleep 0.01; done"),
      {});
  int status = -1;
  REQUIRE(::waitpid(run, &status, 0) == run);
  CHECK(status == 0);
  CHECK_THAT(read_file(place.files / "errors"),
             Catch::Contains("the command left 1 processes behind; they are no longer recorded"));
  CHECK(read_log(place.log_of(1)).events + read_log(place.log_of(2)).events ==
        events_of(10) + events_of(100));
  write_file(place.files / "second", "");
  write_file(place.files / "third", "");
  CHECK(becomes_true([&] { return read_file(place.files / "said") == "worked 1\nworked 2\nworked 3\n"; }));
}

TEST_CASE("programs whose recorder is killed do not wait for a log") {
  const ProgramsPlace place("killed");
  const pid_t run = place.start_unguarded(
      ProgramsPlace::script(
          "exec setsid sh -c './calls work 10; ./calls work 10; echo >ready; while ! test -e go; do sleep "
          "0.01; "
          "done; for i in 1 2 3 4 5 6 7 8 9 10; do ./calls work 10 || exit; done; echo >done'"),
      {});
  REQUIRE(becomes_true([&] { return fs::exists(place.files / "ready"); }));
  ::kill(run, SIGKILL);
  CHECK(::waitpid(run, nullptr, 0) == run);
  const auto begun = std::chrono::steady_clock::now();
  write_file(place.files / "go", "");
  CHECK(becomes_true([&] { return fs::exists(place.files / "done"); }));
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(8));
}

TEST_CASE("one limit on the disk holds for the logs of all programs together") {
  const ProgramsPlace place("room");
  CHECK(place.run("for i in 1 2 3 4 5; do ./calls work 20000; done", {"--max-log", "700K"}).status == 0);
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(place.files / "out"))
    if (entry.path().extension() == ".jcplog") bytes += entry.file_size();
  CHECK(bytes <= 700 * 1024);
  CHECK(read_log(place.log_of(1)).events == events_of(20000));
  CHECK(read_log(place.log_of(2)).end->lost > 0);
  CHECK_FALSE(fs::exists(place.log_of(5)));
}

TEST_CASE("functions are left out of all programs") {
  const ProgramsPlace place("chosen");
  const Said said =
      place.run("./calls work 1000; ./calls work 1000", {"--notrace", "leaf", "--notrace", "laef"});
  CHECK(said.status == 0);
  for (const int number : {1, 2})
    CHECK(place.ask(number, "SELECT group_concat(function || '×' || calls) FROM function") == "work×1");
  CHECK_THAT(said.err, Catch::Contains("\"laef\" names no function") && !Catch::Contains("\"leaf\" names"));
}

TEST_CASE("static programs, and programs of another compiler, have logs of their own too") {
  const ProgramsPlace place("static");
  place.compile({"-static", "-DJCPROF", "-DJCPROF_RECORD", "-DJCPROF_HOOKS",
                 "-I" JCPROF_SOURCE_DIR "/templates", "-include", "jcprof.h", "-finstrument-functions"},
                "static-calls");
  CHECK(place.run("./calls work 10; ./static-calls work 20; ./static-calls work 30").status == 0);
  CHECK(read_log(place.log_of(2)).events == events_of(20));
  CHECK(read_log(place.log_of(3)).events == events_of(30));
  CHECK(place.ask(3, calls_of_leaf) == "30");
}

TEST_CASE("a program with traps of another build is told, and the others have their profiles") {
  const ProgramsPlace place("traps");
  write_file(place.files / "traps.c",
             "#include \"jcprof.h\"\nint main(void) {\n  JCPROF_TRAP(1);\n  return 0;\n}\n");
  REQUIRE(place.files
              .run({"gcc", "-DJCPROF", "-DJCPROF_RECORD", "-DJCPROF_BUILD=7u",
                    "-I" JCPROF_SOURCE_DIR "/templates", "traps.c", "-o", "traps"})
              .status == 0);
  const Said said = place.run("./calls work 10; ./traps; ./calls work 10");
  CHECK(said.status == 0);
  CHECK_THAT(said.err,
             Catch::Contains("warning: program 2: there is no profile: ") && Catch::Contains("--traps"));
  const nlohmann::json programs = place.programs();
  REQUIRE(programs.size() == 3);
  CHECK(programs[1]["profile"].is_null());
  CHECK(place.ask(3, calls_of_leaf) == "10");
}

}  // namespace
}  // namespace jcprof
