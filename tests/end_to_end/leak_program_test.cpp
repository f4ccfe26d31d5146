// SPDX-License-Identifier: Apache-2.0
// `jcprof leak` on the program of examples/leak-pin. By a real clock: nothing else knows caches. The look-ups
// that miss them take several times as long as the others.
#include <catch2/catch.hpp>

#include "tests/end_to_end/leak_pin.hpp"

namespace jcprof {
namespace {

using nlohmann::json;
using test::Workplace;

TEST_CASE("a program that ends at the first wrong digit leaks by its branch") {
  const Workplace place("leak-program-early-exit");
  const json findings = test::leak_of(place, test::leak_pin(place), "program-early-exit");
  INFO(findings.dump(2));
  CHECK(findings["verdict"] == "leak");
  CHECK(test::branches_of(findings) == "c/pin.c: early_exit\n");
}

TEST_CASE("a program that looks digits up in a large table leaks by the time of that line") {
  const Workplace place("leak-program-by-table");
  const json findings = test::leak_of(place, test::leak_pin(place), "program-by-table");
  INFO(findings.dump(2));
  CHECK(findings["verdict"] == "leak");
  CHECK(findings["partings"].empty());
  CHECK(test::blocks_of(findings) == "c/pin.c: by_table\n");
  CHECK(findings["pairs"][0]["whole"]["low"] > 0);
}

TEST_CASE("a program that looks at all digits leaves no evidence of a leak") {
  const Workplace place("leak-program-constant-time");
  const json findings = test::leak_of(place, test::leak_pin(place), "program-constant-time");
  INFO(findings.dump(2));
  CHECK(findings["verdict"] == "none");
  CHECK(findings["partings"].empty());
}

}  // namespace
}  // namespace jcprof
