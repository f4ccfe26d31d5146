// SPDX-License-Identifier: Apache-2.0
// Memory mode on the tests' own virtual card, whose transient memory has an end.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/pcsc_place.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::replace_in;
using test::Said;
using test::Workplace;

constexpr const char* derived = "        deriveKey(pin, offset, length);\n";

/// javacard-pin whose `verify` makes an array, on a card whose transient memory has an end.
fs::path pin_that_makes(const Workplace& place, const std::string& array) {
  fs::path project = place.example("javacard-pin");
  replace_in(project / "src/PinApplet.java", derived, "        " + array + "\n" + derived);
  replace_in(project / "src/PinApplet.java", "private byte triesLeft;",
             "private byte triesLeft; byte[] made;");
  test::use_virtual_card(project);
  replace_in(project / "jcprof.json", "\"-XX:TieredStopAtLevel=1\",",
             "\"-XX:TieredStopAtLevel=1\", \"-Djcprof.card.reset=16384\", \"-Djcprof.card.deselect=8192\",");
  return project;
}

json exactly(int bytes) {
  return {{"low", bytes}, {"high", bytes}};
}

json parsed(const Said& said, int status) {
  INFO(said.err << said.out);
  CHECK(said.status == status);
  return json::parse(said.out);
}

TEST_CASE("an array that the first command makes is at its line, to the byte") {
  const Workplace place("memory-once");
  const fs::path project = pin_that_makes(
      place,
      "if (made == null) made = JCSystem.makeTransientByteArray((short) 64, JCSystem.CLEAR_ON_DESELECT);");
  const json found = parsed(place.run({"jcprof", "profile", project.string(), "--memory", "--json"}), 0);
  CHECK(found["format"] == "jcprof-memory");
  REQUIRE(found["lines"].size() == 1);
  const json& line = found["lines"][0];
  CHECK(line["function"] == "PinApplet.verify");
  CHECK(line["hits"] == 1);
  CHECK(line["used"]["transient-deselect"] == exactly(64));
  CHECK(line["used"]["transient-reset"] == exactly(0));
  CHECK(found["total"]["transient-deselect"] == exactly(64));
  CHECK(found["total"]["persistent"] == json{{"low", nullptr}, {"high", nullptr}});
  CHECK(found["leaks"] == json::object());
  const std::string text = read_file(project / "jcprof-out/memory/src/PinApplet.java");
  CHECK(text.find("JCSystem.CLEAR_ON_DESELECT); // 64 bytes transient-deselect\n") != std::string::npos);
  CHECK(json::parse(read_file(project / "jcprof-out/memory.json")) == found);
}

TEST_CASE("more changes than the card can note are counted in the total, and harm no trap") {
  const Workplace place("memory-many");
  const fs::path project =
      pin_that_makes(place,
                     "if (made == null) for (short i = 0; i < 7000; i++) { made = "
                     "JCSystem.makeTransientByteArray((short) 1, JCSystem.CLEAR_ON_RESET); }");
  const json found = parsed(place.run({"jcprof", "profile", project.string(), "--memory", "--json"}), 0);
  CHECK(found["total"]["transient-reset"] == exactly(7000));
  REQUIRE(found["lines"].size() == 1);
  const int noted = found["lines"][0]["used"]["transient-reset"]["low"];
  CHECK(noted > 0);
  CHECK(found["unattributed"]["transient-reset"] == exactly(7000 - noted));
}

TEST_CASE("an array that each command makes is a leak, and ends with 1") {
  const Workplace place("memory-leak");
  const fs::path project =
      pin_that_makes(place, "made = JCSystem.makeTransientByteArray((short) 64, JCSystem.CLEAR_ON_RESET);");
  const Said said = place.run({"jcprof", "profile", project.string(), "--memory"});
  INFO(said.err << said.out);
  CHECK(said.status == 1);
  CHECK(
      said.out.find("warning: leak: each of 3 more commands took at least 64 bytes of transient-reset memory "
                    "and did not give them back\n") != std::string::npos);
  CHECK(said.out.find("\ntotal") != std::string::npos);
}

}  // namespace
}  // namespace jcprof
