// SPDX-License-Identifier: Apache-2.0
// Whole trees in C: what is written compiles, can be undone and does the same, and what a compiler has
// against traps goes.
#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>

#include "rewriter/generate.hpp"
#include "rewriter/strip_files.hpp"
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

TEST_CASE(
    "a namesake in another file adds a file to a function's name, and leaves keys and globs as they are") {
  const Sources alone{{"a.c", "static int f(int x) { return x + 1; }\n" + main_calling("f")}};
  Sources both = alone;
  both["b.c"] = "static int f(int x) { return x + 2; }\nint g(void) { return f(1); }\n";
  Tree before(alone);
  Tree after(both);
  before.project.profile.include = after.project.profile.include = {"f"};
  before.generate();
  after.generate();
  CHECK(before.traps_of("f") == after.traps_of("a.c:f"));
  CHECK(after.traps_of("a.c:f") > 0);
  CHECK(after.traps_of("b.c:f") == after.traps_of("a.c:f"));
  CHECK(after.traps_of("g") == 0);
  for (const Trap& trap : before.generated.map.traps)
    CHECK(std::ranges::count(after.generated.map.traps, trap.key, &Trap::key) == 1);
}

TEST_CASE("a function may be named with its file though only one file has its name") {
  Tree tree(Sources{{"src/a.c", "static int f(int x) { return x + 1; }\n" + main_calling("f")},
                    {"b.c", "int g(void) { return 1; }\n"}});
  tree.project.entry = {"a.c:main"};
  tree.project.profile.include = {"src/a.c:f"};
  tree.generate();
  CHECK(tree.traps_of("f") > 0);
  CHECK(tree.traps_of("g") == 0);
  CHECK(tree.traps_of("main") == 2);
}

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

TEST_CASE("a tree compiles for record mode with a definition more") {
  Tree tree(Sources{{"x.c", "int f(int x) {\n  x++;\n  return x;\n}\n" + main_calling("f")}});
  tree.generate();
  CHECK(tree.output({"gcc", "-Wall", "-Wextra", "-Werror", "-DJCPROF_RECORD", "x.c", "-o", "x"}) == "0");
  CHECK(tree.output({"./x"}) == "3");
  CHECK(tree.is_undone());
}

TEST_CASE("traps that an error points at are taken out, and the others stay") {
  Tree tree(Sources{{"x.c", "int g(int x);\n" + main_calling("g") +
                                "int f(int x) {\n  x++;\n  return x;\n}\n#undef JCPROF_TRAP\n"
                                "#define JCPROF_TRAP(id) =\n#undef JCPROF_TRAP_V\n#define JCPROF_TRAP_V(id, "
                                "x) =\nint g(int x) {\n  x--;\n  return x;\n}\n"}});
  tree.generate();
  CHECK(tree.traps_of("f") == 3);
  CHECK(tree.traps_of("g") == 0);
  CHECK(tree.traps_of("main") == 4);
  CHECK(tree.generated.notes ==
        std::vector<std::string>{"x.c:13: 3 traps of g are taken out: expected expression before '=' token"});
  REQUIRE(tree.generated.left_alone.size() == 2);
  CHECK(tree.generated.left_alone[0].line == 14);
  CHECK(tree.generated.left_alone[0].reason == "it does not compile there");
  CHECK(tree.output({"gcc", "x.c", "-o", "x"}) == "0");
  CHECK(tree.is_undone());
}

TEST_CASE("a trap that keeps a lambda from being a constant goes alone, though the error stands at the use") {
  std::string many;
  for (int i = 0; i < 15; ++i)
    many += fmt::format("  auto f{0} = [](int a) {{ return one(a); }};\n  static_assert(f{0}(3) == 3);\n", i);
  Tree tree(
      Sources{{"x.cpp",
               "constexpr int one(int a) { return a; }\nstatic int other(int n) {\n  return one(n);\n}\n"
               "static int use(int n) {\n" +
                   many + "  return other(n);\n}\nint main() {\n  return use(2);\n}\n"}},
      {"-std=c++17"});
  tree.project.compile.compiler = "g++";
  tree.generate();
  CHECK(tree.traps_of("other") == 3);
  CHECK(tree.traps_of("use") == 18);
  CHECK(tree.traps_of("use::lambda$1") > 0);
  CHECK(tree.generated.notes.size() == 15);
  CHECK(tree.output({"g++", "-std=c++17", "x.cpp", "-o", "x"}) == "0");
  CHECK(tree.output({"./x"}) == "2");
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

TEST_CASE("if a compiler refuses the header of the traps, one note says so for all sources") {
  Sources sources{{"x.c", "int a1(int x);\n" + main_calling("a1")}};
  for (const std::string name : {"a", "b", "c"})
    sources[name + ".c"] =
        fmt::format("int {0}1(int x) {{\n  return x;\n}}\nint {0}2(int x) {{\n  return x;\n}}\n", name);
  sources["taken.h"] = "extern int jcprof_passed;\n";
  Tree tree(sources, {"-include", "taken.h"});
  tree.generate();
  CHECK(tree.generated.traps == 1);  // the command's own
  REQUIRE(tree.generated.notes.size() == 2);
  INFO(tree.generated.notes.front());
  CHECK_THAT(tree.generated.notes.front(),
             Catch::StartsWith("a.c:1: 2 traps of a1 are taken out: jcprof_tree.h:") &&
                 Catch::EndsWith("; so are 13 traps of 6 other functions"));
  CHECK_THAT(tree.generated.notes.back(),
             Catch::Contains("jcprof_tree.h:") && Catch::Contains("no single trap is the cause"));
}

TEST_CASE("an error that the compiler places on the command line takes traps out, too") {
  Tree tree(Sources{{"x.c", "int f(int x) {\n  return x;\n}\n" + main_calling("f")}}, {"-Djcprof_passed=1"});
  tree.generate();
  CHECK(tree.generated.traps == 1);  // the command's own
  REQUIRE(tree.generated.notes.size() >= 2);
  CHECK_THAT(tree.generated.notes.front(), Catch::Contains("taken out"));
  CHECK_THAT(tree.generated.notes.back(), Catch::StartsWith("<command-line>: "));
}

TEST_CASE("a constructor's entry that does not compile in front of a value stands in its body instead") {
  Tree tree(Sources{
      {"x.cpp",
       "static int grown(int x) { return x + 1; }\nstatic long grown(long x) { return x; }\n"
       "struct Made {\n  Made(int x) : one(grown), two(grown(x)) {}\n  int (*one)(int);\n  int two;\n};\n"
       "struct Other {\n  Other(int x) : two(grown(x)) {}\n  int two;\n};\n"
       "int main() {\n  return Made(2).one(2) + Other(1).two + (int)grown(2L);\n}\n"}});
  tree.generate();
  const std::string text = read_file(tree.tree() / "x.cpp");
  CHECK(text.find("one(grown), two(grown(x)) {/*[j*/JCPROF_TRAP(") != std::string::npos);
  CHECK(text.find("Other(int x) : two(/*[j*/(JCPROF_TRAP_E(") != std::string::npos);
  CHECK(tree.traps_of("Made::Made") == 2);
  CHECK(tree.traps_of("Other::Other") == 2);
  CHECK(tree.output({"g++", "x.cpp", "-o", "x"}) == "0");
  CHECK(tree.output({"./x"}) == "7");
  CHECK(tree.is_undone());
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
        "x.c:1: the compiler complains about the tree with traps, and no single trap is the cause: "
        "\"JCPROF_TRAP\" redefined");
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
  tree.project.transport = "labgrid:desk x";
  CHECK_THAT(fault_text([&] { tree.generate(); }), Catch::Contains("\"S::run\" cannot be the entry"));
  tree.project.transport = "exec:";
  CHECK(tree.generate().generated.map.language == "c++");
}

TEST_CASE("entries in process are wrapped in each form of definition, without a new diagnostic") {
  struct Form {
    std::string file;
    std::string text;
    std::string compiler = "gcc";
  };
  const std::vector<Form> forms{
      {"static.c", "static int f(int n) {\n  return n;\n}\n"},
      {"inline.c", "static inline int f(int n) {\n  return n;\n}\n"},
      {"always.c", "static inline __attribute__((always_inline)) int f(int n) {\n  return n;\n}\n"},
      {"hidden.c", "__attribute__((visibility(\"hidden\"))) int f(int n) {\n  return n;\n}\n"},
      {"kr.c", "int f(n) int n; {\n  return n;\n}\n"},
      {"inline.cpp", "inline int f(int n) {\n  return n;\n}\n", "g++"},
      {"c.cpp", "extern \"C\" int f(int n) noexcept {\n  return n;\n}\n", "g++"},
      {"default.cpp", "int f(int n = 3);\nint f(int n) {\n  return n;\n}\n", "g++"},
      {"nodiscard.cpp", "[[nodiscard]] int f(int n) {\n  return n;\n}\n", "g++"},
  };
  for (const Form& form : forms) {
    INFO(form.file);
    Tree tree(Sources{{form.file, form.text + "int main() {\n  return f(1) - 1;\n}\n"}},
              {"-Wall", "-Wextra"});
    tree.project.compile.compiler = form.compiler;
    tree.project.transport = "agent:x";
    tree.project.entry = {"f"};
    tree.generate();
    CHECK(tree.generated.notes.empty());
    CHECK_THAT(read_file(tree.tree() / form.file), Catch::Contains("#define JCPROF_ROOT_HERE\n#include"));
    CHECK(tree.output({form.compiler, form.file, "-o", "x"}) == "0");
    CHECK(tree.output({"./x"}) == "0");
    CHECK(tree.is_undone());
  }
}

TEST_CASE("entries whose definition no wrapper could stand for are refused with the reason") {
  const std::vector<std::array<std::string, 3>> cases{
      {"x.c", "_Noreturn void f(void) {\n  for (;;) {\n  }\n}\n",
       "it never returns, and a stop would have to"},
      {"x.c", "__attribute__((weak)) int f(void) {\n  return 1;\n}\n",
       "an attribute of it is about its own name"},
      {"x.c", "inline int f(void) {\n  return 1;\n}\n",
       "it is inline without being static: its code may be another file's"},
      {"x.c", "int f(int n, ...) {\n  return n;\n}\n",
       "it takes any number of arguments, which a wrapper could not pass on"},
      {"x.cpp", "int f(int n = 3) {\n  return n;\n}\n",
       "its definition gives parameters default values: give them in a declaration ahead of it"},
      {"x.cpp", "static int here;\nint& f() {\n  return here;\n}\n",
       "it returns a reference: a stop would have nothing to return"},
  };
  for (const auto& [file, text, reason] : cases) {
    Tree tree(Sources{{file, text + "int main() {\n  return 0;\n}\n"}});
    tree.project.transport = "agent:x";
    tree.project.entry = {"f"};
    CHECK_THAT(fault_text([&, &tree = tree] { tree.generate(); }),
               Catch::Contains("\"f\" cannot be the entry: " + reason + "\n"));
  }
}

TEST_CASE("coverage is of the functions that the project asks for, the others are counted apart") {
  Tree tree(Sources{{"x.c",
                     "static int g(int x) {\n  x++;\n  return x;\n}\n"
                     "static int f(int x) {\n  x++;\n  x++;\n  return g(x);\n}\n" +
                         main_calling("f")}});
  const auto coverage = [&] {
    const Coverage& found = tree.generate().generated.coverage;
    return fmt::format("{} of {}, {} apart", found.with_trap, found.statements, found.excluded);
  };
  CHECK(coverage() == "6 of 6, 0 apart");
  tree.project.profile.exclude = {"g"};
  CHECK(coverage() == "4 of 4, 2 apart");
  tree.project.profile.level = TrapLevel::none;
  CHECK(coverage() == "0 of 4, 2 apart");
}

TEST_CASE("names of files narrow what gets traps") {
  Tree tree(
      Sources{{"x.c", "int f(int x) {\n  return x;\n}\n"}, {"y.c", "int f(int x);\n" + main_calling("f")}});
  tree.project.profile.exclude = {"x.c"};
  tree.generate();
  CHECK(tree.traps_of("f") == 0);
  CHECK(tree.traps_of("main") > 0);
}

TEST_CASE("traps that gcc warns of only once it makes code are taken out") {
  Tree tree(Sources{{"x.c",
                     "int f(int n) {\n  int r = 0;\n  switch (n) {\n    case 1:\n      r = 9;\n"
                     "    default:\n      break;\n  }\n  return r;\n}\n" +
                         main_calling("f")}},
            {"-Wall", "-Wextra", "-Werror"});
  tree.generate();
  REQUIRE(tree.generated.left_alone.size() == 1);
  CHECK(tree.generated.left_alone[0].line == 7);
  CHECK(tree.output({"gcc", "-Wall", "-Wextra", "-Werror", "x.c", "-o", "x"}) == "0");
}

TEST_CASE("no warning that a build may ask for is about our header, or takes out a trap") {
  const std::vector<std::vector<std::string>> builds{
      {"gcc", "-Wpadded", "-Wall", "-Wextra"},
      {"gcc", "-O2", "-Wstrict-aliasing=1", "-Wtraditional-conversion", "-Wall"},
      {"gcc", "-Waggregate-return", "-Wlong-long", "-Wundef", "-Winline"},
      {"clang-19", "-Weverything", "-Wno-missing-prototypes", "-Wno-unknown-warning-option"}};
  for (const std::vector<std::string>& build : builds) {
    Tree tree(Sources{{"x.c",
                       "static int g(int x) {\n  int y = x + 1;\n  while (y < 9)\n    y++;\n  return y;\n}\n"
                       "int main(void) {\n  int z = g(2);\n  return z;\n}\n"}},
              {build.begin() + 1, build.end()});
    tree.project.compile.flags.emplace_back("-Werror");
    tree.project.compile.compiler = build.front();
    tree.generate();
    INFO(fmt::format("{} {}", build.front(), build[1]));
    CHECK(tree.generated.notes.empty());
    CHECK(tree.generated.coverage.with_trap == 6);
    CHECK(tree.generated.coverage.statements == 6);
    std::vector<std::string> argv = build;
    argv.insert(argv.end(), {"-Werror", "x.c", "-o", "x"});
    CHECK(tree.output(argv) == "0");
    CHECK(tree.output({"./x"}) == "9");
  }
}

TEST_CASE("a wrapper that does not compile ends the run with what the compiler says") {
  Tree tree(Sources{{"x.c", "int f(int n) {\n  return n;\n}\nint jcprof_body_f;\n" + main_calling("f")}});
  tree.project.transport = "agent:x";
  tree.project.entry = {"f"};
  CHECK(
      fault_text([&] { tree.generate(); }) ==
      "x.c:1: the entry \"f\" cannot be wrapped, the compiler says: x.c:4: 'f' redeclared as different kind "
      "of symbol\n  1 | int f(int n) {\n    |     ^\n"
      "hint: name a function that it calls, or that calls it");
}

TEST_CASE("an entry whose overload and recursion it calls behaves in process as it did") {
  Tree tree(Sources{{"x.cpp",
                     "int go(double x);\nint go(double x) { return static_cast<int>(x * 10); }\n"
                     "int go(int n) { return n > 4 ? go(n - 1) : go(n + 0.5) + 1; }\n"
                     "int main() {\n  return go(6) - 46;\n}\n"}},
            {"-Wall"});
  tree.project.compile.compiler = "g++";
  tree.project.transport = "agent:x";
  tree.project.entry = {"go(int)"};
  tree.generate();
  CHECK(tree.generated.notes.empty());
  CHECK(tree.output({"g++", "-Wall", "-Werror", "x.cpp", "-o", "x"}) == "0");
  CHECK(tree.output({"./x"}) == "0");
  CHECK(tree.is_undone());
}

TEST_CASE("a link to a folder of the project leads to that of the tree") {
  Tree tree(Sources{{"src/include/f.h", "static int f(int x) { return x + 1; }\n"},
                    {"a.c", "#include \"include/f.h\"\n" + main_calling("f")}});
  fs::create_symlink("src/include", tree.folder / "include");
  fs::create_symlink(tree.folder / "src/include", tree.folder / "src/again");
  tree.generate();
  CHECK(fs::read_symlink(tree.tree() / "include") == "src/include");
  CHECK(fs::read_symlink(tree.tree() / "src/again") == "include");
  CHECK(tree.traps_of("f") > 0);
  CHECK(read_file(tree.tree() / "include/f.h").find("JCPROF_TRAP") != std::string::npos);
  CHECK(tree.output({"sh", "-c", "gcc a.c -o a && ./a"}) == "3");
  CHECK(tree.is_undone());
}

TEST_CASE("a header with traps is still an assembler's") {
  Tree tree(
      {{"regs.h", "#define ONE 1\n#ifndef __ASSEMBLER__\nstatic int f(int x) { return x + 1; }\n#endif\n"},
       {"a.c", "#include \"regs.h\"\n" + main_calling("f")},
       {"b.S", "#include \"regs.h\"\n.globl one\none: .long ONE\n.section .note.GNU-stack\n"}});
  tree.project.sources = {"regs.h", "a.c"};
  tree.generate();
  REQUIRE(tree.traps_of("f") > 0);
  CHECK(tree.output({"sh", "-c", "gcc a.c b.S -o a && ./a"}) == "3");
}

TEST_CASE("a do loop whose body returns is left by its return alone") {
  Tree tree(
      Sources{{"a.c",
               "#define GIVE(x) do { int given = (x); return given; } while (0)\n"
               "static int f(int x) {\n  do {\n    x += 1;\n    return x;\n  } while (0);\n}\n"
               "static int g(int x) {\n  x = f(x);\n  GIVE(x);\n}\n"
               "static int h(int x) {\n  do {\n    if (x > 5) continue;\n    return x;\n  } while (x < 5);\n"
               "  x = g(x);\n  return x;\n}\n" +
                   main_calling("h")}},
      {"-Wall", "-Wextra"});
  tree.generate();
  CHECK(tree.generated.notes.empty());
  CHECK(tree.generated.coverage.with_trap == tree.generated.coverage.statements);
  CHECK(tree.output({"sh", "-c", "gcc -Wall -Wextra -Werror a.c -o a && ./a"}) == "2");
  CHECK(tree.is_undone());
}

TEST_CASE("gcc makes code of what it judges only where a trap may not be inlined for a processor") {
  const auto is_read_only = [](const std::string& function) {
    Tree tree(Sources{{"a.c",
                       "#define WIDE __attribute__((__target__(\"avx\")))\n"
                       "#define GIVE(x) do { return (x); } while (0)\n"
                       "#if defined JCPROF_JUDGED && JCPROF_LIVE\n#warning read only\n#endif\n"
                       "int get_target(int x);\nint get_target(int x) { return x; }\n" +
                           function + main_calling("f")}});
    tree.generate();
    CHECK(tree.output({"sh", "-c", "gcc -O2 -Werror a.c -o a && ./a"}) == "2");
    return std::ranges::any_of(tree.generated.notes, [](const std::string& note) {
      return note.find("read only") != std::string::npos;
    });
  };
  CHECK(is_read_only("static int f(int x) { GIVE(x); }\n"));
  CHECK(is_read_only("WIDE static int f(int x) { return x; }\n"));
  CHECK_FALSE(is_read_only("WIDE static int f(int x);\nint f(int x) { GIVE(x); }\n"));
}

TEST_CASE("gcc makes code of no unit that reads no such trap") {
  const auto warning_of = [](const std::string& unit) {
    return "#if defined JCPROF_JUDGED && JCPROF_LIVE\n#warning read only: " + unit + "\n#endif\n";
  };
  Tree tree(Sources{{"a.c", warning_of("a") + "static int f(int x) { return x; }\n" + main_calling("f")},
                    {"b.c", warning_of("b") + "#include \"wide.h\"\nint b(int x) { return wide(x); }\n"},
                    {"wide.h",
                     "__attribute__((__target__(\"avx\"))) static int wide(int x);\n"
                     "#define GIVE(x) do { return (x); } while (0)\nstatic int wide(int x) { GIVE(x); }\n"}});
  tree.generate();
  const auto is_noted = [&](const std::string& text) {
    return std::ranges::any_of(tree.generated.notes,
                               [&](const std::string& note) { return note.find(text) != std::string::npos; });
  };
  CHECK(is_noted("read only: a"));
  CHECK_FALSE(is_noted("read only: b"));
}

/// A compiler that notes the sources that it is given.
class NotingCompiler {
 public:
  explicit NotingCompiler(Tree& tree) : tree_(tree) {
    tree.project.compile.compiler = (tree.folder / "bin/gcc").string();
    install("");
    say_version("gcc 1");
  }

  /// Its answer. `more` is run then.
  void say_version(const std::string& version, const std::string& more = ":") const {
    write_file(version_, "echo " + version + "\n" + more + "\n");
  }

  void install(const std::string& comment) const {
    const fs::path program = tree_.project.compile.compiler;
    write_file(program, "#!/bin/sh\n#" + comment + "\n[ $1 = --version ] && . " + version_.string() +
                            " && exit\nfor last; do :; done\ncase $last in *.c) basename $last >> " +
                            log_.string() + " ;; esac\nexec gcc \"$@\"\n");
    fs::permissions(program, fs::perms::owner_all);
  }

  /// The sources that the compiler was given in one more generation, sorted by name.
  std::string given() const {
    write_file(log_, "");
    tree_.generate();
    std::istringstream lines(read_file(log_));
    std::multiset<std::string> names;
    for (std::string line; std::getline(lines, line);) names.insert(line);
    return fmt::format("{}", fmt::join(names, " "));
  }

 private:
  Tree& tree_;
  fs::path log_ = tree_.folder / "log";
  fs::path version_ = tree_.folder / "version";
};

TEST_CASE("a unit that compilers say nothing of is judged again if something that it reads has changed") {
  Tree tree(
      Sources{{"a.c", "#include \"one.h\"\nstatic int f(int x) { return x + ONE; }\n" + main_calling("f")},
              {"b.c", "int g(void) {\n  return 1;\n}\n"}});
  write_file(tree.folder / "one.h", "#define ONE 1\n");  // no source
  const NotingCompiler compiler(tree);
  CHECK(compiler.given() == "a.c b.c");
  const std::string before = read_file(tree.tree() / "b.c");
  CHECK(compiler.given().empty());
  CHECK(read_file(tree.tree() / "b.c") == before);
  write_file(tree.folder / "a.c", "int h(void) { return 2; }\n" + tree.sources["a.c"]);
  CHECK(compiler.given() == "a.c");  // though the traps of b.c have other numbers
  CHECK(read_file(tree.tree() / "b.c") != before);
  write_file(tree.folder / "one.h", "#define ONE 1  // again\n");
  CHECK(compiler.given() == "a.c");
  tree.project.compile.flags = {"-Wall"};
  CHECK(compiler.given() == "a.c b.c");
  compiler.install("another");
  CHECK(compiler.given() == "a.c b.c");
  tree.project.profile.exclude = {"g"};
  CHECK(compiler.given() == "b.c");
  tree.project.action = TrapAction::record;
  CHECK(compiler.given() == "a.c b.c");
  CHECK(compiler.given().empty());
}

/// Another text of the same size and time.
void replace_unseen(const fs::path& file, const std::string& text) {
  const fs::file_time_type before = fs::last_write_time(file);
  const fs::perms access = fs::status(file).permissions();
  REQUIRE(text.size() == fs::file_size(file));
  write_file(file, text);
  fs::last_write_time(file, before);
  fs::permissions(file, access);
}

TEST_CASE(
    "a file of equal size whose time is set back is noticed, as is what a wrapper of a compiler starts") {
  Tree tree(Sources{{"a.c", "#include \"one.h\"\nint f(int x) { return x + ONE; }\n" + main_calling("f")},
                    {"b.c", "int g(void) {\n  return 1;\n}\n"}});
  const fs::path header = tree.folder / "one.h";
  write_file(header, "#define ONE 1\n");
  const NotingCompiler compiler(tree);
  compiler.install("1");
  CHECK(compiler.given() == "a.c b.c");
  replace_unseen(header, "#define ONE 2\n");
  CHECK(compiler.given() == "a.c");
  std::string wrapper = read_file(tree.project.compile.compiler);
  wrapper[wrapper.find("#1") + 1] = '2';
  replace_unseen(tree.project.compile.compiler, wrapper);
  CHECK(compiler.given() == "a.c b.c");
  compiler.say_version("gcc 2");
  CHECK(compiler.given() == "a.c b.c");
  CHECK(compiler.given().empty());
}

TEST_CASE("a header that clang does not read is noticed too") {
  Tree tree(
      Sources{{"a.c", "#ifndef __clang__\n#include \"gcc only.h\"\n#endif\nint f(int x) { return x; }\n" +
                          main_calling("f")},
              {"b.c", "int g(void) {\n  return 1;\n}\n"}});
  write_file(tree.folder / "gcc only.h", "#define ONE 1\n");
  const NotingCompiler compiler(tree);
  CHECK(compiler.given() == "a.c b.c");
  CHECK(compiler.given().empty());
  write_file(tree.folder / "gcc only.h", "#define ONE 2\n");
  CHECK(compiler.given() == "a.c");
  CHECK(compiler.given().empty());
}

TEST_CASE("nothing is remembered of a tree that was edited meanwhile") {
  Tree tree(Sources{{"a.c", "#include \"one.h\"\nint f(int x) { return x + ONE; }\n" + main_calling("f")}});
  const fs::path header = tree.folder / "one.h";
  write_file(header, "#define ONE 1\n");
  const NotingCompiler compiler(tree);
  compiler.say_version("gcc 1", "echo '#define ONE 2' > " + header.string());
  CHECK(compiler.given() == "a.c");
  compiler.say_version("gcc 1");
  CHECK(compiler.given() == "a.c");
  CHECK(compiler.given().empty());
}

TEST_CASE("what is known stays known while something else is generated, and does not grow without end") {
  Tree tree(Sources{{"a.c", "static int f(int x) { return x; }\n" + main_calling("f")}});
  const NotingCompiler compiler(tree);
  CHECK(compiler.given() == "a.c");
  tree.project.action = TrapAction::record;
  CHECK(compiler.given() == "a.c");
  tree.project.action = TrapAction::stop;
  CHECK(compiler.given().empty());
  for (const char* const flag : {"-DA", "-DB", "-DC", "-DD"}) {
    tree.project.compile.flags = {flag};
    CHECK(compiler.given() == "a.c");
  }
  const std::string judged = read_file(tree.folder / "out/judged");
  CHECK(std::ranges::count(judged, '\n') == 4);
  tree.project.compile.flags = {};
  CHECK(compiler.given() == "a.c");
}

TEST_CASE(
    "a unit whose compiler says the same of the original is judged once, and one with a fault each time") {
  Tree tree(
      Sources{{"a.c", "#warning odd\n" + main_calling("g")},
              {"b.c",
               "int h(int x);\n__attribute__((__target__(\"no-sse\"))) int g(int x);\n"
               "#define GIVE(x) do { return (x); } while (0)\nint g(int x) {\n  x += 1;\n  GIVE(x);\n}\n"}});
  const NotingCompiler compiler(tree);
  CHECK(compiler.given() == "a.c a.c b.c b.c b.c");
  CHECK(tree.generated.notes.size() == 1);
  CHECK(compiler.given() == "b.c b.c");  // without the faulty trap it is known
  CHECK(tree.generated.notes.size() == 1);
}

TEST_CASE("a trap that cannot be inlined for a function's processor is taken out") {
  Tree tree(Sources{{"a.c",
                     "#define NARROW __attribute__((__target__(\"no-sse\")))\n"
                     "#define GIVE(x) do { return (x); } while (0)\n"
                     "NARROW static int f(int x);\nstatic int f(int x) {\n  x += 1;\n  GIVE(x);\n}\n" +
                         main_calling("f")}});
  tree.generate();
  CHECK(tree.generated.notes.size() == 1);
  CHECK(tree.output({"sh", "-c", "gcc a.c -o a && ./a"}) == "3");
}

TEST_CASE(
    "a trap that records is taken out too where it cannot be inlined, however the attribute is written") {
  const std::string attribute =
      GENERATE("__attribute__((target(\"no-sse\")))", "[[gnu::target(\"no-sse\")]]", "NARROW", "ELSEWHERE");
  const auto action = GENERATE(TrapAction::stop, TrapAction::record);
  INFO(attribute);
  const std::string narrow = "-DNARROW=__attribute__((target(\"no-sse\")))";
  Tree tree(Sources{{"a.c", "#define GIVE(x) do { return (x); } while (0)\n" + attribute +
                                " static int f(int x) {\n  x += 1;\n  GIVE(x);\n}\n" + main_calling("f")}},
            {"-std=gnu2x", narrow, "-include", "elsewhere.h"});
  write_file(tree.folder / "elsewhere.h",
             "#define ELSEWHERE __attribute__((target(\"no-sse\")))\n");  // no source
  tree.project.action = action;
  tree.generate();
  CHECK(tree.output({"gcc", "-std=gnu2x", narrow, "-include", "elsewhere.h", "-c", "a.c", "-o", "a.o"}) ==
        "0");
}
