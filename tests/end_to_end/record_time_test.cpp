// SPDX-License-Identifier: Apache-2.0
// Whose time a recording says it was, in programs that know it.
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "src/core/store.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

using test::Said;
using test::Workplace;

double number(const Workplace& files, const std::string& sql) {
  return std::stod(test::value_of(files / "out/profile.jcprof", sql).value_or("-1"));
}

/// Compiled with hooks, as `name`.
void build(const Workplace& files, const std::string& name) {
  const Said built = files.run({"gcc", "-O1", "-g", "-pthread", "-finstrument-functions",
                                JCPROF_SOURCE_DIR "/tests/end_to_end/recorded/" + name + ".c", "-o", name});
  INFO(built.err);
  REQUIRE(built.status == 0);
}

/// Into `out`.
void record(const Workplace& files, std::vector<std::string> words) {
  words.insert(words.begin(), {"jcprof", "record", "-o", "out"});
  const Said said = files.run(words);
  INFO(said.err);
  REQUIRE(said.status == 0);
}

constexpr const char* unordered =
    "the clock did not wait for loads: the time of a load that misses the cache may count for the function "
    "that follows";

}  // namespace

TEST_CASE("a handler that interrupts the recording of an event adds no time that did not pass") {
  const Workplace files("record-handler");
  build(files, "busy_handler");
  record(files, {"--memory", "256M", "--", "./busy_handler"});
  CHECK(number(files, "SELECT recorded FROM thread") > 0);
  CHECK(number(files, "SELECT recorded FROM thread") <= number(files, "SELECT last - first FROM thread"));
}

TEST_CASE("functions that are off their processor have that as time away, and not as own time") {
  const Workplace files("record-waits");
  build(files, "waits");
  record(files, {"--", "./waits", "60", "200"});
  CHECK(test::value_of(files / "out/profile.jcprof", "SELECT function FROM function LIMIT 1") == "hot");
  const double own = number(files, "SELECT exclusive FROM function WHERE function = 'hot'");
  CHECK(own > 55e6);
  CHECK(own < 70e6);
  for (const std::string name : {"preempted", "blocked", "joined"}) {
    INFO(name);
    CHECK(number(files, "SELECT exclusive FROM function WHERE function = '" + name + "'") < 10e6);
    CHECK(number(files, "SELECT away FROM call WHERE function = '" + name + "'") > 190e6);
  }
  CHECK(number(files, "SELECT away FROM thread LIMIT 1") > 3 * 190e6);
}

TEST_CASE("a clock that does not wait for loads is told") {
  const Workplace files("record-fast");
  build(files, "chase");
  const Said said = files.run(
      {"jcprof", "record", "-o", "out", "--clock", "fast", "--summary", "summary", "--", "./chase", "1000"});
  CHECK(said.status == 0);
  CHECK_THAT(said.err,
             Catch::Contains(std::string("warning: ") + unordered + "; record without --clock fast\n"));
  CHECK_THAT(read_file(files / "summary"),
             Catch::Contains(R"("source": "fast")") && Catch::Contains(unordered));
  CHECK(test::value_of(files / "out/profile.jcprof",
                       "SELECT text FROM warning WHERE text LIKE 'the clock did%'") == unordered);
}

}  // namespace jcprof
