// SPDX-License-Identifier: Apache-2.0
// What a project file says about a program, and the text that a person sees where that is faulty.
#include <catch2/catch.hpp>

#include "src/core/project.hpp"
#include "tests/core/fault_text.hpp"

namespace jcprof {
namespace {

/// A program, lines 3 and 4 of which are under test.
std::string program(const std::string& trigger, const std::string& rest = "") {
  return "{\"format\": \"jcprof-project\", \"version\": 1, \"target\": \"program\",\n"
         "\"sources\": [\"*.c\"], \"entry\": \"main\",\n\"trigger\": " +
         trigger + (rest.empty() ? "" : ",\n" + rest) + "}";
}

Project parsed(const std::string& trigger, const std::string& rest = "") {
  return parse_project("p/jcprof.json", program(trigger, rest));
}

std::string faults_of(const std::string& trigger, const std::string& rest = "") {
  return test::fault_text([&] { parsed(trigger, rest); });
}

const std::string run = R"({"run": ["./app"]})";

TEST_CASE("a program is run in the tree, without input, by the wall clock, unless told otherwise") {
  const Project plain = parsed(run);
  CHECK(plain.transport == "exec:");
  CHECK(plain.trigger.run == std::vector<std::string>{"./app"});
  CHECK(plain.trigger.cwd == "{tree}");
  CHECK(plain.trigger.input.empty());
  CHECK(plain.trigger.clock == ProgramClock::wall);
  const Project told = parsed(
      R"({"run": ["{out}/app", "", "{input}", "{seed}"], "cwd": "{project}/data", "stdin": "in-{input}.txt",
          "clock": "cpu"})",
      R"("inputs": {"list": ["01", "02"]})");
  CHECK(told.trigger.run == std::vector<std::string>{"{out}/app", "", "{input}", "{seed}"});
  CHECK(told.trigger.cwd == "{project}/data");
  CHECK(told.trigger.input == "in-{input}.txt");
  CHECK(told.trigger.clock == ProgramClock::cpu);
}

TEST_CASE("steps that prepare the reading work in the project's folder, where no tree is yet") {
  const Project project = parsed(
      run, R"("compile": {"prepare": [{"run": ["cmake", "{project}"], "cwd": "{out}/x"}, {"run": ["make"]}],
                     "database": "{out}/x/compile_commands.json"})");
  REQUIRE(project.compile.prepare.size() == 2);
  CHECK(project.compile.prepare[0].cwd == "{out}/x");
  CHECK(project.compile.prepare[1].cwd == "{project}");
  CHECK_THAT(faults_of(run, R"("compile": {"prepare": [{"run": ["make", "-C", "{tree}"]}]})"),
             Catch::Contains("{tree}"));
}

TEST_CASE("the session of a program runs programs and waits") {
  const Session session =
      parsed(run, R"("session": {"once": [{"run": ["make", "data"]}], "before_each": [{"wait": "5ms"}],
                               "after_each": [{"run": ["rm", "-f", "x"]}], "timeout": "1s"})")
          .session;
  CHECK(session.once == Script{RunStep{{"make", "data"}}});
  CHECK(session.before_each == Script{WaitStep{std::chrono::milliseconds{5}}});
  CHECK(session.after_each == Script{RunStep{{"rm", "-f", "x"}}});
}

TEST_CASE("{input} reaches a program by its arguments, its standard input, or a step before it") {
  const std::string inputs = R"("inputs": {"random": 4})";
  for (const char* trigger : {R"({"run": ["a", "{input}"]})", R"({"run": ["a"], "stdin": "{input}"})",
                              R"({"run": ["a"], "stdin": "x{input}"})"})
    CHECK(faults_of(trigger, inputs) == "(no error)");
  CHECK(faults_of(run, inputs + R"(, "session": {"before_each": [{"run": ["prepare", "{input}"]}]})") ==
        "(no error)");
  CHECK(faults_of(run, inputs) ==
        "p/jcprof.json:4: there are \"inputs\", but nothing sends them\n"
        "  4 | \"inputs\": {\"random\": 4}}\n"
        "    |           ^\n"
        "hint: put {input} into \"run\" or \"stdin\" of the trigger");
  CHECK(faults_of(R"({"run": ["a"], "stdin": "{input}"})") ==
        "p/jcprof.json:3: {input} is used, but there are no \"inputs\"\n"
        "  3 | \"trigger\": {\"run\": [\"a\"], \"stdin\": \"{input}\"}}\n"
        "    |            ^\n"
        "hint: such as \"inputs\": {\"fixed\": \"31323334\"}");
  CHECK(
      faults_of(R"({"run": ["a", "{input}"]})",
                inputs + R"(, "session": {"once": [{"run": ["prepare", "{input}"]}]})") ==
      "p/jcprof.json:4: {input} has no value here: no shot is under way\n"
      "  4 | \"inputs\": {\"random\": 4}, \"session\": {\"once\": [{\"run\": [\"prepare\", \"{input}\"]}]}}\n"
      "    |                                              ^");
}

TEST_CASE("faulty triggers of programs are refused where they are wrong") {
  CHECK(faults_of(R"({"run": "./app -x"})") ==
        "p/jcprof.json:3: a list is expected here: the program and its arguments\n"
        "  3 | \"trigger\": {\"run\": \"./app -x\"}}\n"
        "    |                    ^\n"
        "hint: nothing goes through a shell: write [\"javac\", \"-g\", …]");
  CHECK(faults_of(R"({"run": ["a"], "clock": "cpi"})") ==
        "p/jcprof.json:3: unknown clock \"cpi\"\n"
        "  3 | \"trigger\": {\"run\": [\"a\"], \"clock\": \"cpi\"}}\n"
        "    |                                    ^\n"
        "hint: did you mean \"cpu\"?");
  CHECK(faults_of(R"({"run": ["a"], "cwd": "{inptu}", "stdn": "x"})") ==
        "p/jcprof.json:3: unknown placeholder \"{inptu}\"\n"
        "  3 | \"trigger\": {\"run\": [\"a\"], \"cwd\": \"{inptu}\", \"stdn\": \"x\"}}\n"
        "    |                                   ^\n"
        "hint: known here: {tree}, {out}, {project}; a brace itself is written {{\n"
        "p/jcprof.json:3: unknown key \"stdn\"\n"
        "  3 | \"trigger\": {\"run\": [\"a\"], \"cwd\": \"{inptu}\", \"stdn\": \"x\"}}\n"
        "    |                                             ^\n"
        "hint: did you mean \"stdin\"?");
  CHECK(faults_of(R"({"apdu": "B0310000"})") ==
        "p/jcprof.json:3: the key \"run\" is missing\n"
        "  3 | \"trigger\": {\"apdu\": \"B0310000\"}}\n"
        "    |            ^\n"
        "p/jcprof.json:3: unknown key \"apdu\"\n"
        "  3 | \"trigger\": {\"apdu\": \"B0310000\"}}\n"
        "    |             ^\n"
        "hint: known here: \"run\", \"cwd\", \"stdin\", \"clock\", \"expect\"");
}

TEST_CASE("what only a card can do is refused for a program, and the other way round") {
  CHECK(faults_of(run, R"("session": {"before_each": ["00A4040000", {"reset": "cold"}]})") ==
        "p/jcprof.json:4: a program is not sent APDUs, nor reset\n"
        "  4 | \"session\": {\"before_each\": [\"00A4040000\", {\"reset\": \"cold\"}]}}\n"
        "    |                             ^\n"
        "hint: steps for programs are {\"run\": [\"…\"]} and {\"wait\": \"…\"}\n"
        "p/jcprof.json:4: a program is not sent APDUs, nor reset\n"
        "  4 | \"session\": {\"before_each\": [\"00A4040000\", {\"reset\": \"cold\"}]}}\n"
        "    |                                           ^\n"
        "hint: steps for programs are {\"run\": [\"…\"]} and {\"wait\": \"…\"}");
  CHECK(faults_of(run, R"("session": {"reset": "cold"})") ==
        "p/jcprof.json:4: \"reset\" is for cards: each run of a program is a fresh start\n"
        "  4 | \"session\": {\"reset\": \"cold\"}}\n"
        "    |                      ^");
  CHECK(test::fault_text([] {
          parse_project("p/jcprof.json", R"({"format": "jcprof-project", "version": 1, "target": "applet",
"sources": ["*.java"], "entry": "A.process", "trigger": {"apdu": "B0310000"},
"session": {"once": [{"run": ["install"]}]}})");
        }) ==
        "p/jcprof.json:3: a step of a card's session is an APDU, a reset or a wait\n"
        "  3 | \"session\": {\"once\": [{\"run\": [\"install\"]}]}}\n"
        "    |                      ^\n"
        "hint: programs are run in \"build\", \"install\" and \"start\"");
}

TEST_CASE("a program behind an agent has whatever trigger the agent wants") {
  const Project project = parsed(R"({"function": 3})", R"("transport": "agent:./agent")");
  CHECK(project.transport == "agent:./agent");
  CHECK(project.trigger.object == R"({"function":3})");
}

TEST_CASE("a place of a lab has an agent, and its transport is checked as that of an agent is") {
  const Project project =
      parsed(R"({"function": 3})", R"("transport": "labgrid:?board=imx8 ./agent {place}")");
  CHECK(project.transport == "labgrid:?board=imx8 ./agent {place}");
  CHECK(project.trigger.object == R"({"function":3})");
  CHECK_THAT(faults_of(R"({"function": 3})", R"("transport": "labgrid:desk")"),
             Catch::Contains("the command of the agent is missing behind the place"));
  CHECK_THAT(faults_of(R"({"function": 3})", R"("transport": "labgrid:desk ./agent {reader}")"),
             Catch::Contains("unknown placeholder \"{reader}\""));
}

TEST_CASE("a trigger may say which answers are right, in its target's form, and an agent is not told") {
  CHECK(parsed(R"({"run": ["{out}/app"], "expect": "0|1"})").trigger.expect == "0|1");
  const Project behind =
      parsed(R"({"function": 3, "expect": "7", "more": 1})", R"("transport": "agent:./agent")");
  CHECK(behind.trigger.expect == "7");
  CHECK(behind.trigger.object == R"({"function":3,"more":1})");
  CHECK_THROWS_WITH(parsed(R"({"run": ["{out}/app"], "expect": "0x1"})"),
                    Catch::Contains("\"0x1\" is not an exit status") &&
                        Catch::Contains("hint: a whole number, with \"?\" for any digit"));
}

TEST_CASE("a compile database is taken as it is named") {
  CHECK(parsed(run, R"("compile": {"database": "build/db.json"})").compile.database == "build/db.json");
}

TEST_CASE("a makefile's folder is taken as it is named, and says everything by itself") {
  CHECK(parsed(run, R"("compile": {"make": "ta"})").compile.make == "ta");
  CHECK_THAT(faults_of(run, R"("compile": {"make": "ta", "flags": ["-DX"]})"),
             Catch::Contains("\"flags\" beside \"make\", which says how each file is compiled\n"));
  CHECK_THAT(faults_of(run, R"("compile": {"make": "ta", "database": "db.json"})"),
             Catch::Contains("\"database\" beside \"make\", which says how each file is compiled\n"));
  CHECK_THAT(faults_of(run, R"("compile": {"make": "../ta"})"),
             Catch::Contains("leads out of the project's folder"));
}

TEST_CASE("flags beside a compile database are refused, as nobody would look at them") {
  CHECK(faults_of(run, R"("compile": {"database": "db.json", "flags": ["-DX"]})") ==
        "p/jcprof.json:4: \"flags\" beside \"database\", which says how each file is compiled\n"
        "  4 | \"compile\": {\"database\": \"db.json\", \"flags\": [\"-DX\"]}}\n"
        "    |            ^\n"
        "hint: take one of them out");
  CHECK(faults_of(run, R"("compile": {"compiler": "gcc", "database": "db.json"})") ==
        "p/jcprof.json:4: \"compiler\" beside \"database\", which says how each file is compiled\n"
        "  4 | \"compile\": {\"compiler\": \"gcc\", \"database\": \"db.json\"}}\n"
        "    |            ^\n"
        "hint: take one of them out");
}

}  // namespace
}  // namespace jcprof
