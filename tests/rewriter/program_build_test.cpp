// SPDX-License-Identifier: Apache-2.0
// What build systems say of the programs that they make, and the project that is drafted of it.
#include "rewriter/draft/program_build.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "rewriter/draft/includes.hpp"
#include "rewriter/draft/program_builder.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "tests/core/temporary_folder.hpp"
#include "tests/rewriter/draft_trees.hpp"

namespace jcprof::rewriter {
namespace {

const BuildFolders apart{.root = "/p", .build = "/p/jcprof-out/prepared"};

/// "NAME at PATH of UNITS", and what else is said of it.
std::string in_words(const FoundProgram& program) {
  return fmt::format("{} at {} of {}{}{}", program.name, program.path, fmt::join(program.units, " "),
                     program.is_test ? ", a test" : "", program.makes_sources ? ", makes sources" : "");
}

std::vector<std::string> in_words(const std::vector<FoundProgram>& programs) {
  std::vector<std::string> words;
  for (const FoundProgram& program : programs) words.push_back(in_words(program));
  return words;
}

/// A target as CMake's file API has it: called from `line` of its build file, through a function at line 2.
std::string target(const std::string& kind, const std::string& name, int line, const std::string& sources,
                   const std::string& more = "") {
  return fmt::format(
      R"({{"type": "{}", "name": "{}", "id": "{}::@", "sources": [{}], "backtrace": 2, "backtraceGraph": {{"files": ["CMakeLists.txt"],
        "nodes": [{{"file": 0}}, {{"file": 0, "line": {}, "parent": 0}}, {{"file": 0, "line": 2, "parent": 1}}]}}{}}})",
      kind, name, name, sources, line, more);
}

std::map<std::string, std::string> replies(const std::vector<std::pair<std::string, std::string>>& targets) {
  std::map<std::string, std::string> texts;
  std::string list;
  for (const auto& [name, text] : targets) {
    texts[name + ".json"] = text;
    list += fmt::format(R"({}{{"id": "{}::@", "jsonFile": "{}.json", "directoryIndex": 0}})",
                        list.empty() ? "" : ", ", name, name);
  }
  texts["codemodel-v2-1.json"] = fmt::format(R"({{"configurations": [{{"targets": [{}]}}]}})", list);
  return texts;
}

TEST_CASE("CMake's programs come in the order of the build file, with the units of the project's libraries") {
  const auto texts = replies(
      {{"a_second", target("EXECUTABLE", "a_second", 9, R"({"path": "src/second.c"})",
                           R"(, "artifacts": [{"path": "bin/a_second"}])")},
       {"b_first", target("EXECUTABLE", "b_first", 7, R"({"path": "src/main.c"}, {"path": "src/main.h"})",
                          R"(, "artifacts": [{"path": "b_first"}], "dependencies": [{"id": "outer::@"}])")},
       {"checks", target("EXECUTABLE", "checks", 5, R"({"path": "checks.c"})",
                         R"(, "artifacts": [{"path": "checks"}])")},
       {"outer", target("STATIC_LIBRARY", "outer", 1, R"({"path": "lib/outer.c"})",
                        R"(, "dependencies": [{"id": "inner::@"}])")},
       {"inner", target("OBJECT_LIBRARY", "inner", 1,
                        R"({"path": "lib/inner.cpp"}, {"path": "/usr/src/far.c"},
                           {"path": "jcprof-out/prepared/made.c", "isGenerated": true})",
                        R"(, "dependencies": [{"id": "outer::@"}, {"id": "not there::@"}])")}});
  CHECK(in_words(cmake_programs(texts, "add_test(x \"/p/jcprof-out/prepared/checks\")", apart)) ==
        std::vector<std::string>{"checks at checks of checks.c, a test",
                                 "b_first at b_first of lib/inner.cpp lib/outer.c src/main.c, makes sources",
                                 "a_second at bin/a_second of src/second.c"});
  CHECK(cmake_programs({{"codemodel-v2-1.json", "no JSON"}}, "", apart).empty());
  CHECK(
      cmake_programs({{"codemodel-v2-1.json", R"({"configurations": [{"targets": [1, {"jsonFile": 2}]}]})"}},
                     "", apart)
          .empty());
}

TEST_CASE("a program that CMake puts outside of sources and build is left out") {
  const auto at = [](const std::string& path) {
    return cmake_programs(replies({{"p", target("EXECUTABLE", "p", 1, R"({"path": "p.c"})",
                                                fmt::format(R"(, "artifacts": [{{"path": "{}"}}])", path))}}),
                          "", apart);
  };
  REQUIRE(at("/p/bin/p").size() == 1);
  CHECK(at("/p/bin/p").front().path == "bin/p");
  CHECK(at("/p/bin/p").front().is_among_sources);
  CHECK_FALSE(at("/p/jcprof-out/prepared/p").front().is_among_sources);
  CHECK(at("/opt/bin/p").empty());
}

TEST_CASE(
    "make's programs are what it links, through archives and shared libraries, by the name they end with") {
  const std::string dry_run =
      "make: Entering directory '/p'\n"
      "cc -O2 -c -o obj/a.o src/a.c\ncc -c lib/b.c\n"
      "ar rcs libb.a b.o\n"
      "cc -o tool obj/a.o -L. -lb -lm\n"
      "make[1]: Entering directory '/p/sub'\n"
      "gcc -shared -o libc.so c1.c c2.c\n"
      "gcc -o deep/prog d.c ../lib/e.c libc.so\n"
      "cp deep/prog prog\n"
      "make[1]: Leaving directory '/p/sub'\n"
      "cc -o run-test9 t.c\ncc -E x.c -o x\n";
  CHECK(in_words(make_programs(dry_run, {.root = "/p", .build = "/p"})) ==
        std::vector<std::string>{"tool at tool of lib/b.c src/a.c",
                                 "prog at sub/prog of lib/e.c sub/c1.c sub/c2.c sub/d.c",
                                 "run-test9 at run-test9 of t.c, a test"});
}

TEST_CASE("the flags of make's program are known if all its units have the same, in the root") {
  const auto compiled = [](const std::string& dry_run) {
    const std::vector<FoundProgram> programs = make_programs(dry_run, {.root = "/p", .build = "/p"});
    REQUIRE(programs.size() == 1);
    return fmt::format("{}{}: {}", programs[0].compiler, programs[0].is_in_container ? " in a container" : "",
                       fmt::join(programs[0].compile, " "));
  };
  CHECK(compiled("gcc -DX -MMD -MF a.d -Isrc -c -o a.o a.c\nccache gcc -DX -Isrc -c src/b.c -o b.o\n"
                 "gcc -n -Bnw -o prog a.o b.o -lm\n") == "gcc: gcc -DX -Isrc");
  CHECK(compiled("cc -DX -c a.c\ncc -c b.c\ncc -o prog a.o b.o\n") == "cc: ");
  CHECK(compiled("cc -c a.c\ncc -fPIC -c -o a.lo a.c\ncc -o prog a.o\n") == "cc: ");
  CHECK(compiled("cd sub && cc -I. -o ../prog a.c\n") == "cc: ");
  CHECK(compiled("docker run -v /p:/p --user=0:0 some/gcc /usr/bin/gcc -DX -o prog a.c\n") ==
        "gcc in a container: gcc -DX");
  CHECK(compiled("cc -DX -MFa.d -MTa.o -MQa.o -Wp,-MD,a.d -Wp,-MMD,a.d -c a.c\ncc -o prog a.o\n") ==
        "cc: cc -DX");
  CHECK(compiled("if gcc -DX -c a.c; then true; fi\ncc -o prog a.o\n") == "cc: ");
  CHECK(compiled("time gcc -DX -c a.c\ncc -DX -c b.c\ncc -o prog a.o b.o\n") == "cc: ");
  CHECK(compiled("LANG=C gcc -DX -c a.c\ncc -o prog a.o\n") == "cc: ");
  CHECK(compiled("/usr/bin/ccache gcc -DX -c a.c\n/usr/bin/ccache gcc -o prog a.o\n") == "gcc: gcc -DX");
  CHECK(compiled("podman exec box clang -o prog a.c\n") == "clang in a container: clang");
}

TEST_CASE("what CMake would put among the user's own sources is not built for reading them") {
  FoundTree tree = tree_of({{"CMakeLists.txt", ""}, {"a.c", c_main}});
  tree.programs = {{.name = "a", .path = "bin/a", .units = {"a.c"}, .makes_sources = true}};
  CHECK(drafted(tree).compile.prepare.size() == 2);
  tree.programs.front().is_among_sources = true;
  CHECK(drafted(tree).compile.prepare.size() == 1);
  CHECK_THAT(
      draft_project(tree).text,
      Catch::Contains("which CMake says. The build makes some sources, and would put its program among "
                      "yours: build\n  // here first.\n"));
}

TEST_CASE("headers that make knows are made in a copy, with the makefile's compiler and flags") {
  FoundTree tree = tree_of({{"Makefile", "all:"}, {"a.c", c_main}, {"in/x.in", ""}, {"sub/b.c", ""}});
  tree.programs = {{.name = "a",
                    .path = "a",
                    .units = {"a.c", "sub/b.c"},
                    .compiler = "gcc",
                    .compile = {"gcc", "-DX", "-Isub"},
                    .made = {{.path = "sub/x.h", .folder = "sub"}, {.path = "y.h", .folder = ""}}}};
  const Project project = drafted(tree);
  CHECK(runs_of(project.compile.prepare) ==
        Runs{{"cp", "-Rfpt", ".", "{project}/Makefile", "{project}/a.c", "{project}/in", "{project}/sub"},
             {"make", "--", "sub/x.h", "y.h"}});
  CHECK(project.compile.prepare.back().cwd == "{out}/prepared");
  CHECK(project.compile.compiler == "gcc");
  CHECK(project.compile.flags ==
        std::vector<std::string>{"-DX", "-Isub", "-I{out}/prepared", "-I{out}/prepared/sub"});
  CHECK(runs_of(project.build) == Runs{{"make", "-j2", "a"}});
  tree.programs.front().is_without_make = true;
  tree.programs.front().libraries = {"m"};
  const Project alone = drafted(tree);
  CHECK(alone.compile.prepare.empty());
  CHECK(runs_of(alone.build) ==
        Runs{{"cc", "-O2", "-g", "-o", "{out}/a", "-DX", "-Isub", "a.c", "sub/b.c", "-lm"}});
  CHECK(alone.trigger.run == std::vector<std::string>{"{out}/a"});
}

TEST_CASE("the options of configure go to configure alone, also where make makes headers") {
  FoundTree tree = tree_of({{"Makefile", ""},
                            {"a.c", c_main},
                            {"config.log", "\n  $ ./configure --prefix=/opt\n\n"},
                            {"configure", ""}});
  tree.programs = {{.name = "a",
                    .path = "a",
                    .units = {"a.c"},
                    .compile = {"cc"},
                    .made = {{.path = "y.h", .folder = ""}}}};
  CHECK(runs_of(drafted(tree).compile.prepare).back() == std::vector<std::string>{"make", "--", "y.h"});
  CHECK(runs_of(drafted(tree).build).front() == std::vector<std::string>{"./configure", "--prefix=/opt"});
}

TEST_CASE("braces in names and flags of the project's are no placeholders") {
  FoundTree tree = tree_of({{"Makefile", ""}, {"{{x}}", ""}, {"{out}/a.c", c_main}});
  tree.programs = {{.name = "{a}",
                    .path = "{out}/{a}",
                    .units = {"{out}/a.c"},
                    .compile = {"{b}/gcc", "-DFMT={x}", "-I{out}"},
                    .made = {{.path = "{out}/{y}.h", .folder = "{out}"}}}};
  tree.build_options = {"CC={cc}"};
  const Project project = drafted(tree);
  CHECK(runs_of(project.compile.prepare) ==
        Runs{{"cp", "-Rfpt", ".", "{project}/Makefile", "{project}/{{out}", "{project}/{{{{x}}"},
             {"make", "CC={{cc}", "--", "{{out}/{{y}.h"}});
  CHECK(project.compile.flags ==
        std::vector<std::string>{"-DFMT={{x}", "-I{{out}", "-I{out}/prepared/{{out}"});
  CHECK(project.compile.compiler == "{b}/gcc");
  CHECK(runs_of(project.build) == Runs{{"make", "-j2", "CC={{cc}"}});
  CHECK(project.trigger.run == std::vector<std::string>{"{tree}/{{out}/{{a}"});
  CHECK(fill_in(project.trigger.run.front(), {{"tree", "/t"}}) == "/t/{out}/{a}");
}

TEST_CASE("a header is missing where neither its includer's folder nor a searched one has it") {
  const FoundTree tree = tree_of({{"a.c", "#include \"here.h\"\n#include \"gone.h\"\n#include \"d/in.h\"\n"},
                                  {"other.c", "#include \"others.h\"\n"},
                                  {"inc/here.h", "#include \"far.h\"\n"},
                                  {"x/d/in.h", ""}});
  std::vector<std::string> paths;
  for (const MadeHeader& header : missing_headers(
           tree, {.units = {"a.c"}, .compile = {"cc", "-Iinc/", "-I", "./x", "-I/usr/include", "-I../out"}}))
    paths.push_back(header.path + " in " + header.folder);
  CHECK(paths == std::vector<std::string>{"gone.h in ", "inc/gone.h in inc", "x/gone.h in x",
                                          "inc/far.h in inc", "inc/far.h in inc", "x/far.h in x"});
}

TEST_CASE("a header is not missing where a file lies beside the tree, and no option or variable is one") {
  const test::TemporaryFolder folder;
  write_file(folder / "beside.h", "");
  write_file(folder / "p/ignored/there.h", "");
  FoundTree tree =
      tree_of({{"a.c",
                "#include \"../beside.h\"\n#include \"../gone.h\"\n#include \"a=b.h\"\n"
                "#include \"-x.h\"\n#include \"/y.h\"\n#include \"./-z.h\"\n#include \"there.h\"\n"}});
  tree.root = folder / "p";
  std::vector<std::string> paths;
  for (const MadeHeader& header :
       missing_headers(tree, {.units = {"a.c"}, .compile = {"cc", "-Isrc", "-Iignored"}}))
    paths.push_back(header.path);
  CHECK(paths ==
        std::vector<std::string>{"gone.h", "gone.h", "src/-x.h", "ignored/-x.h", "src/-z.h", "ignored/-z.h"});
}

TEST_CASE("a program that make would link twice is one") {
  CHECK(in_words(make_programs("cc -o a a.c\ncc -o b b.c\ncc -o a a.c\n", {.root = "/p", .build = "/p"})) ==
        std::vector<std::string>{"a at a of a.c", "b at b of b.c"});
}

TEST_CASE("a program that the build runs to make another one comes behind that") {
  CHECK(in_words(make_programs("cc -o sub/tool tool.c\ncd sub && ./tool -o ../made.c\n"
                               "cc -o app app.c made.c\n",
                               {.root = "/p", .build = "/p"})) ==
        std::vector<std::string>{"app at app of app.c made.c", "tool at sub/tool of tool.c"});
}

TEST_CASE("a parenthesis is a shell of its own, and -o may have its value in the same word") {
  CHECK(in_words(make_programs("(cd lib && cc $(echo -O2; echo -g) -c a.c) && cc -c b.c\n"
                               "cc -oprog lib/a.o b.o\n",
                               {.root = "/p", .build = "/p"})) ==
        std::vector<std::string>{"prog at prog of b.c lib/a.c"});
}

TEST_CASE("the guards of CMake's programs are variables of the project's, and no comment has one") {
  CHECK(
      guards_of_programs(tree_of({{"CMakeLists.txt",
                                   "if(P_ONE) # ) if(P_NOT)\n  if(WIN32)\n  elseif(NOT X)\n"
                                   "  # if(P_NEITHER)\n  else()\n    add_executable(a a.c)\n  endif()\n"
                                   "endif()\nif(P_LATER)\nendif()\n"
                                   "# if(P_COMMENT)\n# add_executable(b b.c)\n# endif()\n"
                                   "if(Curses_FOUND)\n  if(GTK_FOUND)\n    add_executable(c c.c)\n"
                                   "  endif()\nendif()\n"},
                                  {"sub/CMakeLists.txt",
                                   "if(EMSCRIPTEN)\n  if(HAIKU)\n    if(XCODE)\n      if(LINUX)\n"
                                   "        if(BSD)\n          if(P_TWO)\n            add_executable(d d.c)\n"
                                   "          endif()\n        endif()\n      endif()\n    endif()\n"
                                   "  endif()\nendif()\n"}})) == std::set<std::string>{"P_ONE", "P_TWO"});
}

TEST_CASE("only whole words make a name one of a test") {
  for (const char* name :
       {"a_test", "run-test9", "ListTest", "BUILD_TESTING", "unit.tests", "fuzz_x", "BENCH"})
    CHECK((is_name_of_test(name) ? "" : std::string(name)).empty());
  for (const char* name : {"contest", "ENABLE_ATTESTATION", "USE_LATEST", "fuzzy", "workbench", "latest-2"})
    CHECK((is_name_of_test(name) ? std::string(name) : "").empty());
}

TEST_CASE("meson's programs have the units of all libraries, as it does not say which are linked") {
  CHECK(
      in_words(meson_programs(
          R"([{"name": "x", "type": "static library", "defined_in": "/p/meson.build", "filename": ["/p/jcprof-out/prepared/libx.a"],
                 "target_sources": [{"sources": ["/p/x.c"]}]},
                {"name": "app", "type": "executable", "defined_in": "/p/meson.build", "filename": ["/p/jcprof-out/prepared/src/app"],
                 "target_sources": [{"sources": ["/p/src/app.c"]}]}])",
          apart)) == std::vector<std::string>{"app at src/app of src/app.c x.c"});
  CHECK(meson_programs("{", apart).empty());
}

TEST_CASE("a build of meson's makes sources where a target of it, or a rule of its own, does") {
  const auto with = [](const std::string& generated, const std::string& more) {
    return in_words(meson_programs(
        fmt::format(
            R"([{{"name": "app", "type": "executable", "defined_in": "/p/meson.build", "filename": ["/p/jcprof-out/prepared/app"],
                 "target_sources": [{{"sources": ["/p/app.c"], "generated_sources": [{}]}}, {{"linker": ["cc"]}}]}}{}])",
            generated, more),
        apart));
  };
  using Programs = std::vector<std::string>;
  CHECK(with("", "") == Programs{"app at app of app.c"});
  CHECK(with(R"("/p/jcprof-out/prepared/made.c")", "") == Programs{"app at app of app.c, makes sources"});
  CHECK(with("", R"(, {"name": "made.h", "type": "custom", "target_sources": []})") ==
        Programs{"app at app of app.c, makes sources"});
}

FoundTree tree_of_two() {
  FoundTree tree = tree_of({{"Makefile", "all:"},
                            {"cli/extra.c", ""},
                            {"cli/other.c", c_main},
                            {"cli/tool.c", c_main},
                            {"lib/a.c", "#ifdef TEST\nint main(void) {}\n#endif\n"},
                            {"lib/a.h", ""},
                            {"lib/tests/a_test.c", c_main},
                            {"vendor/v/v.c", ""},
                            {"vendor/v/v.h", ""},
                            {"vendor/w/w.c", ""},
                            {"vendor/w/w.h", ""}});
  tree.programs = {
      {.name = "a_test", .path = "a_test", .units = {"lib/a.c", "lib/tests/a_test.c"}, .is_test = true},
      {.name = "tool", .path = "tool", .units = {"cli/tool.c", "lib/a.c", "vendor/v/v.c"}},
      {.name = "other", .path = "bin/other", .units = {"cli/extra.c", "cli/other.c"}}};
  return tree;
}

TEST_CASE(
    "the build's first program that is no test is drafted, of its own units, and --entry chooses another") {
  FoundTree tree = tree_of_two();
  const Project tool = drafted(tree);
  CHECK(tool.sources ==
        std::vector<std::string>{"cli/tool.c", "lib/**/*.h", "lib/*.c", "vendor/v/*.c", "vendor/v/*.h"});
  CHECK(runs_of(tool.build) == Runs{{"make", "-j2", "tool"}});
  CHECK(draft_project(tree).others ==
        std::vector<std::string>{"other (cli/other.c)", "a_test (lib/tests/a_test.c)"});
  tree.wanted_entry = "other.c";
  CHECK(drafted(tree).trigger.run == std::vector<std::string>{"{tree}/bin/other"});
  CHECK(runs_of(drafted(tree).build) == Runs{{"make", "-j2"}});
  tree.wanted_entry = "nothing";
  CHECK_THROWS_WITH(
      draft_project(tree),
      Catch::Contains("\"nothing\": there is no such program") &&
          Catch::Contains("tool (cli/tool.c), other (cli/other.c), a_test (lib/tests/a_test.c)"));
}

TEST_CASE("where there are tests only, one is taken, and it is said") {
  FoundTree tree = tree_of_two();
  CHECK_FALSE(draft_project(tree).is_test);
  tree.programs.resize(1);
  CHECK(draft_project(tree).is_test);
}

TEST_CASE(
    "options without which CMake fails stand in each of its steps, and sources that it makes are made "
    "first") {
  FoundTree tree = tree_of({{"CMakeLists.txt", ""}, {"a.c", c_main}});
  tree.programs = {{.name = "a", .path = "bin/a", .units = {"a.c"}, .makes_sources = true}};
  tree.build_options = {"-DBUILD_TESTING=OFF"};
  const Project project = drafted(tree);
  CHECK(runs_of(project.compile.prepare) ==
        Runs{{"cmake", "-S", "{project}", "-B", "{out}/prepared", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
              "-DBUILD_TESTING=OFF", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"},
             {"cmake", "--build", "{out}/prepared", "--target", "a", "--parallel", "2"}});
  CHECK(project.build.front().run.back() == "-DBUILD_TESTING=OFF");
  CHECK(project.trigger.run == std::vector<std::string>{"{out}/build/bin/a"});
  CHECK(project.trigger.clock == ProgramClock::cpu);
}

}  // namespace
}  // namespace jcprof::rewriter
