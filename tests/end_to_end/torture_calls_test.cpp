// SPDX-License-Identifier: Apache-2.0
// Calls in examples/javacard-torture: the whole tree is measured in one build, each function with and without
// what it calls.
#include <catch2/catch.hpp>

#include "tests/end_to_end/torture.hpp"

namespace jcprof {
namespace {

using test::command;
using test::Torture;

TEST_CASE("the expression of a return is measured") {
  Torture(command("B0400100 00")).does({.works = {{"return of a call"}}});
}

TEST_CASE("recursion is measured call by call, and its time with calls is counted once") {
  Torture(command("B0400200 00"))
      .does({.works = {{"on the way down", {1, 1, 1}}, {"on the way up", {2, 2}}},
             .functions = {{"Calls.recurses", 3, 7, 7}, {"Calls.run", 1, 0, 7}}});
}

TEST_CASE("calls of one function from several lines are measured one by one") {
  Torture(command("B0400300 00"))
      .does({.works = {{"paid", {1, 2, 3}}},
             .functions = {{"Calls.pay", 3, 6, 6}, {"Calls.callsSeveralTimes", 1, 0, 6}}});
}

TEST_CASE("a nested call is not lumped on the line of the call") {
  Torture(command("B0400400 00"))
      .does({.works = {{"outer function"}, {"middle function", {2}}, {"inner function", {3}}},
             .functions = {{"TortureApplet.process", 1, 0, 6},
                           {"Calls.outer", 1, 1, 6},
                           {"Calls.middle", 1, 2, 5},
                           {"Calls.inner", 1, 3, 3}}});
}

TEST_CASE("an anonymous class is instrumented and measured") {
  Torture(command("B0400500 00")).does({.works = {{"anonymous class"}}});
}

TEST_CASE("a local class is instrumented and measured") {
  Torture(command("B0400600 00")).does({.works = {{"local class"}}});
}

TEST_CASE("a member class that is called through an interface is instrumented and measured") {
  Torture(command("B0400700 00")).does({.works = {{"member class"}}});
}

TEST_CASE("a constructor that a command calls is measured") {
  Torture(command("B0400800 00")).does({.works = {{"constructor"}}});
}

}  // namespace
}  // namespace jcprof
