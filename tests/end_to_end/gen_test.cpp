// SPDX-License-Identifier: Apache-2.0
// What `jcprof gen` prints of a C tree, for a person and as JSON.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

using nlohmann::json;
using test::Said;
using test::Workplace;

const std::string source =
    "#define TWICE(f) do { f; f; } while (0)\n"
    "#ifdef NEVER\nint never;\nint again;\n#endif\n"
    "static int f(int n) {\n"
    "  switch (n) {\n    n = 2;\n    case 1:\n      n++;\n  }\n"
    "  TWICE(n++);\n"
    "  return n;\n}\n"
    "static int g(int n) {\n  n *= 2;\n  return n;\n}\n"
    "int main(void) {\n  return f(g(0));\n}\n";

std::string project(const std::string& profile) {
  return R"({"format": "jcprof-project", "version": 1, "target": "program", "sources": ["x.c"], "entry": "main",
             "profile": )" +
         profile + R"(, "compile": {"flags": ["-w"]}, "build": [], "trigger": {"run": ["x"]}})";
}

struct Generated {
  Workplace place{"gen-says"};

  Said with(const std::string& profile, std::vector<std::string> options = {}) const {
    write_file(place / "x.c", source);
    write_file(place / "jcprof.json", project(profile));
    options.insert(options.begin(), {"jcprof", "gen", (place / "jcprof.json").string()});
    return place.run(options);
  }
};

TEST_CASE("jcprof gen says how many statements have a trap, and why the others have none") {
  const Generated generated;
  CHECK(generated.with("{}").out ==
        "no trap: 2 × lines that no unit compiles\n"
        "no trap: 1 × it stands in front of the first case of a switch\n"
        "6 of 7 executable statements outside macros have a trap (85.7 %)\n"
        "13 traps in 3 functions of 1 files: @/jcprof-out/tree\n");
  CHECK(generated.with("{}", {"--why"}).out ==
        "x.c:3: no trap: lines that no unit compiles (2)\n"
        "x.c:8: no trap: it stands in front of the first case of a switch\n"
        "6 of 7 executable statements outside macros have a trap (85.7 %)\n"
        "13 traps in 3 functions of 1 files: @/jcprof-out/tree\n");
}

TEST_CASE("jcprof gen says of a part of the sources what the project leaves out") {
  const Generated generated;
  CHECK_THAT(generated.with(R"({"exclude": ["g"]})").out,
             Catch::Contains("\n"
                             "4 of 5 executable statements outside macros have a trap (80.0 %); 2 more are "
                             "in functions that jcprof.json leaves out\n"));
  CHECK_THAT(
      generated.with(R"({"level": "none"})").out,
      Catch::Contains("\n0 of 7 executable statements outside macros have a trap: \"level\" is \"none\"\n"));
  CHECK_THAT(generated.with(R"({"include": ["main"], "level": "block"})").out,
             Catch::Contains(" of 1 executable statements outside macros have a trap: \"level\" is "
                             "\"block\"; 6 more are in functions that jcprof.json leaves out\n"));
}

TEST_CASE("jcprof gen --json has the coverage, and what was left alone by reason or by place") {
  const Generated generated;
  const json reasons = json::parse(generated.with(R"({"exclude": ["g"]})", {"--json"}).out);
  CHECK(reasons["coverage"] == json{{"statements", 5}, {"with_trap", 4}, {"excluded", 2}, {"unread", 0}});
  CHECK(reasons["left_alone"] ==
        json::array({{{"reason", "lines that no unit compiles"}, {"count", 2}},
                     {{"reason", "it stands in front of the first case of a switch"}, {"count", 1}}}));
  const json places = json::parse(generated.with("{}", {"--json", "--why"}).out);
  CHECK(places["left_alone"][0] ==
        json{{"path", "x.c"}, {"line", 3}, {"reason", "lines that no unit compiles"}, {"count", 2}});
  CHECK(places["left_alone"][1] == json{{"path", "x.c"},
                                        {"line", 8},
                                        {"reason", "it stands in front of the first case of a switch"},
                                        {"count", 1}});
}

}  // namespace
}  // namespace jcprof
