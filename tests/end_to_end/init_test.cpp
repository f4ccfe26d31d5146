// SPDX-License-Identifier: Apache-2.0
// `jcprof init`, and that what it writes can be worked with at once.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using test::Said;
using test::Workplace;

constexpr const char* square =
    "unsigned square(unsigned n) {\n  unsigned sum = 0;\n  for (unsigned i = 0; i < n; i++)\n    sum += n;\n "
    " return sum;\n}\n";
constexpr const char* program =
    "unsigned square(unsigned n);\nint main(void) {\n  return square(1000) != 1000000;\n}\n";

fs::path small_program(const Workplace& place) {
  write_file(place / "small/src/square.c", square);
  write_file(place / "small/src/main.c", program);
  return place / "small";
}

void run_well(const Workplace& place, const std::vector<std::string>& argv) {
  const Said said = place.run(argv);
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
}

/// Traps are put in, and all of it is compiled, run and measured.
void is_profiled(const Workplace& place, const fs::path& project) {
  run_well(place, {"jcprof", "profile", project.string(), "--rounds", "2", "--no-refine"});
  CHECK(test::value_of(project / "jcprof-out/profile.jcprof",
                       "SELECT count(*) FROM trap WHERE function = 'square'") == "6");
  CHECK(test::is_sound(project / "jcprof-out/profile.jcprof"));
}

TEST_CASE("init writes a project file for javacard-pin that lacks nothing but the PIN") {
  const Workplace place("init");
  const fs::path project = place.example("javacard-pin");
  fs::remove(project / "jcprof.json");
  fs::create_directories(project / "lib");
  fs::create_symlink(JCPROF_JCARDSIM, project / "lib/jcardsim.jar");
  CHECK_THAT(
      place.run({"jcprof", "init", project.string()}).out,
      Catch::StartsWith("@/javacard-pin/jcprof.json: the applet javacard-pin, entry PinApplet.process\n"
                        "look it over, above all \"trigger\"; then: jcprof profile @/javacard-pin\n") &&
          Catch::Contains("ok       trigger: answered 9000 in "));
  test::replace_in(project / "jcprof.json", "\"trigger\": {\"apdu\": \"80330000\"",
                   "\"trigger\": {\"apdu\": \"80310000 04 31323334\"");
  test::replace_in(project / "jcprof.json", "\"after_reset\"",
                   "\"before_each\": [\"80330000\"], \"after_reset\"");
  run_well(place, {"jcprof", "profile", project.string(), "--rounds", "2", "--no-refine"});
  CHECK(test::value_of(project / "jcprof-out/profile.jcprof",
                       "SELECT max(hits) FROM line WHERE function = 'PinApplet.deriveKey'") == "1000");
  CHECK(place.processes("java").empty());
}

TEST_CASE("init never overwrites a project file, and says where there is nothing to profile") {
  const Workplace place("init-refused");
  const fs::path project = place.example("javacard-pin");
  const std::string before = read_file(project / "jcprof.json");
  const Said again = place.run({"jcprof", "init", project.string()});
  CHECK(again.status == 2);
  CHECK(again.err ==
        "@/javacard-pin/jcprof.json: there is a project file already\nhint: init never overwrites: change "
        "it, or move it away\n");
  CHECK(read_file(project / "jcprof.json") == before);
  const Said nothing = place.run({"jcprof", "init", (place / "lib").string()});
  CHECK(nothing.status == 2);
  CHECK_FALSE(fs::exists(place / "lib/jcprof.json"));
}

/// What it says of programs, and its project file.
std::string inited(const Workplace& place, const fs::path& project,
                   const std::vector<std::string>& more = {}) {
  std::vector<std::string> argv{"jcprof", "init", project.string(), "--yes"};
  argv.insert(argv.end(), more.begin(), more.end());
  const Said said = place.run(argv);
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  return said.out + said.err;
}

TEST_CASE("init on a program of CMake's: profiled as it is, with its library and without its test") {
  const Workplace place("init-cmake");
  const fs::path project = small_program(place);
  write_file(project / "a_test/a_test.c", program);
  write_file(project / "src/config.h.in", "#define N @N@\n");
  write_file(project / "src/main.c",
             "#include \"config.h\"\nunsigned square(unsigned n);\nint main(void) {\n  return square(N) != "
             "1000000;\n}\n");
  write_file(project / "CMakeLists.txt",
             "cmake_minimum_required(VERSION 3.22)\nproject(small C)\nenable_testing()\nset(N 1000)\n"
             "configure_file(src/config.h.in config.h)\ninclude_directories(${CMAKE_CURRENT_BINARY_DIR})\n"
             "add_library(squares STATIC src/square.c)\n"
             "add_executable(probe a_test/a_test.c)\ntarget_link_libraries(probe squares)\nadd_test(NAME "
             "probe COMMAND probe)\n"
             "add_executable(small src/main.c)\ntarget_link_libraries(small squares)\n");
  CHECK_THAT(inited(place, project),
             Catch::Contains("another program: probe (a_test/a_test.c); --entry chooses it\n"));
  is_profiled(place, project);
}

TEST_CASE("init on a program of CMake's whose tests cannot be configured: without these") {
  const Workplace place("init-cmake-tests");
  const fs::path project = small_program(place);
  write_file(project / "CMakeLists.txt",
             "cmake_minimum_required(VERSION 3.22)\nproject(small C)\noption(SMALL_BUILD_TESTS \"\" ON)\n"
             "if(SMALL_BUILD_TESTS)\n  add_subdirectory(no/such/framework)\nendif()\n"
             "add_executable(small src/main.c src/square.c)\n");
  inited(place, project);
  CHECK_THAT(read_file(project / "jcprof.json"), Catch::Contains("-DSMALL_BUILD_TESTS=OFF"));
  is_profiled(place, project);
}

TEST_CASE(
    "init asks before it has a build system say what it makes, and goes by the texts where nobody answers") {
  const Workplace place("init-unasked");
  const fs::path project = small_program(place);
  write_file(project / "Makefile", "small: src/main.o src/square.o\n\t$(CC) -o $@ $^\n$(shell touch made)\n");
  const Said said =
      place.run({"env", "-u", "JCPROF_YES", JCPROF_BIN_DIR "/jcprof", "init", project.string()});
  CHECK(said.status == 0);
  CHECK_THAT(said.err,
             Catch::Contains("nobody has allowed jcprof to ask make what it makes (--yes allows it)"));
  CHECK_FALSE(fs::exists(project / "made"));
}

TEST_CASE("init on a program with a Makefile and stale objects: profiled as it is") {
  const Workplace place("init-make");
  const fs::path project = small_program(place);
  write_file(project / "Makefile",
             "all: small check\nsmall: src/main.o src/square.o\n\t$(CC) -o $@ $^\n"
             "check: src/check.o src/square.o\n\t$(CC) -o $@ $^\n");
  write_file(project / "src/check.c", program);
  run_well(place, {"make", "-C", project.string(), "small"});
  inited(place, project);
  is_profiled(place, project);
}

TEST_CASE(
    "a path too long to be measured at each statement is measured at functions, without the one called "
    "most, and the profile says so") {
  const Workplace place("long-path");
  const fs::path project = place / "long";
  write_file(project / "long.c",
             "unsigned sum;\nvoid leaf(unsigned n) {\n  sum += n;\n}\nvoid work(void) {\n  for (unsigned i = "
             "0; i < 200000; "
             "i++)\n    leaf(i);\n}\nint main(void) {\n  work();\n  work();\n  return 0;\n}\n");
  inited(place, project);
  const Said said = place.run({"jcprof", "profile", project.string(), "--rounds", "2"});
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(
      said.out,
      Catch::Contains("are too many to stop at: no traps at the statements of work; no traps at all in "
                      "leaf (about ") &&
          Catch::Contains("calls), whose time counts for their callers\n") &&
          Catch::Contains("these functions have no traps, because they are called too often: leaf (about ") &&
          !Catch::Contains("path cut"));
  const fs::path profile = project / "jcprof-out/profile.jcprof";
  CHECK(test::value_of(profile, "SELECT count(*) FROM trap WHERE function = 'leaf'") == "0");
  CHECK(test::value_of(profile, "SELECT count(*) FROM trap WHERE function = 'work'") == "2");
  CHECK(test::value_of(profile, "SELECT count(*) FROM trap WHERE function = 'main' AND kind = 'before'") ==
        "2");
  // A later measurement of this tree tells it too.
  const Said again = place.run({"jcprof", "run", project.string(), "--rounds", "2", "--fresh"});
  INFO(again.err);
  CHECK_THAT(
      again.err,
      Catch::Contains("these functions have no traps, because they are called too often: leaf (about "));
}

TEST_CASE("a branch that not every run takes leaves the times behind it known") {
  const Workplace place("branch");
  const fs::path project = place / "branch";
  write_file(project / "branch.c",
             "#include <stdio.h>\nstatic volatile unsigned sum;\nstatic void odd(void) {\n  sum++;\n}\n"
             "static void after(void) {\n  sum += 2;\n}\nint main(void) {\n"
             "  if (remove(\"flag\") != 0) {\n    fclose(fopen(\"flag\", \"w\"));\n    odd();\n  }\n"
             "  after();\n  return 0;\n}\n");
  inited(place, project);
  const Said said = place.run({"jcprof", "profile", project.string(), "--rounds", "2"});
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Catch::Contains("path: runs differ. Traps that some runs skip are left out (") &&
                           Catch::Contains("branch.c:12"));
  const fs::path profile = project / "jcprof-out/profile.jcprof";
  CHECK(test::value_of(profile, "SELECT count(*) FROM trap WHERE function = 'odd'") == "0");
  CHECK(test::value_of(profile, "SELECT max(variant) FROM path") == "0");
  CHECK(test::value_of(profile, "SELECT count(*) FROM line WHERE line = 14") == "1");
}

}  // namespace
}  // namespace jcprof
