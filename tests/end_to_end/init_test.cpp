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
  CHECK(place.run({"jcprof", "init", project.string()}).out ==
        "@/javacard-pin/jcprof.json: the applet javacard-pin, entry PinApplet.process\n"
        "look it over, above all \"trigger\"; then: jcprof profile @/javacard-pin\n");
  test::replace_in(project / "jcprof.json", "\"trigger\": {\"apdu\": \"80310000\", \"counts_tries\": true}",
                   "\"trigger\": {\"apdu\": \"80310000 04 31323334\"}");
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

TEST_CASE("init on a program of CMake's: profiled as it is") {
  const Workplace place("init-cmake");
  const fs::path project = small_program(place);
  write_file(project / "CMakeLists.txt",
             "cmake_minimum_required(VERSION 3.22)\nproject(small C)\nset(CMAKE_EXPORT_COMPILE_COMMANDS ON)\n"
             "add_executable(small src/main.c src/square.c)\n");
  run_well(place, {"cmake", "-S", project.string(), "-B", (project / "build").string()});
  run_well(place, {"jcprof", "init", project.string(), "--quiet"});
  is_profiled(place, project);
}

TEST_CASE("init on a program with a Makefile and stale objects: profiled as it is") {
  const Workplace place("init-make");
  const fs::path project = small_program(place);
  write_file(project / "Makefile", "small: src/main.o src/square.o\n\t$(CC) -o $@ $^\n");
  run_well(place, {"make", "-C", project.string(), "small"});
  run_well(place, {"jcprof", "init", project.string(), "--quiet"});
  is_profiled(place, project);
}

}  // namespace
}  // namespace jcprof
