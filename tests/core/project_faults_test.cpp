// SPDX-License-Identifier: Apache-2.0
// The text that a person sees for each kind of faulty project file.
#include <catch2/catch.hpp>

#include "tests/core/project_faults.hpp"

namespace jcprof {
namespace {

using test::faults_of;
using test::with;

TEST_CASE("an EDL file is an enclave's and lies in the project; of several entries the trigger says which") {
  CHECK(with(R"("compile": {"edl": "kv.edl", "edl_search": []})") ==
        "p/jcprof.json:3: \"edl\" is for the target \"sgx-enclave\" only\n"
        "  3 | \"compile\": {\"edl\": \"kv.edl\", \"edl_search\": []}\n"
        "    |                    ^\n"
        "p/jcprof.json:3: \"edl_search\" is for the target \"sgx-enclave\" only\n"
        "  3 | \"compile\": {\"edl\": \"kv.edl\", \"edl_search\": []}\n"
        "    |                                            ^");
  const std::string head =
      "{\"format\": \"jcprof-project\", \"version\": 1, \"target\": \"sgx-enclave\",\n\"sources\": "
      "[\"*.c\"],\n";
  CHECK(faults_of(head + R"("entry": "get", "compile": {"edl": "../kv.edl"}})") ==
        "p/jcprof.json:3: \"../kv.edl\" leads out of the project's folder\n"
        "  3 | \"entry\": \"get\", \"compile\": {\"edl\": \"../kv.edl\"}}\n"
        "    |                                    ^\n"
        "hint: paths are relative to the project file");
  CHECK(faults_of(head + R"("entry": ["get", "put"]})") ==
        "p/jcprof.json:1: the key \"trigger\" is missing\n"
        "  1 | {\"format\": \"jcprof-project\", \"version\": 1, \"target\": \"sgx-enclave\",\n"
        "    | ^");
}

TEST_CASE(
    "a step of a trusted application's script is a command, a wait or a reset, and no reset runs by itself") {
  const std::string head =
      "{\"format\": \"jcprof-project\", \"version\": 1, \"target\": \"optee-ta\", \"transport\": "
      "\"agent:a\",\n\"sources\": [\"*.c\"], \"trigger\": {}, \"session\":\n";
  const auto fault_of = [&](const std::string& session) {
    const std::string faults = faults_of(head + session + "\n}");
    return faults.substr(0, faults.find('\n'));
  };
  CHECK(fault_of(R"({"once": ["00A4"]})") == "p/jcprof.json:3: an object is expected here, not a string");
  CHECK(fault_of(R"({"before_each": [{"wait": "1ms", "expect": "0"}]})") ==
        "p/jcprof.json:3: this goes with \"command\", not with \"wait\"");
  CHECK(fault_of(R"({"after_each": [{"reset": "cold"}]})") ==
        "p/jcprof.json:3: unknown kind of reset \"cold\"");
  CHECK(fault_of(R"({"once": [{"reset": "target"}]})") ==
        "p/jcprof.json:3: a reset that runs after each reset would never end");
  CHECK(fault_of(R"({"after_reset": [{"command": 1, "params": [{"value": "in", "a": "{input}"}]}]})") ==
        "p/jcprof.json:3: {input} has no value here: no shot is under way");
  CHECK(fault_of(R"({"abort_on": []})") == "p/jcprof.json:3: unknown key \"abort_on\"");
}

TEST_CASE("all faults of a project file are reported together, in its order") {
  CHECK(faults_of(R"({
  "format": "jcprof-project", "version": 1,
  "target": "aplet",
  "soruces": ["src/**/*.java"],
  "profile": {"level": "statment", "markers": "yes"},
  "transport": "pcsd:",
  "session": {"timeout": "10"}
})") == "p/jcprof.json:1: the key \"sources\" is missing\n"
        "  1 | {\n"
        "    | ^\n"
        "p/jcprof.json:1: the key \"entry\" is missing\n"
        "  1 | {\n"
        "    | ^\n"
        "p/jcprof.json:1: the key \"trigger\" is missing\n"
        "  1 | {\n"
        "    | ^\n"
        "p/jcprof.json:3: unknown target \"aplet\"\n"
        "  3 |   \"target\": \"aplet\",\n"
        "    |             ^\n"
        "hint: did you mean \"applet\"?\n"
        "p/jcprof.json:4: unknown key \"soruces\"\n"
        "  4 |   \"soruces\": [\"src/**/*.java\"],\n"
        "    |   ^\n"
        "hint: did you mean \"sources\"?\n"
        "p/jcprof.json:5: unknown level \"statment\"\n"
        "  5 |   \"profile\": {\"level\": \"statment\", \"markers\": \"yes\"},\n"
        "    |                        ^\n"
        "hint: did you mean \"statement\"?\n"
        "p/jcprof.json:5: true or false is expected here, not a string\n"
        "  5 |   \"profile\": {\"level\": \"statment\", \"markers\": \"yes\"},\n"
        "    |                                               ^\n"
        "p/jcprof.json:6: unknown transport \"pcsd\"\n"
        "  6 |   \"transport\": \"pcsd:\",\n"
        "    |                ^\n"
        "hint: did you mean \"pcsc\"?\n"
        "p/jcprof.json:7: \"10\" is not a duration\n"
        "  7 |   \"session\": {\"timeout\": \"10\"}\n"
        "    |                          ^\n"
        "hint: such as \"500ms\", \"10s\", \"30m\" or \"2h\"");
}

TEST_CASE("another file than a project file is refused before its keys are looked at") {
  const std::string hint =
      "hint: a project file begins with {\"format\": \"jcprof-project\", \"version\": 1, …";
  CHECK(faults_of("{\"name\": \"x\", \"scripts\": {}}") ==
        "p/jcprof.json:1: not a project file of jcprof: the key \"format\" is missing\n"
        "  1 | {\"name\": \"x\", \"scripts\": {}}\n"
        "    | ^\n" +
            hint);
  CHECK(faults_of("{\"format\": \"jcprof-traps\", \"version\": 1}") ==
        "p/jcprof.json:1: \"format\" is not \"jcprof-project\"\n"
        "  1 | {\"format\": \"jcprof-traps\", \"version\": 1}\n"
        "    |            ^\n" +
            hint);
  CHECK(faults_of("[]") ==
        "p/jcprof.json:1: an object is expected here, not a list\n"
        "  1 | []\n"
        "    | ^");
}

TEST_CASE("a newer version is refused by name") {
  CHECK(faults_of("{\"format\": \"jcprof-project\", \"version\": 2, \"new\": 1}") ==
        "p/jcprof.json:1: version 2 of the project file is newer than version 1, which this jcprof 0.1.0 "
        "reads\n"
        "  1 | {\"format\": \"jcprof-project\", \"version\": 2, \"new\": 1}\n"
        "    |                                         ^\n"
        "hint: a newer jcprof reads it");
  CHECK(faults_of("{\"format\": \"jcprof-project\", \"version\": \"1\"}") ==
        "p/jcprof.json:1: there is no such version; this jcprof reads version 1\n"
        "  1 | {\"format\": \"jcprof-project\", \"version\": \"1\"}\n"
        "    |                                         ^");
}

TEST_CASE("a key that nothing is near to is answered with those that are known") {
  CHECK(with("\"profile\": {\"granularity\": 1}") ==
        "p/jcprof.json:3: unknown key \"granularity\"\n"
        "  3 | \"profile\": {\"granularity\": 1}\n"
        "    |             ^\n"
        "hint: known here: \"include\", \"exclude\", \"level\", \"markers\"");
}

TEST_CASE("a command written for a shell is answered with how to write it") {
  CHECK(with("\"build\": [{\"run\": \"javac -g\"}]") ==
        "p/jcprof.json:3: a list is expected here: the program and its arguments\n"
        "  3 | \"build\": [{\"run\": \"javac -g\"}]\n"
        "    |                   ^\n"
        "hint: nothing goes through a shell: write [\"javac\", \"-g\", …]");
}

TEST_CASE("sources stay in the project's folder") {
  CHECK(with("\"exclude_from_tree\": [\"/tmp/x\", \"a/../../b\"]") ==
        "p/jcprof.json:3: \"/tmp/x\" leads out of the project's folder\n"
        "  3 | \"exclude_from_tree\": [\"/tmp/x\", \"a/../../b\"]\n"
        "    |                       ^\n"
        "hint: paths are relative to the project file\n"
        "p/jcprof.json:3: \"a/../../b\" leads out of the project's folder\n"
        "  3 | \"exclude_from_tree\": [\"/tmp/x\", \"a/../../b\"]\n"
        "    |                                 ^\n"
        "hint: paths are relative to the project file");
}

TEST_CASE("a transport must be whole and reach the target") {
  CHECK(with("\"transport\": \"vpcd\"") ==
        "p/jcprof.json:3: the transport \"vpcd\" lacks its colon\n"
        "  3 | \"transport\": \"vpcd\"\n"
        "    |              ^\n"
        "hint: did you mean \"vpcd:\"?");
  CHECK(with("\"transport\": \"vpcd:99999\"") ==
        "p/jcprof.json:3: \"99999\" is not a port from 1 to 65535\n"
        "  3 | \"transport\": \"vpcd:99999\"\n"
        "    |                    ^");
  CHECK(with("\"transport\": \"exec:\"") ==
        "p/jcprof.json:3: the transport \"exec:\" does not reach the target \"applet\"\n"
        "  3 | \"transport\": \"exec:\"\n"
        "    |              ^\n"
        "hint: an applet is reached by pcsc: or vpcd:, a program by exec:, anything by agent:");
  CHECK(with("\"transport\": \"usb\"") ==
        "p/jcprof.json:3: unknown transport \"usb\"\n"
        "  3 | \"transport\": \"usb\"\n"
        "    |              ^\n"
        "hint: known: pcsc:READER, vpcd:[PORT], exec:, agent:COMMAND, labgrid:PLACE COMMAND");
}

TEST_CASE("numbers out of range, empty texts and empty lists are refused") {
  CHECK(with("\"measure\": {\"absolute\": 0, \"seed\": 1.5}, \"name\": \"\"") ==
        "p/jcprof.json:3: a number above 0 and up to 100 is expected here, not 0\n"
        "  3 | \"measure\": {\"absolute\": 0, \"seed\": 1.5}, \"name\": \"\"\n"
        "    |                         ^\n"
        "p/jcprof.json:3: a whole number from 0 on is expected here, not 1.5\n"
        "  3 | \"measure\": {\"absolute\": 0, \"seed\": 1.5}, \"name\": \"\"\n"
        "    |                                    ^\n"
        "p/jcprof.json:3: this must not be empty\n"
        "  3 | \"measure\": {\"absolute\": 0, \"seed\": 1.5}, \"name\": \"\"\n"
        "    |                                                  ^");
  CHECK(with("\"session\": {\"timeout\": \"0s\"}, \"measure\": {\"max_time\": \"5000h\"}") ==
        "p/jcprof.json:3: a time-out must be longer than 0\n"
        "  3 | \"session\": {\"timeout\": \"0s\"}, \"measure\": {\"max_time\": \"5000h\"}\n"
        "    |                        ^\n"
        "p/jcprof.json:3: \"5000h\" is longer than 1000 hours\n"
        "  3 | \"session\": {\"timeout\": \"0s\"}, \"measure\": {\"max_time\": \"5000h\"}\n"
        "    |                                                       ^");
}

TEST_CASE("what a terminal would obey is shown harmless") {
  CHECK(with("\"devi\\u001bce\": 1") ==
        "p/jcprof.json:3: unknown key \"devi?ce\"\n"
        "  3 | \"devi\\u001bce\": 1\n"
        "    | ^\n"
        "hint: did you mean \"device\"?");
}

TEST_CASE("a project file that was cut off is refused at every length") {
  const std::string text =
      R"({"format": "jcprof-project", "version": 1, "target": "applet", "sources": ["*.java"],
 "entry": "A.process", "trigger": {"apdu": "B0310000 {input}", "le": 0}, "inputs": {"random": 4}, // c
 "session": {"once": ["00A40400 01 A0"], "reset": "cold"}, "measure": {"absolute": 1.5, "seed": 3}})";
  REQUIRE(faults_of(text) == "(no error)");
  for (std::size_t length = 0; length < text.size(); ++length) {
    INFO(length);
    CHECK(faults_of(text.substr(0, length)) != "(no error)");
  }
}

TEST_CASE("no changed byte of a project file makes the reader fall over") {
  const std::string text =
      R"({"format": "jcprof-project", "version": 1, "target": "applet", "sources": ["*.java"],
 "entry": "A.process", "trigger": {"apdu": "B0310000 {input}", "le": 0}, "inputs": {"pattern": "0[0-9]{1}"},
 "session": {"once": ["00A40400 01 A0"], "reset": "cold"}, "build": [{"run": ["a", "{out}"]}]})";
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const char byte : std::string("\0{}[]\",:\\/x9\xFF ", 14)) {
      std::string changed = text;
      changed[at] = byte;
      faults_of(changed);
    }
}

}  // namespace
}  // namespace jcprof
