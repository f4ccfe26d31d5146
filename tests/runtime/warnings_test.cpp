// SPDX-License-Identifier: Apache-2.0
// templates/jcprof.h under every standard and the strictest warnings, with traps and without.
#include <catch2/catch.hpp>

#include "tests/runtime/workshop.hpp"

namespace jcprof::test {
namespace {

const Flags strict = {"-DJCPROF_SHOW_WARNINGS",
                      "-Werror",
                      "-pedantic-errors",
                      "-Wall",
                      "-Wextra",
                      "-Wpedantic",
                      "-Wshadow",
                      "-Wconversion",
                      "-Wsign-conversion",
                      "-Wundef",
                      "-Wcast-qual",
                      "-Wcast-align",
                      "-Wpointer-arith",
                      "-Wwrite-strings",
                      "-Wredundant-decls",
                      "-Wnull-dereference",
                      "-Wdouble-promotion",
                      "-Wformat=2",
                      "-Wswitch-default",
                      "-Wswitch-enum",
                      "-Wfloat-equal",
                      "-Wunused-macros",
                      "-Wmissing-declarations"};
const Flags strict_c = {"-Wmissing-prototypes", "-Wstrict-prototypes",    "-Wdeclaration-after-statement",
                        "-Wnested-externs",     "-Wold-style-definition", "-Wbad-function-cast"};
const Flags strict_cxx = {"-Wold-style-cast", "-Wnon-virtual-dtor", "-Woverloaded-virtual",
                          "-Wzero-as-null-pointer-constant", "-Weffc++"};

/// What only this compiler warns of.
Flags own_c(Gcc) {
  return {"-Wlogical-op", "-Wjump-misses-init", "-Wc++-compat", "-Wclobbered", "-Wold-style-declaration"};
}
Flags own_cxx(Gcc) {
  return {"-Wuseless-cast", "-Wlogical-op", "-Wclobbered"};
}
Flags own_c(Clang) {
  return {"-Wcomma", "-Wmissing-variable-declarations", "-Wunreachable-code", "-Wextra-semi",
          "-Wassign-enum"};
}
Flags own_cxx(Clang) {
  return own_c(Clang{}) + Flags{"-Wmissing-prototypes"};
}

const std::vector<Flags> states = {{},
                                   {"-DJCPROF"},
                                   {"-DJCPROF", "-DJCPROF_PROGRAM"},
                                   {"-DJCPROF", "-DJCPROF_PROGRAM", "-DJCPROF_JUDGED"},
                                   {"-DJCPROF", "-DJCPROF_OFF"},
                                   {"-DJCPROF", "-DJCPROF_PROGRAM", "-DJCPROF_RECORD", "-DJCPROF_HOOKS"},
                                   {"-DJCPROF", "-DJCPROF_RECORD", "-DJCPROF_CLOCK_SHARED"}};

}  // namespace

TEMPLATE_TEST_CASE("the header and all its macros compile without a warning in C", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const std::string standard : {"c90", "c99", "gnu11", "c17", "c2x"}) {
    for (const Flags& state : states) {
      const Flags flags = strict + strict_c + own_c(TestType{}) + state + Flags{"-O2", "-std=" + standard};
      CHECK(workshop.compile({"flow.c", "program.c", "parts.c", "record_marks.c"}, flags).size() == 4);
    }
  }
}

TEMPLATE_TEST_CASE("the header and all its macros compile without a warning in C++", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const std::string standard : {"c++11", "c++14", "c++17", "c++20", "gnu++20"}) {
    for (const Flags& state : states) {
      const Flags flags =
          strict + strict_cxx + own_cxx(TestType{}) + state + Flags{"-O2", "-std=" + standard};
      CHECK(workshop.compile({"unwinding.cpp", "record_marks.cpp"}, flags).size() == 2);
    }
  }
}

TEMPLATE_TEST_CASE("names of the header's libc are free for the user", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program =
      workshop.build("names", {"names.c"}, {"-Werror", "-Wall", "-DJCPROF", "-DJCPROF_PROGRAM"});
  workshop.prepare_report("trace", 0, 3);
  CHECK(workshop.run({program}, {{"JCPROF_TRACE", "trace"}}) == Ran{0, "9 4 5 6 7\n"});
  CHECK(workshop.report("trace").ids == std::vector<std::uint32_t>{1});
}

}  // namespace jcprof::test
