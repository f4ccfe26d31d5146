// SPDX-License-Identifier: Apache-2.0
// Finds the line of a build step's output that is the cause.
#include "programs/step_cause.hpp"

#include <catch2/catch.hpp>

#include "src/core/install_hint.hpp"

namespace jcprof::cli {
namespace {

std::string cause(const std::string& output, int status = 2) {
  return cause_of_failure(output, status).what;
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
        "sh: aarch64-linux-gnu-gcc: not found\n", "./build.sh: 12: aarch64-linux-gnu-gcc: not found\n",
        "/bin/bash: line 1: aarch64-linux-gnu-gcc: command not found\n",
        "./build.sh: line 3: aarch64-linux-gnu-gcc: command not found\n",
        "zsh:1: command not found: aarch64-linux-gnu-gcc\n",
        "bash: aarch64-linux-gnu-gcc: command not found\n",
        "env: \u2018aarch64-linux-gnu-gcc\u2019: No such file or directory\n"}) {
    INFO(said);
    CHECK(cause(said, 127) == "there is no program \"aarch64-linux-gnu-gcc\"");
    CHECK(cause_of_failure(said, 127).way_out == "install it (Debian: gcc-aarch64-linux-gnu)");
  }
  CHECK(cause("sh: 1: git: not found\nsh: 1: x-gcc: not found\nmake: *** [Makefile:2: a] Fehler 127\n") ==
        "there is no program \"x-gcc\"");
  CHECK(cause("FAILED: a.o\nx-gcc -c a.c\n/bin/sh: 1: x-gcc: not found\nninja: build stopped: failed.\n",
              1) == "there is no program \"x-gcc\"");
  CHECK(cause("sh: 1: git: not found\na.c:3: error: VERSION is not defined\n") ==
        "a.c:3: error: VERSION is not defined");
}

TEST_CASE("make, CMake and java are quoted where no compiler has said anything") {
  CHECK(cause("Makefile:3: /mk/ta_dev_kit.mk: No such file or directory\n"
              "make: *** No rule to make target '/mk/ta_dev_kit.mk'.  Stop.\n") ==
        "Makefile:3: /mk/ta_dev_kit.mk: No such file or directory");
  CHECK(cause("make: *** No rule to make target 'b.c', needed by 'b.o'.  Stop.\n") ==
        "make: *** No rule to make target 'b.c', needed by 'b.o'.  Stop.");
  CHECK(cause("-- ok\nCMake Error at CMakeLists.txt:3 (find_package):\n\n  not there\n") ==
        "CMake Error at CMakeLists.txt:3 (find_package): not there");
  CHECK(cause("[INFO] --\n[ERROR] COMPILATION ERROR : \n[ERROR] /p/A.java:[3,9] ';' expected\n") ==
        "[ERROR] /p/A.java:[3,9] ';' expected");
  CHECK(cause("FAILURE: Build failed with an exception.\n\n* What went wrong:\nTask 'x' not found.\n") ==
        "Task 'x' not found.");
  CHECK(cause("Version: 1\n\nmeson.build:3:0: ERROR: Dependency \"x\" not found\n") ==
        "meson.build:3:0: ERROR: Dependency \"x\" not found");
  CHECK(cause("Error: Unable to access jarfile conv.jar\n") == "Error: Unable to access jarfile conv.jar");
  CHECK(cause("something else\nmake: *** [Makefile:2: all] Error 1\n").empty());
  CHECK(cause("").empty());
}

TEST_CASE("a program or a file that the build can do without is not the cause") {
  const std::string no_rule = "make: *** No rule to make target 'b.c'.  Stop.";
  for (const std::string before : {"sh: 1: git: not found\n", "make: none.mk: No such file or directory\n",
                                   "rm: cannot remove 'b.o': No such file or directory\n"}) {
    INFO(before);
    CHECK(cause(before + no_rule + "\n") == no_rule);
  }
  CHECK(cause("sh: 1: git: not found\nmake: *** [Makefile:2: a] Error 1\n").empty());
  CHECK(cause("cat: none: No such file or directory\nmake: *** [Makefile:2: a] Error 1\n") ==
        "cat: none: No such file or directory");
  CHECK(cause("sh: 1: cannot open none: No such file\n") == "sh: 1: cannot open none: No such file");
}

TEST_CASE("make's own words after a failed command are not the cause") {
  for (const std::string said :
       {"[Makefile:3: a] Error 1", "[Makefile:3: a] Fehler 1", "Waiting for unfinished jobs....",
        "Warte auf noch nicht beendete Prozesse...", "Deleting file 'x'"}) {
    INFO(said);
    CHECK(cause("make: *** " + said + "\n").empty());
  }
}

TEST_CASE("nobody is told to install a script, or a word of another shell") {
  for (const std::string said :
       {"make: ./gen.sh: No such file or directory\n", "sh: 1: ./gen.sh: not found\n",
        "./all.sh: line 3: ./gen.sh: No such file or directory\n",
        "bash: line 1: ./gen.sh: cannot execute: required file not found\n"}) {
    INFO(said);
    const StepCause found = cause_of_failure(said, 127);
    CHECK(found.what == "there is no \"./gen.sh\", or not the program that its first line names");
    CHECK(found.way_out.empty());
  }
  const StepCause found = cause_of_failure("sh: 1: source: not found\n", 127);
  CHECK(found.what == "the shell has no \"source\"");
  CHECK(found.way_out == "let bash run it (in a makefile: SHELL = /bin/bash)");
}

TEST_CASE("the first error is found and shown without its colours") {
  CHECK(cause("\x1b[01m\x1b[Ka.c:1:20:\x1b[m\x1b[K \x1b[01;31m\x1b[Kerror: \x1b[m\x1b[Kexpected ';'\n") ==
        "a.c:1:20: error: expected ';'");
  CHECK(cause("\x1b[1Aa.c:1:2: error: x\x1b[") == "\x1b[1Aa.c:1:2: error: x\x1b[");
}

TEST_CASE("an error of the linker is the cause, not what the compiler says of it") {
  for (const std::string said :
       {"/usr/bin/ld: cannot find none.o: No such file or directory",
        "/usr/bin/ld: a.o: relocation R_X86_64_32 against `.data' can not be used when making a shared "
        "object",
        "arm-none-eabi-ld: b.o: file format not recognized", "/usr/bin/ld.gold: cannot open b.o",
        "/usr/bin/ld:b.o: file format not recognized; treating as linker script"}) {
    INFO(said);
    for (const std::string result :
         {"collect2: error: ld returned 1 exit status",
          "clang-19: error: linker command failed with exit code 1 (use -v to see invocation)"})
      CHECK(cause("/usr/bin/ld: warning: b.o: missing .note.GNU-stack section\n"
                  "/usr/bin/ld: skipping incompatible /lib/libc.so when searching for -lc\n"
                  "/usr/bin/ld: a.o: in function `main':\n" +
                  said + "\n" + result + "\n") == said);
  }
  CHECK(cause("collect2: error: ld returned 1 exit status\n") ==
        "collect2: error: ld returned 1 exit status");
}

TEST_CASE("the package of a program is named where it is known") {
  CHECK(way_to_install("arm-linux-gnueabihf-g++") == "install it (Debian: g++-arm-linux-gnueabihf)");
  CHECK(way_to_install("aarch64-linux-gnu-objcopy") == "install it (Debian: binutils-aarch64-linux-gnu)");
  CHECK(way_to_install("javac") == "install it (Debian: default-jdk-headless)");
  CHECK(way_to_install("jcprof-agent-x") == "install it");
  CHECK(way_to_install("x86_64-linux-gnu-gcc-12") == "install it (Debian: gcc-12-x86-64-linux-gnu)");
  CHECK(way_to_install("arm-none-eabi-g++") == "install it (Debian: gcc-arm-none-eabi)");
  CHECK(way_to_install("riscv64-unknown-elf-gcc") == "install it (Debian: gcc-riscv64-unknown-elf)");
  CHECK(way_to_install("arm-none-eabi-nm") == "install it (Debian: binutils-arm-none-eabi)");
  CHECK(way_to_install("gcc-12") == "install it (Debian: gcc-12)");
  CHECK(way_to_install("clang++-19") == "install it (Debian: clang-19)");
  for (const std::string unknown :
       {"my-gcc", "aarch64-linux-none-gcc", "aarch64-none-linux-gnu-gcc", "arm-linux-androideabi-gcc",
        "aarch64-linux-gnu-gcc-ar", "-linux-gnu-gcc", "arm-none-eabi-gcc-12", "make-4"}) {
    INFO(unknown);
    CHECK(way_to_install(unknown) == "install it");
  }
  CHECK(way_to_install("/opt/bin/aarch64-linux-gnu-gcc") == "put it there, and make it executable");
}

}  // namespace
}  // namespace jcprof::cli
