// SPDX-License-Identifier: Apache-2.0
// The wrapper of an entry: its text, and that it compiles and stops in all forms of functions.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "rewriter/c/entry.hpp"
#include "rewriter/c/runtime.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "tests/core/temporary_folder.hpp"
#include "tests/rewriter/c_rewriting.hpp"

namespace fs = std::filesystem;
using namespace jcprof;
using namespace jcprof::rewriter;
using jcprof::test::TemporaryFolder;

namespace {

/// A definition as the rewriter leaves it, with one trap, and what calls the entry.
struct Case {
  std::string name;
  EntrySignature signature;
  std::string ahead;       // in front of all
  std::string definition;  // holds "TRAP"
  std::string call;
};

std::string program_of(const Case& c, const std::string& main) {
  const EntryWrapper wrapper = entry_wrapper(c.signature);
  std::string definition = c.definition;
  definition.replace(definition.find("TRAP"), 4, "JCPROF_TRAP(1)");
  definition.insert(definition.find('{', definition.find(')')), "\n" + wrapper.at_body);
  return "#define JCPROF_ROOT_HERE\n#include \"jcprof_tree.h\"\nint passed;\n" + c.ahead + "\n" +
         wrapper.before + definition + "\n" + wrapper.behind + main;
}

const std::vector<Case> c_cases{
    {"void", {.name = "f", .result = "void"}, "void f(void);", "void f(void) { TRAP; passed = 1; }", "f()"},
    {"pointer to function",
     {.name = "f",
      .result = "int (*)(int)",
      .parameters = {"int (*)(int)", "const char *const *"},
      .is_static = true},
     "",
     "static int (*f(int (*g)(int), const char *const *s))(int) { TRAP; passed = 1; (void)s; return g; }",
     "f(0, 0)"},
    {"structure by value",
     {.name = "f", .result = "struct s", .parameters = {"struct s", "const int"}},
     "struct s { int a[40]; }; struct s f(struct s, int);",
     "struct s f(struct s a, const int b) { TRAP; passed = b; return a; }",
     "{ struct s a = {{0}}; f(a, 1); }"},
    {"recursion",
     {.name = "f", .result = "int", .parameters = {"int"}},
     "int f(int);",
     "int f(int n) { if (n > 0) return f(n - 1); TRAP; passed = 1; return n; }",
     "f(3)"},
};
const Case old_style{"as in K&R",
                     {.name = "f", .result = "int", .parameters = {"char", "float"}, .old_style = true},
                     "int f();",
                     "int f(c, x) char c; float x; { TRAP; passed = c == 'a' && x == 2; return 1; }",
                     "f('a', 2.0f)"};
const std::vector<Case> cpp_cases{
    {"overloads and members of its name",
     {.name = "f", .result = "int", .parameters = {"int"}, .is_cpp = true},
     "struct S { int f(int x) { return x; } }; int f(double x) { return S().f(static_cast<int>(x)); }",
     "int f(int n) { S s; TRAP; passed = s.f(n); return n > 1 ? f(n - 1) : f(n + 0.5); }",
     "f(3)"},
    {"moved and referred to",
     {.name = "f",
      .result = "std::unique_ptr<int>",
      .parameters = {"std::unique_ptr<int>", "int &", "std::string &&"},
      .is_cpp = true},
     "#include <memory>\n#include <string>",
     "std::unique_ptr<int> f(std::unique_ptr<int> p, int& i, std::string&& s) { TRAP; i = 1; s += *p; return "
     "p; }",
     "f(std::make_unique<int>(1), passed, std::string())"},
    {"C linkage",
     {.name = "f", .result = "int", .is_cpp = true, .c_linkage = true, .is_noexcept = true},
     "extern \"C\" int f(void) noexcept;",
     "extern \"C\" int f(void) noexcept { TRAP; passed = 1; return 1; }",
     "f()"},
};

const std::vector<Case> cpp98_cases{
    cpp_cases[0],
    {"referred to, and throws nothing",
     {.name = "f",
      .result = "int",
      .parameters = {"std::string", "int &"},
      .is_cpp = true,
      .is_noexcept = true},
     "#include <string>\nint f(std::string, int&) throw();",
     "int f(std::string s, int& i) throw() { TRAP; i = 1; return s.size(); }",
     "f(\"a\", passed)"},
};

/// Unarmed the body passes the trap; armed it stops there, and the next call is as if nothing had been.
void check_stops(const std::vector<std::string>& compiler, const Case& c) {
  CAPTURE(c.name, compiler);
  const TemporaryFolder folder;
  const std::string main = fmt::format(
      "int main(void) {{\n  struct jcprof_run run;\n  {0};\n  if (!passed) return 1;\n  passed = 0;\n"
      "  jcprof_arm(&run, 1, 1);\n  {0};\n  if (passed || run.head.trap != 1) return 2;\n  {0};\n"
      "  return passed ? 0 : 3;\n}}\n",
      c.call);
  write_file(folder.path() / "jcprof_tree.h", c_runtime_source({.language = "c"}, Reach::in_process));
  const std::string file = c.signature.is_cpp ? "x.cpp" : "x.c";
  write_file(folder.path() / file, program_of(c, main));
  std::vector<std::string> argv = compiler;
  argv.insert(argv.end(), {"-Wall", "-Wextra", "-Werror", "-O2", file, "-o", "x"});
  const ProcessResult built = run_and_wait({.argv = argv, .cwd = folder.path()}, {}, std::chrono::minutes{1});
  REQUIRE(built.tail == "");
  CHECK(run_and_wait({.argv = {"./x"}, .cwd = folder.path()}, {}, std::chrono::minutes{1}).exit_status == 0);
}

}  // namespace

TEST_CASE("the wrapper of an entry sets the root and passes on what it was called with") {
  const EntryWrapper c =
      entry_wrapper({.name = "handle", .result = "int", .parameters = {"void *", "int (*)(int)"}});
  CHECK(c.before ==
        "#if JCPROF_LIVE\n__typeof__(int) handle(__typeof__(void *) jcprof_1, __typeof__(int (*)(int)) "
        "jcprof_2);\n#define handle jcprof_body_handle\n"
        "static JCPROF_BODY __typeof__(int) handle(__typeof__(void *), __typeof__(int (*)(int)));\n#endif\n");
  CHECK(c.behind ==
        "#if JCPROF_LIVE\nJCPROF_WRAPPER __typeof__(int) handle(__typeof__(void *) jcprof_1, __typeof__(int "
        "(*)(int)) "
        "jcprof_2) { JCPROF_ROOT(int); return jcprof_body_handle(jcprof_1, jcprof_2); }\n#endif\n");
  CHECK(c.at_body == "#if JCPROF_LIVE\n#undef handle\n#endif\n");
  const EntryWrapper shown = entry_wrapper({.name = "f",
                                            .result = "void",
                                            .is_cpp = true,
                                            .c_linkage = true,
                                            .is_declared = true,
                                            .is_inline = true,
                                            .visibility = "default"});
  CHECK(shown.before == "#if JCPROF_LIVE\n#define f jcprof_body_f\n#endif\n");
  CHECK_THAT(shown.behind,
             Catch::StartsWith("#if JCPROF_LIVE\nextern \"C\" inline __attribute__((__visibility__("
                               "\"default\"))) JCPROF_WRAPPER void f(void)"));
  const EntryWrapper none = entry_wrapper({.name = "f", .result = "void", .is_static = true});
  CHECK(
      none.behind ==
      "#if JCPROF_LIVE\nstatic JCPROF_WRAPPER void f(void) { JCPROF_ROOT_VOID; jcprof_body_f(); }\n#endif\n");
}

TEST_CASE("what a wrapper cannot do has a reason") {
  CHECK(why_no_wrapper({.name = "log", .result = "int", .parameters = {"const char *"}, .variadic = true}) ==
        "it takes any number of arguments, which a wrapper could not pass on");
  CHECK(why_no_wrapper({.name = "main", .result = "int"}) ==
        "main is not called in process: name the function that the agent calls");
  CHECK(why_no_wrapper({.name = "at", .result = "int &", .is_cpp = true}) ==
        "it returns a reference: a stop would have nothing to return");
  CHECK(why_no_wrapper({.name = "f", .result = "void"}).empty());
}

TEST_CASE("wrapped entries of C stop and return, from C90 on, without a warning") {
  const bool has_clang = fs::exists("/usr/bin/clang-19");
  if (!has_clang) WARN("SKIPPED for clang: clang-19 is missing (scripts/setup --fuzz)");
  for (const Case& c : c_cases) {
    check_stops({"gcc", "-std=c90", "-pedantic", "-Wmissing-prototypes", "-Wdeclaration-after-statement"}, c);
    check_stops({"gcc", "-std=gnu17"}, c);
    if (has_clang) check_stops({"clang-19", "-std=c17"}, c);
  }
  check_stops({"gcc", "-std=c90", "-pedantic"}, old_style);
}

TEST_CASE("wrapped entries of C++ stop and return, and move what they are passed") {
  for (const Case& c : cpp_cases)
    for (const char* standard : {"-std=c++14", "-std=c++20"}) check_stops({"g++", standard}, c);
  for (const Case& c : cpp98_cases) check_stops({"g++", "-std=c++98"}, c);
}

TEST_CASE("what gcc warns of and clang refuses, without losing anything, is read all the same") {
  const fs::path root =
      written("strict", {{"x.cpp",
                          "int main(int n, char**) {\n  while (n > 9) {\n    [[fallthrough]];\n  }\n  "
                          "return n - 1;\n}\n"}});
  const std::vector<SourceModel> models =
      read_c(root, {"x.cpp"}, {unit_of(root, "x.cpp", {"-std=c++17"})}, {}).models;
  CHECK(models.front().functions.front().name == "main");
}
