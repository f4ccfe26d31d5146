// SPDX-License-Identifier: Apache-2.0
// The text that a person sees for each kind of fault in what a project file sends to the target.
#include <catch2/catch.hpp>

#include "tests/core/project_faults.hpp"

namespace jcprof {
namespace {

using test::with;

/// The fault of an APDU of the session, which stands in line 3 from column 23 on.
std::string with_apdu(const std::string& apdu) {
  return with("\"session\": {\"once\": [\"" + apdu + "\"]}");
}

/// The same for inputs that the trigger does send.
std::string with_inputs(const std::string& inputs) {
  return with("\"inputs\": " + inputs, "B0310000{input}");
}

TEST_CASE("an APDU with half a byte, a wrong digit or a short header is shown at the digit") {
  CHECK(with_apdu("00A40400 0") ==
        "p/jcprof.json:3: half a byte: hexadecimal digits come in pairs\n"
        "  3 | \"session\": {\"once\": [\"00A40400 0\"]}\n"
        "    |                                ^");
  CHECK(with_apdu("00A4O400") ==
        "p/jcprof.json:3: \"O\" is not a hexadecimal digit\n"
        "  3 | \"session\": {\"once\": [\"00A4O400\"]}\n"
        "    |                           ^");
  CHECK(with_apdu("00A404") ==
        "p/jcprof.json:3: an APDU begins with CLA INS P1 P2, but here are 3 bytes\n"
        "  3 | \"session\": {\"once\": [\"00A404\"]}\n"
        "    |                       ^");
}

TEST_CASE("an Lc that contradicts the length is shown where it stands") {
  CHECK(with_apdu("00A40400 07 A0000000") ==
        "p/jcprof.json:3: Lc says 7 bytes of data, but 4 follow\n"
        "  3 | \"session\": {\"once\": [\"00A40400 07 A0000000\"]}\n"
        "    |                                ^");
  CHECK(with_apdu("00A40400 000003 A0") ==
        "p/jcprof.json:3: Lc says 3 bytes of data, but 1 follow\n"
        "  3 | \"session\": {\"once\": [\"00A40400 000003 A0\"]}\n"
        "    |                                ^");
  CHECK(with_apdu("00A40400 01 A0A1A2") ==
        "p/jcprof.json:3: Lc says 1 bytes of data, but 3 follow\n"
        "  3 | \"session\": {\"once\": [\"00A40400 01 A0A1A2\"]}\n"
        "    |                                ^");
  CHECK(with_apdu("00A40400 00 01") ==
        "p/jcprof.json:3: an Lc of 00 has two more bytes behind it\n"
        "  3 | \"session\": {\"once\": [\"00A40400 00 01\"]}\n"
        "    |                                ^");
}

TEST_CASE("an unknown placeholder is shown with what was meant, or with what is known") {
  CHECK(with_apdu("00A40400 {inptu}") ==
        "p/jcprof.json:3: unknown placeholder \"{inptu}\"\n"
        "  3 | \"session\": {\"once\": [\"00A40400 {inptu}\"]}\n"
        "    |                                ^\n"
        "hint: did you mean \"{input}\"?");
  CHECK(with("\"build\": [{\"run\": [\"javac\", \"${HOME}/x\"]}]") ==
        "p/jcprof.json:3: unknown placeholder \"{HOME}\"\n"
        "  3 | \"build\": [{\"run\": [\"javac\", \"${HOME}/x\"]}]\n"
        "    |                               ^\n"
        "hint: known here: {tree}, {out}, {project}, {reader}; a brace itself is written {{");
}

TEST_CASE("a status pattern that cannot match a status word is shown at the alternative") {
  CHECK(with("\"session\": {\"abort_on\": [\"6983|63CX\"]}") ==
        "p/jcprof.json:3: \"63CX\" is not a status word\n"
        "  3 | \"session\": {\"abort_on\": [\"6983|63CX\"]}\n"
        "    |                                ^\n"
        "hint: four hexadecimal digits or \"?\", such as \"9000\", \"63C?\" or \"9000|6300\"");
}

TEST_CASE("a script step is exactly one thing") {
  CHECK(with("\"session\": {\"once\": [{\"reset\": \"cold\", \"wait\": \"1s\"}]}") ==
        "p/jcprof.json:3: \"reset\" and \"wait\" exclude each other\n"
        "  3 | \"session\": {\"once\": [{\"reset\": \"cold\", \"wait\": \"1s\"}]}\n"
        "    |                                        ^");
  CHECK(with("\"session\": {\"once\": [{\"expect\": \"9000\"}]}") ==
        "p/jcprof.json:3: one of \"apdu\", \"reset\", \"run\", \"wait\" is needed here\n"
        "  3 | \"session\": {\"once\": [{\"expect\": \"9000\"}]}\n"
        "    |                      ^");
  CHECK(with("\"session\": {\"once\": [{\"reset\": \"hot\"}, 7]}") ==
        "p/jcprof.json:3: unknown kind of reset \"hot\"\n"
        "  3 | \"session\": {\"once\": [{\"reset\": \"hot\"}, 7]}\n"
        "    |                                ^\n"
        "hint: known here: \"warm\", \"cold\"\n"
        "p/jcprof.json:3: an APDU in hex or an object is expected here, not a number\n"
        "  3 | \"session\": {\"once\": [{\"reset\": \"hot\"}, 7]}\n"
        "    |                                        ^");
}

TEST_CASE("an applet's trigger and scripts are a card's, whatever the transport") {
  for (const std::string transport : {"pcsc:", "agent:jcprof-agent-card pcsc:"}) {
    const std::string line = "\"transport\": \"" + transport + "\"";
    CHECK_THAT(with(line, "B031"), Catch::Contains("an APDU begins with CLA INS P1 P2"));
    CHECK_THAT(with(line + ", \"session\": {\"once\": [{\"run\": [\"true\"]}]}"),
               Catch::Contains("a step of a card's session is an APDU, a reset or a wait"));
  }
}

TEST_CASE("a reset after each reset is refused") {
  CHECK(with("\"session\": {\"after_reset\": [{\"reset\": \"warm\"}]}") ==
        "p/jcprof.json:3: a reset within \"after_reset\" would never end\n"
        "  3 | \"session\": {\"after_reset\": [{\"reset\": \"warm\"}]}\n"
        "    |                             ^");
}

TEST_CASE("the hook of a secure channel is a program, of a card") {
  CHECK(with("\"session\": {\"exchange\": {\"cwd\": \"x\"}}") ==
        "p/jcprof.json:3: the key \"run\" is missing\n"
        "  3 | \"session\": {\"exchange\": {\"cwd\": \"x\"}}\n"
        "    |                         ^\n"
        "p/jcprof.json:3: unknown key \"cwd\"\n"
        "  3 | \"session\": {\"exchange\": {\"cwd\": \"x\"}}\n"
        "    |                          ^\n"
        "hint: known here: \"run\"");
  for (const std::string transport : {"pcsc:", "vpcd:", "agent:jcprof-agent-card pcsc:"})
    CHECK(with("\"transport\": \"" + transport + "\", \"session\": {\"exchange\": {\"run\": [\"hook\"]}}") ==
          "(no error)");
}

TEST_CASE(
    "of an enclave's session only what jcprof-agent-ecall serves is taken, unless the agent is another") {
  const auto with_session = [](const std::string& transport, const std::string& session) {
    return test::faults_of(
        "{\"format\": \"jcprof-project\", \"version\": 1, \"target\": \"sgx-enclave\",\n"
        "\"sources\": [\"*.c\"], \"entry\": \"get\"" +
        transport + ",\n\"session\": " + session + "}");
  };
  const std::string with_script = R"({"timeout": "2s", "once": [{"wait": "1s"}]})";
  const std::string fault =
      "p/jcprof.json:3: \"once\" is not served by jcprof-agent-ecall, \"timeout\" alone is\n"
      "  3 | \"session\": {\"timeout\": \"2s\", \"once\": [{\"wait\": \"1s\"}]}}\n"
      "    |                                      ^\n"
      "hint: put steps before the ecall into a bridge of your own: docs/sgx.md";
  CHECK(with_session("", with_script) == fault);
  CHECK(with_session(R"(, "transport": "agent:taskset 1 /opt/jcprof-agent-ecall b.so")", with_script) ==
        fault);
  CHECK(with_session(R"(, "transport": "agent:./mine")", with_script) == "(no error)");
  CHECK(with_session("", R"({"timeout": "2s"})") == "(no error)");
}

TEST_CASE("inputs are exactly one of the seven forms") {
  CHECK(with_inputs("{\"fixed\": \"01\", \"random\": 4}") ==
        "p/jcprof.json:3: \"fixed\" and \"random\" exclude each other\n"
        "  3 | \"inputs\": {\"fixed\": \"01\", \"random\": 4}\n"
        "    |                           ^");
  CHECK(with_inputs("{}") ==
        "p/jcprof.json:3: one of \"fixed\", \"list\", \"file\", \"pattern\", \"random\", \"classes\", "
        "\"split\" is "
        "needed here\n"
        "  3 | \"inputs\": {}\n"
        "    |           ^");
  CHECK(with_inputs("{\"randon\": 4}") ==
        "p/jcprof.json:3: unknown key \"randon\"\n"
        "  3 | \"inputs\": {\"randon\": 4}\n"
        "    |            ^\n"
        "hint: did you mean \"random\"?");
}

TEST_CASE("faulty inputs are shown where they are wrong") {
  CHECK(with_inputs("{\"pattern\": \"00[0-G]\"}") ==
        "p/jcprof.json:3: a hexadecimal digit or a set like [0-9A-F] is expected here\n"
        "  3 | \"inputs\": {\"pattern\": \"00[0-G]\"}\n"
        "    |                          ^");
  CHECK(with_inputs("{\"pattern\": \"0[0-9]{2}\"}") ==
        "p/jcprof.json:3: 3 hexadecimal digits are no whole bytes\n"
        "  3 | \"inputs\": {\"pattern\": \"0[0-9]{2}\"}\n"
        "    |                        ^");
  CHECK(with_inputs("{\"pattern\": \"00{x}\"}") ==
        "p/jcprof.json:3: a repetition is written {n}, with n from 1 to 131070\n"
        "  3 | \"inputs\": {\"pattern\": \"00{x}\"}\n"
        "    |                          ^");
  CHECK(with_inputs("{\"random\": 0}") ==
        "p/jcprof.json:3: a whole number from 1 to 65535 is expected here, not 0\n"
        "  3 | \"inputs\": {\"random\": 0}\n"
        "    |                      ^");
  CHECK(with_inputs("{\"split\": \"bit-length\"}") ==
        "p/jcprof.json:3: \"split\" needs \"of\": the inputs that are split\n"
        "  3 | \"inputs\": {\"split\": \"bit-length\"}\n"
        "    |                     ^");
  CHECK(with_inputs("{\"classes\": {\"a\": {\"random\": 1}, \"b\": {\"classes\": {}}}}") ==
        "p/jcprof.json:3: \"classes\" cannot stand inside of other inputs\n"
        "  3 | \"inputs\": {\"classes\": {\"a\": {\"random\": 1}, \"b\": {\"classes\": {}}}}\n"
        "    |                                                  ^");
}

TEST_CASE("inputs and {input} belong together") {
  CHECK(with("\"inputs\": {\"fixed\": \"01\"}") ==
        "p/jcprof.json:3: there are \"inputs\", but nothing sends them\n"
        "  3 | \"inputs\": {\"fixed\": \"01\"}\n"
        "    |           ^\n"
        "hint: put {input} into an APDU of the trigger");
  CHECK(with("\"name\": \"x\"", "B0310000{input}") ==
        "p/jcprof.json:2: {input} is used, but there are no \"inputs\"\n"
        "  2 | \"sources\": [\"*.java\"], \"entry\": \"A.process\", \"trigger\": {\"apdu\": "
        "\"B0310000{input}\"},\n"
        "    |                                                         ^\n"
        "hint: such as \"inputs\": {\"fixed\": \"31323334\"}");
  CHECK(with("\"session\": {\"once\": [\"B0310000{input}\"]}") ==
        "p/jcprof.json:3: {input} has no value here: no shot is under way\n"
        "  3 | \"session\": {\"once\": [\"B0310000{input}\"]}\n"
        "    |                     ^");
}

TEST_CASE("two Les in one APDU are refused") {
  CHECK(with("\"profile\": {}", "B031000000\", \"le\": \"0") ==
        "p/jcprof.json:2: a number is expected here, not a string\n"
        "  2 | \"sources\": [\"*.java\"], \"entry\": \"A.process\", \"trigger\": {\"apdu\": \"B031000000\", "
        "\"le\": \"0\"},\n"
        "    |                                                                                      ^");
  CHECK(with("\"profile\": {}", "B031000000\", \"le\": 0, \"apdus\": \"") ==
        "p/jcprof.json:2: \"le\" is given, but an APDU of the trigger ends with an Le of its own\n"
        "  2 | \"sources\": [\"*.java\"], \"entry\": \"A.process\", \"trigger\": {\"apdu\": \"B031000000\", "
        "\"le\": 0, "
        "\"apdus\": \"\"},\n"
        "    |                                                                                      ^\n"
        "p/jcprof.json:2: unknown key \"apdus\"\n"
        "  2 | \"sources\": [\"*.java\"], \"entry\": \"A.process\", \"trigger\": {\"apdu\": \"B031000000\", "
        "\"le\": 0, "
        "\"apdus\": \"\"},\n"
        "    |                                                                                         ^\n"
        "hint: did you mean \"apdu\"?");
}

TEST_CASE("an arming command that a card could not be sent is refused") {
  CHECK(with("\"arming\": {\"cla\": \"80\", \"ins\": \"6\", \"status\": \"9000\"}") ==
        "p/jcprof.json:3: half a byte: hexadecimal digits come in pairs\n"
        "  3 | \"arming\": {\"cla\": \"80\", \"ins\": \"6\", \"status\": \"9000\"}\n"
        "    |                                 ^\n"
        "p/jcprof.json:3: the status 9000 cannot say \"stopped\"\n"
        "  3 | \"arming\": {\"cla\": \"80\", \"ins\": \"6\", \"status\": \"9000\"}\n"
        "    |                                               ^\n"
        "hint: 6xxx or 9xxx, but not 9000, 60xx, 61xx or 6Cxx");
  CHECK(with("\"arming\": {\"cla\": \"80\", \"ins\": \"6A\"}") ==
        "p/jcprof.json:3: the key \"status\" is missing\n"
        "  3 | \"arming\": {\"cla\": \"80\", \"ins\": \"6A\"}\n"
        "    |           ^\n"
        "p/jcprof.json:3: an INS of 6X cannot be sent\n"
        "  3 | \"arming\": {\"cla\": \"80\", \"ins\": \"6A\"}\n"
        "    |                                ^");
}

}  // namespace
}  // namespace jcprof
