// SPDX-License-Identifier: Apache-2.0
// Whole trees in C: what is written compiles, can be undone and does the same, and what a compiler has
// against traps goes.
#include <algorithm>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "rewriter/generate.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "tests/core/fault_text.hpp"
#include "tests/core/temporary_folder.hpp"

namespace fs = std::filesystem;
using namespace jcprof;
using namespace jcprof::rewriter;
using jcprof::test::fault_text;
using jcprof::test::TemporaryFolder;

namespace {

using Sources = std::map<std::string, std::string>;

struct Tree {
  TemporaryFolder folder;
  Project project;
  Sources sources;
  Generated generated;

  explicit Tree(Sources files, std::vector<std::string> flags = {}) : sources(std::move(files)) {
    for (const auto& [path, text] : sources) {
      write_file(folder.path() / path, text);
      project.sources.push_back(path);
    }
    project.root = folder.path();
    project.file = folder.path() / "jcprof.json";
    project.target = TargetKind::program;
    project.entry = {"main"};
    project.compile.flags = std::move(flags);
    project.compile.compiler = "gcc";
  }

  Tree& generate() {
    generated = rewriter::generate(project, folder.path() / "out");
    return *this;
  }

  fs::path tree() const { return folder.path() / "out/tree"; }

  std::string output(const std::vector<std::string>& argv) const {
    const ProcessResult result = run_and_wait({.argv = argv, .cwd = tree()}, {}, std::chrono::minutes{1});
    return fmt::format("{}{}", result.tail, result.exit_status);
  }

  std::size_t traps_of(const std::string& function) const {
    return static_cast<std::size_t>(std::ranges::count(generated.map.traps, function, &Trap::function));
  }

  bool is_undone() const {
    strip_in_place(tree());
    const bool same = std::ranges::all_of(
        sources, [&](const auto& source) { return read_file(tree() / source.first) == source.second; });
    return same && !fs::exists(tree() / "jcprof_tree.h");
  }
};

std::string main_calling(const std::string& function) {
  return "int main(void) {\n  return " + function + "(2);\n}\n";
}

}  // namespace

TEST_CASE("two programs of one tree that see a header differently both compile, behave the same and stop") {
  Tree tree(
      {{"include/shared.h",
        "static inline int twice(int x) {\n  int y = x;\n#ifdef BIG\n  y += 1000;\n#else\n  y += 1;\n#endif\n"
        "  return y * 2;\n}\n"},
       {"a/a.c",
        "#include <stdio.h>\n#include \"shared.h\"\nint main(void) {\n  printf(\"%d\\n\", twice(1));\n}\n"},
       {"b/b.c",
        "#include <stdio.h>\n#include \"shared.h\"\nint main(void) {\n  printf(\"%d\\n\", twice(2));\n}\n"}});
  tree.project.compile.database = "db.json";
  write_file(tree.folder.path() / "db.json",
             R"([{"directory": ".", "file": "a/a.c", "command": "gcc -Wall -Wextra -Iinclude -c a/a.c"},
                 {"directory": "b", "file": "b.c", "command": "gcc -Wall -DBIG -I ../include -c b.c"}])");
  tree.generate();
  CHECK(tree.generated.notes.empty());
  CHECK(tree.generated.map.language == "c");
  CHECK(tree.generated.coverage.with_trap == 6);
  CHECK(tree.generated.coverage.statements == 6);
  CHECK(tree.output({"gcc", "-Wall", "-Werror", "-Iinclude", "a/a.c", "-o", "pa"}) == "0");
  CHECK(tree.output({"gcc", "-Wall", "-Werror", "-Iinclude", "-DBIG", "b/b.c", "-o", "pb"}) == "0");
  CHECK(tree.output({"./pa"}) == "4\n0");
  CHECK(tree.output({"./pb"}) == "2004\n0");
  const auto big = std::ranges::find_if(tree.generated.map.traps, [](const Trap& trap) {
    return trap.path == "include/shared.h" && trap.line == 4;
  });
  REQUIRE(big != tree.generated.map.traps.end());
  const std::string armed = fmt::format("JCPROF_TRAP={}", number(big->id));
  CHECK(tree.output({"env", armed, "./pa"}) == "4\n0");
  CHECK(tree.output({"env", armed, "./pb"}) == "86");
  CHECK(tree.is_undone());
}

TEST_CASE("traps that an error points at are taken out, and the others stay") {
  Tree tree(Sources{{"x.c", "int g(int x);\n" + main_calling("g") +
                                "int f(int x) {\n  x++;\n  return x;\n}\n#undef JCPROF_TRAP\n"
                                "#define JCPROF_TRAP(id) =\nint g(int x) {\n  x--;\n  return x;\n}\n"}});
  tree.generate();
  CHECK(tree.traps_of("f") == 3);
  CHECK(tree.traps_of("g") == 0);
  CHECK(tree.traps_of("main") == 4);
  CHECK(tree.generated.notes ==
        std::vector<std::string>{"x.c:11: 3 traps of g are taken out: expected expression before '=' token"});
  REQUIRE(tree.generated.left_alone.size() == 2);
  CHECK(tree.generated.left_alone[0].line == 12);
  CHECK(tree.generated.left_alone[0].reason == "it does not compile there");
  CHECK(tree.output({"gcc", "x.c", "-o", "x"}) == "0");
  CHECK(tree.is_undone());
}

TEST_CASE("traps that bring a warning are taken out, also where it points into the runtime") {
  Tree tree(Sources{{"x.c", "int f(int x) {\n  x++;\n  return x;\n}\n" + main_calling("f") +
                                "void jcprof_passed(unsigned) __attribute__((deprecated));\n"
                                "int g(int x) {\n  x--;\n  return x;\n}\n"}},
            {"-Wall"});
  tree.generate();
  CHECK(tree.traps_of("f") > 0);
  CHECK(tree.traps_of("g") == 0);
  CHECK(tree.output({"gcc", "-Wall", "x.c", "-o", "x"}) == "0");
}

TEST_CASE("warnings that the sources have by themselves cost no trap") {
  Tree tree(Sources{{"x.c", "int f(int x) {\n  int unused;\n  if (x = 1) return 2;\n  return x;\n}\n" +
                                main_calling("f")}},
            {"-Wall"});
  tree.generate();
  CHECK(tree.generated.notes.empty());
  CHECK(tree.generated.coverage.with_trap == tree.generated.coverage.statements);
}

TEST_CASE("a diagnostic that no trap explains costs the traps of its file, and never the run") {
  Tree tree(Sources{{"x.c", "#define JCPROF_TRAP(id) ((void)(id))\nint f(int x) {\n  return x;\n}\n"},
                    {"y.c", "int f(int x);\n" + main_calling("f")}});
  tree.generate();
  CHECK(tree.traps_of("f") == 0);
  CHECK(tree.traps_of("main") > 0);
  CHECK(tree.generated.notes.back() ==
        "x.c:1: with traps the compiler says, and no trap is to blame: \"JCPROF_TRAP\" redefined");
}

TEST_CASE("units that their own compiler does not take are said to be unchecked") {
  Tree tree(Sources{{"x.c", "#ifndef __clang__\n#error no gcc\n#endif\nint main(void) {\n  return 0;\n}\n"}});
  CHECK(tree.generate().generated.notes ==
        std::vector<std::string>{
            "x.c: not checked by compiling: it does not compile by itself: x.c:2: #error no gcc"});
  Tree other(Sources{{"x.c", "int main(void) {\n  return 0;\n}\n"}});
  other.project.compile.compiler = "no-such-compiler";
  CHECK_THAT(other.generate().generated.notes.at(0), Catch::StartsWith("x.c: not checked by compiling: "));
}

TEST_CASE("what is neither Java nor C is refused, and so is one beside the other") {
  Tree tree(Sources{{"x.c", "int main(void) {\n  return 0;\n}\n"}, {"y.py", ""}, {"z.java", ""}});
  CHECK(fault_text([&] { tree.generate(); }) ==
        "y.py: this version reads Java, C and C++ sources only\n"
        "z.java: Java beside C: \"x.c\" is in the other language\n"
        "hint: give each language a project file of its own");
}

TEST_CASE("an entry that cannot be wrapped in process is refused with the reason") {
  Tree tree(Sources{
      {"x.cpp", "struct S {\n  int run(int x) { return x; }\n};\nint main() {\n  return S().run(0);\n}\n"}});
  tree.project.compile.compiler = "g++";
  tree.project.transport = "agent:x";
  tree.project.entry = {"S::run"};
  CHECK(fault_text([&] { tree.generate(); }) ==
        "x.cpp:2: \"S::run\" cannot be the entry: a wrapper cannot take the place of a member, of a "
        "template, or of "
        "what is in a namespace\n"
        "  2 |   int run(int x) { return x; }\n"
        "    |       ^\n"
        "hint: name a function that it calls, or that calls it");
  tree.project.transport = "exec:";
  CHECK(tree.generate().generated.map.language == "c++");
}

TEST_CASE("names of files narrow what gets traps") {
  Tree tree(
      Sources{{"x.c", "int f(int x) {\n  return x;\n}\n"}, {"y.c", "int f(int x);\n" + main_calling("f")}});
  tree.project.profile.exclude = {"x.c"};
  tree.generate();
  CHECK(tree.traps_of("f") == 0);
  CHECK(tree.traps_of("main") > 0);
}
