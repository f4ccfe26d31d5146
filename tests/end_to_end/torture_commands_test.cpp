// SPDX-License-Identifier: Apache-2.0
// Commands of examples/javacard-torture that fail, want a PIN, change the card, or come with more than a few
// bytes.
#include <catch2/catch.hpp>

#include "tests/end_to_end/torture.hpp"

namespace jcprof {
namespace {

using nlohmann::json;
using test::command;
using test::Torture;

json with_session(json changes, const std::string& key, const json& step) {
  changes["session"][key] = json::array({step});
  return changes;
}

json with_input(json changes, const std::string& input) {
  changes["inputs"] = {{"fixed", input}};
  return changes;
}

TEST_CASE("a command that is expected to answer with an error is measured like any other") {
  Torture(command("B0500100", "6985")).does({.works = {{"failing command"}}, .status = 0x6985});
}

TEST_CASE("a command that wants a PIN each time is measured behind it") {
  const json verify = {{"apdu", "B050020004 31323334"}, {"expect", "9000"}};
  Torture(with_session(command("B0500300"), "before_each", verify)).does({.works = {{"behind the PIN"}}});
}

TEST_CASE("a stop while a transaction is under way ends it, and the card works on") {
  const json read = {{"apdu", "B050050002"}, {"expect", "9000"}};
  Torture(with_session(command("B0500400"), "after_each", read))
      .does({.works = {{"transaction"}, {"behind the transaction", {2}}}});
}

TEST_CASE("a command that takes turns goes one way once a command before it sets the turn") {
  Torture(with_session(command("B0500600"), "before_each", "B0500700")).does({.works = {{"first turn"}}});
}

TEST_CASE("a command that takes turns is not measured as if it always went one way: warnings say so") {
  Torture torture(command("B0500600"));
  torture.measure(10);
  // There may be a third: turns of one and of three units can look like a target that does not settle.
  const std::vector<std::string> warnings = torture.warnings();
  for (const char* expected :
       {"path varies: runs of input 0 () take different paths, N of M the most frequent one: that is what is "
        "reported line by line, and of the others the edges; where a state of the target decides, bring the "
        "target back to one state before each run: \"before_each\" or \"reset\" in \"session\"",
        "missed: N of M shots ran to their end instead of stopping (first: …)"})
    CHECK_THAT(warnings, Catch::VectorContains(std::string(expected)));
}

TEST_CASE("traps that keep nothing over a reset are armed anew for each shot") {
  json changes = command("B0500800");
  changes["session"]["reset"] = "cold";
  Torture(changes).does({.works = {{"command without data"}}});
}

TEST_CASE("a command without data and answer is measured") {
  Torture(command("B0500800")).does({.works = {{"command without data"}}});
}

TEST_CASE("an empty input is no data, and the command is measured") {
  Torture(with_input(command("B0500900 {input}"), "")).does({.works = {{"by length"}}});
}

TEST_CASE("data and Le reach the applet as they are") {
  json changes = with_input(command("B0500900 {input}"), std::string(2 * 200, '5'));
  changes["trigger"]["le"] = 2;
  Torture(changes).does({.works = {{"by length", {2}}}});
}

TEST_CASE("data of extended length reaches the applet as it is") {
  json changes = with_input(command("B0500900 {input}"), std::string(2 * 600, '5'));
  changes["trigger"]["le"] = 2;
  Torture(changes).does({.works = {{"by length", {4}}}});
}

TEST_CASE("a trigger of several commands is one path, and the work of each command stands at its line") {
  Torture(command(json::array({"B0500A00", "B0500B00", "B0500C0001"})))
      .does({.works = {{"first command"}, {"second command", {2}}, {"third command", {3}}}});
}

}  // namespace
}  // namespace jcprof
