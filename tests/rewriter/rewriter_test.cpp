// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <catch2/catch.hpp>

#include "rewriter/compile_check.hpp"
#include "rewriter/java_runtime.hpp"
#include "src/core/file.hpp"
#include "tests/rewriter/rewriting.hpp"

using namespace jcprof;
using namespace jcprof::rewriter;

namespace {

const TrapPolicy everything{.entry = {"A.process"}, .scope = {}};

/// The text of the error that the rewriting ends with.
std::string error_of(const std::string& source, const TrapPolicy& policy = everything) {
  try {
    rewrite("A.java", source, policy);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

std::vector<std::string> names(const Rewritten& rewritten) {
  std::vector<std::string> result;
  for (const Trap& trap : rewritten.traps) result.push_back(trap.name);
  return result;
}

}  // namespace

TEST_CASE("a source that does not parse is refused with line and caret") {
  CHECK(error_of("class A {\n  void f() { int x = ; }\n}\n") ==
        "A.java:2: this is not Java\n"
        "  2 |   void f() { int x = ; }\n"
        "    |                    ^\n"
        "hint: the file must compile before it can be profiled");
  CHECK(error_of("class A {\n  void f() { for (;;) { }\n}\n") ==
        "A.java:3: \"}\" is missing\n"
        "  3 | }\n"
        "    |  ^\n"
        "hint: the file must compile before it can be profiled");
}

TEST_CASE("a source that carries traps already is refused") {
  CHECK(error_of("class A {\n  /*[j*/int x;/*j]*/\n}\n") ==
        "A.java:2: the source carries jcprof's traps already\n"
        "  2 |   /*[j*/int x;/*j]*/\n"
        "    |   ^\n"
        "hint: take them out with: jcprof strip A.java");
}

TEST_CASE("an entry that does not exist is answered with the nearest name") {
  CHECK(error_of(applet(""), {.entry = {"A.proces"}, .scope = {}}) ==
        "the entry \"A.proces\" is not in the sources\nhint: did you mean \"A.process\"?");
}

TEST_CASE("an entry without an APDU is refused at its place") {
  CHECK(error_of(applet("void f() {}"), {.entry = {"A.f"}, .scope = {}}) ==
        "A.java:5: \"A.f\" cannot be the entry: it has no parameter of type APDU\n"
        "  5 | void f() {}\n"
        "    |      ^\n"
        "hint: name the applet's process(APDU)");
}

TEST_CASE("an include that names nothing is an error") {
  CHECK(error_of(applet("void verify() {}"),
                 {.entry = {"A.process"}, .scope = {.include = {"A.verfy"}, .exclude = {}}}) ==
        "\"A.verfy\" names no function and no file of the sources\nhint: did you mean \"A.verify\"?");
}

TEST_CASE("only what include names gets traps, and the entry is framed all the same") {
  const Rewritten rewritten = rewrite("A.java", applet("void f() { memory[0]++; } void g() { memory[1]++; }"),
                                      {.entry = {"A.process"}, .scope = {.include = {"A.f"}, .exclude = {}}});
  CHECK(names(rewritten) ==
        std::vector<std::string>{"TRAP_process_1", "TRAP_process_2", "TRAP_f_1", "TRAP_f_2", "TRAP_f_3"});
}

TEST_CASE("exclude wins over include, by function and by file") {
  const std::string source = applet("void f() { memory[0]++; } void g() { memory[1]++; }");
  CHECK(names(rewrite("A.java", source,
                      {.entry = {"A.process"}, .scope = {.include = {"A.*"}, .exclude = {"g", "process"}}}))
            .size() == 5);
  CHECK(names(rewrite("src/x/A.java", source,
                      {.entry = {"A.process"}, .scope = {.include = {"*"}, .exclude = {"src/**/*.java"}}}))
            .size() == 2);
}

TEST_CASE("two markers of one name are refused with both places") {
  CHECK(error_of(applet("void f() { // PM_CHECK x\n // PM_CHECK x\n}")) ==
        "A.java:6: the marker \"x\" stands at two places\n"
        "  6 |  // PM_CHECK x\n"
        "    |  ^\n"
        "hint: the other is at A.java:5; each trap needs a name of its own");
}

TEST_CASE("the ancestor's own calls keep their text and get a number") {
  const Rewritten rewritten =
      rewrite("A.java", applet("void f() { PM.check(PMC.TRAP_old); memory[0]++; }"),
              {.entry = {"A.process"}, .scope = {.include = {"*"}, .exclude = {}, .level = TrapLevel::none}});
  CHECK(names(rewritten) == std::vector<std::string>{"TRAP_process_1", "TRAP_process_2", "TRAP_old"});
  CHECK(rewritten.text.find("{ PM.check(PMC.TRAP_old); memory[0]++; }") != std::string::npos);
}

TEST_CASE("markers can be left out") {
  CHECK(names(rewrite(
            "A.java", applet("void f() { // PM_CHECK x\n}"),
            {.entry = {"A.process"},
             .scope = {.include = {"*"}, .exclude = {}, .level = TrapLevel::none, .markers = false}})) ==
        std::vector<std::string>{"TRAP_process_1", "TRAP_process_2"});
}

TEST_CASE("keys stay when code moves, and differ between statements that read the same") {
  const auto keys = [](const std::string& source) {
    std::vector<std::string> result;
    for (const Trap& trap : rewrite("A.java", source, everything).traps) result.push_back(trap.key);
    return result;
  };
  const std::vector<std::string> once = keys(applet("void f() { memory[0]++; memory[0]++; }"));
  const std::vector<std::string> moved =
      keys("\n\n" + applet("void f() {\n memory[0]++;\n\n memory[0]++; }"));
  CHECK(once == moved);
  CHECK(std::set<std::string>(once.begin(), once.end()).size() == once.size());
}

TEST_CASE("strip refuses an insertion without an end") {
  CHECK_THROWS_WITH(strip("x.java", "a\nb /*[j*/ c"),
                    "x.java:2: an inserted trap has no end\n"
                    "  2 | b /*[j*/ c\n"
                    "    |   ^\n"
                    "hint: \"/*j]*/\" must follow \"/*[j*/\"; run jcprof gen again for a whole tree");
}

TEST_CASE("strip takes traps out of a text that was edited since") {
  std::string text = rewrite("A.java", applet("void f() { memory[0]++; }"), everything).text;
  const std::string added = "/* new */ memory[2]++; ";
  text.insert(text.find("memory[0]++"), added);
  CHECK(strip("A.java", text) == applet("void f() { " + added + "memory[0]++; }"));
}

TEST_CASE("the arming INS and status keep clear of what the sources name") {
  const std::vector<SourceModel> models{read_java(
      "A.java",
      "class A { byte a = (byte)0xF4, b = (byte) 246; short c = (short) 0x6FB5; int d = 0x12F8; }")};
  const CardArming arming = choose_arming(models);
  CHECK(int{arming.ins} == 0xFA);
  CHECK(arming.stop_status == 0x6FB6);
}

TEST_CASE("javac's errors are read with file, line and column") {
  const std::vector<CompileError> errors = parse_javac(
      "/t/tree/a/B.java:7: error: unreachable statement\n    x++;\n    ^\nNote: something else\n"
      "/t/tree/C.java:12: error: code too large\n  void f() {\n       ^\n2 errors\n",
      "/t/tree");
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].path == "a/B.java");
  CHECK(errors[0].line == 7);
  CHECK(errors[0].column == 5);
  CHECK(errors[0].message == "unreachable statement");
  CHECK(errors[1].path == "C.java");
  CHECK(errors[1].column == 8);
}

TEST_CASE("an error is blamed on the nearest trap of its line, else on its function") {
  const std::string source = applet("void f() { memory[0]++; memory[1]++; }\nvoid g() {\n memory[2]++;\n\n}");
  const std::vector<SourceModel> models{read_java("A.java", source)};
  const TrapPlan plan = plan_traps(models, everything);
  const std::string text = apply_edits(source, edits_for(models[0], plan.files[0], {}));
  const std::size_t second = text.find("memory[1]++");
  const auto names_of = [&](const CompileError& error) {
    std::vector<std::string> names;
    for (const PlannedTrap& planned : blamed(error, text, models[0], plan.files[0]))
      names.push_back(planned.trap.name);
    return names;
  };
  CHECK(
      names_of({.path = "A.java", .line = 5, .column = second - text.rfind('\n', second), .message = "x"}) ==
      std::vector<std::string>{"TRAP_f_3"});
  CHECK(names_of({.path = "A.java", .line = 8, .column = 1, .message = "x"}) ==
        std::vector<std::string>{"TRAP_g_1", "TRAP_g_2", "TRAP_g_3"});
  CHECK(names_of({.path = "A.java", .line = 5, .column = 6, .message = "code too large"}).size() == 4);
}
