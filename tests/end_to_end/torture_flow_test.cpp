// SPDX-License-Identifier: Apache-2.0
// Loops and branches of examples/javacard-torture: each pass is measured, and no line but the one with the
// work gets it.
#include <catch2/catch.hpp>

#include "tests/end_to_end/torture.hpp"

namespace jcprof {
namespace {

using nlohmann::json;
using test::command;
using test::Torture;

TEST_CASE("every pass of a loop is measured, not the first alone, and its closing brace gets nothing") {
  Torture(command("B0200100 00")).does({.works = {{"passes", {3, 1, 1, 1}}}});
}

TEST_CASE("while (true) with a return inside compiles and is measured") {
  Torture(command("B0200200 00")).does({.works = {{"endless loop", {1, 1, 1}}}});
}

TEST_CASE("if { continue } else { break } compiles and is measured") {
  Torture(command("B0200300 00")).does({.works = {{"continue or break", {1, 1, 1}}}});
}

TEST_CASE(
    "a branch that is rarely taken in a loop has its own time, and the lines around it have none of it") {
  Torture(command("B0200400 00")).does({.works = {{"rare branch", {2}}}});
}

TEST_CASE("a do-while is measured pass by pass") {
  Torture(command("B0200500 00")).does({.works = {{"do-while", {1, 1}}}});
}

TEST_CASE("labelled break and continue leave no work at the loops that they leave") {
  Torture(command("B0200600 00")).does({.works = {{"labelled loops", {1, 1, 1}}}});
}

TEST_CASE("bodies without braces are measured as if they had some") {
  Torture(command("B0200700 00")).does({.works = {{"braceless", {2}}}});
}

TEST_CASE("the condition of a loop has its time at its own line, each time it is looked at") {
  Torture(command("B0200800 00")).does({.works = {{"heavy condition", {1, 1, 1}}}});
}

TEST_CASE("work in front of a loop that is never entered is not taken for the loop's") {
  Torture(command("B0200900 00")).does({.works = {{"in front of a loop that is not entered"}}});
}

TEST_CASE("a switch whose groups all return compiles and is measured") {
  Torture(command("B0300100 00")).does({.works = {{"switch whose groups return"}}});
}

TEST_CASE("a switch group that is fallen into has the work of its own statements alone") {
  Torture(command("B0300200 00")).does({.works = {{"fall-through"}}});
}

TEST_CASE("the work in a chain of else-if is not that of the conditions before it") {
  Torture(command("B0300300 00")).does({.works = {{"else-if"}}});
}

TEST_CASE("a conditional expression is one number") {
  Torture(command("B0300400 00")).does({.works = {{"ternary"}}});
}

TEST_CASE("a condition of several parts is one number") {
  Torture(command("B0300500 00")).does({.works = {{"condition", {2}}}});
}

TEST_CASE("the branch that another input takes is measured at its own lines") {
  Torture(command("B0300601 00")).does({.works = {{"another input", {3}}}});
}

TEST_CASE("inputs that take different paths are not mixed: each path is measured by itself") {
  json changes = command("B03006 {input} 00");
  changes["inputs"] = {{"list", json::array({"00", "01", "00"})}};
  Torture torture(changes);
  torture.measure(30);
  CHECK_THAT(
      torture.warnings(),
      Catch::VectorContains(std::string(
          "path varies: the inputs take 2 paths: each is measured by itself, and what is reported line by "
          "line is the path of N of M inputs")));
  CHECK(torture.value("SELECT group_concat(DISTINCT input) FROM sample") == "0,1,2");
}

}  // namespace
}  // namespace jcprof
