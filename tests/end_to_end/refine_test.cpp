// SPDX-License-Identifier: Apache-2.0
// `jcprof profile --refine`, and trees that are too large to be built, on an applet with one hot function and
// cold ones that pass many traps.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/pin_bench.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using test::pin_source;
using test::replace_in;
using test::Said;
using test::TestClock;
using test::value_of;
using test::Workplace;

/// The paced javacard-pin with ten cold functions in front of its hash rounds, each with so many statements;
/// the command passes them all.
fs::path chatty(const Workplace& place, int statements) {
  const fs::path project = test::paced_pin(place);
  std::string calls;
  std::string functions;
  for (int f = 0; f < 10; ++f) {
    calls += fmt::format("chat{}();\n", f);
    functions += fmt::format("private void chat{}() {{\n", f);
    for (int s = 0; s < statements; ++s) functions += "triesLeft = TRIES;\n";
    functions += "}\n";
  }
  replace_in(project / pin_source, "deriveKey(pin, offset, length);\n        open();",
             calls + "deriveKey(pin, offset, length);\n        open();");
  replace_in(project / pin_source, "private void open()", functions + "private void open()");
  return project;
}

std::string ask(const fs::path& project, const std::string& sql) {
  return value_of(project / "jcprof-out/profile.jcprof", sql).value_or("nothing");
}

double number_of(const fs::path& project, const std::string& sql) {
  return std::stod(ask(project, sql));
}

constexpr const char* chatty_traps = "SELECT count(*) FROM trap WHERE function LIKE '%chat%' AND run = ";
constexpr const char* deep_traps =
    "SELECT count(*) > 5 FROM trap WHERE function = 'PinApplet.deriveKey' AND run = ";

/// Of the second run, in functions that the first run found below 1 %.
constexpr const char* cold_traps =
    "SELECT count(*) FROM trap WHERE run = 2 AND function <> 'PinApplet.process' AND function NOT IN "
    "(SELECT function FROM estimate WHERE run = 1 AND scope = 'function' AND share_high >= 0.01)";

TEST_CASE("a second build has traps in hot functions only, and its hot line is not dearer") {
  const Workplace place("refine", TestClock::virtual_time);
  const fs::path project = chatty(place, 6);
  // All the rounds in one statement.
  const std::string loop =
      "for (short round = 0; round < ROUNDS; round++) {\n            "
      "Pace.round(sha.doFinal(block, (short) 0, (short) block.length, block, (short) 0));\n        }";
  replace_in(project / pin_source, loop, "rehash();");
  replace_in(project / pin_source, "private void open()",
             "private void rehash() {\n" + loop + "\n}\nprivate void open()");
  replace_in(project / "jcprof.json", R"(["PinApplet.seal"])", R"(["PinApplet.seal", "PinApplet.rehash"])");
  const std::string settings = read_file(project / "jcprof.json");
  const Said said = place.run({"jcprof", "profile", project.string(), "--refine", "--rounds", "8"});
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);

  CHECK(ask(project, "SELECT group_concat(state) FROM run") == "complete,complete");
  CHECK(ask(project, chatty_traps + std::string("1")) == "80");
  CHECK(number_of(project, chatty_traps + std::string("2")) < 80);
  CHECK(ask(project, cold_traps) == "0");
  CHECK_THAT(said.out,
             Catch::Contains("refine: traps stay in PinApplet.") &&
                 Catch::Contains("refine: these functions get no traps, because none takes 1 %: ") &&
                 Catch::Contains("PinApplet.chat") && Catch::Contains("refine: the traps took "));

  const auto hottest = [](const char* column, int run) {
    return fmt::format("SELECT {} FROM estimate WHERE scope = 'line' AND run = {} ORDER BY position LIMIT 1",
                       column, run);
  };
  CHECK(ask(project, hottest("line", 1)) == ask(project, hottest("line", 2)));
  CHECK(ask(project, hottest("function", 2)) == "PinApplet.deriveKey");
  CHECK(number_of(project, hottest("share", 2)) > 0.5);
  CHECK(number_of(project, hottest("low", 2)) <= 1.2 * number_of(project, hottest("high", 1)));

  CHECK(read_file(project / "jcprof.json") == settings);
  const Said annotated = place.run({"jcprof", "annotate", project.string(), "-q"});
  INFO(annotated.err);
  CHECK(annotated.status == 0);
  CHECK_THAT(read_file(project / "jcprof-out/annotated" / pin_source),
             Catch::Contains("(jcardsim simulated,"));
}

TEST_CASE("a tree too large to be built has functions only at first, then the hot ones in full") {
  const Workplace place("coarsen", TestClock::virtual_time);
  const fs::path project = chatty(place, 700);
  // A converter that refuses what a package does not hold.
  replace_in(project / "jcprof.json", R"("build": [)",
             R"("build": [{"run": ["sh", "-c", "test $(grep -c TRAP_ src/PMC.java) -lt 500"]},)");
  const Said said = place.run({"jcprof", "profile", project.string(), "--rounds", "8", "--zoom", "10"});
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);

  CHECK_THAT(said.out,
             Catch::Contains(
                 "refine: the build fails with so many traps; jcprof begins with traps at functions only\n"));
  CHECK(ask(project, "SELECT group_concat(state) FROM run") == "complete,complete");
  CHECK(ask(project, chatty_traps + std::string("1")) == "20");
  CHECK(ask(project, deep_traps + std::string("1")) == "0");
  CHECK(ask(project, deep_traps + std::string("2")) == "1");
  CHECK(ask(project, chatty_traps + std::string("2")) == "0");
}

}  // namespace
}  // namespace jcprof
