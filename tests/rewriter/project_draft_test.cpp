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

namespace jcprof::rewriter {
namespace {

using Files = std::map<std::string, std::string>;

FoundTree tree_of(const Files& files) {
  FoundTree tree{.name = "sample"};
  for (const auto& [path, text] : files) {
    tree.paths.push_back(path);
    if (is_telling(path)) tree.texts.emplace(path, text);
  }
  return tree;
}

Project drafted(const FoundTree& tree) {
  return parse_project("/p/jcprof.json", draft_project(tree));
}

using Runs = std::vector<std::vector<std::string>>;

Runs runs_of(const std::vector<Step>& steps) {
  Runs runs;
  for (const Step& step : steps) runs.push_back(step.run);
  return runs;
}

constexpr const char* applet = R"(package com.example.pin;
import javacard.framework.*;
public class Pin extends Applet {
    private static final byte PIN_CLA = (byte) 0xB0;
    static final byte INS_VERIFY = (byte) 0x20, INS_SIGN = 0x2a;
    static final byte INSIDE = 1;
    static final short INS_TABLE = OTHER;
    public static void install(byte[] b, short o, byte l) { new Pin().register(); }
    public void process(APDU apdu) { INS_VERIFY(); }
}
)";

constexpr const char* c_main = "int main(void) { return 0; }\n";

TEST_CASE("an applet with jCardSim at hand gets a project file that says all that is needed to measure it") {
  FoundTree tree = tree_of(
      {{"build.xml",
        R"(<cap aid="0102030405"><applet class="com.example.pin.Pin" aid="A0:00:00:00:62:01"/></cap>)"},
       {"lib/api_classic.jar", ""},
       {"lib/jcardsim-3.jar", ""},
       {"src/com/example/pin/Pin.java", applet},
       {"src/com/example/pin/Helper.java", "package com.example.pin; class Helper {}"},
       {"test/Other.java",
        "class Other extends javacard.framework.Applet { public void process(APDU apdu) {} }"}});
  CHECK(
      draft_project(tree) ==
      R"(// Written by jcprof init from what it found here, and yours to change. docs/project-file.md explains every key.
{
  "format": "jcprof-project", "version": 1,
  "name": "sample",
  "target": "applet",
  // The applet's package. Traps go into a copy of these files.
  "sources": ["src/com/example/pin/*.java"],
  // What the card calls for each command.
  // Other applets here: Other.process (test/Other.java)
  "entry": "Pin.process",
  // Where traps stand: globs over functions and files; at each statement, or coarser: "block", "function".
  "profile": {"include": ["*"], "exclude": [], "level": "statement"},
  // The class path that traps are tried against by compiling.
  "compile": {"classpath": ["{project}/lib/api_classic.jar", "{project}/lib/jcardsim-3.jar"]},
  // How the copy with traps, {tree}, is built.
  "build": [
    {"run": ["javac", "--release", "8", "-encoding", "UTF-8", "-nowarn", "-Xlint:-options", "-cp",
             "{project}/lib/api_classic.jar:{project}/lib/jcardsim-3.jar", "-sourcepath", "src", "-d", "{out}/classes",
             "src/com/example/pin/Pin.java"]}
  ],
  // jCardSim as a virtual card, which connects to {port}. For a real card: no "start", "transport": "pcsc:", a
  // "build" that makes the CAP file, and an "install" that loads it; then "once" is not needed.
  "start": {"run": ["java", "-XX:TieredStopAtLevel=1", "-Dcom.licel.jcardsim.vsmartcard.host=127.0.0.1",
                    "-Dcom.licel.jcardsim.vsmartcard.port={port}", "-Dcom.licel.jcardsim.card.applet.0.AID=A00000006201",
                    "-Dcom.licel.jcardsim.card.applet.0.Class=com.example.pin.Pin", "-cp",
                    "{project}/lib/jcardsim-3.jar:{out}/classes:{project}/lib/api_classic.jar",
                    "com.licel.jcardsim.remote.VSmartCard", "/dev/null"]},
  "transport": "vpcd:",
  "device": "jcardsim",
  "session": {
    // The AID is that of "build.xml".
    "once": ["80B8000009 06 A00000006201 000000"],  // install
    "after_reset": ["00A4040006 A00000006201"]  // SELECT
  },
  // The command under study: CLA INS P1 P2, then data.
  //   20 INS_VERIFY  (may count tries: add "counts_tries": true)
  //   2A INS_SIGN
  "trigger": {"apdu": "B02A0000"},
  // With data, here four bytes: "trigger": {"apdu": "B02A0000 {input}"}, "inputs": {"fixed": "31323334"},
  // Until each share is known to so many points, or for so long; a simulator is a noisy target.
  "measure": {"absolute": 1, "max_time": "1m"}
}
)");
  CHECK(drafted(tree).entry == std::vector<std::string>{"Pin.process"});
}

TEST_CASE("an applet without a simulator is measured on a card, after its own build") {
  const Project project = drafted(tree_of(
      {{"build.gradle",
        "javacard { cap { aid = '0102030405'\n applet { className = 'Pin'\n aid = '01:02:03:04:05:06' } } }"},
       {"Pin.java", "class Pin extends Applet { public void process(APDU apdu) {} }"}}));
  CHECK(project.transport == "pcsc:");
  CHECK(runs_of(project.build) == Runs{{"gradle", "-p", "{tree}", "build"}});
  CHECK(project.session.after_reset == Script{ApduStep{.apdu = "00A4040006 010203040506"}});
  CHECK(project.trigger.apdus == std::vector<std::string>{"80000000"});
  CHECK(project.sources == std::vector<std::string>{"*.java"});
}

TEST_CASE("sources that do not lie as their package says are compiled by name, the runtime too") {
  const Project project =
      drafted(tree_of({{"src/Pin.java", applet}, {"src/Two.java", "package com.example.pin; class Two {}"}}));
  CHECK(runs_of(project.build) ==
        Runs{{"javac", "--release", "8", "-encoding", "UTF-8", "-nowarn", "-Xlint:-options", "-d",
              "{out}/classes", "src/Pin.java", "src/Two.java", "src/PM.java", "src/PMC.java"}});
}

TEST_CASE("sources in another encoding than UTF-8 are compiled so that any byte is a character") {
  const Project project = drafted(
      tree_of({{"src/Pin.java", applet}, {"src/Two.java", "package com.example.pin; // gr\xFC\xDF\n"}}));
  CHECK(fmt::format("{}", fmt::join(runs_of(project.build).front(), " ")).find("-encoding ISO-8859-1 ") !=
        std::string::npos);
}

TEST_CASE("an applet is one by all of its superclasses, and the one that others extend is none") {
  const Project project = drafted(
      tree_of({{"src/Base.java", "abstract class Base extends Applet { public void process(APDU apdu) {} }"},
               {"src/Real.java", "class Real extends Base { public void process(APDU apdu) {} }"},
               {"src/Broken.java", "class {"}}));
  CHECK(project.entry == std::vector<std::string>{"Real.process"});
}

TEST_CASE("AIDs are read in the forms that build files and people write") {
  CHECK(normal_aid("A0:00:00:00:62") == "A000000062");
  CHECK(normal_aid("0xa0:0x0:0x0:0x0:0x62:0x1") == "A00000006201");
  CHECK(normal_aid("a0 00 00 00 62") == "A000000062");
  CHECK(normal_aid("A00000006201") == "A00000006201");
  CHECK(normal_aid("A0:00:00:00").empty());
  CHECK(normal_aid("${aid}").empty());
  CHECK(normal_aid("000102030405060708090A0B0C0D0E0F10").empty());
  const Project commented = drafted(
      tree_of({{"A.java",
                "// AID: F0 11 22 33 44 55\nclass A extends Applet { public void process(APDU apdu) {} }"}}));
  CHECK(commented.session.after_reset == Script{ApduStep{.apdu = "00A4040006 F01122334455"}});
}

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
      draft_project(tree) ==
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
  // How each file is compiled.
  "compile": {"database": "build/compile_commands.json"},
  // How the copy with traps, {tree}, is built.
  "build": [
    {"run": ["cmake", "-S", "{tree}", "-B", "{out}/build", "-DCMAKE_BUILD_TYPE=RelWithDebInfo"]},
    {"run": ["cmake", "--build", "{out}/build", "--target", "app", "--parallel", "2"], "timeout_s": 1800}
  ],
  // The program is started anew for each shot.
  "transport": "exec:",
  // The command under study: give it arguments that make it work for a moment, the same each time.
  "trigger": {"run": ["{out}/build/app"]},
  // Until each share is known to so many points, or for so long.
  "measure": {"absolute": 1, "max_time": "1m"}
}
)");
  CHECK(drafted(tree).trigger.run == std::vector<std::string>{"{out}/build/app"});
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
  CHECK_THAT(
      draft_project(tree),
      Catch::Contains(
          "  // Run ./configure here first: jcprof reads the sources with what it makes (config.h).\n"
          "  // Flags for every file. Better is a compile_commands.json, which tells them file by file "
          "(bear -- make):\n"
          "  // \"compile\": {\"database\": \"./compile_commands.json\"},\n"));
}

TEST_CASE("a rule of make's that is no file is not taken for the program") {
  const auto run = [](const char* makefile) {
    return runs_of(drafted(tree_of({{"Makefile", makefile}, {"cli.c", c_main}})).build);
  };
  CHECK(run(".PHONY: allmost lib \\\n\tmore\nallmost: tool\nmore: tool\ntool: cli.c\n") ==
        Runs{{"make", "-j2", "tool"}});
  CHECK(run(".PHONY: allmost\nallmost: lib\n\t$(MAKE) -C lib\n") == Runs{{"make", "-j2"}});
}

TEST_CASE("a build that is configured without a compile database is named, and one that has it is taken") {
  CHECK_THAT(
      draft_project(tree_of(
          {{"CMakeLists.txt", "add_executable(a a.c)"}, {"a.c", c_main}, {"made/CMakeCache.txt", ""}})),
      Catch::Contains("(cmake -S . -B made -DCMAKE_EXPORT_COMPILE_COMMANDS=ON):\n"
                      "  // \"compile\": {\"database\": \"made/compile_commands.json\"},\n"));
  CHECK(drafted(tree_of({{"CMakeLists.txt", "add_executable(a a.c)"},
                         {"a.c", c_main},
                         {"made/compile_commands.json", "[]"}}))
            .compile.database == "made/compile_commands.json");
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
      draft_project(tree) ==
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
  CHECK_THROWS_WITH(draft_project(tree),
                    Catch::Contains("the EDL has preprocessor directives, and there is no C compiler"));
  const test::TemporaryFolder folder;
  for (const auto& [path, text] : files) write_file(folder / path, text);
  tree.root = folder.path();
  tree.compiler = "cc";
  const std::string draft = draft_project(tree);
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

TEST_CASE("where each command of an applet may count tries, the trigger is said to") {
  const auto trigger_of = [](const std::string& instructions) {
    return drafted(tree_of({{"Pin.java", "class Pin extends Applet { " + instructions +
                                             " public void process(APDU apdu) {} }"}}))
        .trigger;
  };
  const Trigger login = trigger_of("static final byte INS_LOGIN = 0x31;");
  CHECK(login.apdus == std::vector<std::string>{"80310000"});
  CHECK(login.counts_tries == true);
  CHECK_FALSE(trigger_of("static final byte INS_SIGN = 0x2A;").counts_tries);
}

TEST_CASE("where the Makefile knows bridge.so, it makes it; of several EDLs the draft names one") {
  Files files = enclave;
  files["Makefile"] = "bridge.so: enclave.so\n";
  files["tests/other.edl"] = "enclave { trusted { public int ecall_put(int n); }; };\n";
  const std::string draft = draft_project(tree_of(files));
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
      draft_project(tree) ==
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
  "trigger": {"ta": "5779306f-04a3-415a-9dd8-b9f4f9069af6", "command": 3, "params": []},
  // Commands that each session begins with, and what {input} stands for.
  // "session": {"once": [{"command": 0, "params": []}]},
  // "inputs": {"fixed": "31323334"},
  // Until each share is known to so many points, or for so long.
  "measure": {"absolute": 1, "max_time": "1m"}
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

TEST_CASE("a function is defined where it has a body, in extern \"C\" too") {
  CHECK(defines_function("extern \"C\" {\n  int f(void)\n  {\n  }\n}\n", "f"));
  CHECK(defines_function("extern \"C\" int f() { }", "f"));
  CHECK_FALSE(defines_function("int f(void);\nint g() { return f(); }", "f"));
  CHECK_FALSE(defines_function("namespace { int f() { return 1; } }", "f"));
}

TEST_CASE("a tree with nothing to profile is refused, with what was looked for") {
  const FoundTree tree =
      tree_of({{"A.java", "class A { void process(APDU apdu) {} }"}, {"lib.c", "int f(void) { return 1; }"}});
  CHECK_THROWS_WITH(
      draft_project(tree),
      "there is no applet, no enclave, no trusted application and no program in \"sample\"\n"
      "hint: looked for a class that extends Applet and has process(APDU) in 1 Java files, for "
      "a public ecall "
      "in 0 EDL files that a source defines, and for TA_InvokeCommandEntryPoint and main in 1 C "
      "and C++ files");
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
