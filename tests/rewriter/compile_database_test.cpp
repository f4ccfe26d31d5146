// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>

#include "rewriter/c/compile.hpp"
#include "rewriter/c/compile_database.hpp"
#include "src/core/file.hpp"
#include "tests/core/fault_text.hpp"
#include "tests/core/temporary_folder.hpp"

namespace fs = std::filesystem;
using namespace jcprof;
using namespace jcprof::rewriter;
using jcprof::test::fault_text;
using jcprof::test::TemporaryFolder;

namespace {

std::string text_of(const CompileUnit& unit) {
  return fmt::format("{} in {}: {}", unit.path, unit.folder.string(), fmt::join(unit.arguments, "|"));
}

std::vector<std::string> parsed(const std::string& text) {
  std::vector<std::string> result;
  for (const CompileUnit& unit : parse_compile_database("db.json", text, "/p/build"))
    result.push_back(text_of(unit));
  return result;
}

Project project_in(const fs::path& folder, const std::string& database) {
  Project project;
  project.root = folder;
  project.file = folder / "jcprof.json";
  project.target = TargetKind::program;
  project.compile.database = database;
  return project;
}

std::vector<std::string> paths(const Project& project, const std::vector<std::string>& sources) {
  std::vector<std::string> result;
  for (const CompileUnit& unit : compile_units(project, sources, "/out"))
    result.push_back(fs::path(unit.path).lexically_relative(project.root).string());
  return result;
}

}  // namespace

TEST_CASE("a command is split as a shell splits it, and nothing is expanded") {
  CHECK(parsed(R"([{"directory": "/p", "file": "a b.c",
    "command": "cc  -DA='x y' -DB=\"\\\"q\\\" \\n\" -DC=\\ z '' -D$HOME \"-I`x`\" -c 'a b.c'"}])") ==
        std::vector<std::string>{R"(/p/a b.c in /p: cc|-DA=x y|-DB="q" \n|-DC= z||-D$HOME|-I`x`)"});
}

TEST_CASE("what a compiler writes and the file itself are not among a unit's flags") {
  CHECK(parsed(R"([{"directory": "sub", "file": "../x.c", "output": "x.o", "arguments":
    ["ccache", "/usr/bin/gcc", "-MD", "-MF", "x.d", "-MTx", "-Wp,-MMD,y", "-I..", "-o", "x.o", "-ox.o", "-c", "../x.c", "--coverage",
    "-ftest-coverage", "-Os"]}])") ==
        std::vector<std::string>{"/p/build/x.c in /p/build/sub: /usr/bin/gcc|-I..|-Os"});
}

TEST_CASE("several entries of a file are all units, and the very same entry is one") {
  CHECK(parsed(R"([{"directory": "/p", "file": "x.c", "command": "cc -DA x.c"},
    {"directory": "/p", "file": "x.c", "command": "cc -DB x.c"},
    {"directory": "/p", "file": "/p/x.c", "command": "cc -DA -c /p/x.c -o y.o"}])") ==
        std::vector<std::string>{"/p/x.c in /p: cc|-DA", "/p/x.c in /p: cc|-DB"});
}

TEST_CASE("all faults of a compile database are told with their lines") {
  CHECK(fault_text([] {
          parsed(
              "[{\"directory\": \"/p\", \"file\": 3, \"command\": \"cc\"},\n 5,\n"
              " {\"directory\": \"/p\", \"file\": \"x.c\", \"command\": \"cc 'x\"},\n"
              " {\"directory\": \"/p\", \"file\": \"x.c\", \"arguments\": []},\n {\"file\": \"x.c\"}]");
        }) ==
        "db.json:1: a string is expected here, not a number\n"
        "  1 | [{\"directory\": \"/p\", \"file\": 3, \"command\": \"cc\"},\n"
        "    |                              ^\n"
        "db.json:2: an object is expected here, not a number\n"
        "  2 |  5,\n"
        "    |  ^\n"
        "db.json:3: this ' has no end\n"
        "  3 |  {\"directory\": \"/p\", \"file\": \"x.c\", \"command\": \"cc 'x\"},\n"
        "    |                                                    ^\n"
        "db.json:4: this must not be empty\n"
        "  4 |  {\"directory\": \"/p\", \"file\": \"x.c\", \"arguments\": []},\n"
        "    |                                                  ^\n"
        "db.json:5: the key \"directory\" is missing\n"
        "  5 |  {\"file\": \"x.c\"}]\n"
        "    |  ^\n"
        "db.json:5: the key \"command\" is missing\n"
        "  5 |  {\"file\": \"x.c\"}]\n"
        "    |  ^");
}

TEST_CASE("a database that is not there is an error with a way out") {
  const TemporaryFolder folder;
  CHECK(fault_text([&] { paths(project_in(folder.path(), "build/compile_commands.json"), {"x.c"}); }) ==
        (folder.path() / "jcprof.json").string() +
            ": there is no compile database \"build/compile_commands.json\"\n"
            "hint: make one with cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON or bear, or give the flags in "
            "\"compile.flags\"");
}

TEST_CASE("entries of other files count only where they may include headers that are sources") {
  const TemporaryFolder folder;
  write_file(folder.path() / "db.json", R"([{"directory": ".", "file": "src/x.c", "command": "cc src/x.c"},
    {"directory": ".", "file": "tests/t.c", "command": "cc tests/t.c"},
    {"directory": ".", "file": "boot.S", "command": "cc boot.S"},
    {"directory": "/usr", "file": "/usr/y.c", "command": "cc y.c"}])");
  const Project project = project_in(folder.path(), "db.json");
  CHECK(paths(project, {"src/x.c"}) == std::vector<std::string>{"src/x.c"});
  CHECK(paths(project, {"src/x.c", "src/x.h"}) == std::vector<std::string>{"src/x.c", "tests/t.c"});
  CHECK(paths(project, {"src/x.h"}) == std::vector<std::string>{"src/x.c", "tests/t.c"});
  CHECK_THAT(
      fault_text([&] { paths(project, {"src/z.c"}); }),
      Catch::EndsWith("no entry of the compile database is about one of the sources\n"
                      "hint: was it made in another folder? make it again where the project lies now"));
}

TEST_CASE("without a database each source that is no header is compiled with the project's flags") {
  Project project = project_in("/p", "");
  project.compile.flags = {"-I{project}/include", "-I{out}/made"};
  std::vector<std::string> units;
  for (const CompileUnit& unit : compile_units(project, {"a.c", "b.cpp", "c.h"}, "/elsewhere"))
    units.push_back(text_of(unit));
  CHECK(units == std::vector<std::string>{"/p/a.c in /p: cc|-I/p/include|-I/elsewhere/made",
                                          "/p/b.cpp in /p: c++|-I/p/include|-I/elsewhere/made"});
  project.compile.compiler = "clang-19";
  CHECK(compile_units(project, {"a.c"}, "/out")[0].arguments.front() == "clang-19");
  CHECK_THAT(
      fault_text([&] { compile_units(project, {"c.h"}, "/out"); }),
      Catch::StartsWith("/p/jcprof.json: none of the sources is compiled by itself: all are headers\n"));
}

TEST_CASE("a moved unit names what the copy has there, and the original of all else") {
  const TemporaryFolder folder;
  const fs::path root = folder.path() / "p";
  const fs::path copy = folder.path() / "tree";
  for (const char* file : {"src/x.c", "include/x.h"}) {
    write_file(root / file, "");
    write_file(copy / file, "");
  }
  const CompileUnit unit{
      .path = root / "src/x.c",
      .folder = root / "build",
      .arguments = {"cc", "-I../include", "-I", root / "include", "-isystem", "../gen", "-include",
                    "../include/x.h", "-I/usr/include", "-DX=../include", "-I=/sys"}};
  const CompileUnit result = moved(unit, root, copy);
  CHECK(result.path == copy / "src/x.c");
  CHECK(result.folder == root / "build");
  CHECK(result.arguments == std::vector<std::string>{"cc", "-I" + (copy / "include").string(), "-I",
                                                     copy / "include", "-isystem", root / "gen", "-include",
                                                     copy / "include/x.h", "-I/usr/include", "-DX=../include",
                                                     "-I=/sys"});
}

TEST_CASE("a header that is included first and is found by a search stays as it was named") {
  const TemporaryFolder folder;
  const fs::path root = folder.path() / "p";
  write_file(root / "here.h", "");
  const CompileUnit unit{.path = root / "x.c",
                         .folder = root,
                         .arguments = {"cc", "-include", "config.h", "-include", "here.h", "-imacros",
                                       "config.h", "-includeconfig.h"}};
  CHECK(moved(unit, root, folder.path() / "tree").arguments ==
        std::vector<std::string>{"cc", "-include", "config.h", "-include", root / "here.h", "-imacros",
                                 "config.h", "-includeconfig.h"});
}

TEST_CASE("diagnostics of gcc and clang are read with the places of their macros") {
  const auto read = [](const std::string& output) {
    std::vector<std::string> result;
    for (const Diagnostic& diagnostic : parse_diagnostics(output, "/p/build")) {
      std::string text =
          (diagnostic.severity == Severity::error ? "error: " : "warning: ") + diagnostic.message;
      for (const CompileError& place : diagnostic.places)
        text += fmt::format(" @ {}:{}:{}", place.path, place.line, place.column);
      result.push_back(text);
    }
    return result;
  };
  CHECK(read("In file included from ../x.c:1:\n../x.c: In function 'f':\n"
             "../jcprof_tree.h:9:3: warning: odd: error: x [-Wodd]\n../x.c:7:5: note: in expansion of macro "
             "'T'\n"
             "/p/y.c:3: fatal error: no such file\ncompilation terminated.\n"
             "gcc: error: unrecognized option\n1 warning generated.\n") ==
        std::vector<std::string>{"warning: odd: error: x [-Wodd] @ /p/jcprof_tree.h:9:3 @ /p/x.c:7:5",
                                 "error: no such file @ /p/y.c:3:0"});
  CHECK(read("<command-line>: error: odd\n<command-line>:0:6: warning: even\n") ==
        std::vector<std::string>{"error: odd @ <command-line>:0:0", "warning: even @ <command-line>:0:0"});
}

TEST_CASE("gcc makes no code of what it judges, and says all that it says in front of that") {
  const TemporaryFolder folder;
  const auto said = [&](const std::string& name, const std::string& text,
                        std::vector<std::string> arguments) {
    write_file(folder.path() / name, text);
    SyntaxCheck check(folder.path() / "scratch");
    const UnitAnswer answer =
        check
            .run({{.path = folder.path() / name, .folder = folder.path(), .arguments = std::move(arguments)}})
            .front();
    std::vector<std::string> result;
    for (const Diagnostic& diagnostic : answer.diagnostics) result.push_back(diagnostic.message);
    if (!answer.failure.empty()) result.push_back("failure: " + answer.failure);
    std::ranges::sort(result);
    return fmt::format("{}", fmt::join(result, "\n"));
  };
  const std::string falls = "int f(int x) { switch (x) { case 1: x = 2; case 2: return 3; } }\n";
  const std::string both =
      "control reaches end of non-void function [-Wreturn-type]\n"
      "this statement may fall through [-Wimplicit-fallthrough=]";
  const std::string no_code = "int g(void) { int x; __asm__(\"no such instruction\"); return x; }\n";
  CHECK(said("a.c", falls + no_code, {"gcc", "-Wall", "-Wextra"}) == both);
  CHECK(said("a.cpp", falls + no_code, {"g++", "-Wall", "-Wextra"}) == both);
  CHECK(said("b.c", "int f(void) { return y; }\n", {"gcc"}).starts_with("'y' undeclared"));
  CHECK(said("c.c", "#include \"none.h\"\n", {"gcc"}) == "none.h: No such file or directory");
  // The build would end at what only code shows.
  CHECK(said("d.c", no_code, {"gcc", "-Wall", "-Werror=uninitialized"}) ==
        "'x' is used uninitialized [-Werror=uninitialized]");
  CHECK(said("e.c", falls, {"clang-19", "-Wall", "-Wextra", "-Wimplicit-fallthrough"}).find("fall") !=
        std::string::npos);
}

TEST_CASE("a command that takes flags from a file is refused, for they would be missing") {
  CHECK(fault_text(
            [] { parsed(R"([{"directory": ".", "file": "a.c", "command": "gcc @flags.rsp -c a.c"}])"); }) ==
        "db.json:1: this command takes flags from a file (\"@…\"), which jcprof does not read\n"
        "  1 | [{\"directory\": \".\", \"file\": \"a.c\", \"command\": \"gcc @flags.rsp -c a.c\"}]\n"
        "    |  ^\n"
        "hint: write them into the command itself");
}
