// SPDX-License-Identifier: Apache-2.0
// Exceptions in examples/javacard-torture: no catch and no finally swallows a stop, and none moves work
// elsewhere.
#include <catch2/catch.hpp>

#include "tests/end_to_end/torture.hpp"

namespace jcprof {
namespace {

using test::command;
using test::Torture;

TEST_CASE("traps in a try whose catch swallows every Exception are reached, and its work stays there") {
  Torture(command("B0100100 00")).does({.works = {{"swallowed Exception"}}});
}

TEST_CASE(
    "traps in a try whose catch swallows ISOException are reached on the way to the throw and behind it") {
  Torture(command("B0100200 00")).does({.works = {{"swallowed ISOException"}}});
}

TEST_CASE("a catch that answers with another status word loses no stop") {
  Torture(command("B0100300 00", "6F42")).does({.works = {{"answered otherwise"}}, .status = 0x6F42});
}

TEST_CASE("a loop that tries again after an ISOException ends, and each try is measured") {
  Torture(command("B0100400 00")).does({.works = {{"attempt", {1, 1, 1}}}});
}

TEST_CASE("a loop that tries again for ever after an ISOException does not take a stop for a failure") {
  Torture(command("B0100500 00")).does({.works = {{"attempt", {1, 1, 1}}}});
}

TEST_CASE("the work of a finally stands in the finally, not at the lines around it") {
  Torture(command("B0100600 00")).does({.works = {{"heavy finally", {2}}}});
}

TEST_CASE("the work of a finally that an exception passes stands in the finally") {
  Torture(command("B0100700 00")).does({.works = {{"heavy finally of a failure", {2}}}});
}

TEST_CASE(
    "a try that returns, with a catch that returns and a finally, compiles, and each part is measured") {
  Torture(command("B0100800 00")).does({.works = {{"return in a try"}, {"finally of a return", {2}}}});
}

TEST_CASE("a finally that returns compiles, and swallows an exception but no stop") {
  Torture(command("B0100900 00")).does({.works = {{"try of a finally that returns"}}});
}

TEST_CASE("try, catch and finally inside each other keep their work apart") {
  Torture(command("B0100A00 00"))
      .does({.works = {{"inner try"}, {"inner finally", {2}}, {"outer catch", {3}}}});
}

TEST_CASE("the work of a catch stands in the catch") {
  Torture(command("B0100B00 00")).does({.works = {{"catch"}}});
}

}  // namespace
}  // namespace jcprof
