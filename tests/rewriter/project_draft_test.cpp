// SPDX-License-Identifier: Apache-2.0
// What `jcprof init` finds in a tree and writes of it. Each draft is read back as the project file that it
// is.
#include "rewriter/draft/project_draft.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "rewriter/draft/facts.hpp"
#include "rewriter/draft/main_scan.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/project.hpp"
#include "tests/core/temporary_folder.hpp"
#include "tests/rewriter/draft_trees.hpp"

namespace jcprof::rewriter {
namespace {

TEST_CASE("a program of CMake's is built by CMake, and another main is left out of its sources") {
  const FoundTree tree =
      tree_of({{"CMakeLists.txt",
                "add_executable(helper tools/helper.c)\nadd_executable(app\n  src/app.c src/x/list.c)\n"},
               {"build/CMakeCache.txt", ""},
               {"build/CMakeFiles/id.c", c_main},
               {"build/compile_commands.json", "[]"},
               {"include/list.h", ""},
               {"src/app.c", c_main},
               {"src/x/list.c", ""},
               {"tests/list_test.c", c_main},
               {"tools/common.c", ""},
               {"tools/helper.c", c_main}});
  CHECK(
      draft_project(tree).text ==
      R"(// Written by jcprof init from what it found here, and yours to change. docs/project-file.md explains every key.
{
  "format": "jcprof-project", "version": 1,
  "name": "sample",
  "target": "program",
  // Traps go into a copy of these files.
  "sources": ["include/**/*.h", "src/**/*.c", "tools/common.c"],
  // What earlier builds have left is not copied.
  "exclude_from_tree": ["build"],
  // The function that is measured; this one is in "src/app.c".
  // Further programs, whose files are left out of "sources": tools/helper.c, tests/list_test.c
  "entry": "main",
  // Where traps stand: globs over functions and files; at each statement, or coarser: "block", "function".
  "profile": {"include": ["*"], "exclude": [], "level": "statement"},
  // How each file is compiled, which CMake says.
  "compile": {
    "prepare": [
      {"run": ["cmake", "-S", "{project}", "-B", "{out}/prepared", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
               "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"], "timeout_s": 1800}
    ],
    "database": "{out}/prepared/compile_commands.json"
  },
  // How the copy with traps, {tree}, is built.
  "build": [
    {"run": ["cmake", "-S", "{tree}", "-B", "{out}/build", "-DCMAKE_BUILD_TYPE=RelWithDebInfo"], "timeout_s": 1800},
    {"run": ["cmake", "--build", "{out}/build", "--target", "app", "--parallel", "2"], "timeout_s": 1800}
  ],
  // The program is started anew for each shot.
  "transport": "exec:",
  // The command under study: give it arguments that make it work for a moment, the same each time. The clock is the time
  // that it computes; "wall" counts what it waits for, too.
  "trigger": {"run": ["{out}/build/app"], "clock": "cpu"},
  // Until each share is known to so many points, or for so long.
  "measure": {"absolute": 1, "max_time": "1m"}
}
)");
  CHECK(drafted(tree).trigger.run == std::vector<std::string>{"{out}/build/app"});
}

TEST_CASE("a framework for benchmarks that a program is linked with gets no traps, other libraries do") {
  FoundTree tree = tree_of({{"CMakeLists.txt", ""},
                            {"benchmarks/db_bench.cc", c_main},
                            {"db/db.cc", ""},
                            {"third_party/benchmark/src/benchmark.cc", ""},
                            {"third_party/googletest/googletest/src/gtest.cc", ""},
                            {"third_party/zlib/inflate.c", ""}});
  tree.programs = {
      {.name = "db_bench",
       .path = "db_bench",
       .units = {"benchmarks/db_bench.cc", "db/db.cc", "third_party/benchmark/src/benchmark.cc",
                 "third_party/googletest/googletest/src/gtest.cc", "third_party/zlib/inflate.c"}}};
  CHECK(drafted(tree).sources ==
        std::vector<std::string>{"benchmarks/**/*.cc", "db/**/*.cc", "third_party/**/*.c"});
}

TEST_CASE("a framework's folder may carry a version, and a part of a library may be called as one") {
  FoundTree tree = tree_of({{"CMakeLists.txt", ""},
                            {"_deps/googletest-src/googletest/src/gtest.cc", ""},
                            {"build/_deps/benchmark-src/src/benchmark.cc", ""},
                            {"db/main.cc", c_main},
                            {"external/mylib/benchmark/fast.c", ""},
                            {"external/mylib/vendor/doctest/doctest.cxx", ""},
                            {"third_party/Catch2-3.4.0/src/catch_all.cc", ""},
                            {"third_party/benchmarks/load.cpp", ""}});
  tree.programs = {{.name = "db", .path = "db", .units = {}}};
  for (const std::string& path : tree.paths)
    if (path != "CMakeLists.txt") tree.programs.front().units.push_back(path);
  CHECK(drafted(tree).sources ==
        std::vector<std::string>{"db/**/*.cc", "external/**/*.c", "third_party/**/*.cpp"});
}

TEST_CASE(
    "CMake's folder for programs, and that of a nested CMakeLists.txt, are where the program is started "
    "from") {
  CHECK(
      drafted(
          tree_of(
              {{"CMakeLists.txt",
                "set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)\nadd_executable(app main.cpp)"},
               {"main.cpp", c_main}}))
          .trigger.run == std::vector<std::string>{"{out}/build/bin/app"});
  CHECK(drafted(tree_of({{"CMakeLists.txt", "add_subdirectory(src)"},
                         {"src/CMakeLists.txt", "add_executable(app main.cpp)"},
                         {"src/main.cpp", c_main}}))
            .trigger.run == std::vector<std::string>{"{out}/build/src/app"});
}

TEST_CASE(
    "a program whose name or files are variables is found, and one of other files is not taken for it") {
  const auto run = [](const char* text) {
    const Project project = drafted(tree_of({{"CMakeLists.txt", text},
                                             {"fuzz/CMakeLists.txt", "add_executable(afl afl.c)"},
                                             {"fuzz/afl.c", ""},
                                             {"tool.c", c_main}}));
    return fmt::format("{} {}", fmt::join(project.build.back().run, " "), project.trigger.run.front());
  };
  CHECK(run("set(NAME sort)\nadd_executable(${NAME} tool.c)") ==
        "cmake --build {out}/build --target sort --parallel 2 {out}/build/sort");
  CHECK(run("project(sorter C)\nadd_executable(${PROJECT_NAME} ${FILES})") ==
        "cmake --build {out}/build --target sorter --parallel 2 {out}/build/sorter");
  CHECK(run("add_executable(mytool mytool.c)\nbuild_all_tools()") ==
        "cmake --build {out}/build --parallel 2 {out}/build/tool");
}

TEST_CASE("make builds in the tree, where no object of an earlier build may lie") {
  const Project project = drafted(tree_of(
      {{"Makefile",
        "CFLAGS := -O2\nPROG = tool\nall: $(PROG)\n$(PROG): a.o\n\t$(CC) -o $@ $^\nclean:\n\trm -f *.o\n"},
       {"a.c", c_main},
       {"a.o", ""},
       {"tool", ""}}));
  CHECK(runs_of(project.build) == Runs{{"make", "-j2", "tool"}});
  CHECK(project.trigger.run == std::vector<std::string>{"{tree}/tool"});
  CHECK(project.exclude_from_tree == std::vector<std::string>{"**/*.o", "tool"});
  const Project by_rule =
      drafted(tree_of({{"Makefile", "all: b\nb: b.c\n\tcc -o b b.c\n"}, {"b.c", c_main}}));
  CHECK(runs_of(by_rule.build) == Runs{{"make", "-j2", "b"}});
}

TEST_CASE("a configure script is run ahead of make, and here too") {
  const FoundTree tree = tree_of({{"configure", ""}, {"Makefile.in", ""}, {"tool.c", c_main}});
  CHECK(runs_of(drafted(tree).build) == Runs{{"./configure"}, {"make", "-j2", "tool"}});
  CHECK_THAT(draft_project(tree).text,
             Catch::Contains(
                 "  // Run ./configure here first: jcprof reads the sources with what it makes (config.h).\n"
                 "  // Flags for every file. Better is a compile_commands.json, which tells them file by "
                 "file (a build under "
                 "bear):\n"
                 "  // \"compile\": {\"database\": \"compile_commands.json\"},\n"));
}

TEST_CASE(
    "a program that was configured by hand is configured again as it was, and make says how it compiles") {
  FoundTree tree = tree_of({{"config.log",
                             "This file\n\nInvocation command line was\n\n  $ ./configure --without-x "
                             "CFLAGS='-O2 -g'\n\n## Platform. ##\n\n  $ uname\n"},
                            {"configure", ""},
                            {"configure.ac", ""},
                            {"Makefile", "tool: tool.c\n"},
                            {"tool.c", c_main}});
  tree.programs = {{.name = "tool", .path = "tool", .units = {"tool.c"}}};
  const Project project = drafted(tree);
  CHECK(runs_of(project.build) ==
        Runs{{"./configure", "--without-x", "CFLAGS=-O2 -g"}, {"make", "-j2", "tool"}});
  CHECK(project.compile.make == ".");
  tree.paths.insert(std::ranges::lower_bound(tree.paths, "libtool"), "libtool");
  CHECK(runs_of(drafted(tree).build).front() ==
        std::vector<std::string>{"./configure", "--without-x", "CFLAGS=-O2 -g", "--disable-shared"});
}

TEST_CASE("an autoconf project without its script is not drafted, and what to run is said") {
  const FoundTree tree = tree_of({{"configure.ac", ""}, {"Makefile.am", ""}, {"tool.c", c_main}});
  try {
    draft_project(tree);
    FAIL("nothing is said");
  } catch (const UserError& error) {
    CHECK(error.faults().front().message ==
          "this is an autoconf project, and its ./configure has not been made yet");
    CHECK_THAT(error.faults().front().hint,
               Catch::StartsWith("run autoreconf -fi and ./configure here first"));
  }
}

TEST_CASE("a main in an #if of a library's file is not that of a program whose main the build makes") {
  FoundTree tree = tree_of(
      {{"Makefile", ""}, {"lib.c", "#ifdef TEST\n" + std::string(c_main) + "#endif\n"}, {"tool.c", c_main}});
  tree.programs = {{.name = "made", .path = "made", .units = {"lib.c", "made.c"}},
                   {.name = "tool", .path = "tool", .units = {"lib.c", "tool.c"}}};
  CHECK(draft_project(tree).others == std::vector<std::string>{});
  CHECK(drafted(tree).trigger.run == std::vector<std::string>{"{tree}/tool"});
}

TEST_CASE("a program that make only makes when asked is made in its folder, behind all the rest") {
  FoundTree tree = tree_of({{"Makefile", ""}, {"lib.c", ""}, {"checks/all/first.c", c_main}});
  tree.programs = {{.name = "first",
                    .path = "checks/all/first",
                    .units = {"checks/all/first.c", "lib.c"},
                    .is_test = true,
                    .folder = "checks",
                    .is_asked_for = true}};
  const Project project = drafted(tree);
  CHECK(runs_of(project.build) == Runs{{"make", "-j2"}, {"make", "-j2", "-C", "checks", "all/first"}});
  CHECK(project.trigger.cwd == "{tree}/checks");
  CHECK(project.trigger.run == std::vector<std::string>{"{tree}/checks/all/first"});
}

TEST_CASE("whoever chooses a test knows that it is one") {
  FoundTree tree = tree_of({{"Makefile", ""}, {"a_test.c", c_main}, {"b_test.c", c_main}});
  for (const std::string name : {"a_test", "b_test"})
    tree.programs.push_back({.name = name, .path = name, .units = {name + ".c"}, .is_test = true});
  CHECK(draft_project(tree).is_test);
  tree.wanted_entry = "b_test";
  CHECK_FALSE(draft_project(tree).is_test);
  tree.programs.clear();
  CHECK_FALSE(draft_project(tree).is_test);
}

TEST_CASE("a rule of make's that is no file is not taken for the program") {
  const auto run = [](const char* makefile) {
    return runs_of(drafted(tree_of({{"Makefile", makefile}, {"cli.c", c_main}})).build);
  };
  CHECK(run(".PHONY: allmost lib \\\n\tmore\nallmost: tool\nmore: tool\ntool: cli.c\n") ==
        Runs{{"make", "-j2", "tool"}});
  CHECK(run(".PHONY: allmost\nallmost: lib\n\t$(MAKE) -C lib\n") == Runs{{"make", "-j2"}});
}

TEST_CASE(
    "where no build system says how sources are compiled, a compile database is taken that lies there") {
  CHECK(drafted(tree_of({{"a.c", c_main}, {"made/compile_commands.json", "[]"}})).compile.database ==
        "made/compile_commands.json");
  CHECK(drafted(tree_of({{"Makefile", "a: a.c"}, {"a.c", c_main}})).compile.make == ".");
}

TEST_CASE("meson's programs, and sources without a build system, are built too") {
  const Project meson =
      drafted(tree_of({{"meson.build", "project('x', 'c')\nexecutable('app', 'a.c')\n"}, {"a.c", c_main}}));
  CHECK(runs_of(meson.build) ==
        Runs{{"meson", "setup", "--buildtype=debugoptimized", "{out}/build", "{tree}"},
             {"meson", "compile", "-C", "{out}/build"}});
  CHECK(meson.trigger.run == std::vector<std::string>{"{out}/build/app"});
  const Project plain = drafted(tree_of({{"a.cpp", c_main}, {"b.c", ""}, {"include/b.h", ""}}));
  CHECK(runs_of(plain.build) ==
        Runs{{"cc", "-O2", "-g", "-o", "{out}/a", "-Iinclude", "a.cpp", "b.c", "-lstdc++", "-lm"}});
  CHECK(runs_of(drafted(tree_of({{"a.cpp", c_main}})).build) ==
        Runs{{"c++", "-O2", "-g", "-o", "{out}/a", "a.cpp", "-lm"}});
  CHECK(plain.compile.flags == std::vector<std::string>{"-I{project}/include"});
}

TEST_CASE("folders of headers that no build system names are found by what is included") {
  const Project drafted_one =
      drafted(tree_of({{"a.c", "#include \"vm/vm.h\"\n" + std::string(c_main)},
                       {"src/vm/vm.h", "#include \"common.h\"\n#include \"opt.h\"\n"},
                       {"src/vm/common.h", ""},
                       {"src/opt/opt.c", "  # include \"common.h\"\n#include \"gone.h\"\n"},
                       {"src/opt/opt.h", ""},
                       {"src/other/other.h", ""}}));
  CHECK(drafted_one.compile.flags ==
        std::vector<std::string>{"-I{project}/src", "-I{project}/src/opt", "-I{project}/src/vm"});
  const Project at_root =
      drafted(tree_of({{"src/a.c", "#include \"all.h\"\n" + std::string(c_main)}, {"all.h", ""}}));
  CHECK(at_root.compile.flags == std::vector<std::string>{"-I{project}/."});
}

const Files enclave{
    {"app/main.cpp",
     "#include \"kv_u.h\"\nsgx_enclave_id_t global_eid = 0;\nvoid ocall_log(const char* t) { puts(t); }\nint "
     "main() { return 0; }\n"},
    {"enclave/kv.cpp",
     "#include \"kv_t.h\"\nextern \"C\" {\nint ecall_put(int n);\n  int ecall_get(int n) {\n    "
     "return n;\n  }\n  int ecall_put(int n) { return n; }\n}\n"},
    {"enclave/kv.edl",
     "enclave {\n  from \"sgx_tstdc.edl\" import *;\n  from \"log.edl\" import *;\n  include "
     "\"shared.h\"\n  trusted { public int ecall_declared(); public int ecall_put(int n); public "
     "int ecall_get([in, string] const char* name, size_t n); };\n};\n"},
    {"enclave/kv.o", ""},
    {"enclave/kv_t.c", "int ecall_declared(void) {}\n"},
    {"enclave/table.h", ""},
    {"enclave/log.edl", "enclave { untrusted { void ocall_log([in, string] const char* text); }; };\n"},
    {"enclave/table.c", "int table;\n"},
    {"shared/shared.h", ""}};

TEST_CASE("imports in another folder are searched there, and an enclave's id may be declared only") {
  Files files = enclave;
  files["edl/log.edl"] = files.at("enclave/log.edl");
  files.erase("enclave/log.edl");
  files["app/main.cpp"] =
      "#include \"kv_u.h\"\nextern sgx_enclave_id_t global_eid;\nvoid ocall_log(const char* t) { puts(t); "
      "}\n";
  const Project project = drafted(tree_of(files));
  CHECK(project.compile.edl_search == std::vector<std::string>{"edl"});
  CHECK(fmt::format("{}", fmt::join(runs_of(project.build).back(), " ")).find("-DENCLAVE_ID=global_eid ") !=
        std::string::npos);
}

TEST_CASE("an enclave gets a project file for a host build that says all that is needed to measure it") {
  const FoundTree tree = tree_of(enclave);
  CHECK(
      draft_project(tree).text ==
      R"(// Written by jcprof init from what it found here, and yours to change. docs/project-file.md explains every key.
{
  "format": "jcprof-project", "version": 1,
  "name": "sample",
  "target": "sgx-enclave",
  // The trusted sources. Traps go into a copy of these files.
  "sources": ["enclave/table.c", "enclave/*.cpp", "enclave/*.h"],
  // What earlier builds have left is not copied.
  "exclude_from_tree": ["**/*.o", "**/kv_t.c"],
  // The ecall that is measured, of "enclave/kv.edl"; this one is in "enclave/kv.cpp".
  // Other ecalls here: ecall_get (enclave/kv.cpp)
  "entry": "ecall_put",
  // Where traps stand: globs over functions and files; at each statement, or coarser: "block", "function".
  "profile": {"include": ["*"], "exclude": [], "level": "statement"},
  // Flags for every source.
  "compile": {"flags": ["-I{project}/shared"]},
  // How the copy with traps, {tree}, is built. jcprof gen writes what it needs beside it, {out}/edge.
  // This is a host build: no enclave, for a first look. With the SDK: make enclave.signed.so of the EDL and the
  // sources in {tree}, and bridge.so of {out}/edge/bridge.c and what the SDK's tool makes of that EDL.
  // SGX_MODE=SIM on x86-64 needs -mno-tls-direct-seg-refs for the sources (docs/sgx.md).
  "build": [
    {"run": ["cc", "-O2", "-g", "-shared", "-fPIC", "-o", "enclave.so", "-Ishared", "-I{out}/edge/host",
             "enclave/kv.cpp", "enclave/table.c", "{out}/edge/host/kv_t.c", "-lstdc++"], "timeout_s": 1800},
    {"run": ["cc", "-O2", "-g", "-shared", "-fPIC", "-o", "bridge.so", "-Ishared", "-I{out}/edge/host", "-I{out}/edge",
             "-DENCLAVE_ID=global_eid", "{out}/edge/bridge.c", "{out}/edge/host/kv_u.c", "app/main.cpp", "-ldl",
             "-lstdc++"], "timeout_s": 1800}
  ],
  "transport": "agent:jcprof-agent-ecall {tree}/bridge.so",
  "trigger": {"ecall": "ecall_put"},
  // The bytes of the parameters in their order; {out}/edge/bridge.c says which. What is missing is zeros.
  //   int ecall_put(int n)
  "inputs": {"list": ["0000000000000000"]},
  // Until each share is known to so many points, or for so long.
  "measure": {"absolute": 1, "max_time": "1m"}
}
)");
  const Project project = drafted(tree);
  CHECK(project.trigger.object == R"({"ecall":"ecall_put"})");
  CHECK(runs_of(project.build).size() == 2);
}

TEST_CASE("an EDL with directives is preprocessed for the draft, and what it includes is searched for") {
  Files files = enclave;
  files["enclave/kv.edl"] =
      "#include \"sizes.h\"\n#ifdef NUMBER\nenclave {\n  from \"log.edl\" import *;\n  trusted { public "
      "int ecall_put(NUMBER n); };\n};\n#endif\n";
  files["edl/sizes.h"] = "#define NUMBER uint64_t\n";
  FoundTree tree = tree_of(files);
  CHECK_THROWS_WITH(draft_project(tree).text,
                    Catch::Contains("the EDL has preprocessor directives, and there is no C compiler"));
  const test::TemporaryFolder folder;
  for (const auto& [path, text] : files) write_file(folder / path, text);
  tree.root = folder.path();
  tree.compiler = "cc";
  const std::string draft = draft_project(tree).text;
  CHECK(draft.find("//   int ecall_put(uint64_t n)\n") != std::string::npos);
  CHECK(draft.find("\"edl_search\": [\"edl\"]") != std::string::npos);
}

TEST_CASE("an ecall whose result is an error code must succeed, and any other result may be a value") {
  const auto expected_of = [](const std::string& result) {
    Files files = enclave;
    files["enclave/kv.edl"] = "enclave { trusted { public " + result + " ecall_put(int n); }; };";
    return drafted(tree_of(files)).trigger.expect;
  };
  CHECK(expected_of("sgx_status_t") == "00000000");
  CHECK(expected_of("uint32_t") == "????????");
}

TEST_CASE("where the Makefile knows bridge.so, it makes it; of several EDLs the draft names one") {
  Files files = enclave;
  files["Makefile"] = "bridge.so: enclave.so\n";
  files["tests/other.edl"] = "enclave { trusted { public int ecall_put(int n); }; };\n";
  const std::string draft = draft_project(tree_of(files)).text;
  CHECK(draft.find(R"("run": ["make", "EDGE={out}/edge", "bridge.so"])") != std::string::npos);
  CHECK(draft.find(R"("edl": "enclave/kv.edl"})") != std::string::npos);
}

const std::string ta_makefile =
    "CROSS_COMPILE ?= aarch64-linux-gnu-\nBINARY=5779306f-04a3-415a-9dd8-b9f4f9069af6\n"
    "-include $(TA_DEV_KIT_DIR)/mk/ta_dev_kit.mk\n";

const std::string ta_entry_c =
    "#include <tee_internal_api.h>\n#include <ta.h>\n"
    "TEE_Result TA_InvokeCommandEntryPoint(void *s, uint32_t c, uint32_t t, TEE_Param p[4]);\n"
    "static int other(int x) { switch (x) { case TA_CMD_UNUSED: return 1; default: return 0; } }\n"
    "TEE_Result TA_InvokeCommandEntryPoint(void *s __unused, uint32_t c, uint32_t t, TEE_Param p[4])\n"
    "{\n\tswitch (c) {\n\tcase TA_CMD_KEY:\n\tcase TA_CMD_PASSWORD:\n\t\treturn 0;\n"
    "\tcase TA_CMD_SUM: { return other(1); }\n\tcase TEE_ELSEWHERE:\n\tdefault:\n\t\treturn 1;\n\t}\n}\n";

const std::string ta_header =
    "#define TA_UUID TA_SAMPLE_UUID\n"
    "#define TA_SAMPLE_UUID \\\n\t{ 0x8aaaf200, 0x2450, 0x11e4, \\\n"
    "\t\t{ 0xab, 0xe2, 0x00, 0x02, 0xa5, 0xd5, 0xc5, 0x1b } }\n"
    "#define TA_CMD_UNUSED 9\n#define TA_CMD_PASSWORD (0x10U) /* of a count */\n#define TA_CMD_KEY "
    "TA_CMD_FIRST\n"
    "enum commands {\n\tTA_CMD_FIRST = 3, // the key\n\tTA_CMD_SECOND,\n\tTA_CMD_SUM\n};\n";

TEST_CASE("a trusted application gets a project file that says all that is needed to measure it") {
  FoundTree tree = tree_of({{"host/main.c", c_main},
                            {"ta/Makefile", ta_makefile},
                            {"ta/include/ta.h", ta_header},
                            {"ta/src/entry.c", ta_entry_c},
                            {"ta/sub.mk", "srcs-y += src/entry.c\n"}});
  tree.dev_kit = "/kit";
  CHECK(
      draft_project(tree).text ==
      R"(// Written by jcprof init from what it found here, and yours to change. docs/project-file.md explains every key.
{
  "format": "jcprof-project", "version": 1,
  "name": "sample",
  "target": "optee-ta",
  // Traps go into a copy of these files.
  "sources": ["ta/**/*.c", "ta/**/*.h"],
  // The entry, TA_InvokeCommandEntryPoint, is in "ta/src/entry.c".
  // Where traps stand: globs over functions and files; at each statement, or coarser: "block", "function".
  "profile": {"include": ["*"], "exclude": [], "level": "statement"},
  // The makefile in this folder says how each file is compiled.
  "compile": {"make": "ta"},
  // The development kit is that of the OP-TEE that it is to run on: TA_DEV_KIT_DIR.
  "build": [
    {"run": ["make", "-C", "ta", "CROSS_COMPILE=aarch64-linux-gnu-", "O={out}/ta", "TA_DEV_KIT_DIR=/kit"], "timeout_s": 600}
  ],
  // optee-vm comes with jcprof; in its sources it is scripts/optee-vm: write that path. Without --icount the machine's
  // time is real; on a board: "agent:ssh BOARD jcprof-agent-teec", with an "install" that copies the .ta there.
  "transport": "agent:optee-vm agent --icount {out}/ta/5779306f-04a3-415a-9dd8-b9f4f9069af6.ta",
  // The command under study, one of
  //   3 TA_CMD_KEY
  //   16 TA_CMD_PASSWORD
  //   5 TA_CMD_SUM
  // Up to four parameters: {"value": "in", "a": 1}, {"memref": "in", "bytes": "{input}"}, {"memref": "out", "size": 32}, null.
  // Memory that is "shared" is allocated once: without it some calls take longer.
  "trigger": {"ta": "5779306f-04a3-415a-9dd8-b9f4f9069af6", "command": 3, "params": []},
  // Commands that each session begins with, and what {input} stands for.
  // "session": {"once": [{"command": 0, "params": []}]},
  // "inputs": {"fixed": "31323334"},
  // Until each share is known to so many points, or for so long.
  "measure": {"absolute": 1, "max_time": "5m"}
}
)");
  CHECK(drafted(tree).entry == std::vector<std::string>{"TA_InvokeCommandEntryPoint"});
}

TEST_CASE(
    "a trusted application's UUID is that of its header where the makefile has none, and its folder may be "
    "the root") {
  const FoundTree tree = tree_of({{"Makefile", "include $(TA_DEV_KIT_DIR)/mk/ta_dev_kit.mk\n"},
                                  {"entry.c", ta_entry_c},
                                  {"ta.h", ta_header}});
  const Project project = drafted(tree);
  CHECK(project.transport ==
        "agent:optee-vm agent --icount {out}/ta/8aaaf200-2450-11e4-abe2-0002a5d5c51b.ta");
  CHECK(project.compile.make == ".");
  CHECK(runs_of(project.build) == Runs{{"make", "CROSS_COMPILE=aarch64-linux-gnu-", "O={out}/ta"}});
  CHECK(project.sources == std::vector<std::string>{"**/*.c", "**/*.h"});
}

TEST_CASE("a file's name adds no key to the draft") {
  const std::string hostile = "z\n  \"device\": \"evil\",\n//";
  const Project program = drafted(tree_of({{"a.c", c_main}, {hostile + ".c", c_main}}));
  CHECK(program.trigger.run == std::vector<std::string>{"{out}/a"});
  CHECK(program.device.empty());
  const auto applet = [](const std::string& name) {
    return "import javacard.framework.*;\nclass " + name +
           " extends Applet { public void process(APDU a) {} }\n";
  };
  const FoundTree applets = tree_of({{"A.java", applet("A")}, {hostile + ".java", applet("B")}});
  CHECK(drafted(applets).entry == std::vector<std::string>{"A.process"});
  CHECK(drafted(applets).device.empty());
}

TEST_CASE("a function is defined where it has a body, in extern \"C\" too") {
  CHECK(defines_function("extern \"C\" {\n  int f(void)\n  {\n  }\n}\n", "f"));
  CHECK(defines_function("extern \"C\" int f() { }", "f"));
  CHECK_FALSE(defines_function("int f(void);\nint g() { return f(); }", "f"));
  CHECK_FALSE(defines_function("namespace { int f() { return 1; } }", "f"));
}

TEST_CASE(
    "a function that branches of an #if begin, each with a brace, is defined, and what follows is outside") {
  const auto defines = [](const std::string& text) { return defines_function(text, "f"); };
  CHECK(defines("#ifdef A\nint g(void) {\n#else\nint f(void) {\n#endif\n  if (x) {\n  }\n  }\n"));
  CHECK(
      defines("#if A\n  int g(void) {\n#elif B\n  int h(void) {\n#else\n  int f(void)\n  {\n#endif\n  }\n"));
  CHECK(defines(
      "  int g(void) {\n#ifdef A\n  if (x) {\n#else\n  if (y) {\n#endif\n  }\n  }\n  int f(void) {}\n"));
  CHECK(
      defines("#if A\n  int g(void) {\n#if B\n  if (x) {\n#else\n  {\n#endif\n  }\n#else\n  int h(void) {\n"
              "#endif\n  }\n  int f(void) {}\n"));
  CHECK_FALSE(defines("#ifdef A\nstruct g {\n#else\nstruct h {\n#endif\n  int f(void) {}\n};\n"));
  CHECK_FALSE(defines("#endif\n#else\nint g(void) {\n  return f(1) {\n"));
}

TEST_CASE("a tree with nothing to profile is refused, with what was looked for") {
  const FoundTree tree =
      tree_of({{"A.java", "class A { void process(APDU apdu) {} }"}, {"lib.c", "int f(void) { return 1; }"}});
  CHECK_THROWS_WITH(
      draft_project(tree).text,
      "there is no applet, no enclave, no trusted application and no program in \"sample\"\n"
      "hint: looked for a class that extends Applet and has process(APDU) in 1 Java files, for "
      "a public ecall "
      "in 0 EDL files that a source defines, and for TA_InvokeCommandEntryPoint and main in 1 C "
      "and C++ files");
  FoundTree built = tree;
  built.wanted_entry = "lib";
  built.programs = {{.name = "lib", .path = "lib", .units = {"lib.c"}}};
  CHECK_THROWS_WITH(draft_project(built).text,
                    Catch::StartsWith("\"lib\": there is no applet, no public ecall and no program in ") &&
                        Catch::EndsWith(". The build makes lib, and none of its sources here defines main"));
}

TEST_CASE("a main behind a macro of the tree is one") {
  const Files files{{"Makefile", "packer: packer.c\n"},
                    {"packer.c", "#include \"util.h\"\nint\ntmain(int argc, tchar *argv[])\n{\n}\n"},
                    {"util.h",
                     "#ifdef _WIN32\n#  define\ttmain\t\twmain\n#else\n"
                     "#  define\ttmain\t\tmain  /* here */\n#endif\n#define other main2\n"},
                    {"xother.c", "int other(void) {}\nint wmain(void) {}\n"}};
  const Draft draft = draft_project(tree_of(files));
  CHECK(draft.taken == "packer.c");
  CHECK(draft.others.empty());
  FoundTree built = tree_of(files);
  built.programs = {{.name = "other", .path = "other", .units = {"xother.c"}},
                    {.name = "pack", .path = "pack", .units = {"packer.c"}}};
  CHECK(draft_project(built).taken == "pack (packer.c)");
  built.wanted_entry = "packer.c";
  CHECK(draft_project(built).taken == "pack (packer.c)");
}

TEST_CASE(
    "of several programs the one is taken that make makes by itself, then the one named as the folder") {
  const auto taken = [](const Files& files) {
    FoundTree tree = tree_of(files);
    tree.name = "shell-2.1";
    return draft_project(tree).taken;
  };
  Files files{{"a_test.c", c_main},          {"bench/shell.c", c_main},
              {"deep/er/core.c", c_main},    {"lib/all.c", "#ifdef SELF\nint main(void) {}\n#endif\n"},
              {"other.c", c_main},           {"shell.c", c_main},
              {"tools/amalgamate.c", c_main}};
  CHECK(taken(files) == "shell.c");
  files["Makefile"] =
      "include more.mk\n.PHONY: all\nall: doc $(PROG)\n$(PROG): $(OBJECTS) | dir\n"
      "\tcc -o $@ $^\nother: other.c\n%.o: %.c\nX := a:b\n";
  files["more.mk"] = "SOURCES = deep/er/core.c\nPROG = bin/prog\nOBJECTS = $(SOURCES:.c=.o)\n";
  CHECK(taken(files) == "deep/er/core.c");
  files["more.mk"] =
      "SOURCES = deep/er/core.c\nPROG = bin/prog\nOBJECTS = $(addprefix x/, $(SOURCES:%.c=%.o))\n";
  CHECK(taken(files) == "deep/er/core.c");
  files["Makefile"] = "other: other.c\nshell: shell.c\n";
  CHECK(taken(files) == "other.c");
  FoundTree built = tree_of(files);
  built.name = "Shell";
  built.programs = {{.name = "x", .path = "x", .units = {"other.c"}},
                    {.name = "y", .path = "y", .units = {"shell.c"}}};
  CHECK(draft_project(built).taken == "y (shell.c)");
}

TEST_CASE("main is where it is defined, not where it is named") {
  for (const char* text :
       {"int main(void) { return 0; }", "int\nmain(argc, argv)\nint argc; char **argv;\n{ }",
        "auto main() -> int { }", "int main() try { } catch (...) { }",
        "#if A\nint f() {\n#else\nint f(int) {\n#endif\n}\nint main() {}",
        "const char* s = R\"x(\" /* )x\"; int main(int, char**) noexcept { }",
        "long n = 1'000; int main() {}"})
    CHECK((defines_main(text) ? "" : std::string(text)).empty());
  for (const char* text :
       {"int main(void);", "// int main() {}", "/* int main() {} */", "char* s = \"int main() {}\";",
        "#define X int main() {}\n", "#define Y \\\n int main() {}\n",
        "struct S { int main() { return 1; } };", "void domain() {}", "int x = main;", "int main(",
        "void f() { main(); }", "const char* s = R\"(int main() {})\";"})
    CHECK((defines_main(text) ? std::string(text) : "").empty());
}

}  // namespace
}  // namespace jcprof::rewriter
