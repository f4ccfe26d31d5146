// SPDX-License-Identifier: Apache-2.0
// Entries that are called in process: wrapped, armed by the caller, stopped by a leap back to the wrapper.
#include <catch2/catch.hpp>

#include "tests/runtime/workshop.hpp"

namespace jcprof::test {
namespace {

const Flags live = {"-DJCPROF", "-Wall", "-Wextra", "-Werror"};
const std::vector<std::pair<Flags, std::string>> ways = {
    {{"-O0"}, "1000"}, {{"-O3"}, "1000"}, {{"-O1", "-g", "-fsanitize=address,undefined"}, "1000"}};

}  // namespace

TEMPLATE_TEST_CASE("an entry in C is stopped at each event a thousand times", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const auto& [flags, rounds] : ways) {
    INFO(flags.back());
    const std::string agent = workshop.build("agent", {"flow.c", "agent.c"}, live + flags);
    CHECK(workshop.run({agent, rounds, "30", "4"}) ==
          Ran{0,
              "result 234\n"
              "result 234, 66 events, before 00000000, all bd583b9c: 1 2 20 20 20 21 22 22 3 30 31 4 40 41 "
              "43 41 43 42 43 50 "
              "50 50 51 5 60 60 6 70000 70000 131071 70000 131071 4294967295 1 2 20 20 21 22 3 30 31 4 40 41 "
              "43 41 43 42 43 "
              "50 50 50 51 5 60 60 6 70000 70000 131071 70000 131071 4294967295 7 7\n"
              "result 234, 66 events, before a3b56df0, all bd583b9c: 70000 131071 4294967295 1\n"
              "0 wrong stops\n"
              "result 234, trap 0\n"
              "result 234, trap 0\n"
              "0 and 5 calibrated stops\n"
              "result 234\n"});
  }
}

TEMPLATE_TEST_CASE("an entry in C++ is stopped at each event a thousand times", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const auto& [flags, rounds] : ways) {
    INFO(flags.back());
    const std::string agent = workshop.build("agent", {"unwinding.cpp", "agent.c"}, live + flags);
    // An exception that a stop leaves behind is not freed; nor is anything else.
    CHECK(workshop.run({agent, rounds, "5", "3"}, {{"ASAN_OPTIONS", "detect_leaks=0"}}) ==
          Ran{0,
              "result 112\n"
              "result 112, 37 events, before 00000000, all c8ee0310: 1 30 22 20 21 10 24 23 31 30 22 20 10 "
              "24 32 "
              "2 40 22 20 10 24 42 3 4 11 12 "
              "10 5 60 50 51 52 51 52 53 54 6\n"
              "result 112, 37 events, before 03a24f6c, all c8ee0310: 10 24 23\n"
              "0 wrong stops\n"
              "result 112, trap 0\n"
              "result 112, trap 0\n"
              "0 and 5 calibrated stops\n"
              "result 112\n"});
  }
}

TEMPLATE_TEST_CASE("a child of an entry that forks is not stopped, and counts for nothing", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const auto& [flags, rounds] : ways) {
    INFO(flags.back());
    const std::string program = workshop.build("forking", {"forking.c"}, live + flags);
    CHECK(workshop.run({program}) == Ran{0, "0, trap 2\n42, 2 events\n"});
  }
}

TEMPLATE_TEST_CASE(
    "an entry that its caller leaves by longjmp is over for the next one; one that ends with a trap is not",
    "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const auto& way : ways) {
    INFO(way.first.back());
    const std::string left = workshop.build("left", {"left.c"}, live + way.first);
    CHECK(workshop.run({left}) == Ran{0,
                                      "left, trap 0\n"
                                      "passed in no root\n"
                                      "again 5, trap 0\n"
                                      "armed anew 0, trap 2\n"
                                      "at the end 1, trap 3\n"});
  }
}

TEMPLATE_TEST_CASE("an entry that throws is over; classes come back empty; threads have roots of their own",
                   "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const auto& way : ways) {
    INFO(way.first.back());
    const std::string thrown =
        workshop.build("thrown", {"thrown.cpp"}, live + way.first + Flags{"-std=c++17", "-pthread"});
    CHECK(workshop.run({thrown}) == Ran{0,
                                        "thrown, trap 0\n"
                                        "stopped, 7 8, trap 2\n"
                                        "stopped, 1, trap 4\n"
                                        "20000 and 20000 stops\n"});
  }
}

}  // namespace jcprof::test
