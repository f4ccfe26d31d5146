// SPDX-License-Identifier: Apache-2.0
#include "rewriter/safe_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>

#include "rewriter/c/compile_database.hpp"
#include "rewriter/program_files.hpp"
#include "rewriter/project_programs.hpp"
#include "src/core/file.hpp"
#include "src/core/shell_words.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

std::string kept(const std::string& flags) {
  return fmt::format("{}", fmt::join(safe_c_flags(split_command(flags).words).kept, " "));
}

std::vector<std::string> dropped(const std::string& flags) {
  return safe_c_flags(split_command(flags).words).dropped;
}

TEST_CASE("flags that matter for the text and what is made of it are kept") {
  for (const char* const flags :
       {"-DA=1 -D B -UC -Iinc -I inc -isystem x -include y.h -imacros z.h -iquote q --sysroot=/s --sysroot "
        "/s",
        "-std=c++17 --std=c99 -ansi -pedantic -pedantic-errors -trigraphs -undef -nostdinc -nostdinc++",
        "-O2 -g -g3 -ggdb -w -Wall -Wno-unused -Werror -Wframe-larger-than=100 -pthread -pipe -pg",
        "-fPIC -fno-strict-aliasing -fopenmp -flto=auto -fsanitize=address -fvisibility=hidden "
        "-findirect-inlining",
        "-ffile-prefix-map=/a=/b -march=armv8-a -mthumb -m32 --target=arm-linux-gnueabihf -target "
        "arm-none-eabi",
        "-x c -xc++ -stdlib=libc++ --param max-inline=1 --param=x=1 -Qunused-arguments",
        "-Winvalid-pch -Xclang -include-pch -Xclang a.pch -Xclang -include -Xclang a.hxx"}) {
    CHECK(kept(flags) == flags);
    CHECK(dropped(flags).empty());
  }
}

TEST_CASE("flags that load code, start programs or write files are dropped and named") {
  for (const char* const flag : {"-fplugin=./x.so",
                                 "-fplugin-arg-x-y=1",
                                 "-fpass-plugin=x.so",
                                 "-fdump-tree-all=/abs",
                                 "-fdump-rtl-all",
                                 "-specs=x",
                                 "--specs=x",
                                 "-Bdir",
                                 "-save-temps=obj",
                                 "--save-temps",
                                 "-fprofile-dir=/x",
                                 "-fprofile-generate=/x",
                                 "-fopt-info-all=/x",
                                 "-fmodule-mapper=|prog",
                                 "-fmodules-cache-path=/x",
                                 "-fcrash-diagnostics-dir=/x",
                                 "-fsave-optimization-record",
                                 "-foptimization-record-file=/x",
                                 "-ftime-trace=/x",
                                 "-fproc-stat-report=/x",
                                 "-fdiagnostics-format=sarif-file",
                                 "-fstack-usage",
                                 "-fcallgraph-info",
                                 "-fdeps-file=/x",
                                 "-mmcu=../../x",
                                 "-fuse-ld=/x",
                                 "--config=x",
                                 "-iplugindir=x",
                                 "-da",
                                 "-dumpdir",
                                 "@flags",
                                 "-ivfsoverlay",
                                 "-time=/x",
                                 "-fsome-new-flag=/x",
                                 "-gsplit-dwarf",
                                 "-fcompare-debug",
                                 "--output=/x",
                                 "-Wsome=/x"}) {
    INFO(flag);
    CHECK(kept(flag).empty());
    CHECK(dropped(flag) == std::vector<std::string>{flag});
  }
  CHECK(dropped("-wrapper ./x -aux-info /abs -Xclang -load -Xclang x.so -mllvm -x -specs y") ==
        std::vector<std::string>{"-wrapper ./x", "-aux-info /abs", "-Xclang -load", "-Xclang x.so",
                                 "-mllvm -x", "-specs y"});
  CHECK(kept("-wrapper ./x -aux-info /abs -Xclang -load -Xclang x.so -mllvm -x").empty());
}

TEST_CASE("what belongs to the linker or names the output goes without a word") {
  const std::string flags =
      "-c -o x.o -MD -MF x.d -MT x -Wl,-z,relro -L. -lm -shared -static -s -Wa,-a=x other.o -Xlinker x";
  CHECK(kept(flags).empty());
  CHECK(dropped(flags).empty());
  CHECK(kept("-Wp,-DA=1,-MD,x.d,-UB") == "-DA=1 -UB");
}

TEST_CASE("javac's flags that run code are dropped") {
  const SafeFlags flags =
      safe_java_flags({"-g", "-source", "8", "-Xlint:all", "-J-Xss64m", "-processor", "Evil", "-Xplugin:Evil",
                       "-J-javaagent:x.jar", "@file", "-proc:full", "-d", "/x"});
  CHECK(flags.kept == std::vector<std::string>{"-g", "-source", "8", "-Xlint:all", "-J-Xss64m"});
  CHECK(flags.dropped == std::vector<std::string>{"-processor", "Evil", "-Xplugin:Evil", "-J-javaagent:x.jar",
                                                  "@file", "-proc:full", "-d", "/x"});
}

TEST_CASE("a compiler is known by its name") {
  for (const char* const name : {"cc", "c++", "gcc", "g++-12", "clang", "clang++-19",
                                 "arm-linux-gnueabihf-gcc", "x86_64-w64-mingw32-g++-10.2", "icx"})
    CHECK(is_compiler_name(name));
  for (const char* const name : {"sh", "perl", "python3", "gcc.sh", "env", "make", "evil-gcc-wrapper"})
    CHECK_FALSE(is_compiler_name(name));
}

/// A project with that compiler in its database.
std::vector<std::string> asked_about(const TemporaryFolder& folder, const std::string& compiler) {
  const fs::path root = folder.path();
  write_file(root / "db.json",
             R"([{"directory": ".", "file": "a.c", "arguments": [")" + compiler + R"(", "-c", "a.c"]}])");
  Project project;
  project.root = root;
  project.compile.database = "db.json";
  return programs_of_generation(project, project.root / "jcprof-out");
}

TEST_CASE("a compiler of the tree, a link in the tree and a program that is no compiler are asked about") {
  const TemporaryFolder folder;
  write_file(folder / "bin/gcc", "#!/bin/sh\n");
  fs::permissions(folder / "bin/gcc", fs::perms::owner_all);
  fs::create_symlink("/usr/bin/env", folder / "cc");
  CHECK(asked_about(folder, "gcc").empty());
  CHECK(asked_about(folder, "/usr/bin/gcc").empty());
  CHECK(asked_about(folder, "bin/gcc").size() == 1);
  CHECK(asked_about(folder, (folder / "cc").string()).size() == 1);
  CHECK(asked_about(folder, "/bin/sh").size() == 1);
  CHECK(asked_about(folder, "ccache").size() == 1);
}

TEST_CASE("steps that prepare the reading do not allow the project's compiler") {
  const TemporaryFolder folder;
  Project project;
  project.root = folder.path();
  project.compile.prepare = {{.run = {"true"}, .cwd = "{project}"}};
  project.compile.compiler = "./evil";
  const std::string compiler = fmt::format("compiler: ./evil (in {})", folder.path().string());
  CHECK(programs_of_generation(project, folder / "jcprof-out") ==
        std::vector<std::string>{"prepare: true (in {project})", compiler});
  project.compile.database = "db.json";
  write_file(folder / "db.json", "no database yet");
  CHECK(programs_of_generation(project, folder / "jcprof-out").size() == 1);
  CHECK_THROWS(compilers_of_generation(project, folder / "jcprof-out"));
}

TEST_CASE("the usual compiler is asked about where PATH leads to one in the tree") {
  const TemporaryFolder folder;
  write_file(folder / "bin/cc", "#!/bin/sh\n");
  fs::permissions(folder / "bin/cc", fs::perms::owner_all);
  CHECK(programs_of_generation({.root = folder.path()}, folder / "jcprof-out").empty());
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", fmt::format("{}:{}", (folder / "bin").string(), path).c_str(), 1);
  CHECK(programs_of_generation({.root = folder.path()}, folder / "jcprof-out").size() == 1);
  ::setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace jcprof::rewriter
