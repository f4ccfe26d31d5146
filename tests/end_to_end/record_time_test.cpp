// SPDX-License-Identifier: Apache-2.0
// Whose time a recording says it was, in programs that know it.
#include <catch2/catch.hpp>

#include "src/core/store.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

using test::Said;
using test::Workplace;

double number(const Workplace& files, const std::string& sql) {
  return std::stod(test::value_of(files / "out/profile.jcprof", sql).value_or("-1"));
}

}  // namespace

TEST_CASE("functions that are off their processor have that as time away, and not as own time") {
  const Workplace files("record-waits");
  const Said built = files.run({"gcc", "-O1", "-g", "-pthread", "-finstrument-functions",
                                JCPROF_SOURCE_DIR "/tests/end_to_end/recorded/waits.c", "-o", "waits"});
  INFO(built.err);
  REQUIRE(built.status == 0);
  const Said said = files.run({"jcprof", "record", "-o", "out", "--", "./waits", "60", "200"});
  INFO(said.err);
  REQUIRE(said.status == 0);
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

}  // namespace jcprof
