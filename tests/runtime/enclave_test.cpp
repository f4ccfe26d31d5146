// SPDX-License-Identifier: Apache-2.0
// The trusted part of an enclave: armed by an ecall of its own, stopped below ocalls, compiled as SGX's SDK
// does it.
#include <catch2/catch.hpp>

#include "tests/runtime/workshop.hpp"

namespace jcprof::test {
namespace {

const Flags live = {"-DJCPROF", "-DJCPROF_ENCLAVE_BUILD", "-DJCPROF_BUILD=0xCAFE0001u"};

/// Those of the SDK's own makefiles, as errors, and of no header at all.
const Flags usual = {"-Werror",
                     "-ffreestanding",
                     "-nostdinc",
                     "-fvisibility=hidden",
                     "-fpie",
                     "-fstack-protector",
                     "-DJCPROF_SHOW_WARNINGS",
                     "-Wall",
                     "-Wextra",
                     "-Winit-self",
                     "-Wpointer-arith",
                     "-Wreturn-type",
                     "-Waddress",
                     "-Wsequence-point",
                     "-Wformat-security",
                     "-Wmissing-include-dirs",
                     "-Wfloat-equal",
                     "-Wundef",
                     "-Wshadow",
                     "-Wcast-align",
                     "-Wcast-qual",
                     "-Wconversion",
                     "-Wredundant-decls",
                     "-Wmissing-declarations"};
const Flags usual_c = {"-Wstrict-prototypes", "-Wmissing-prototypes"};
const Flags usual_cxx = {"-Wnon-virtual-dtor", "-Wold-style-cast"};

Flags own_c(Gcc) {
  return {"-Wjump-misses-init", "-Wunsuffixed-float-constants"};
}
Flags own_c(Clang) {
  return {"-Wcomma", "-Wmissing-variable-declarations"};
}

const std::vector<Flags> optimisations = {
    {"-O0"}, {"-O2"}, {"-Os"}, {"-O1", "-g", "-fsanitize=address,undefined"}};

/// The host is built without the flags of the trusted part.
Ran run_enclave(const Workshop& workshop, const std::string& trusted, const Flags& optimisation,
                const std::string& rounds) {
  const Flags parts = workshop.compile({trusted}, live + usual + optimisation) +
                      workshop.compile({"host.cpp"}, Flags{"-std=c++17"} + optimisation);
  const std::string host = workshop.link("host", parts + optimisation + Flags{"-pthread"});
  // An exception that a stop leaves behind is not freed.
  return workshop.run({host, rounds}, {{"ASAN_OPTIONS", "detect_leaks=0"}});
}

std::string undefined_symbols(const Workshop& workshop) {
  return workshop.run({"sh", "-c", "nm -u enclave.o | sed 's/^ *//' | sort | tr '\\n' ' '"}).output;
}

}  // namespace

TEMPLATE_TEST_CASE("an enclave in C++ is stopped in nested ecalls, handlers and threads", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const Flags& optimisation : optimisations) {
    INFO(optimisation.back());
    CHECK(run_enclave(workshop, "enclave.cpp", optimisation, "1000") ==
          Ran{0,
              "result 12\n"
              "result 12, build cafe0001, 41 events, before 00000000, all 4cd417df, last 7: 1 31 32 30 2 31 "
              "30 4 40 "
              "41 20 31 32 30 21 24 20 31 32 30 21 24 5 40 41 20 31 30 22 40 41 23 24 20 31 32 30 21 24 6 7\n"
              "result 12, build cafe0001, 41 events, before 149e15b9, all 4cd417df, last 7: 30 2\n"
              "0 wrong stops\n"
              "not so often: 12, trap 0, hit 0, last 7\n"
              "not armed: 12, trap 0, hit 0, last 99\n"
              "never entered: 0, trap 0, hit 0, last 0\n"
              "stopped after that: 0, trap 2, hit 1, last 2\n"
              "verb 1, build cafe0001, trap 0, last 0\n"
              "verb 2, build cafe0001, trap 0, last 0\n"
              "verb 3, build cafe0001, trap 0, last 0\n"
              "verb 8, build cafe0001, trap 0, last 0\n"
              "verb 9, build cafe0001, trap 7fffffff, last 0\n"
              "on another thread: 0, trap 2, hit 1, last 2\n"
              "the next one: 12, trap 2, hit 1, last 2\n"
              "beside another thread: 0, trap 4, hit 1, last 4\n"
              "meanwhile: 12\n"
              "beside another thread: 0, trap 7, hit 1, last 7\n"
              "in the meantime: 0, trap 2, hit 1, last 2\n"
              "late: 12\n"
              "after that: 0, trap 2, hit 1, last 2\n"});
  }
}

TEMPLATE_TEST_CASE("an enclave in C is stopped in nested ecalls and threads", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const Flags& optimisation : optimisations) {
    INFO(optimisation.back());
    CHECK(run_enclave(workshop, "enclave.c", optimisation, "1000") ==
          Ran{0,
              "result 9\n"
              "result 9, build cafe0001, 26 events, before 00000000, all 89b34189, last 4: 1 30 31 32 31 32 "
              "33 2 3 "
              "40 41 20 40 41 21 30 31 32 33 20 21 30 31 32 33 4\n"
              "result 9, build cafe0001, 26 events, before 13a214bc, all 89b34189, last 4: 32 31\n"
              "0 wrong stops\n"
              "not so often: 9, trap 0, hit 0, last 4\n"
              "not armed: 9, trap 0, hit 0, last 99\n"
              "never entered: 0, trap 0, hit 0, last 0\n"
              "stopped after that: 0, trap 2, hit 1, last 2\n"
              "verb 1, build cafe0001, trap 0, last 0\n"
              "verb 2, build cafe0001, trap 0, last 0\n"
              "verb 3, build cafe0001, trap 0, last 0\n"
              "verb 8, build cafe0001, trap 0, last 0\n"
              "verb 9, build cafe0001, trap 7fffffff, last 0\n"
              "on another thread: 0, trap 2, hit 1, last 2\n"
              "the next one: 9, trap 2, hit 1, last 2\n"
              "meanwhile: 9\n"
              "beside another thread: 0, trap 4, hit 1, last 4\n"
              "meanwhile: 9\n"
              "beside another thread: 9, trap 0, hit 0, last 4\n"
              "in the meantime: 0, trap 2, hit 1, last 2\n"
              "late: 9\n"
              "after that: 0, trap 2, hit 1, last 2\n"});
  }
}

TEMPLATE_TEST_CASE("the trusted part compiles in C as the SDK compiles, and needs nothing", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const std::string standard : {"c90", "gnu99", "c11", "gnu17", "c2x"}) {
    for (const Flags& state : {live, Flags{"-DJCPROF", "-DJCPROF_OFF"}}) {
      for (const std::string level : {"-O0", "-O2"}) {
        workshop.compile({"enclave.c"},
                         usual + usual_c + own_c(TestType{}) + state + Flags{level, "-std=" + standard});
        const std::string needed = undefined_symbols(workshop);
        INFO(standard << " " << level << " " << state.back());
        CHECK((needed == "U ocall_ask " || needed == "U _GLOBAL_OFFSET_TABLE_ U ocall_ask "));
      }
    }
  }
}

TEMPLATE_TEST_CASE("the trusted part compiles in C++ as the SDK compiles, and needs what exceptions need", "",
                   Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const std::string standard : {"c++11", "gnu++11", "c++14", "c++17", "c++20"}) {
    for (const Flags& state : {live, Flags{"-DJCPROF", "-DJCPROF_OFF"}}) {
      for (const std::string level : {"-O0", "-O2"}) {
        workshop.compile({"enclave.cpp"}, usual + usual_cxx + state + Flags{level, "-std=" + standard});
        // Less what the enclave's own throw and catch are made of.
        const std::string needed =
            workshop
                .run({"sh", "-c",
                      "nm -u enclave.o | sed 's/^ *//' | grep -vE "
                      "'__cxa_(allocate|begin|end|throw)|_Unwind_|_ZTIi|"
                      "__gxx_personality|_ZSt9terminatev|_GLOBAL_OFFSET_TABLE_' | sort | tr '\\n' ' '"})
                .output;
        INFO(standard << " " << level << " " << state.back());
        CHECK(needed == (state == live ? "U ocall_ask w __cxa_get_globals " : "U ocall_ask "));
      }
    }
  }
}

TEMPLATE_TEST_CASE("what is in an enclave is seen by nobody outside", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const Flags parts = workshop.compile({"enclave.c"}, live + Flags{"-fPIC", "-O2"});
  workshop.link("enclave.so", Flags{"-shared"} + parts);
  CHECK(workshop.run({"sh", "-c", "nm -D --defined-only enclave.so | awk '{print $3}' | grep jcprof"}) ==
        Ran{0, "jcprof_enclave\n"});
}

#ifdef __x86_64__
TEMPLATE_TEST_CASE("an enclave that the SDK simulates is armed where its thread-local storage is its own", "",
                   Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const std::string level : {"-O0", "-O2"})
    for (const std::string place : {"-fpie", "-fPIC"}) {
      INFO(level << " " << place);
      const auto ran = [&](const Flags& more) {
        const Flags trusted = workshop.compile({"enclave.c"}, live + usual + Flags{level, place} + more);
        return workshop.run(
            {workshop.link("host", trusted + workshop.compile({"simulated.c"}, {"-O1", "-Wall"}))});
      };
      CHECK(ran({"-mno-tls-direct-seg-refs"}) == Ran{0,
                                                     "fault 0, 0 bytes of the host's changed\n"
                                                     "result 0, trap 4, 0 bytes of the host's changed\n"});
      CHECK(ran({}) == Ran{0, "fault 1, 0 bytes of the host's changed\n"});
    }
}
#endif

}  // namespace jcprof::test
