// SPDX-License-Identifier: Apache-2.0
// `jcprof leak` on the trusted application of examples/leak-pin, counted in instructions.
#include <catch2/catch.hpp>

#include "tests/end_to_end/leak_pin.hpp"
#include "tests/optee/machine.hpp"

namespace jcprof {
namespace {

using nlohmann::json;
using test::Workplace;

/// The findings for a project file of the example, which finds the machine from anywhere.
json leak_of(const Workplace& place, const std::string& name) {
  const std::filesystem::path example = test::leak_pin(place);
  test::replace_in(example / (name + ".json"), "../../scripts/optee-vm", test::optee_vm());
  return test::leak_of(place, example, name);
}

TEST_CASE("a trusted application that ends at the first wrong digit leaks by its branch") {
  const Workplace place("leak-ta-early-exit");
  JCPROF_NEEDS_OPTEE_MACHINE(place);
  const json findings = leak_of(place, "ta-early-exit");
  INFO(findings.dump(2));
  CHECK(findings["verdict"] == "leak");
  CHECK(test::branches_of(findings) == "c/pin.c: early_exit\n");
}

TEST_CASE("a table and a comparison of all digits take the same instructions for each PIN") {
  for (const char* const name : {"ta-by-table", "ta-constant-time"}) {
    const Workplace place(name);
    JCPROF_NEEDS_OPTEE_MACHINE(place);
    const json findings = leak_of(place, name);
    INFO(findings.dump(2));
    CHECK(findings["verdict"] == "none");
    CHECK(findings["partings"].empty());
    CHECK(findings["unit"] == "instructions");
  }
}

}  // namespace
}  // namespace jcprof
