// SPDX-License-Identifier: Apache-2.0
// examples/optee-hmac in the machine, without traps.
#include <catch2/catch.hpp>

#include "tests/optee/machine.hpp"

namespace jcprof {
namespace {

using test::Said;
using test::Workplace;

TEST_CASE("the trusted application of the examples makes the passwords of RFC 4226") {
  const Workplace place("optee-hmac");
  JCPROF_NEEDS_OPTEE_MACHINE(place);
  const std::filesystem::path example = std::filesystem::path(JCPROF_SOURCE_DIR) / "examples/optee-hmac";
  const std::string out = (place / "out").string();
  for (const char* const part : {"ta", "host"}) {
    const Said said = place.run({"make", "-C", (example / part).string(), "O=" + out});
    INFO(said.out << said.err);
    REQUIRE(said.status == 0);
  }
  const Said said = place.run({test::optee_vm(), "agent", "--icount", "--program", out + "/hmac-client",
                               out + "/5779306f-04a3-415a-9dd8-b9f4f9069af6.ta"});
  INFO(said.err);
  CHECK(said.status == 0);
  CHECK(said.err.find("\npassword 9: 520489\n") != std::string::npos);
  CHECK(said.err.find("\nall as published\n") != std::string::npos);
}

}  // namespace
}  // namespace jcprof
