// SPDX-License-Identifier: Apache-2.0
// What hangs on several units and files, and what cannot be read. Single features: c_approval_test.cpp.
#include <catch2/catch.hpp>

#include "src/core/error.hpp"
#include "tests/rewriter/c_rewriting.hpp"

namespace fs = std::filesystem;
using namespace jcprof;
using namespace jcprof::rewriter;

namespace {

/// The text behind the #include of the runtime, without the marks of the insertions.
std::string bare(std::string text) {
  const std::string first = "#line 1\n/*j]*/";
  if (const std::size_t at = text.find(first); at != std::string::npos) text.erase(0, at + first.size());
  for (const std::string_view mark : {span_begin, span_end})
    for (std::size_t at = 0; (at = text.find(mark)) != std::string::npos;) text.erase(at, mark.size());
  return text;
}

std::string message_of(const fs::path& root, const std::vector<std::string>& paths,
                       const std::vector<CompileUnit>& units) {
  try {
    read_c(root, paths, units, {Reach::program});
  } catch (const UserError& error) {
    std::string text;
    for (const Fault& fault : error.faults()) text += render(fault) + "\n";
    for (std::size_t at = 0; (at = text.find(root.string())) != std::string::npos;)
      text.replace(at, root.string().size(), "…");
    return text;
  }
  return "it was read";
}

const std::string main_text = "int main(void) { return 0; }\n";

}  // namespace

TEST_CASE("a header that many units see alike has its traps once") {
  const fs::path root = written("alike", {{"h.h", "static int f(int x) { return x; }\n"},
                                          {"a.c", "#include \"h.h\"\nint a(void) { return f(1); }\n"},
                                          {"b.c", "#include \"h.h\"\nint main(void) { return f(2); }\n"}});
  const CRewritten rewritten = rewrite_c(
      read_c(root, {"a.c", "b.c", "h.h"}, {unit_of(root, "a.c"), unit_of(root, "b.c")}, {Reach::program})
          .models,
      {.entry = {"main"}, .scope = {}});
  CHECK(bare(rewritten.texts[2]) == "static int f(int x) {JCPROF_TRAP(8); JCPROF_TRAP_V(9,x);return x; }\n");
  CHECK(rewritten.models[2].functions.size() == 1);
}

TEST_CASE("auto as the type of a parameter is read where the unit's compiler takes it, and has traps") {
  const fs::path root = written("auto", {{"a.cpp",
                                          "static int twice(const auto& x, auto y) {\n  return x + y;\n}\n"
                                          "const char* text = u8\"text\";\n"
                                          "int main() {\n  return twice(1, 2L);\n}\n"}});
  const auto read_by = [&](const char* compiler) {
    CompileUnit unit = unit_of(root, "a.cpp", {"-std=c++17"});
    unit.arguments.front() = compiler;
    return message_of(root, {"a.cpp"}, {unit});
  };
  CHECK(read_by("g++") == "it was read");
  CHECK_THAT(read_by("clang++-19"), Catch::StartsWith("…/a.cpp:1: 'auto' not allowed"));
  const CRewritten rewritten =
      rewrite_c(read_c(root, {"a.cpp"}, {unit_of(root, "a.cpp", {"-std=c++17"})}, {Reach::program}).models,
                {.entry = {"main"}, .scope = {}});
  CHECK_THAT(rewritten.texts[0], Catch::Contains("JCPROF_TRAP(5);") && Catch::Contains("/*j]*/x + y/*[j*/"));
  CHECK(rewritten.models[0].functions.size() == 2);
}

TEST_CASE("in a header that units compile differently traps stand where all that compile a place agree") {
  const fs::path root = written(
      "differently", {{"h.h",
                       "static int f(int x) {\n"
                       "#ifdef A\n  x++;\n#else\n  x--;\n#endif\n"
                       "  x *= 2;\n"
                       "  MAYBE x += 3;\n"
                       "  return x;\n}\n"},
                      {"a.c", "#define A\n#define MAYBE\n#include \"h.h\"\nint a(void) { return f(1); }\n"},
                      {"b.c", "#define MAYBE if (x)\n#include \"h.h\"\nint main(void) { return f(2); }\n"}});
  const CRewritten rewritten = rewrite_c(
      read_c(root, {"h.h", "b.c"}, {unit_of(root, "a.c"), unit_of(root, "b.c")}, {Reach::program}).models,
      {.entry = {"main"}, .scope = {}});
  CHECK(bare(rewritten.texts[0]) ==
        "static int f(int x) {JCPROF_TRAP(1);\n"
        "#ifdef A\n  JCPROF_TRAP(2);x++;\n#else\n  JCPROF_TRAP(3);x--;\n#endif\n"
        "  JCPROF_TRAP(4);x *= 2;\n"
        "  MAYBE x += 3;\n"
        "  JCPROF_TRAP_V(5,x);return x;\n}\n");
  CHECK(reasons_of(rewritten.models[0]) ==
        "8: its loop or condition comes from a macro (1)\n8: units that compile it disagree (1)\n");
}

TEST_CASE("of traps that units want in different forms, the form stands that suits all") {
  const Files files{{"h.h",
                     "INLINE int f(int x) {\n  NUMBER y;\n  y = x / 3;\n  x += 2;\n  return 1;\n}\n"
                     "static int g(int x) {\n  NUMBER y = x / 3;\n  int z = x + 1;\n  return 1;\n}\n"},
                    {"a.c", "#define INLINE static\n#define NUMBER int\n#include \"h.h\"\n" + main_text},
                    {"b.c", "#define INLINE static\n#define NUMBER volatile int\n#include \"h.h\"\n"},
                    {"c.cpp", "#define INLINE constexpr\n#define NUMBER int\n#include \"h.h\"\n"}};
  const fs::path root = written("forms", files);
  const auto rewritten = [&](const std::vector<std::string>& units) {
    std::vector<CompileUnit> read;
    for (const std::string& unit : units) read.push_back(unit_of(root, unit, {"-std=c++20"}));
    for (CompileUnit& unit : read)
      if (unit.path.ends_with(".c")) unit.arguments.pop_back();
    const CRewritten result = rewrite_c(read_c(root, {"h.h", "a.c"}, read, {Reach::program}).models,
                                        {.entry = {"main"}, .scope = {}});
    CHECK(reasons_of(result.models[0]).empty());
    return bare(result.texts[0]);
  };
  CHECK(rewritten({"a.c"}) ==
        "INLINE int f(int x) {JCPROF_TRAP_D(1);\n  NUMBER y;\n  JCPROF_TRAP(2);y = x / 3;\n"
        "  JCPROF_TRAP_V(3,y);x += 2;\n  JCPROF_TRAP_V(4,x);return 1;\n}\n"
        "static int g(int x) {JCPROF_TRAP_D(5);\n  JCPROF_TRAP_D(6);NUMBER y = x / 3;\n"
        "  JCPROF_TRAP_DV(7,y);int z = x + 1;\n  JCPROF_TRAP_V(8,z);return 1;\n}\n");
  CHECK(rewritten({"a.c", "b.c"}) ==
        "INLINE int f(int x) {JCPROF_TRAP_D(1);\n  NUMBER y;\n  JCPROF_TRAP(2);y = x / 3;\n"
        "  JCPROF_TRAP(3);x += 2;\n  JCPROF_TRAP_V(4,x);return 1;\n}\n"
        "static int g(int x) {JCPROF_TRAP_D(5);\n  JCPROF_TRAP_D(6);NUMBER y = x / 3;\n"
        "  JCPROF_TRAP_D(7);int z = x + 1;\n  JCPROF_TRAP_V(8,z);return 1;\n}\n");
  CHECK(rewritten({"a.c", "c.cpp"}) ==
        "INLINE int f(int x) {JCPROF_TRAP_D(1);\n  NUMBER y;\n  JCPROF_TRAP(2);y = x / 3;\n"
        "  JCPROF_TRAP(3);x += 2;\n  JCPROF_TRAP(4);return 1;\n}\n"
        "static int g(int x) {JCPROF_TRAP_D(5);\n  JCPROF_TRAP_D(6);NUMBER y = x / 3;\n"
        "  JCPROF_TRAP_DV(7,y);int z = x + 1;\n  JCPROF_TRAP_V(8,z);return 1;\n}\n");
}

TEST_CASE("a header of C and of C++ has the traps that both can have") {
  const fs::path root = written(
      "both",
      {{"h.h", "static inline int f(int x) {\n  int y = x;\n  if (y) y = x + f(0);\n  return y;\n}\n"},
       {"a.cpp", "#include \"h.h\"\nint a() { return f(1); }\n"},
       {"b.c", "#include \"h.h\"\n" + main_text}});
  const CRewritten rewritten = rewrite_c(
      read_c(root, {"h.h", "b.c"}, {unit_of(root, "a.cpp"), unit_of(root, "b.c")}, {Reach::program}).models,
      {.entry = {"main"}, .scope = {}});
  CHECK(bare(rewritten.texts[0]) ==
        "static inline int f(int x) {JCPROF_TRAP_D(1);\n  JCPROF_TRAP_D(2);int y = x;\n"
        "  JCPROF_TRAP(3);if (y) {JCPROF_TRAP(4);y = x + f(0);JCPROF_TRAP_V(5,y);}\n  "
        "JCPROF_TRAP_V(6,y);return "
        "y;\n}\n");
  CHECK(reasons_of(rewritten.models[0]).empty());
}

TEST_CASE("what clang finds wrong is said of all units at once") {
  const fs::path root =
      written("wrong", {{"h.h", "int broken(;\n"},
                        {"a.c", "#include \"h.h\"\n"},
                        {"b.c", "#include \"h.h\"\n#include <none.h>\n"},
                        {"c.c", "int main(void) { int f(void) { return 1; } return f(); }\n"}});
  CHECK(message_of(root, {"a.c"}, {unit_of(root, "a.c"), unit_of(root, "b.c"), unit_of(root, "c.c")}) ==
        "…/h.h:1: expected parameter declarator\n  1 | int broken(;\n    |            ^\n"
        "hint: clang 19 read …/a.c with the flags that \"compile\" gives for it\n"
        "…/h.h:1: expected ')'\n  1 | int broken(;\n    |            ^\n"
        "hint: clang 19 read …/a.c with the flags that \"compile\" gives for it\n"
        "…/b.c:2: 'none.h' file not found\n  2 | #include <none.h>\n    |          ^\n"
        "hint: clang 19 read …/b.c with the flags that \"compile\" gives for it\n"
        "…/c.c:1: function definition is not allowed here\n"
        "  1 | int main(void) { int f(void) { return 1; } return f(); }\n"
        "    |                              ^\n"
        "hint: clang, by which jcprof reads, has no functions within functions: they are an extension of "
        "gcc's\n");
}

TEST_CASE("a source with jcprof's traps in it is refused") {
  const fs::path root =
      written("twice", {{"a.c", "int main(void) {/*[j*/JCPROF_TRAP(1);/*j]*/ return 0; }\n"}});
  CHECK(message_of(root, {"a.c"}, {unit_of(root, "a.c")}) ==
        "a.c:1: the source carries jcprof's traps already\n"
        "  1 | int main(void) {/*[j*/JCPROF_TRAP(1);/*j]*/ return 0; }\n"
        "    |                 ^\nhint: take them out with: jcprof strip a.c\n");
}

TEST_CASE("a file that no unit includes has no trap and says why") {
  const fs::path root = written("unseen", {{"a.c", main_text}, {"b.c", "int b(void) { return 1; }\n"}});
  const std::vector<SourceModel> models =
      read_c(root, {"a.c", "b.c"}, {unit_of(root, "a.c")}, {Reach::program}).models;
  CHECK(models[1].sites.empty());
  CHECK(models[1].slots.empty());
  CHECK(reasons_of(models[1]) == "1: no unit includes the file (1)\n");
}

TEST_CASE("an entry that is reached in process has its definition renamed and a wrapper behind it") {
  const fs::path root =
      written("wrapped",
              {{"a.c", "int other(void);\nint handle(int x, char *p)\n{\n  return x + *p;\n}\nint last;\n"}});
  const CRewritten rewritten =
      rewrite_c(read_c(root, {"a.c"}, {unit_of(root, "a.c")}, {Reach::in_process}).models,
                {.entry = {"handle"}, .scope = {}});
  const std::string text = bare(rewritten.texts[0]);
  CHECK(
      text.starts_with("int other(void);\n\n#if JCPROF_LIVE\n__typeof__(int) handle(__typeof__(int) "
                       "jcprof_1, __typeof__(char *) "
                       "jcprof_2);\n#define handle jcprof_body_handle\n"));
  CHECK(text.find("#line 2\nint handle(int x, char *p)\n\n#if JCPROF_LIVE\n#undef handle\n#endif\n#line 3\n"
                  "{JCPROF_TRAP(1);JCPROF_TRAP(2);\n") != std::string::npos);
  CHECK(text.ends_with("#line 5\n\nint last;\n"));
}

TEST_CASE("what cannot be wrapped cannot be the entry in process, but can where a program is one run") {
  const fs::path root =
      written("members", {{"a.cpp",
                           "struct S { void run() {} };\ntemplate <class T> void f(T) {}\n"
                           "void list(int, ...) {}\nnamespace n { void g(); }\nvoid n::g() {}\n"
                           "extern \"C\" void h() {}\n"}});
  const auto entries = [&](Reach reach) {
    std::string names;
    const SourceModel model = read_c(root, {"a.cpp"}, {unit_of(root, "a.cpp")}, {reach}).models.front();
    for (const Site& site : model.sites)
      if (site.kind == TrapKind::entry0) names += model.functions[site.function].name + " ";
    return names;
  };
  CHECK(entries(Reach::program) == "S::run f list n::g h ");
  CHECK(entries(Reach::in_process) == "h ");
}

TEST_CASE("statics of one name in several files have their files' names in those of their traps") {
  const fs::path root =
      written("statics", {{"one.c", "static int f(void) { return 1; }\nint g(void) { return f(); }\n"},
                          {"two.c", "static int f(void) { return 2; }\nint main(void) { return f(); }\n"}});
  const std::vector<SourceModel> models =
      read_c(root, {"one.c", "two.c"}, {unit_of(root, "one.c"), unit_of(root, "two.c")}, {Reach::program})
          .models;
  CHECK(models[0].functions[0].owner == "one");
  CHECK(models[1].functions[0].owner == "two");
  CHECK(models[0].functions[1].owner == "");
  CHECK(models[0].functions[0].name == "one.c:f");
  CHECK(models[1].functions[0].name == "two.c:f");
  CHECK(models[0].functions[1].name == "g");
}

TEST_CASE("a function that units give different names is one, with the traps of all of it") {
  const fs::path root =
      written("renamed",
              {{"kernel.h",
                "namespace ISA { int helper(int x) { int y = x * 3; while (y > 9) y -= 7; return y; } }\n"},
               {"a.cpp", "#define ISA sse2\n#include \"kernel.h\"\nint main() { return sse2::helper(1); }\n"},
               {"b.cpp", "#define ISA avx2\n#include \"kernel.h\"\nint g() { return avx2::helper(1); }\n"}});
  const SourceModel model =
      read_c(root, {"kernel.h"}, {unit_of(root, "a.cpp"), unit_of(root, "b.cpp")}, {Reach::program})
          .models.front();
  REQUIRE(model.functions.size() == 1);
  CHECK(model.functions[0].name == "sse2::helper");
  CHECK(model.functions[0].statements == 4);
  CHECK(std::ranges::count(model.sites, true, &Site::counts) == 4);
  CHECK(model.left_alone.empty());
}

TEST_CASE("the same units make the same models, whichever thread is first") {
  Files files{{"h.h",
               "#ifdef A\nstatic int f(int x) { return x + A; }\n#else\nstatic int f(int x) { if (x) x++; "
               "return x; }\n#endif\n"}};
  for (int i = 0; i < 12; ++i)
    files.emplace_back(fmt::format("{}.c", i),
                       fmt::format("{}\n#include \"h.h\"\nint g{}(void) {{ return f(1); }}\n",
                                   i % 3 == 0 ? "" : fmt::format("#define A {}", i % 3), i));
  const fs::path root = written("threads", files);
  std::vector<CompileUnit> units;
  for (int i = 0; i < 12; ++i) units.push_back(unit_of(root, fmt::format("{}.c", i)));
  const auto read = [&] { return read_c(root, {"h.h", "3.c"}, units, {Reach::program}).models; };
  const std::vector<SourceModel> first = read();
  for (int i = 0; i < 5; ++i) {
    const std::vector<SourceModel> again = read();
    CHECK(again[0].sites == first[0].sites);
    CHECK(again[0].slots == first[0].slots);
    CHECK(again[0].left_alone == first[0].left_alone);
  }
}

TEST_CASE("flags of gcc's own are no obstacle, and a cross compiler's name gives the target") {
  const fs::path root = written(
      "flags",
      {{"a.c", "#if !defined(__aarch64__) || X != 2 || defined(Y)\n#error flags\n#endif\n" + main_text}});
  CompileUnit unit = unit_of(root, "a.c");
  unit.arguments = {"/opt/bin/aarch64-linux-gnu-gcc-12",
                    "-fno-tree-vrp",
                    "-fconserve-stack",
                    "--param=ssp-buffer-size=4",
                    "-mno-outline-atomics",
                    "-maes",
                    "-fsanitize=nothing-known",
                    "-Wp,-MD,a.d,-DX=2",
                    "-DY",
                    "-U",
                    "Y",
                    "-Werror",
                    "-Wno-such-thing",
                    "-ffreestanding"};
  CHECK(message_of(root, {"a.c"}, {unit}) == "it was read");
}

TEST_CASE("what a feature flag switches is read as the compiler reads it") {
  const fs::path root =
      written("features", {{"a.c",
                            "#if !defined(__AES__) || !defined(__FAST_MATH__) || "
                            "!defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)\n"
                            "#error flags\n#endif\n" +
                                main_text}});
  CHECK(message_of(root, {"a.c"}, {unit_of(root, "a.c", {"-maes", "-ffast-math", "-fsanitize=address"})}) ==
        "it was read");
}

TEST_CASE("thousands of else-ifs in a row are read") {
  std::string text = "int f(int x) {\n  if (x == 0) return 1;\n";
  for (int i = 1; i < 5000; ++i) text += fmt::format("  else if (x == {0}) return {0};\n", i);
  const fs::path root = written("deep", {{"a.c", text + "  return 0;\n}\n" + main_text}});
  const std::vector<SourceModel> models =
      read_c(root, {"a.c"}, {unit_of(root, "a.c")}, {Reach::program}).models;
  CHECK(std::ranges::count(models[0].sites, TrapKind::returns, &Site::kind) == 5002);
}

namespace {

/// Models of a.c and of `file`, which its function f includes.
std::vector<SourceModel> including(const std::string& file, const std::string& text,
                                   const std::string& result) {
  const std::string f = fmt::format("int f(int x) {{\n#include \"{}\"\n  return {};\n}}\n", file, result);
  const fs::path root = written("within", {{file, text}, {"a.c", f + main_text}});
  return read_c(root, {"a.c", file}, {unit_of(root, "a.c")}, {Reach::program}).models;
}

}  // namespace

TEST_CASE("what is included within a function is left alone and counted") {
  const std::vector<SourceModel> models = including("body.inc", "  x++;\n  if (x) {\n    x--;\n  }\n", "x");
  CHECK(reasons_of(models[1]) == "1: statements that are included into a function (3)\n");
  CHECK(models[1].functions.at(0).statements == 3);
  CHECK(models[0].functions.size() == 2);
}

TEST_CASE("a table that a function includes has no statement to leave alone") {
  CHECK(reasons_of(including("table.h", "static const int t[] = {1, 2};\n", "t[x]")[1]).empty());
}

TEST_CASE("a function that a unit includes twice with other branches of #if has no trap") {
  const fs::path root = written(
      "several",
      {{"v.inc", "static int NAME(int x) {\n#ifdef LESS\n  x--;\n#else\n  x++;\n#endif\n  return x;\n}\n"},
       {"a.c",
        "#define NAME more\n#include \"v.inc\"\n#undef NAME\n#define NAME less\n#define LESS\n"
        "#include \"v.inc\"\nint main(void) { return more(1) - less(3); }\n"}});
  const std::vector<SourceModel> models =
      read_c(root, {"a.c", "v.inc"}, {unit_of(root, "a.c")}, {Reach::program}).models;
  CHECK(reasons_of(models[1]) == "1: a function that one unit compiles in several ways (2)\n");
  CHECK(models[1].sites.empty());
}

TEST_CASE("a template by #include is held in no type, as it has several") {
  const fs::path root =
      written("template",
              {{"norm.inc", "static TYPE NAME(TYPE x) { return x * g; }\n"},
               {"a.c",
                "static int g = 1;\n#define TYPE float\n#define NAME f\n#include \"norm.inc\"\n#undef TYPE\n"
                "#undef NAME\n#define TYPE double\n#define NAME d\n#include \"norm.inc\"\n"
                "int main(void) { return f(1) + d(2); }\n"}});
  const CRewritten rewritten =
      rewrite_c(read_c(root, {"a.c", "norm.inc"}, {unit_of(root, "a.c")}, {Reach::program}).models,
                {.entry = {"main"}, .scope = {}});
  CHECK(rewritten.models[1].functions.size() == 1);
  CHECK(rewritten.texts[1].find("JCPROF_TRAP") != std::string::npos);
  CHECK(rewritten.texts[1].find("__typeof__") == std::string::npos);
}

TEST_CASE(
    "a unit that is compiled twice with other macros of the command line holds no value in one's type") {
  const fs::path root = written(
      "twice", {{"a.c", "static int g = 1;\n#define T REAL\nT f(T x) { return x * g; }\n" + main_text}});
  const auto typed = [&](const std::vector<CompileUnit>& units) {
    const CRewritten rewritten =
        rewrite_c(read_c(root, {"a.c"}, units, {Reach::program}).models, {.entry = {"f"}, .scope = {}});
    return rewritten.texts[0].find("__typeof__") != std::string::npos;
  };
  CHECK(typed({unit_of(root, "a.c", {"-DREAL=float"})}));
  CHECK_FALSE(typed({unit_of(root, "a.c", {"-DREAL=float"}), unit_of(root, "a.c", {"-D", "REAL=double"})}));
}

TEST_CASE("a value of C++ is held in the type that the file names, which each unit knows as its own") {
  const fs::path root =
      written("aliases",
              {{"real.h", "#ifdef SINGLE\ntypedef float real;\n#else\ntypedef double real;\n#endif\n"},
               {"f.h",
                "inline real f(real x) { return x * 2; }\n"
                "inline auto deduced(real x) { return x * 2; }\n"},
               {"a.cpp", "#include \"real.h\"\n#include \"f.h\"\n" + main_text},
               {"b.cpp", "#include \"real.h\"\n#include \"f.h\"\nreal b() { return f(1) + deduced(2); }\n"}});
  const CRewritten rewritten =
      rewrite_c(read_c(root, {"a.cpp", "b.cpp", "f.h"},
                       {unit_of(root, "a.cpp", {"-DSINGLE"}), unit_of(root, "b.cpp")}, {Reach::program})
                    .models,
                {.entry = {"main"}, .scope = {}});
  const std::string& text = rewritten.texts[2];
  INFO(text);
  CHECK(text.find("JCPROF_HELD< ::real>(") != std::string::npos);
  CHECK(text.find("JCPROF_HELD_AUTO(") != std::string::npos);
  CHECK(text.find("float") == std::string::npos);
  CHECK(text.find("double") == std::string::npos);
}

TEST_CASE("a variable that is called as the result's type hides it") {
  const fs::path root =
      written("hidden", {{"a.c",
                          "typedef unsigned long hash;\nextern hash next(hash);\n"
                          "hash plain(hash h) { return next(h) * 31; }\n"
                          "hash parameter(unsigned char hash) { return next(hash) * 31; }\n"
                          "hash local(void) { unsigned char hash = 3; return next(hash) * 31; }\n"
                          "int main(void) { return plain(1) + parameter(2) + local() > 9; }\n"}});
  const CRewritten rewritten =
      rewrite_c(read_c(root, {"a.c"}, {unit_of(root, "a.c")}, {Reach::program}).models,
                {.entry = {"main"}, .scope = {}});
  const std::string& text = rewritten.texts[0];
  INFO(text);
  const std::size_t first = text.find("__typeof__(hash)");
  REQUIRE(first != std::string::npos);
  CHECK(first < text.find("parameter"));
  CHECK(text.find("__typeof__(hash)", first + 1) == std::string::npos);
}

TEST_CASE("a variable that is called as the result's struct, union or enum does not hide it") {
  const fs::path root = written("tags", {{"a.c",
                                          "struct pair { int a, b; };\nenum kind { none, some };\n"
                                          "struct pair next(int);\nenum kind of(int);\n"
                                          "struct pair local(void) { int pair = 3; return next(pair); }\n"
                                          "enum kind parameter(int kind) { return of(kind); }\n"
                                          "int main(void) { return local().a + parameter(2); }\n"}});
  const CRewritten rewritten =
      rewrite_c(read_c(root, {"a.c"}, {unit_of(root, "a.c")}, {Reach::program}).models,
                {.entry = {"main"}, .scope = {}});
  const std::string& text = rewritten.texts[0];
  INFO(text);
  CHECK(text.find("__typeof__(struct pair)") != std::string::npos);
  CHECK(text.find("__typeof__(enum kind)") != std::string::npos);
}

TEST_CASE("a function of nothing but assembly may be naked, wherever that is said") {
  const fs::path root = written(
      "naked", {{"a.c", "void swap(void) __attribute__((naked));\nvoid swap(void) { __asm__(\"ret\"); }\n" +
                            main_text}});
  const std::vector<SourceModel> models =
      read_c(root, {"a.c"}, {unit_of(root, "a.c")}, {Reach::program}).models;
  CHECK(reasons_of(models[0]) == "2: a function of nothing but assembly (1)\n");
}

TEST_CASE("functions of a header that one unit takes in parts, the last one first, keep their traps") {
  const fs::path root = written(
      "parts",
      {{"ops.h",
        "#ifdef WANT_MUL\nstatic int mul(int x) { x *= 2; return x; }\n#endif\n"
        "#ifdef WANT_ADD\nstatic int add(int x) { x += 2; return x; }\n#endif\n"},
       {"a.c",
        "#define WANT_ADD\n#include \"ops.h\"\n#undef WANT_ADD\n#define WANT_MUL\n#include \"ops.h\"\n"
        "int main(void) { return add(mul(1)); }\n"}});
  const std::vector<SourceModel> models =
      read_c(root, {"a.c", "ops.h"}, {unit_of(root, "a.c")}, {Reach::program}).models;
  REQUIRE(models[1].functions.size() == 2);
  CHECK(models[1].functions[0].name == "mul");
  CHECK(models[1].functions[1].name == "add");
  CHECK(reasons_of(models[1]).empty());
}

TEST_CASE("flags that clang's driver hands on are read, and a compiled header is left out") {
  const fs::path root =
      written("handed", {{"pre.h", "#define ONE 1\n"}, {"a.c", "int main(void) { return ONE; }\n"}});
  CompileUnit unit = unit_of(root, "a.c");
  unit.arguments = {"clang",    "-Xclang", "-include-pch",           "-Xclang", "no.pch", "-Xclang",
                    "-include", "-Xclang", (root / "pre.h").string()};
  CHECK(read_c(root, {"a.c"}, {unit}, {Reach::program}).models[0].functions.size() == 1);
}

TEST_CASE("a function with auto parameters is judged by its own words") {
  const fs::path root =
      written("abbreviated", {{"a.cpp",
                               "consteval int one() { return 1; }\n"
                               "static int twice(auto x) { auto r = x + x; return r * 2; }\n"
                               "int main() { return twice(one()); }\n"}});
  const std::vector<SourceModel> models =
      read_c(root, {"a.cpp"}, {unit_of(root, "a.cpp", {"-std=c++20"})}, {Reach::program}).models;
  CHECK(reasons_of(models[0]) == "1: a consteval function (1)\n");
}
