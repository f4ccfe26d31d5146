// SPDX-License-Identifier: Apache-2.0
// The drafts of `jcprof init` for trees with trusted applications: which of several, what their build files
// say, and a trigger that fits the first command.
#include <catch2/catch.hpp>

#include "src/core/error.hpp"
#include "tests/core/fault_text.hpp"
#include "tests/rewriter/draft_trees.hpp"

namespace jcprof::rewriter {
namespace {

using Strings = std::vector<std::string>;

const std::string kit = "include $(TA_DEV_KIT_DIR)/mk/ta_dev_kit.mk\n";

std::string entry_of(const std::string& command) {
  return "TEE_Result TA_InvokeCommandEntryPoint(void *s, uint32_t c, uint32_t t, TEE_Param p[4])\n{\n"
         "\tswitch (c) {\n\tcase " +
         command + ":\n\t\treturn serve(t, p);\n\tdefault:\n\t\treturn 1;\n\t}\n}\n";
}

/// Three applications, of which the makefile above names two, the one behind the other in the alphabet first.
const Files three{
    {"Makefile", "# extra is not built any more\nDIRS := lock \\\n\tbell\n"},
    {"common.mk", kit},
    {"bell/Makefile", "BINARY = 11111111-2222-3333-4444-555555555555\ninclude ../common.mk\n"},
    {"bell/bell.c", entry_of("CMD_RING") + "#define CMD_RING 3\n"},
    {"bell/sub.mk", "srcs-y += bell.c\n"},
    {"extra/Makefile", kit},
    {"extra/extra.c", entry_of("CMD_X")},
    {"lock/ta/Makefile", "NAME := aaaaaaaa-2222-3333-4444-555555555555\nBINARY=$(NAME)\n-" + kit},
    {"lock/ta/include/lock.h", "#define CMD_RING 8\n"},
    {"lock/ta/lock.c", entry_of("CMD_RING")},
    {"shared/clock.c", "int now(void) { return 1; }\n"},
    {"shared/clock.h", "int now(void);\n"},
    {"lock/ta/sub.mk", "global-incdirs-y += include ../../shared\nsubdirs-y += more\n"},
    {"lock/ta/more/sub.mk", "srcs-$(CFG_CLOCK) += ../../../shared/clock.c\nsrcs-y += gone.c\n"}};

TEST_CASE("of several trusted applications the makefile's first is taken, and the others are listed") {
  const Draft draft = draft_project(tree_of(three));
  const Project project = parse_project("/p/jcprof.json", draft.text);
  CHECK(project.compile.make == "lock/ta");
  CHECK(draft.others == Strings{"bell (bell/bell.c)", "extra (extra/extra.c)"});
  CHECK_THAT(
      draft.text,
      Catch::Contains("// Other applications here, for jcprof init --ta NAME: bell (bell/bell.c), extra"));
  CHECK(project.trigger.object.find("aaaaaaaa-2222-3333-4444-555555555555\",\"command\":8") !=
        std::string::npos);
}

TEST_CASE("init --ta chooses a trusted application by its name, folder, UUID or file") {
  FoundTree tree = tree_of(three);
  for (const char* name : {"bell", "./bell/", "11111111-2222-3333-4444-555555555555", "bell/bell.c"}) {
    tree.wanted_ta = name;
    INFO(name);
    CHECK(drafted(tree).compile.make == "bell");
    CHECK_THAT(draft_project(tree).text, Catch::Contains("//   3 CMD_RING\n"));
  }
  tree.wanted_ta = "AAAAAAAA-2222-3333-4444-555555555555";
  CHECK(drafted(tree).compile.make == "lock/ta");
  tree.wanted_ta = "bel";
  CHECK_THROWS_WITH(draft_project(tree),
                    "\"bel\": there is no such trusted application\nhint: there are lock, bell, extra");
  FoundTree none = tree_of({{"a.c", c_main}});
  none.wanted_ta = "bell";
  CHECK_THROWS_WITH(draft_project(none),
                    "\"bell\": there is no such trusted application\n"
                    "hint: no C or C++ file here defines TA_InvokeCommandEntryPoint");
}

TEST_CASE("a name of two trusted applications chooses none, and a folder does") {
  Files files = three;
  files["old/bell/Makefile"] = kit;
  files["old/bell/bell.c"] = entry_of("CMD_OLD");
  files["new/bell/Makefile"] = kit;
  files["new/bell/bell.c"] = entry_of("CMD_NEW");
  files.erase("bell/bell.c");
  FoundTree tree = tree_of(files);
  tree.wanted_ta = "bell";
  CHECK_THROWS_WITH(draft_project(tree),
                    "\"bell\": several trusted applications have this name\n"
                    "hint: name the folder of the one that you mean: new/bell, old/bell");
  tree.wanted_ta = "old/bell";
  CHECK(drafted(tree).compile.make == "old/bell");
}

TEST_CASE("a makefile's variables are those that make would have") {
  const auto object = [](const std::string& makefile) {
    return drafted(tree_of({{"Makefile", makefile + kit}, {"a.c", entry_of("CMD_A") + "#define CMD_A 0\n"}}))
        .trigger.object;
  };
  const std::string own = "BINARY := 11111111-2222-3333-4444-555555555555\n";
  const std::string other = "BINARY ?= 99999999-2222-3333-4444-555555555555\n";
  const auto is_own = Catch::Contains("11111111-2222-3333-4444-555555555555");
  CHECK_THAT(object(own + other), is_own);
  CHECK_THAT(object("export " + own), is_own);
  CHECK_THAT(object(own + "all: a\n\tBINARY = 99999999-2222-3333-4444-555555555555\n"), is_own);
  CHECK_THAT(object("ifdef A\n\t" + own + "endif\n"), is_own);
  CHECK_THAT(object("NAME = 11111111-2222-3333-4444-555555555555" + std::string(4000, ' ') +
                    "# so\noverride BINARY = $(NAME)\n"),
             is_own);
}

TEST_CASE("a file that make can do without, and a name that begins with two dots, do not lie outside") {
  const Project project =
      drafted(tree_of({{"Makefile", "-include ../local.mk\nsinclude ../../more.mk\n" + kit},
                       {"sub.mk", "srcs-y += a.c\nglobal-incdirs-y += ..x\n"},
                       {"..x/x.h", "int x;\n"},
                       {"a.c", entry_of("CMD_A")}}));
  CHECK(project.sources == Strings{"**/*.c", "**/*.h"});
}

TEST_CASE("sub.mk brings sources and headers of other folders") {
  const Project project = drafted(tree_of(three));
  CHECK(project.sources == Strings{"lock/ta/**/*.c", "lock/ta/**/*.h", "shared/clock.c", "shared/clock.h"});
}

TEST_CASE("an application may have the entry of another, by including its file") {
  Files files = three;
  files["twin/Makefile"] = "BINARY = 99999999-2222-3333-4444-555555555555\ninclude ../common.mk\n";
  files["twin/twin.c"] = "#include \"../bell/bell.c\"\n";
  FoundTree tree = tree_of(files);
  tree.wanted_ta = "twin";
  const Project project = drafted(tree);
  CHECK(project.compile.make == "twin");
  CHECK(project.sources == Strings{"bell/bell.c", "twin/**/*.c"});
  CHECK_THAT(project.trigger.object, Catch::Contains("99999999-2222-3333-4444-555555555555"));
  CHECK_THAT(draft_project(tree).text, Catch::Contains("is in \"bell/bell.c\""));
}

TEST_CASE("an application round others has none of their sources") {
  const Files files{{"Makefile", kit},
                    {"main.c", entry_of("CMD_A")},
                    {"inner/Makefile", kit},
                    {"inner/inner.c", entry_of("CMD_B")}};
  CHECK(drafted(tree_of(files)).sources == Strings{"main.c"});
}

TEST_CASE("an application whose makefile leads out of the folder is refused, with the folder to take") {
  FoundTree tree = tree_of({{"Makefile", "include ../../mk/common.mk\n"},
                            {"sub.mk", "srcs-y += a.c\nglobal-incdirs-y += ../other/include\n"},
                            {"a.c", entry_of("CMD_A")}});
  tree.root = "/work/apps/bell";
  CHECK_THROWS_WITH(draft_project(tree),
                    "the build files of sample (a.c) name \"../../mk/common.mk\", which lies outside of this "
                    "folder\n"
                    "hint: jcprof copies the folder that it is given: jcprof init /work --ta apps/bell");
  tree.root = "/my work/apps/bell";
  tree.texts.at("Makefile") = kit;
  const auto hint_with = [&](const std::string& folder) {
    tree.texts.at("sub.mk") = "global-incdirs-y += " + folder + "\n";
    return Catch::Contains("jcprof init " + std::string(folder == ".." ? "'/my work/apps' --ta bell"
                                                                       : "'/my work' --ta apps/bell"));
  };
  for (const char* folder : {"..", "../.."}) {
    const auto hint = hint_with(folder);
    CHECK_THROWS_WITH(draft_project(tree), hint);
  }
  tree.root = "/bell";
  CHECK_THROWS_WITH(draft_project(tree), Catch::Contains("give it one that has all that is built from"));
}

TEST_CASE("an application whose build makes sources makes them before they are read") {
  Files files = three;
  files["lock/ta/sub.mk"] += "gensrcs-y += table\nproduce-table = table.h\n";
  FoundTree tree = tree_of(files);
  tree.dev_kit = "/kit";
  const Project project = drafted(tree);
  CHECK(runs_of(project.compile.prepare) == Runs{{"make", "-C", "lock/ta", "CROSS_COMPILE=aarch64-linux-gnu-",
                                                  "O={out}/dry-run/ta", "TA_DEV_KIT_DIR=/kit"}});
  CHECK(project.compile.make == "lock/ta");
}

TEST_CASE("the trigger has the parameters that the command asks for") {
  const auto params = [](const std::string& entry) {
    const std::string object =
        drafted(tree_of({{"Makefile", kit}, {"a.c", entry}, {"b.c", "#define CMD_A 0\n#define CMD_B 1\n"}}))
            .trigger.object;
    return object.substr(object.find("\"params\""));
  };
  CHECK(
      params("static TEE_Result serve(uint32_t t, TEE_Param p[4]) {\n"
             "  const uint32_t exp = TEE_PARAM_TYPES(TEE_PARAM_TYPE_MEMREF_INPUT, "
             "TEE_PARAM_TYPE_VALUE_INOUT,\n TEE_PARAM_TYPE_MEMREF_OUTPUT, TEE_PARAM_TYPE_NONE);\n"
             "  return t != exp;\n}\n" +
             entry_of("CMD_A")) ==
      R"("params":[{"memref":"in","bytes":"000102030405060708090a0b0c0d0e0f","shared":true},{"value":"inout","a":1},{"memref":"out","size":256,"shared":true}]})");
  CHECK(params("TEE_Result TA_InvokeCommandEntryPoint(void *s, uint32_t c, uint32_t t, TEE_Param p[4])\n{\n"
               "  if (t != TEE_PARAM_TYPES(TEE_PARAM_TYPE_NONE, TEE_PARAM_TYPE_VALUE_OUTPUT, "
               "TEE_PARAM_TYPE_NONE, TEE_PARAM_TYPE_NONE)) return 1;\n"
               "  switch (c) { case CMD_B: return 0; }\n  return 2;\n}\n") ==
        R"("params":[null,{"value":"out"}]})");
  CHECK(params(entry_of("CMD_A")) == "\"params\":[]}");
}

TEST_CASE("commands are those of the cases, however their numbers are aligned and who has the cases") {
  const std::string one = "TEE_PARAM_TYPES(TEE_PARAM_TYPE_VALUE_INPUT, TEE_PARAM_TYPE_NONE, 0, 0)";
  const std::string numbers =
      "#define CMD_A" + std::string(24, ' ') + "7\n#define CMD_B\t\t\t\t\t\t\t\t\t\t\t\t(8)\n";
  const std::string check =
      "#define HAVE(t) do { if ((t) != types) return 1; } while (0)\n"
      "static TEE_Result open_it(uint32_t types) {\n  HAVE(" +
      one + ");\n  return 0;\n}\n";
  const std::string cases =
      "{\n  switch (c) {\n  case CMD_A:\n  case CMD_B:\n    return open_it(t);\n  default:\n    return 1;\n  "
      "}\n}\n";
  const std::string entry =
      "TEE_Result TA_InvokeCommandEntryPoint(void *s, uint32_t c, uint32_t t, TEE_Param p[4])\n";
  const auto text_of = [&](const std::string& source) {
    return draft_project(tree_of({{"Makefile", kit}, {"a.c", numbers + check + source}})).text;
  };
  const std::string own = text_of(entry + cases);
  CHECK_THAT(own, Catch::Contains("//   7 CMD_A\n  //   8 CMD_B\n"));
  CHECK_THAT(own, Catch::Contains(R"("command": 7, "params": [{"value": "in", "a": 1}])"));
  // The draft is the same where the entry leaves the choice to another function.
  CHECK(text_of("TEE_Result serve(uint32_t c, uint32_t t)\n" + cases + entry +
                "{\n  return serve(c, t);\n}\n") == own);
}

}  // namespace
}  // namespace jcprof::rewriter
