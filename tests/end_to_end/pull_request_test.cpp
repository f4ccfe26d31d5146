// SPDX-License-Identifier: Apache-2.0
// The whole way of a pull request, as docs/ci.md describes it: base and head are built, measured in turn, and
// compared. The clock of the program counts its steps, so that every verdict is certain.
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::replace_in;
using test::Said;
using test::Workplace;

constexpr const char* work = R"(#include "../device/steps.h"

static int parse(int n) {
  steps(100);
  return n;
}

static int digest(int n) {
  for (int i = 0; i < 10; i++) {
    steps(30);
  }
  return n;
}

int exact(int group) {
  steps(50);
  parse(group);
  digest(group);
  return group;
}
)";

json settings() {
  const std::string device =
      "for part in counted glue; do gcc -O2 -fPIC -I. -c -o \"$0/$part.o\" device/$part.c; done";
  const std::string library =
      "gcc -O2 -shared -fPIC -pthread -o \"$0/exact.so\" src/work.c \"$0/counted.o\" \"$0/glue.o\"";
  return {{"format", "jcprof-project"},
          {"version", 1},
          {"target", "program"},
          {"sources", {"src/work.c"}},
          {"entry", "exact"},
          {"compile", {{"compiler", "gcc"}}},
          {"build", {{{"run", {"sh", "-c", device + "; " + library, "{out}"}}}}},
          {"transport", "agent:python3 {project}/device/agent.py {out}/exact.so"},
          {"trigger", {{"group", 0}}}};
}

class PullRequest {
 public:
  PullRequest() {
    for (const char* side : {"base", "head"}) {
      const fs::path project = place_.copied("tests/end_to_end/exact_program", side);
      write_file(project / "src/work.c", work);
      write_file(project / "jcprof.json", settings().dump(2));
    }
    build("base");
  }

  void change(const std::string& from, const std::string& to) const {
    replace_in(place_ / "head/src/work.c", from, to);
  }

  Said run(const std::vector<std::string>& words) const {
    std::vector<std::string> argv{"jcprof"};
    argv.insert(argv.end(), words.begin(), words.end());
    return place_.run(argv);
  }

  void build(const std::string& side) const {
    const Said said = run({"profile", side, "--rounds", "2", "--no-refine", "--quiet"});
    INFO(said.err);
    REQUIRE(said.status == 0);
  }

  /// Builds head, and measures it in turn with base. What jcprof says.
  Said measure() const {
    build("head");
    Said said = run({"run", "head", "--interleave", "base", "--rounds", "2"});
    INFO(said.out << said.err);
    REQUIRE(said.status == 0);
    return said;
  }

  /// Checks budgets of head. Its digest takes 600 instructions.
  void check_budgets() const {
    const auto status = [&](const std::vector<std::string>& options) {
      std::vector<std::string> words{"check", "head"};
      words.insert(words.end(), options.begin(), options.end());
      const Said said = run(words);
      UNSCOPED_INFO(said.out << said.err);
      return said.status;
    };
    CHECK(status({"--budget", "digest <= 700 instructions"}) == 0);
    CHECK(status({"--budget", "digest <= 700 instructions", "--budget", "digest <= 400 instructions"}) == 1);
    CHECK(status({"--budget", "digets <= 700 instructions"}) == 2);
    CHECK(status({"--against", "base", "--budget", "total <= +0%", "--format", "junit"}) == 1);
    CHECK(status({}) == 2);
    write_file(place_ / "head/jcprof-budget.json",
               R"({"format": "jcprof-budget", "version": 1, "budgets": ["digest <= 1 calls"]})");
    CHECK(status({}) == 0);
    CHECK(status({"--budget", "digest <= 0 calls"}) == 1);
  }

 private:
  const Workplace place_{"pull-request"};
};

std::string verdicts(const json& functions) {
  std::string text;
  for (const json& one : functions)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", one["function"].get<std::string>(),
                        one["verdict"].get<std::string>());
  return text;
}

constexpr const char* slower_comment =
    "### `head` on `exact`: slower\n\n"
    "total 450.0 instructions → 750.0 instructions: slower, +66.7 %; 3 sessions before, 3 sessions "
    "after. \n\n"
    "**Lines**: 1 slower, 9 same\n\n"
    "| verdict | before | after | change | ± | hits | line | function |\n"
    "|---|--:|--:|--:|--:|--:|---|---|\n"
    "| slower | 300.0 instructions | 600.0 instructions | +100.0 % |  | ×10 | `src/work.c:10` | `digest` "
    "|\n\n"
    "**Functions**: 1 slower, 2 same\n\n"
    "| verdict | before | after | change | ± | calls | line | function |\n"
    "|---|--:|--:|--:|--:|--:|---|---|\n"
    "| slower | 300.0 instructions | 600.0 instructions | +100.0 % |  | ×1 | `src/work.c:8` | `digest` "
    "|\n";

constexpr const char* slower_annotations =
    "::error title=budget broken::total <= +3%25; total: +66.7 %25\n"
    "::error file=src/work.c,line=10,title=budget broken::src/work.c:10 <= +3%25; src/work.c:10: +100.0 %25\n"
    "::error file=src/work.c,line=8,title=budget broken::own digest <= +3%25; digest: +100.0 %25\n";

}  // namespace

TEST_CASE("a pull request that makes a function slower is found, from the build to the comment") {
  const PullRequest request;
  request.change("    steps(30);", "    steps(60);");
  const Said measured = request.measure();
  CHECK_THAT(measured.out, Catch::EndsWith("\nwhat changed: jcprof diff @/base/jcprof-out/sessions "
                                           "@/head/jcprof-out/sessions\n"));
  const Said told = request.run({"diff", "base", "head"});
  CHECK(told.status == 1);
  CHECK_THAT(told.out, Catch::Contains(": 3 sessions before, 3 sessions after\ntotal ") &&
                           Catch::Contains(": slower, +"));
  CHECK(request.run({"diff", "base", "nowhere"}).status == 2);
  const Said diff = request.run({"diff", "base", "head", "--json"});
  INFO(diff.out);
  CHECK(diff.status == 1);
  const json changes = json::parse(diff.out);
  CHECK(changes["before"]["sessions"] == 3);
  CHECK(changes["after"]["sessions"] == 3);
  CHECK(verdicts(changes["functions"]) == "digest slower, parse same, exact same");
  const Said comment = request.run({"diff", "base", "head", "--markdown"});
  CHECK(comment.status == 1);
  CHECK(comment.out == slower_comment);
  const Said checked =
      request.run({"check", "head", "--against", "base", "--max-regression", "3", "--format", "github"});
  CHECK(checked.status == 1);
  CHECK(checked.out == slower_annotations);
  request.check_budgets();
}

TEST_CASE("a pull request that makes nothing slower passes") {
  const PullRequest request;
  // The code moves, and is the same.
  request.change("static int parse", "/* Reads it. */\nstatic int parse");
  request.measure();
  CHECK(request.run({"diff", "base", "head", "--strict"}).status == 0);
  CHECK(request.run({"check", "head", "--against", "base", "--max-regression", "0"}).status == 0);
  // A faster one discards the sessions before.
  request.change("    steps(30);", "    steps(20);");
  CHECK(request.run({"run", "head", "--interleave", "base", "--rounds", "2"}).status == 2);
  CHECK_THAT(request.measure().err, Catch::Contains("note: jcprof discards the stored sessions"));
  const Said diff = request.run({"diff", "base", "head"});
  CHECK(diff.status == 0);
  CHECK_THAT(diff.out, Catch::Contains("faster"));
}

}  // namespace jcprof
