// SPDX-License-Identifier: Apache-2.0
// What a build step prints before it fails, and the line of it that is the cause.
#include "programs/step_cause.hpp"

#include <catch2/catch.hpp>

#include "src/core/install_hint.hpp"

namespace jcprof::cli {
namespace {

std::string cause(const std::string& output) {
  return cause_of_failure(output).what;
}

TEST_CASE("the first error of a compiler or a linker is the cause, not what make says of it") {
  CHECK(cause("cc -c a.c\na.c:1:5: warning: unused\na.c:3:9: error: 'x' undeclared\n    3 |  x\n"
              "a.c:4:1: error: expected ';'\nmake: *** [Makefile:2: a.o] Error 1\n") ==
        "a.c:3:9: error: 'x' undeclared");
  CHECK(cause("a.c:1:10: fatal error: none.h: No such file or directory\ncompilation terminated.\n") ==
        "a.c:1:10: fatal error: none.h: No such file or directory");
  CHECK(cause("    [javac] /p/A.java:3: error: ';' expected\n\nBUILD FAILED\n") ==
        "[javac] /p/A.java:3: error: ';' expected");
  CHECK(cause("/usr/bin/ld: a.o: in function `main':\na.c:(.text+0x5): undefined reference to `none'\n"
              "collect2: error: ld returned 1 exit status\n") ==
        "a.c:(.text+0x5): undefined reference to `none'");
  CHECK(cause("/usr/bin/ld: cannot find -lnone: No such file or directory\n"
              "collect2: error: ld returned 1 exit status\n") ==
        "/usr/bin/ld: cannot find -lnone: No such file or directory");
}

TEST_CASE("a program that is not there is named, as each shell and make say it, with the way to get it") {
  for (const std::string said :
       {"make: aarch64-linux-gnu-gcc: No such file or directory\nmake: *** [Makefile:2: all] Error 127\n",
        "make[2]: aarch64-linux-gnu-gcc: No such file or directory\n",
        "/bin/sh: 1: aarch64-linux-gnu-gcc: not found\n", "sh: 7: aarch64-linux-gnu-gcc: not found\n",
        "/bin/bash: line 1: aarch64-linux-gnu-gcc: command not found\n",
        "bash: aarch64-linux-gnu-gcc: command not found\n",
        "env: \u2018aarch64-linux-gnu-gcc\u2019: No such file or directory\n"}) {
    INFO(said);
    CHECK(cause(said) == "there is no program \"aarch64-linux-gnu-gcc\"");
    CHECK(cause_of_failure(said).way_out == "install it (Debian: gcc-aarch64-linux-gnu)");
  }
  CHECK(cause("sh: 1: git: not found\na.c:3: error: VERSION is not defined\n") ==
        "a.c:3: error: VERSION is not defined");
}

TEST_CASE("make, CMake and java are quoted where no compiler has said anything") {
  CHECK(cause("Makefile:3: /mk/ta_dev_kit.mk: No such file or directory\n"
              "make: *** No rule to make target '/mk/ta_dev_kit.mk'.  Stop.\n") ==
        "Makefile:3: /mk/ta_dev_kit.mk: No such file or directory");
  CHECK(cause("make: *** No rule to make target 'b.c', needed by 'b.o'.  Stop.\n") ==
        "make: *** No rule to make target 'b.c', needed by 'b.o'.  Stop.");
  CHECK(cause("-- ok\nCMake Error at CMakeLists.txt:3 (find_package):\n  not there\n") ==
        "CMake Error at CMakeLists.txt:3 (find_package):");
  CHECK(cause("Error: Unable to access jarfile conv.jar\n") == "Error: Unable to access jarfile conv.jar");
  CHECK(cause("something else\nmake: *** [Makefile:2: all] Error 1\n").empty());
  CHECK(cause("").empty());
}

TEST_CASE("the package of a program is named where it is known") {
  CHECK(way_to_install("arm-linux-gnueabihf-g++") == "install it (Debian: g++-arm-linux-gnueabihf)");
  CHECK(way_to_install("aarch64-linux-gnu-objcopy") == "install it (Debian: binutils-aarch64-linux-gnu)");
  CHECK(way_to_install("javac") == "install it (Debian: default-jdk-headless)");
  CHECK(way_to_install("jcprof-agent-x") == "install it");
  CHECK(way_to_install("my-gcc") == "install it");
}

}  // namespace
}  // namespace jcprof::cli
