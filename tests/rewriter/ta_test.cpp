// SPDX-License-Identifier: Apache-2.0
// What jcprof-gen makes of a trusted application: the wrapper that serves our command, its id, and flags that
// a makefile is asked for.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>

#include "rewriter/c/make_commands.hpp"
#include "rewriter/generate.hpp"
#include "rewriter/strip_files.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "tests/core/fault_text.hpp"
#include "tests/core/temporary_folder.hpp"
#include "tests/rewriter/approval.hpp"

namespace fs = std::filesystem;
using namespace jcprof;
using namespace jcprof::rewriter;
using jcprof::test::fault_text;
using jcprof::test::TemporaryFolder;

namespace {

using Files = std::map<std::string, std::string>;

const std::string api_h =
    "#include <stdint.h>\n#include <stddef.h>\ntypedef uint32_t TEE_Result;\n"
    "typedef union {\n  struct { void *buffer; size_t size; } memref;\n  struct { uint32_t a, b; } value;\n} "
    "TEE_Param;\n"
    "TEE_Result TA_InvokeCommandEntryPoint(void *s, uint32_t c, uint32_t t, TEE_Param p[4]);\n"
    "TEE_Result TA_OpenSessionEntryPoint(uint32_t t, TEE_Param p[4], void **s);\n";

const std::string entry_c =
    "#include <api.h>\n#include \"part.h\"\n#define TA_CMD_ADD 0x6a630001U\n#define TA_CMD_OTHER "
    "1784872962\n\n"
    "TEE_Result TA_OpenSessionEntryPoint(uint32_t t, TEE_Param p[4], void **s)\n"
    "{\n\t(void)t;\n\t(void)p;\n\t*s = NULL;\n\treturn 0;\n}\n\n"
    "TEE_Result TA_InvokeCommandEntryPoint(void *s, uint32_t c, uint32_t t,\n\t\t\t\t      TEE_Param p[4])\n"
    "{\n\tuint32_t sum = p[0].value.a;\n\n\t(void)s;\n\t(void)t;\n\tswitch (c) {\n\tcase TA_CMD_ADD:\n"
    "\t\treturn part(sum);\n\tcase TA_CMD_OTHER:\n\t\tsum++;\n\t\tbreak;\n\tdefault:\n\t\treturn "
    "0xFFFF0006;\n\t}\n"
    "\tp[0].value.a = sum;\n\treturn 0;\n}\n";

const std::string part_c = "#include \"part.h\"\n\nuint32_t part(uint32_t n)\n{\n\treturn n + STEP;\n}\n";

/// As OP-TEE's development kit does it: a recipe that prints its commands too, and objects elsewhere.
const std::string kit_mk =
    "O ?= .\nall: $(addprefix $(O)/,$(srcs:.c=.o))\n"
    "$(O)/%.o: %.c\n\t@set -e ;\\\n\tmkdir -p $(dir $@) ;\\\n\techo '  CC      $@' ;\\\n"
    "\techo gcc -DNOT_THIS -c $< -o $@ ;\\\n"
    "\tgcc -std=gnu11 -Wall -Wextra -Werror -I$(TA_DEV_KIT_DIR)/include -I. '-DSTEP=(1 + 1); 2' -DSTEP2=2 "
    "-MD -MF $@.d -c $< -o $@ ;\\\n\techo done\n";

const std::string makefile = "srcs = entry.c part.c\ninclude $(TA_DEV_KIT_DIR)/mk/ta_dev_kit.mk\n";

struct Tree {
  TemporaryFolder folder;
  Project project;
  Files files;

  explicit Tree(Files more = {}) {
    files = {{"ta/entry.c", entry_c},
             {"ta/part.c", part_c},
             {"ta/part.h",
              "#include <stdint.h>\n#ifdef STEP2\n#undef STEP\n#define STEP STEP2\n#endif\nuint32_t "
              "part(uint32_t n);\n"},
             {"ta/Makefile", makefile}};
    for (const auto& [path, text] : more) files[path] = text;
    for (const auto& [path, text] : files) write_file(folder.path() / path, text);
    write_file(folder.path() / "kit/include/api.h", api_h);
    write_file(folder.path() / "kit/mk/ta_dev_kit.mk", kit_mk);
    project.root = folder.path();
    project.file = folder.path() / "jcprof.json";
    project.target = TargetKind::optee_ta;
    project.sources = {"ta/*.c", "ta/*.h"};
    project.entry = {std::string(ta_entry)};
    project.compile.make = "ta";
    project.build = {{.run = {"true"}},
                     {.run = {"make", "-C", "ta", "TA_DEV_KIT_DIR={project}/kit", "O={out}/ta"}}};
    write_file(project.file, "{\"compile\": {\"make\": \"ta\"}}\n");
  }

  Generated generate() const { return rewriter::generate(project, folder.path() / "out"); }
  std::string written(const std::string& path) const { return read_file(folder.path() / "out" / path); }
  std::string fault() const {
    std::string text = fault_text([&] { generate(); });
    const std::string root = folder.path().string();
    for (std::size_t at = 0; (at = text.find(root)) != std::string::npos;) text.replace(at, root.size(), "…");
    return text;
  }
};

std::string as_text(const CompileCommand& command) {
  return fmt::format("{} in {}: {}", command.file, command.folder.string(), fmt::join(command.words, "|"));
}

}  // namespace

TEST_CASE("a trusted application is rewritten as approved, builds as its makefile says, and can be undone") {
  const Tree tree;
  const Generated generated = tree.generate();
  CHECK(generated.notes == std::vector<std::string>{});
  CHECK(generated.coverage.statements == generated.coverage.with_trap);
  check_approved("ta.c", tree.written("tree/ta/entry.c") + "---- part.c\n" + tree.written("tree/ta/part.c"));
  const fs::path out = tree.folder.path() / "out";
  const Command make{
      .argv = {"make", "-s", "-C", "ta", "TA_DEV_KIT_DIR=" + (tree.folder.path() / "kit").string(),
               "O=" + (out / "ta").string()},
      .cwd = out / "tree"};
  CHECK(run_and_wait(make, {}, std::chrono::minutes{1}).exit_status == 0);
  strip_in_place(out / "tree");
  for (const auto& [path, text] : tree.files) CHECK(tree.written("tree/" + path) == text);
  CHECK(!fs::exists(out / "tree/jcprof_tree.h"));
}

TEST_CASE("our command is one that the sources do not have, and the trap map and the tree say it") {
  const Tree tree;
  const Generated generated = tree.generate();
  CHECK(generated.map.command == 0x6A630003);
  CHECK(generated.map.language == "c");
  CHECK_THAT(tree.written("tree/jcprof_tree.h"),
             Catch::Contains("#define JCPROF_TA_BUILD 1\n#define JCPROF_COMMAND 0x6A630003u\n"));
  CHECK_THAT(tree.written("traps.json"), Catch::Contains("\"arming\":{\"command\":1784872963}"));
  CHECK(read_trap_map(tree.folder.path() / "out/traps.json").command == 0x6A630003);
}

TEST_CASE("compilers are found in what make would run, and what it would print is not taken for one") {
  const std::vector<CompileCommand> commands = parse_dry_run(
      "make: Entering directory '/p/ta'\n"
      "set -e ;mkdir -p /o/ ; echo '  CC /o/a.o' ; true gcc -c a.c -o a.o; gcc -DX=\"a;b\" '-DY=\"c & d\"' "
      "-c a.c \\\n"
      "\t-o /o/a.o ;\\\n  objcopy a.o\n"
      "make[1]: Entering directory '/p/ta/sub dir'\n"
      "ccache cc -O2 -MF x.c -c ../b.cpp && echo built -c b.c\n"
      "make[1]: Leaving directory '/p/ta/sub dir'\n"
      "as -c boot.S; ld -o x a.o\n"
      "cc -o c.o -c c.c\n"
      "(cd lib && cc -DD -o d d.c e.cpp x.o -lm)\n"
      "/bin/bash ./libtool --silent --tag=CC --mode=compile gcc -DF -MT f.lo -c -o f.lo `test -f 'f.c' || "
      "echo "
      "'../src/'`f.c\n",
      "/p");
  std::vector<std::string> words;
  std::ranges::transform(commands, std::back_inserter(words), as_text);
  CHECK(words == std::vector<std::string>{"a.c in /p/ta: gcc|-DX=a;b|-DY=\"c & d\"|-c",
                                          "../b.cpp in /p/ta/sub dir: ccache|cc|-O2|-MF|x.c|-c",
                                          "c.c in /p/ta: cc|-c", "d.c in /p/ta/lib: cc|-DD",
                                          "e.cpp in /p/ta/lib: cc|-DD",
                                          "../src/f.c in /p/ta: gcc|-DF|-MT|f.lo|-c"});
}

TEST_CASE("files that only the build makes may be missing, but make may not fail in another way") {
  const auto tree_with = [](const std::string& inner) {
    return Tree(
        {{"ta/Makefile", makefile + "all: more\n.PHONY: more\nmore:\n\techo a: *** b\n\t$(MAKE) -C more\n"},
         {"ta/more/Makefile", inner}});
  };
  const std::string rule = "all: gone.o\ngone.o: gone.c\n\tcc -c gone.c\n";
  const Tree missing = tree_with(rule);
  CHECK(commands_of_make(missing.project, missing.folder.path() / "out").size() == 2);
  const Tree looped(
      {{"ta/Makefile",
        makefile + "all: more\n.PHONY: more\nmore:\n\tfor d in more; do $(MAKE) -C $$d || exit 1; done\n"},
       {"ta/more/Makefile", rule}});
  CHECK(commands_of_make(looped.project, looped.folder.path() / "out").size() == 2);
  CHECK_THAT(tree_with("$(error no licence)\n" + rule).fault(),
             Catch::Contains("make does not say how it compiles") && Catch::Contains("*** no licence."));
}

TEST_CASE("a dry run leaves makefiles as they are, also those of folders that automake goes into") {
  const test::TemporaryFolder folder;
  write_file(folder / "configure", "");
  write_file(folder / "Makefile",
             "all: ; $(MAKE) $(AM_MAKEFLAGS) -C sub\nMakefile: configure\n\techo all: > Makefile\n");
  write_file(folder / "sub/Makefile",
             "all: ; cc -o prog main.c\nMakefile: ../configure\n\techo all: > Makefile\n");
  CHECK_THAT(dry_run_in(folder.path()).value_or(""), Catch::Contains("\ncc -o prog main.c\n"));
  CHECK_THAT(read_file(folder / "Makefile"), Catch::Contains("AM_MAKEFLAGS"));
  CHECK_THAT(read_file(folder / "sub/Makefile"), Catch::Contains("prog"));
}

TEST_CASE("steps that make below the folder say how they compile too") {
  Tree tree(
      {{"ta/checks/Makefile", "check: check.c\n\tcc -DCHECKED -o $@ check.c\n"}, {"ta/checks/check.c", ""}});
  const std::size_t before = commands_of_make(tree.project, tree.folder.path() / "out").size();
  tree.project.build.push_back({.run = {"make", "-C", "ta/checks"}});
  const std::vector<CompileCommand> commands = commands_of_make(tree.project, tree.folder.path() / "out");
  REQUIRE(commands.size() == before + 1);
  CHECK_THAT(as_text(commands.back()), Catch::EndsWith("/ta/checks: cc|-DCHECKED"));
}

TEST_CASE("where the development kit is missing, or no source is compiled, it is said what to set") {
  Tree tree;
  tree.project.build.clear();
  CHECK(tree.fault() ==
        "jcprof.json:1: make does not say how it compiles: make --dry-run --always-make --print-directory "
        "--assume-old=Makefile\n"
        "make: Entering directory '…/ta'\n"
        "Makefile:2: /mk/ta_dev_kit.mk: No such file or directory\n"
        "make: *** No rule to make target '/mk/ta_dev_kit.mk'.  Stop.\n"
        "make: Leaving directory '…/ta'\n"
        "  1 | {\"compile\": {\"make\": \"ta\"}}\n    |                      ^\n"
        "hint: is TA_DEV_KIT_DIR the folder that holds mk/ta_dev_kit.mk? It is taken from the environment, "
        "or from the step of \"build\" that makes there");
  tree.project.build = {{.run = {"make", "-C", "ta", "TA_DEV_KIT_DIR={project}/kit", "srcs="}}};
  CHECK(tree.fault() ==
        "jcprof.json:1: make compiles none of the sources\n"
        "  1 | {\"compile\": {\"make\": \"ta\"}}\n    |                      ^\n"
        "hint: is TA_DEV_KIT_DIR the folder that holds mk/ta_dev_kit.mk? It is taken from the environment, "
        "or from the step of \"build\" that makes there");
  tree.project.compile.make = "tb";
  CHECK(tree.fault() ==
        "jcprof.json: there is no folder \"tb\"\nhint: \"make\" names the folder of the makefile");
}

TEST_CASE(
    "an entry that a header renames is wrapped under its other name, and keeps the one that is written") {
  const Tree tree;
  write_file(tree.folder.path() / "kit/include/api.h",
             "#define TA_InvokeCommandEntryPoint __GP11_TA_InvokeCommandEntryPoint\n" + api_h);
  const Generated generated = tree.generate();
  CHECK(generated.notes == std::vector<std::string>{});
  CHECK_THAT(tree.written("tree/ta/entry.c"),
             Catch::Contains("#define __GP11_TA_InvokeCommandEntryPoint "
                             "jcprof_body___GP11_TA_InvokeCommandEntryPoint\n"));
  CHECK(std::ranges::any_of(generated.map.traps, [](const Trap& trap) {
    return trap.kind == TrapKind::entry0 && trap.function == "TA_InvokeCommandEntryPoint";
  }));
  const std::string object = (tree.folder.path() / "entry.o").string();
  const Command compile{
      .argv = {"gcc", "-DSTEP2=2", "-DSTEP=1", "-I" + (tree.folder.path() / "kit/include").string(), "-Wall",
               "-Wextra", "-Werror", "-c", "ta/entry.c", "-o", object},
      .cwd = tree.folder.path() / "out/tree"};
  CHECK(run_and_wait(compile, {}, std::chrono::minutes{1}).tail == "");
  const ProcessResult symbols =
      run_and_wait({.argv = {"nm", object}, .cwd = tree.folder.path()}, {}, std::chrono::minutes{1});
  CHECK_THAT(symbols.tail, Catch::Contains(" T __GP11_TA_InvokeCommandEntryPoint\n"));
}

TEST_CASE("an entry in a file that another file includes is wrapped there") {
  const Tree tree({{"ta/whole.c", "#include \"part.c\"\n#include \"entry.c\"\n"},
                   {"ta/Makefile", "srcs = whole.c\ninclude $(TA_DEV_KIT_DIR)/mk/ta_dev_kit.mk\n"}});
  CHECK(tree.generate().notes == std::vector<std::string>{});
  CHECK_THAT(tree.written("tree/ta/whole.c"), Catch::StartsWith("/*[j*/\n#define JCPROF_ROOT_HERE"));
  CHECK_THAT(tree.written("tree/ta/entry.c"), Catch::Contains("JCPROF_TA("));
}

TEST_CASE("an entry of which a macro makes the head is refused with one reason and one remedy") {
  Files files;
  std::string text = entry_c;
  const std::string head =
      "TEE_Result TA_InvokeCommandEntryPoint(void *s, uint32_t c, uint32_t t,\n\t\t\t\t      TEE_Param "
      "p[4])\n";
  REQUIRE(text.find(head) != std::string::npos);
  text.replace(text.find(head), head.size(), "ENTRY(TA_InvokeCommandEntryPoint)\n");
  files["ta/entry.c"] =
      "#define ENTRY(name) TEE_Result name(void *s, uint32_t c, uint32_t t, TEE_Param p[4])\n" + text;
  const Tree tree(files);
  CHECK_THAT(
      tree.fault(),
      Catch::Contains("\"TA_InvokeCommandEntryPoint\" cannot be the entry: a macro makes its head, so that "
                      "jcprof does not see where its name is\n") &&
          Catch::EndsWith("hint: a trusted application has no other entry: write its head out"));
}

TEST_CASE("a file that only the build makes is left to the build") {
  const Tree tree(Files{{"ta/Makefile",
                         "srcs = entry.c part.c\ninclude $(TA_DEV_KIT_DIR)/mk/ta_dev_kit.mk\n"
                         "all: $(O)/made.o\n$(O)/made.c:\n\techo 'int made;' > $@\n"
                         "$(O)/made.o: $(O)/made.c\n\tgcc -c $< -o $@\n"}});
  CHECK(tree.generate().notes == std::vector<std::string>{});
}

TEST_CASE("where make wants a file that nothing makes yet, the others are compiled as it says") {
  const Tree tree(Files{{"ta/Makefile",
                         "srcs = entry.c part.c\ninclude $(TA_DEV_KIT_DIR)/mk/ta_dev_kit.mk\n"
                         "all: edge.o\nedge.o: $(EDGE)/edge.c\n\tgcc -c $< -o $@\n"}});
  CHECK(tree.generate().notes == std::vector<std::string>{});
}
