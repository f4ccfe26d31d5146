// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "rewriter/blame.hpp"
#include "rewriter/compile_check.hpp"
#include "rewriter/edits.hpp"
#include "rewriter/java/bytecode_size.hpp"
#include "rewriter/java/front_end.hpp"
#include "rewriter/java/runtime.hpp"
#include "src/core/file.hpp"
#include "src/core/text.hpp"
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

TEST_CASE("a Unicode escape in a name is refused as what it is") {
  CHECK(error_of("class A {\n  int \\u0061b = 1;\n}\n") ==
        "A.java:2: this is not Java\n"
        "  2 |   int \\u0061b = 1;\n"
        "    |       ^\n"
        "hint: Unicode escapes are read in strings and characters only: write what the escape stands for");
}

TEST_CASE("a source whose lines end with carriage returns alone is refused as what it is") {
  CHECK_THAT(error_of("class A {\r  // x\r}\r"),
             Catch::StartsWith("A.java:1: the lines end with carriage returns alone\n") &&
                 Catch::Contains("hint: convert the file, with tr '\\r' '\\n' say"));
}

TEST_CASE("an entry named barely is the most derived applet's, not a base's or a helper's") {
  std::vector<SourceModel> models{
      read_java("A.java", "class A extends Base { public void process(APDU apdu) { super.process(apdu); } }"),
      read_java("Base.java", "class Base extends Applet { public void process(APDU apdu) { } }"),
      read_java("Helper.java", "class Helper { void process(APDU apdu) { } }")};
  settle_applets(models);
  const auto entries = [&](const std::vector<std::string>& wanted) {
    std::vector<std::string> result;
    const TrapPlan plan = plan_traps(models, {.entry = wanted, .scope = {}});
    for (const FilePlan& file : plan.files)
      for (const PlannedTrap& planned : file.traps)
        if (planned.trap.kind == TrapKind::entry0) result.push_back(planned.trap.function);
    result.insert(result.end(), plan.notes.begin(), plan.notes.end());
    return result;
  };
  CHECK(entries({"process"}) == std::vector<std::string>{"A.process"});
  CHECK(entries({"Base.process"}) == std::vector<std::string>{"Base.process"});
  CHECK(entries({"A.process", "Base.process"}) ==
        std::vector<std::string>{"A.process", "Base.process",
                                 "Base.process is an entry: the trace restarts when A.process calls it"});
}

TEST_CASE("an entry that calls itself is said to begin its trace anew") {
  const std::string a = "class A extends Applet { public void process(APDU apdu) { ";
  CHECK(rewrite("A.java", a + "if (x) process(apdu); super.process(apdu); process(apdu, 1); } }", everything)
            .notes ==
        std::vector<std::string>{"A.process is an entry: the trace restarts when A.process calls it"});
  CHECK(rewrite("A.java", a + "super.process(apdu); process(apdu, 1); b.process(apdu); } }", everything)
            .notes.empty());
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

TEST_CASE("markers of one name are numbered from the second on, past names that others have") {
  const auto markers = [](const std::string& body) {
    return rewrite(
        "A.java", applet(body),
        {.entry = {"A.process"}, .scope = {.include = {"*"}, .exclude = {}, .level = TrapLevel::none}});
  };
  CHECK(names(markers("void f() { // PM_CHECK x\n // PM_CHECK x_2\n // PM_CHECK x\n // PM_CHECK x\n}")) ==
        std::vector<std::string>{"TRAP_process_1", "TRAP_process_2", "TRAP_x", "TRAP_x_2", "TRAP_x_3",
                                 "TRAP_x_4"});
  CHECK(
      names(rewrite("A.java", applet("void f() { memory[0]++; // PM_CHECK f\n memory[1]++; // PM_CHECK f\n}"),
                    everything)) ==
      std::vector<std::string>{"TRAP_process_1", "TRAP_process_2", "TRAP_process_3", "TRAP_process_4",
                               "TRAP_f_1", "TRAP_f_2", "TRAP_f", "TRAP_f_3", "TRAP_f_4", "TRAP_f_5"});
  const Rewritten calls =
      markers("void f() { PM.check(PMC.TRAP_x); if (memory[0] > 0) PM.check(PMC.TRAP_x); }");
  CHECK(names(calls) == std::vector<std::string>{"TRAP_process_1", "TRAP_process_2", "TRAP_x", "TRAP_x_2"});
  std::string text = calls.text;
  replace_all(text, span_begin, "");
  replace_all(text, span_end, "");
  CHECK(text.find("{ PM.check(PMC.TRAP_x); if (memory[0] > 0) {PM.check(PMC.TRAP_x_2);if(false)"
                  "PM.check(PMC.TRAP_x);} }") != std::string::npos);
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

namespace {

/// Functions that carry no trap in the sources given as (name, text).
std::vector<std::string> without_traps(const std::vector<std::pair<std::string, std::string>>& sources) {
  std::vector<SourceModel> models;
  for (const auto& [path, text] : sources) models.push_back(read_java(path, text));
  settle_applets(models);
  std::vector<std::string> names;
  for (const SourceModel& model : models)
    for (const Function& function : model.functions)
      if (!function.why_not.empty()) names.push_back(function.name);
  return names;
}

std::string class_with_install(const std::string& head) {
  return "class " + head + " { public static void install(byte[] a, short o, byte l) { } }\n";
}

}  // namespace

TEST_CASE("an applet is known by the chain of its superclasses, in whatever file they stand") {
  const auto extends = [](const std::string& base) { return class_with_install("X extends " + base); };
  const std::vector<std::string> taken{"X.install"};
  CHECK(without_traps({{"X.java", extends("Applet")}}) == taken);
  CHECK(without_traps({{"X.java", extends("javacard . framework . /**/ Applet")}}) == taken);
  CHECK(without_traps({{"X.java", extends("lib.BaseApplet<Byte>")}}) == taken);
  CHECK(without_traps({{"A.java", "class Thing extends javacard.framework.Applet { }"},
                       {"X.java", extends("Thing")}}) == taken);
  CHECK(without_traps({{"A.java", "package a; public class Thing extends Base { }"},
                       {"X.java", "import a.Thing;" + extends("Thing")},
                       {"Y.java", "package a; class Base extends Applet { }"}}) == taken);
  CHECK(without_traps({{"X.java", extends("SomethingOfALibrary")}}) == taken);
}

TEST_CASE("a class is no applet for being called so") {
  const std::string x = class_with_install("X extends NotApplet");
  CHECK(without_traps({{"A.java", "class NotApplet { }"}, {"X.java", x}}).empty());
  CHECK(without_traps({{"A.java", "class NotApplet extends X { }"}, {"X.java", x}}).empty());
  CHECK(without_traps({{"X.java", "class Applet { }" + class_with_install("X extends Applet")}}).empty());
  CHECK(
      without_traps({{"A.java", "package other; class Applet { }"},
                     {"X.java", "import javacard.framework.*;" + class_with_install("X extends Applet")}}) ==
      std::vector<std::string>{"X.install"});
}

TEST_CASE("what the card calls outside of the entry is cleared of a stop that is over") {
  const std::string text =
      rewrite("A.java",
              applet("static class B extends Applet {\n"
                     "public void process(APDU apdu) { memory = null; }\n"
                     "public void uninstall() { }\n"
                     "public Shareable getShareableInterfaceObject(AID aid, byte p) { return null; }\n"
                     "public boolean select(boolean more) { return true; }\n"
                     "void select(APDU apdu) { memory = null; }\n}"),
              {.entry = {"A.process"}, .scope = {.include = {"*"}, .exclude = {}, .level = TrapLevel::none}})
          .text;
  CHECK(text ==
        applet("static class B extends Applet {\n"
               "public void process(APDU apdu) {/*[j*/PM.outside();/*j]*/ memory = null; }\n"
               "public void uninstall() {/*[j*/PM.outside();/*j]*/ }\n"
               "public Shareable getShareableInterfaceObject(AID aid, byte p) {/*[j*/PM.outside();/*j]*/ "
               "return null; }\n"
               "public boolean select(boolean more) {/*[j*/PM.outside();/*j]*/ return true; }\n"
               "void select(APDU apdu) { memory = null; }\n}")
            .replace(
                applet("").find("{ run"), 1,
                "{/*[j*/if(PM.serve(apdu))return;PM.check(PMC.TRAP_A_process_1);PM.check(PMC.TRAP_A_process_"
                "2);/*j]*/"));
}

TEST_CASE("the ancestor's calls are found whatever stands round and in them") {
  const Rewritten rewritten =
      rewrite("A.java",
              applet("void f() { PM . /* here */ check(\n// now\nPMC.TRAP_a); here: PM.check((PMC.TRAP_b));\n"
                     "here: PM.check(PMC.TRAP_c); if (memory == null) PM.check(PM.TRAP_d); }"),
              {.entry = {"A.process"}, .scope = {.include = {"*"}, .exclude = {}, .level = TrapLevel::none}});
  CHECK(names(rewritten) ==
        std::vector<std::string>{"TRAP_process_1", "TRAP_process_2", "TRAP_a", "TRAP_b", "TRAP_c", "TRAP_d"});
}

TEST_CASE("rows of thousands of else-ifs, terms and calls are read") {
  std::string ifs = "void f(short x) { if (x == 0) x++;";
  std::string sum = "short g(short x) { while (x == x";
  std::string calls = "void h(StringBuilder s) { s";
  for (int i = 0; i < 20000; ++i) {
    ifs += "\nelse if (x == 1) x++;";
    sum += " + x";
    calls += ".append(1)";
  }
  const Rewritten rewritten =
      rewrite("A.java", applet(ifs + "}\n" + sum + ") x++; return x; }\n" + calls + "; }\n"), everything);
  CHECK(rewritten.traps.size() > 60000);
}

TEST_CASE("deeper nesting than can be read is refused by name") {
  const std::string open(2100, '{');
  const std::string close(2100, '}');
  CHECK_THROWS_WITH(rewrite("A.java", applet("void f() " + open + close), everything),
                    Catch::Contains("A.java:5: nested more than 2000 deep\n") &&
                        Catch::EndsWith("hint: split the statement, or leave the file out of \"sources\""));
}

TEST_CASE("the arming INS and status keep clear of what the sources name") {
  const std::vector<SourceModel> models{read_java(
      "A.java",
      "class A { byte a = (byte)0xF4, b = (byte) 246; short c = (short) 0x6FB5; int d = 0x12F8; }")};
  const CardArming arming = choose_arming(models);
  CHECK(int{arming.ins} == 0xFA);
  CHECK(arming.stop_status == 0x6FB6);
}

TEST_CASE("a table that names every byte does not stop the arming INS from being chosen") {
  std::string table;
  for (int i = -128; i < 256; ++i) table += fmt::format("(byte) {}, ", i);
  const std::vector<SourceModel> models{
      read_java("A.java", "class A { byte ins = (byte)0xF4; byte[] t = {" + table + "}; }")};
  CHECK(int{choose_arming(models).ins} == 0xF6);
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

namespace {

/// The names of the traps that an error at the place of `mark` is blamed on.
std::vector<std::string> blamed_at(const std::string& source, const std::string& mark,
                                   const std::string& message = "x") {
  const std::vector<SourceModel> models{read_java("A.java", source)};
  const TrapPlan plan = plan_traps(models, everything);
  const RewrittenSource rewritten = rewritten_source(models[0], plan.files[0], values_of(RuntimeNames{}));
  const std::string& text = rewritten.text;
  const std::size_t at = text.find(mark);
  REQUIRE(at != std::string::npos);
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
  std::size_t column = 1;
  for (std::size_t i = text.rfind('\n', at) + 1; i < at; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) ++column;  // javac counts characters
  const CompileError error{
      .path = "A.java", .line = static_cast<std::size_t>(line), .column = column, .message = message};
  std::vector<std::string> result;
  for (const std::uint32_t site : blamed(error, rewritten))
    for (const PlannedTrap& planned : plan.files[0].traps)
      if (planned.site == site) result.push_back(planned.trap.name);
  return result;
}

}  // namespace

TEST_CASE(
    "an error is blamed on the trap that it points at, else on the nearest of its line, else on its "
    "function") {
  const std::string source = applet(
      "void f() { memory[0]++; /* \u00e4\u00f6 */ memory[1]++; }\nvoid g() {\n "
      "memory[2]++;\n\n /*here*/\n}");
  CHECK(blamed_at(source, "check(PMC.TRAP_f_3)") == std::vector<std::string>{"TRAP_f_3"});
  CHECK(blamed_at(source, "memory[1]++") == std::vector<std::string>{"TRAP_f_3"});
  CHECK(blamed_at(source, "/*here*/") == std::vector<std::string>{"TRAP_g_1", "TRAP_g_2", "TRAP_g_3"});
}

TEST_CASE("an error in a value that is held up is blamed on what holds it up") {
  const std::string source = applet("Object f() { return\n run((byte) 3,\n (byte) 4)\n; }");
  for (const char* mark : {"(Object)PM.value", "PM.value", "run((byte) 3,\n", "(byte) 4)", ",PMC.TRAP_f_3"})
    CHECK(blamed_at(source, mark) == std::vector<std::string>{"TRAP_f_3"});
}

TEST_CASE("a function that is too large loses its finest traps") {
  const std::string source = applet("void f() { memory[0]++; if (memory == null) { memory[1]++; } }");
  CHECK(blamed_at(source, "f() {", "code too large") == std::vector<std::string>{"TRAP_f_2", "TRAP_f_3"});
}

TEST_CASE("only the applet's package counts for the size, and the traps alone where nothing was compiled") {
  const std::vector<MethodSize> methods{
      {"com/a/A", "f", 29000}, {"com/a/b/B", "g", 60000}, {"C", "h", 29000}};
  CHECK(size_notes(methods, "com.a", 10000).empty());
  CHECK(size_notes({}, "com.a", 5000).empty());
  CHECK(
      size_notes({}, "com.a", 6000) ==
      std::vector<std::string>{"6000 traps take about 36000 bytes of the 65535 of bytecode that a Java Card "
                               "package holds: narrow \"profile.include\", or set \"profile.level\" to "
                               "\"block\" or \"function\""});
}

TEST_CASE("a class file that is cut off has no sizes") {
  CHECK(method_sizes(std::string("\xCA\xFE\xBA\xBE\0\0\0\x34\0\x05\x01\0\x09x", 14)).empty());
}
