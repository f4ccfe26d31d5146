// SPDX-License-Identifier: Apache-2.0
// Several units, shared objects and ways of linking: one state, whoever includes the header. And what the
// machine code says.
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/runtime/workshop.hpp"

namespace jcprof::test {
namespace {

const Flags live = {"-DJCPROF", "-DJCPROF_PROGRAM", "-O2"};

/// Path and one stop of parts.c with program.c, however `part` was linked.
void check_parts(const Workshop& workshop, const std::string& program) {
  workshop.prepare_report("trace", 0, 100);
  CHECK(workshop.run({program}, {{"JCPROF_TRACE", "trace"}}) == Ran{0, "result 8\n"});
  CHECK(in_words(workshop.report("trace").ids) == "1000 10 20 20 11 1001");
  workshop.prepare_report("report", 0, 0);
  CHECK(workshop.run({program}, {{"JCPROF_TRAP", "20"}, {"JCPROF_HIT", "2"}, {"JCPROF_REPORT", "report"}}) ==
        Ran{86, ""});
  CHECK((workshop.report("report").trap == 20 && workshop.report("report").hit == 2));
}

}  // namespace

TEMPLATE_TEST_CASE("units of a program share one state", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::vector<std::string> sources = {"parts.c", "shared.c", "program.c"};
  const std::vector<std::pair<Flags, Flags>> ways = {
      {{}, {}},
      {{"-fvisibility=hidden"}, {}},
      {{"-fno-pie"}, {"-no-pie"}},
      {{}, {"-static"}},
      {{"-ffunction-sections", "-fdata-sections"}, {"-Wl,--gc-sections"}},
  };
  for (const auto& [compiling, linking] : ways) {
    check_parts(workshop, workshop.link("program", workshop.compile(sources, live + compiling) + linking));
  }
}

TEMPLATE_TEST_CASE("an executable and a shared object that it links share one state", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const Flags& flags : {Flags{}, Flags{"-fvisibility=hidden"}}) {
    const std::string object = workshop.link(
        "libpart.so", Flags{"-shared"} + workshop.compile({"shared.c"}, live + flags + Flags{"-fPIC"}));
    const Flags rest = workshop.compile({"parts.c", "program.c"}, live + flags);
    check_parts(workshop, workshop.link("program", rest + Flags{object, "-Wl,-rpath," + workshop.path("")}));
  }
}

TEMPLATE_TEST_CASE("one file defines the state where symbols cannot be weak", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program = workshop.link(
      "program", workshop.compile({"parts.c"}, live + Flags{"-DJCPROF_DEFINE=1"}) +
                     workshop.compile({"shared.c", "program.c"}, live + Flags{"-DJCPROF_DEFINE=0"}));
  check_parts(workshop, program);
  CHECK(workshop.run({"sh", "-c", "nm program | grep -c ' [VvWw] jcprof'"}) == Ran{1, "0\n"});
}

TEMPLATE_TEST_CASE("a target without threads has a plain state", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  check_parts(workshop, workshop.build("program", {"parts.c", "shared.c", "program.c"},
                                       live + Flags{"-DJCPROF_THREAD="}));
}

TEMPLATE_TEST_CASE("the hooks of a target are called as a root is entered and left", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const Flags hooks = {"-include", "stdio.h", "-DJCPROF_HOOK_ENTER=puts(\"enter\")",
                       "-DJCPROF_HOOK_LEAVE=puts(\"leave\")"};
  const std::string agent =
      workshop.build("agent", {"parts.c", "shared.c", "agent.c"}, hooks + Flags{"-DJCPROF"});
  CHECK(workshop.run({agent, "1", "0", "0"}) ==
        Ran{0,
            "result 8\n"
            "enter\nleave\n"
            "result 8, 4 events, before 00000000, all 36b9f14f: 10 20 20 11\n"
            "enter\nleave\n"
            "result 8, 4 events, before 00000000, all 36b9f14f:\n"
            "enter\nleave\nenter\nleave\nenter\nleave\nenter\nleave\n"
            "0 wrong stops\n"
            "enter\nleave\nresult 8, trap 0\n"
            "enter\nleave\nresult 8, trap 0\n"
            "enter\nleave\nenter\nleave\nenter\nleave\nenter\nleave\nenter\nleave\n"
            "0 and enter\nleave\nenter\nleave\nenter\nleave\nenter\nleave\nenter\nleave\n"
            "5 calibrated stops\n"
            "result 8\n"});
}

TEMPLATE_TEST_CASE("a target's own setjmp serves in place of the compiler's", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const Flags own = {"-include", "setjmp.h", "-DJCPROF_JMP_BUF=sigjmp_buf",
                     "-DJCPROF_SETJMP(b)=sigsetjmp(b,0)", "-DJCPROF_LONGJMP(b)=siglongjmp(b,1)"};
  const std::string agent =
      workshop.build("agent", {"parts.c", "shared.c", "agent.c"}, own + Flags{"-DJCPROF", "-O2"});
  CHECK(workshop.run({"sh", "-c", agent + " 1000 0 0 | grep wrong"}) == Ran{0, "0 wrong stops\n"});
}

TEMPLATE_TEST_CASE("a value that is named by a trap is computed above it", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  REQUIRE_X86_64("reads x86 assembly");
  const Workshop workshop(TestType::compilers());
  for (const std::string level : {"-O0", "-O1", "-O2", "-O3", "-Os"}) {
    INFO(level);
    const std::string object = workshop.compile({"barrier.c"}, {"-DJCPROF", "-std=c99", level}).front();
    // Traps and divisions alone, in the order of the code: 0xfa1 is trap 4001. Each comes once, its cold call
    // aside.
    const std::string order =
        "objdump -d --no-show-raw-insn -j .text barrier.o |"
        " sed -nE 's/.*\\$0x(f[ac][1-9]),.*/\\1/p; s/.*\\s(idiv|divsd|fdiv).*/div/p' |"
        " awk '!seen[$0 == \"div\" ? NR : $0]++' | tr '\\n' ' '";
    CHECK(workshop.run({"sh", "-c", order}) ==
          Ran{0, "fa1 div fa2 fa3 fa4 div fa5 fa6 fa7 div fa8 fa9 fc1 div fc2 div fc3 "});
  }
}

TEMPLATE_TEST_CASE("what follows a trap that records is as likely to run as what precedes it", "", Gcc,
                   Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  REQUIRE_X86_64("reads x86 assembly");
  const Workshop workshop(TestType::compilers());
  for (const std::string level : {"-O1", "-O2", "-O3", "-Os"}) {
    INFO(level);
    workshop.compile({"record_guard.cpp"}, {"-DJCPROF", "-DJCPROF_RECORD", level});
    const std::string first =
        "objdump -d --no-show-raw-insn record_guard.o | sed -n '/<_Z7dividedd*>:/,/^$/p' |"
        " sed -nE 's/.*\\s(divsd|cld).*/\\1/p' | head -n 1";
    CHECK(workshop.run({"sh", "-c", first}) == Ran{0, "divsd\n"});
    CHECK(workshop.run({"sh", "-c", "objdump -t record_guard.o | grep -c 'text\\.unlikely.*resumed'"}) ==
          Ran{1, "0\n"});
  }
}

}  // namespace jcprof::test
