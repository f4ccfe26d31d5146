// SPDX-License-Identifier: Apache-2.0
// `jcprof leak` on the applet of examples/leak-pin.
#include <catch2/catch.hpp>

#include "tests/end_to_end/leak_pin.hpp"

namespace jcprof {
namespace {

using nlohmann::json;
using test::Workplace;

TEST_CASE("an applet that ends at the first wrong digit leaks by its branch") {
  const Workplace place("leak-applet-early-exit");
  const json findings = test::leak_of(place, test::leak_pin(place), "applet-early-exit");
  INFO(findings.dump(2));
  CHECK(findings["verdict"] == "leak");
  CHECK(test::branches_of(findings) == "java/LeakPinApplet.java: LeakPinApplet.earlyExit\n");
  CHECK(findings["simulated"] == true);
}

TEST_CASE("a table in a simulated applet and a comparison of all digits leave no evidence of a leak") {
  for (const char* const name : {"applet-by-table", "applet-constant-time"}) {
    const Workplace place(name);
    const json findings = test::leak_of(place, test::leak_pin(place), name);
    INFO(findings.dump(2));
    CHECK(findings["verdict"] == "none");
    CHECK(findings["partings"].empty());
    CHECK(findings["pairs"][0]["findable"].is_number());
  }
}

}  // namespace
}  // namespace jcprof
