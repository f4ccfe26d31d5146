// SPDX-License-Identifier: Apache-2.0
// EDL files: what is read of them, and our import put into them. One feature a folder, found by glob in
// tests/rewriter/edl; what comes of its enclave.edl is compared with what was approved (scripts/approve).
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>

#include "rewriter/edits.hpp"
#include "rewriter/edl/edit.hpp"
#include "rewriter/edl/files.hpp"
#include "rewriter/edl/text.hpp"
#include "rewriter/generate.hpp"
#include "rewriter/strip_files.hpp"
#include "src/core/file.hpp"
#include "tests/core/fault_text.hpp"
#include "tests/core/temporary_folder.hpp"

namespace fs = std::filesystem;

namespace jcprof::rewriter {
namespace {

const fs::path here = fs::path(JCPROF_SOURCE_DIR) / "tests/rewriter";

std::vector<fs::path> features() {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(here / "edl")) folders.push_back(entry.path());
  std::ranges::sort(folders);
  return folders;
}

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), folder).generic_string());
  std::ranges::sort(files);
  return files;
}

std::string in_words(const EdlParameter& parameter) {
  std::string text;
  for (const char* const attribute :
       {"in", "out", "size", "count", "user_check", "string", "wstring", "isptr", "isary"}) {
    const std::string value = parameter.value_of(attribute);
    if (parameter.has(attribute)) text += attribute + (value.empty() ? "" : "=" + value) + " ";
  }
  text += fmt::format("<{}> {}", parameter.type, parameter.name);
  for (const std::string& dimension : parameter.dimensions) text += fmt::format("[{}]", dimension);
  return text;
}

std::string in_words(const EdlFunction& function) {
  std::vector<std::string> parameters;
  for (const EdlParameter& parameter : function.parameters) parameters.push_back(in_words(parameter));
  std::string text = fmt::format("  {}<{}> {}({})", function.is_public ? "public " : "", function.result,
                                 function.name, fmt::join(parameters, ", "));
  if (!function.allowed.empty()) text += fmt::format(" allows {}", fmt::join(function.allowed, ", "));
  return text + "\n";
}

/// The file with the import, then what was read of it.
std::string report(const EdlEdit& edit) {
  std::string text = edit.text + "\n---- ";
  text += edit.import_path + (edit.import_text.empty() ? ": there already\n" : "\n" + edit.import_text);
  text += fmt::format("---- {}: in\n", edit.function);
  for (const EdlFunction& function : edit.edl.ecalls) text += in_words(function);
  text += "---- out\n";
  for (const EdlFunction& function : edit.edl.ocalls) text += in_words(function);
  for (const std::string& include : edit.edl.includes) text += fmt::format("---- include {}\n", include);
  for (const EdlDeclaration& declaration : edit.edl.declarations)
    text += fmt::format("---- {}: {}\n", declaration.name, declaration.text);
  for (const std::string& file : edit.edl.not_found) text += fmt::format("---- not found: {}\n", file);
  return text;
}

EdlEdit edit_feature(const fs::path& folder, const std::string& compiler = "cc") {
  return edit_edl(read_edl({.root = folder, .compiler = compiler}, "enclave.edl"), files_in(folder));
}

std::string refusal(const std::string& text) {
  return test::fault_text([&] { parse_edl("a.edl", text, text); });
}

TEST_CASE("each feature of EDL is rewritten as approved") {
  const bool accept = std::getenv("JCPROF_APPROVE") != nullptr;
  REQUIRE(features().size() >= 10);
  for (const fs::path& folder : features()) {
    const std::string text = report(edit_feature(folder));
    const fs::path approved = here / "approved" / (folder.filename().string() + ".edl.txt");
    if (accept) write_file(approved, text);
    INFO(folder.filename().string());
    CHECK(fs::exists(approved));
    CHECK(text == read_file(approved));
    CHECK(text == report(edit_feature(folder, "clang-19")));
  }
}

TEST_CASE("strip takes our import out of an EDL and removes the file that it names") {
  for (const fs::path& folder : features()) {
    const test::TemporaryFolder tree;
    fs::copy(folder, tree / "tree", fs::copy_options::recursive);
    const EdlEdit edit = edit_feature(folder);
    write_file(tree / "tree/enclave.edl", edit.text);
    if (!edit.import_text.empty()) write_file(tree / "tree" / edit.import_path, edit.import_text);
    strip_in_place(tree / "tree");
    INFO(folder.filename().string());
    CHECK(files_in(tree / "tree") == files_in(folder));
    for (const std::string& file : files_in(folder))
      CHECK(read_file(tree / "tree" / file) == read_file(folder / file));
  }
}

TEST_CASE("an EDL that carries our import from an earlier run is refused") {
  const EdlEdit edit = edit_feature(here / "edl/crlf");
  const test::TemporaryFolder folder;
  write_file(folder / "enclave.edl", edit.text);
  CHECK(test::fault_text([&] { edit_edl(read_edl({.root = folder.path()}, "enclave.edl"), {}); }) ==
        "enclave.edl:6: the EDL carries jcprof's import already\n"
        "  6 | /*[j*/from \"jcprof.edl\" import *;/*j]*/};\n"
        "    | ^\n"
        "hint: take it out with: jcprof strip enclave.edl");
}

TEST_CASE("imports are looked for beside the file, then in the search folders, then in the SDK's") {
  const test::TemporaryFolder folder;
  const auto file = [](const std::string& ecall) {
    return "enclave { trusted { public void " + ecall + "(); }; };";
  };
  write_file(folder / "p/a/a.edl",
             "enclave { from \"b.edl\" import *; from \"c.edl\" import *; from \"d.edl\" import *; };");
  write_file(folder / "p/a/b.edl", file("beside"));
  for (const char* name : {"p/s/b.edl", "p/s/c.edl"}) write_file(folder / name, file("searched"));
  for (const char* name : {"sdk/include/c.edl", "sdk/include/d.edl"})
    write_file(folder / name, file("of_sdk"));
  ::setenv("SGX_SDK", (folder / "sdk").c_str(), 1);
  const Edl edl = read_edl({.root = folder / "p", .search = {"s"}}, "a/a.edl");
  ::unsetenv("SGX_SDK");
  std::vector<std::string> names;
  for (const EdlFunction& function : edl.ecalls) names.push_back(function.name);
  CHECK(names == std::vector<std::string>{"beside", "searched", "of_sdk"});
  CHECK(edl.imported.back().path == folder / "sdk/include/d.edl");
  CHECK(edl.not_found.empty());
}

TEST_CASE("our function gets another name where a source has it") {
  const Edl edl = read_edl({.root = here / "edl/crlf"}, "enclave.edl");
  const EdlEdit edit = edit_edl(edl, {}, {"int jcprof_enclave;", "jcprof_enclave_2()"});
  CHECK(edit.function == "jcprof_enclave_3");
  CHECK(edit.import_path == "jcprof.edl");
  CHECK(edit.edl.ecalls.back().name == "jcprof_enclave_3");
}

TEST_CASE("what is no EDL is refused at its place") {
  CHECK(refusal("") ==
        "a.edl:1: there is no enclave block\n"
        "hint: an EDL file is: enclave { trusted { … }; untrusted { … }; };");
  CHECK(refusal("int main(void) { return 0; }\n") ==
        "a.edl:1: \"enclave\" is expected, not \"int\"\n"
        "  1 | int main(void) { return 0; }\n"
        "    | ^\n"
        "hint: an EDL file is: enclave { trusted { … }; untrusted { … }; };");
  CHECK(refusal("enclave {\n  trusted {\n    public void f(volatile int);\n  };\n};\n") ==
        "a.edl:3: a parameter's type and name are expected in front of this\n"
        "  3 |     public void f(volatile int);\n"
        "    |                               ^\n"
        "hint: as in: [in, size=n] const char* bytes");
  CHECK(refusal("enclave {\n  trusted { public void f(int a) };\n};\n") ==
        "a.edl:2: \";\" is expected, not \"}\"\n"
        "  2 |   trusted { public void f(int a) };\n"
        "    |                                  ^");
  CHECK(refusal("enclave { /* };\n") ==
        "a.edl:1: this comment has no end\n"
        "  1 | enclave { /* };\n"
        "    |           ^\n"
        "hint: \"*/\" is missing");
  CHECK(refusal("enclave { trusted { public void f(); };\n") ==
        "a.edl:1: the end of the file is nothing that an enclave block holds\n"
        "  1 | enclave { trusted { public void f(); };\n"
        "    |                                        ^\n"
        "hint: include, from … import, struct, union, enum, trusted and untrusted are");
}

/// What is said of an EDL file, with what lies beside it.
std::string refusal_of_file(const std::string& text, const std::string& compiler = "cc") {
  const test::TemporaryFolder folder;
  write_file(folder / "e/a.edl", text);
  write_file(folder / "e/part.h", "\npublic void g(int)\n");
  write_file(folder / "e/end.h", "#define CLOSE };\n");
  return test::fault_text(
      [&] { edit_edl(read_edl({.root = folder.path(), .compiler = compiler}, "e/a.edl"), {}); });
}

TEST_CASE("a mistake is told of at the line that the user wrote, whatever the preprocessor made of it") {
  CHECK(refusal_of_file("#define N 4\n#define TWO(a, b) a; b\n\n/* a\n comment */ enclave {\n  trusted {\n"
                        "    TWO(public void f(int a),\n      public void g([in] int b[N]));\n"
                        "    public void h(int);\n  };\n};\n") ==
        "e/a.edl:9: a parameter's type and name are expected in front of this\n"
        "  9 |     public void h(int);\n"
        "    |                      ^\n"
        "hint: as in: [in, size=n] const char* bytes");
  CHECK(refusal_of_file(
            "#define NONE\nenclave {\n  trusted { public void f([in, size=NONE] int NONE) };\n};\n") ==
        "e/a.edl:3: a parameter's type and name are expected in front of this\n"
        "  3 |   trusted { public void f([in, size=NONE] int NONE) };\n"
        "    |                                                   ^\n"
        "hint: as in: [in, size=n] const char* bytes");
  CHECK(refusal_of_file("enclave {\n  trusted {\n#include \"part.h\"\n  };\n};\n") ==
        "e/part.h:2: a parameter's type and name are expected in front of this\n"
        "hint: as in: [in, size=n] const char* bytes");
  CHECK(refusal_of_file("#ifdef NOWHERE\nenclave { };\n#endif\n") ==
        "e/a.edl:3: there is no enclave block\n"
        "  3 | #endif\n"
        "    |       ^\n"
        "hint: an EDL file is: enclave { trusted { … }; untrusted { … }; };");
}

const std::string preprocessor_hint =
    "\nhint: #include looks beside the file, in \"edl_search\" and in the -I of \"compile.flags\"; -D "
    "defines "
    "macros there";

TEST_CASE("what the preprocessor refuses is told in its words") {
  CHECK(refusal_of_file("enclave {\n#include \"away.h\"\n};\n") ==
        "e/a.edl:2: the C preprocessor says: away.h: No such file or directory\n"
        "  2 | #include \"away.h\"\n"
        "    | ^" +
            preprocessor_hint);
  CHECK(refusal_of_file("enclave {\n#ifndef NET\n  #error \"needs NET\"\n#endif\n};\n") ==
        "e/a.edl:3: the C preprocessor says: #error \"needs NET\"\n"
        "  3 |   #error \"needs NET\"\n"
        "    |   ^" +
            preprocessor_hint);
}

TEST_CASE("an EDL with a directive needs a C compiler, and no other does") {
  CHECK(refusal_of_file("// #if 1\nenclave { /*\n#if 1 */ };\n", "no-such-cc") == "(no error)");
  CHECK(refusal_of_file("#define A\nenclave { };\n", "no-such-cc") ==
        "e/a.edl: the EDL has preprocessor directives, and the C compiler \"no-such-cc\" that reads them "
        "cannot "
        "be started\nhint: sudo apt install gcc, or name another in \"compile.compiler\"");
}

TEST_CASE("an EDL that grows without end in the preprocessor is refused") {
  std::string text = "#define X0 a" + std::string(10'000, 'a') + "\n";
  for (int i = 1; i < 12; ++i) text += fmt::format("#define X{0} X{1} X{1}\n", i, i - 1);
  CHECK_THAT(refusal_of_file("#include \"/dev/zero\"\nenclave { };\n"),
             Catch::StartsWith("e/a.edl: the C preprocessor fails"));
  CHECK(refusal_of_file(text + "X11\n") == "e/a.edl: the C preprocessor makes too much of this EDL");
  CHECK(refusal_of_file(std::string(3 << 20, '\n')) == "e/a.edl: the EDL has more than 2 MiB");
}

TEST_CASE("our import is not put where it is not known which brace closes the enclave block") {
  const std::string message =
      "jcprof cannot tell which brace closes the enclave block: a macro or an included file has a part in "
      "this "
      "line\nhint: write that brace in e/a.edl, on a line of its own: jcprof puts its import in front of it";
  CHECK(refusal_of_file("#include \"end.h\"\nenclave {\n  CLOSE\n") == "e/a.edl:3: " + message);
  CHECK(refusal_of_file("#define BLOCK trusted { };\nenclave { BLOCK };\n") == "e/a.edl:2: " + message);
}

}  // namespace
}  // namespace jcprof::rewriter
