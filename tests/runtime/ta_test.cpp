// SPDX-License-Identifier: Apache-2.0
// A trusted application of OP-TEE: armed by a command of its own, one session at a time, and traps that are
// the same instructions wherever they stand.
#include <catch2/catch.hpp>

#include "tests/runtime/workshop.hpp"

namespace jcprof::test {
namespace {

const Flags live = {"-DJCPROF", "-DJCPROF_TA_BUILD", "-DJCPROF_COMMAND=0x6A630001u",
                    "-DJCPROF_BUILD=0xCAFE0001u"};

/// What mk/compile.mk of OP-TEE's development kit asks for, at its highest level, and as an error.
const Flags usual = {"-Werror",
                     "-DJCPROF_SHOW_WARNINGS",
                     "-Wall",
                     "-Wextra",
                     "-Wcast-align",
                     "-Wfloat-equal",
                     "-Wformat=2",
                     "-Wformat-nonliteral",
                     "-Wformat-security",
                     "-Winit-self",
                     "-Wmissing-declarations",
                     "-Wmissing-format-attribute",
                     "-Wmissing-include-dirs",
                     "-Wmissing-noreturn",
                     "-Wpointer-arith",
                     "-Wshadow",
                     "-Wswitch-default",
                     "-Wwrite-strings",
                     "-Wredundant-decls",
                     "-Wstrict-aliasing=2",
                     "-Wundef"};
const Flags usual_c = {"-Werror-implicit-function-declaration",
                       "-Wmissing-prototypes",
                       "-Wnested-externs",
                       "-Wstrict-prototypes",
                       "-Wold-style-definition",
                       "-Wdeclaration-after-statement"};

const Flags sources = {"ta.c", "ta_part.c"};

const Ran expected = {0,
                      "result 7 1 100\n"
                      "to its end: result 7, build cafe0001, trap 0, hit 0\n"
                      "stopped: result 0, build cafe0001, trap 70000, hit 2\n"
                      "in a command within a command: result 0, build cafe0001, trap 21, hit 2\n"
                      "not so often: result 7, build cafe0001, trap 0, hit 0\n"
                      "result 4\n"
                      "all: 19 events, room 64, before 00000000, all 42a53b88: 1 2 3 1 2 70000 20 21 6 8 4 "
                      "70000 20 21 70000 20 21 6 8\n"
                      "refused: ffff0006 ffff0006 ffff0010 ffff0006 and taken: 00000000\n"
                      "of another session: result 7\n"
                      "of the session that armed: result 0, build cafe0001, trap 20, hit 2\n"
                      "once: result 7, build cafe0001, trap 20, hit 2\n"
                      "a window: 13 events, room 4, before 00fd00fe, all 3cfb2ca1: 70000 20 21 70000\n"
                      "its end: 13 events, room 4, before 00fd00fe, all 3cfb2ca1: 70000\n"
                      "behind it: 13 events, room 4, before 00fd00fe, all 3cfb2ca1:\n"
                      "as many as fit: 20 21 0\n"
                      "room for 16384\n"
                      "verb 1: build cafe0001, 0 stops\n"
                      "verb 2: build cafe0001, 0 stops\n"
                      "verb 3: build cafe0001, 0 stops\n"
                      "verb 8: build cafe0001, 0 stops\n"
                      "verb 9: build cafe0001, 1000 stops\n"
                      "unarmed after that: result 7\n"
                      "0 wrong stops\n"
                      "panic: it died\n"};

/// The client is built without the application's flags.
Ran run_ta(const Workshop& workshop, const Flags& flags, const Flags& both) {
  const Flags parts = workshop.compile(sources, live + usual + flags + both) +
                      workshop.compile({"ta_client.c"}, Flags{"-std=gnu11"} + both);
  return workshop.run({workshop.link("ta", parts + both), "100"});
}

/// Compilers for OP-TEE's usual target; clang makes code for all.
Compilers cross(Gcc) {
  return {.c = "aarch64-linux-gnu-gcc", .cxx = "aarch64-linux-gnu-g++"};
}
Compilers cross(Clang) {
  return Clang::compilers();
}
Flags for_target(Gcc) {
  return {};
}
Flags for_target(Clang) {
  return {"--target=aarch64-linux-gnu"};
}

bool has_cross_tools() {
  const Workshop workshop({});
  return workshop.run({"sh", "-c", "aarch64-linux-gnu-gcc --version && aarch64-linux-gnu-objdump --version"})
             .status == 0;
}

#define REQUIRE_CROSS_TOOLS()                                                         \
  if (!has_cross_tools()) {                                                           \
    WARN("SKIPPED: gcc and objdump for AArch64 are missing (scripts/setup --optee)"); \
    return;                                                                           \
  }

/// The instructions of each trap in `object` up to the branch, without addresses; one line a kind, with its
/// number.
std::string traps_in(const Workshop& workshop, const std::string& object) {
  return workshop
      .run({"sh", "-c",
            "aarch64-linux-gnu-objdump -d --no-show-raw-insn " + object +
                " | awk 'BEGIN {n = -1} /adrp\tx16,/ {n = 0; trap = \"\"} n >= 0 {trap = trap $2 \" \"; n++} "
                "$2 == \"b.eq\" && n > 0 {print trap; n = -1}' | sort | uniq -c"})
      .output;
}

}  // namespace

TEMPLATE_TEST_CASE("a trusted application is stopped for the session that armed", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const Flags& both :
       {Flags{"-O0"}, Flags{"-O2"}, Flags{"-Os"}, Flags{"-O1", "-g", "-fsanitize=address,undefined"}}) {
    INFO(both.back());
    CHECK(run_ta(workshop, usual_c + Flags{"-std=gnu11"}, both) == expected);
    CHECK(run_ta(workshop, {"-x", "c++", "-std=c++17"}, both) == expected);
  }
}

TEMPLATE_TEST_CASE("of a trusted application with hooks the commands are recorded, and none of our own", "",
                   Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const auto recorded = [&](const Flags& more) {
    const Flags parts =
        workshop.compile(sources, live + more +
                                      Flags{"-std=gnu11", "-O1", "-DJCPROF_RECORD", "-DJCPROF_HOOKS",
                                            "-finstrument-functions", "-Wall", "-Wextra"}) +
        workshop.compile({"ta_recorded.c"}, {"-std=gnu11", "-Wall"});
    return workshop.run({workshop.link("ta", parts)});
  };
  const std::string command = " body( 1 2 70000 part( 20 21 )part 6 8 )body";
  CHECK(recorded({}) == Ran{0, command + command + command + "\n"});
  // A pause of its own outlasts the command.
  CHECK(recorded({"-DPAUSES"}) == Ran{0, " body( 1 2 70000 part( 20\n"});
}

TEMPLATE_TEST_CASE("a trusted application compiles as OP-TEE compiles, in each C and C++", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const Flags& state : {live, Flags{"-DJCPROF", "-DJCPROF_OFF"}}) {
    for (const std::string standard : {"c90", "gnu99", "c11", "gnu17", "c2x"})
      workshop.compile(sources, usual + usual_c + state + Flags{"-pedantic", "-O2", "-std=" + standard});
    for (const std::string standard : {"c++98", "c++11", "c++17", "c++20"})
      workshop.compile(sources, usual + state + Flags{"-pedantic", "-O2", "-x", "c++", "-std=" + standard});
  }
}

TEMPLATE_TEST_CASE("a trap of a trusted application on AArch64 is seven instructions, the same everywhere",
                   "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  REQUIRE_CROSS_TOOLS();
  const Workshop workshop(cross(TestType{}));
  for (const std::string level : {"-O0", "-O1", "-O2", "-O3", "-Os"}) {
    for (const std::string position : {"-fpic", "-fpie"}) {
      INFO(level << " " << position);
      const Flags flags = for_target(TestType{}) + Flags{"-std=gnu11", level, position};
      workshop.compile(sources, live + usual + usual_c + flags);
      for (const std::string object : {"ta.o", "ta_part.o"}) {
        const std::string traps = traps_in(workshop, workshop.path(object));
        // One kind: nothing in front of it but how often it is there.
        CHECK_THAT(traps, Catch::Matchers::Matches(" *[0-9]+ adrp ldr mov movk eor tst b.eq \n"));
      }
    }
  }
}

}  // namespace jcprof::test
