// SPDX-License-Identifier: Apache-2.0
// What jcprof-gen makes of an enclave: its EDL, roots, edge files; and what it says where a project is wrong.
#include <algorithm>

#include <fmt/format.h>
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

using Files = std::map<std::string, std::string>;

struct Tree {
  TemporaryFolder folder;
  Project project;
  Files files;

  Tree(Files given, const std::vector<std::string>& sources) : files(std::move(given)) {
    for (const auto& [path, text] : files) write_file(folder.path() / path, text);
    project.sources = sources;
    project.root = folder.path();
    project.file = folder.path() / "jcprof.json";
    project.target = TargetKind::sgx_enclave;
    project.entry = {"ecall_get"};
    project.compile.flags = {"-Wall", "-Wextra", "-Wmissing-prototypes", "-Wredundant-decls"};
    project.compile.compiler = "gcc";
    write_file(project.file, R"({"entry": "ecall_get", "compile": {"edl": "kv.edl"}})");
  }

  Generated generate() const { return rewriter::generate(project, folder.path() / "out"); }
  std::string fault() const {
    return fault_text([&] { generate(); });
  }
  std::string written(const std::string& path) const { return read_file(folder.path() / "out" / path); }
  bool has(const std::string& path) const { return fs::exists(folder.path() / "out" / path); }

  bool is_undone() const {
    strip_in_place(folder.path() / "out/tree");
    return std::ranges::all_of(
               files, [&](const auto& file) { return written("tree/" + file.first) == file.second; }) &&
           !has("tree/jcprof_tree.h") && !has("tree/enclave/jcprof.edl");
  }

  /// Both shared objects of a host build; what the compiler said.
  std::string built(const std::vector<std::string>& sources) const {
    std::vector<std::string> trusted{"gcc",   "-Werror",        "-O1",      "-shared",
                                     "-fPIC", "-I../edge/host", "-Ienclave"};
    trusted.insert(trusted.end(), sources.begin(), sources.end());
    trusted.insert(trusted.end(), {"../edge/host/kv_t.c", "-o", "enclave.so"});
    std::vector<std::vector<std::string>> steps{trusted};
    if (has_bridge())
      steps.push_back({"gcc", "-Werror", "-O1", "-shared", "-fPIC", "-I../edge", "-I../edge/host",
                       "-Ienclave", "../edge/bridge.c", "../edge/host/kv_u.c", "ocalls.c", "-o", "bridge.so",
                       "-ldl"});
    std::string said;
    for (const std::vector<std::string>& argv : steps)
      said +=
          run_and_wait({.argv = argv, .cwd = folder.path() / "out/tree"}, {}, std::chrono::minutes{1}).tail;
    return said;
  }
  bool has_bridge() const { return fs::exists(folder.path() / "out/edge/bridge.c"); }
};

const std::string kv_edl =
    "enclave {\n"
    "  trusted {\n"
    "    public int ecall_get(int n);\n"
    "    void ecall_put(int n);\n"
    "    public void ecall_other(int n);\n"
    "  };\n"
    "  untrusted {\n"
    "    void ocall_fetch(int n) allow(ecall_put);\n"
    "  };\n"
    "};\n";
const std::string kv_c =
    "#include \"kv_t.h\"\n"
    "static int kept;\n"
    "int ecall_get(int n) {\n"
    "  ocall_fetch(n);\n"
    "  return kept;\n"
    "}\n"
    "void ecall_put(int n) {\n"
    "  kept = n;\n"
    "}\n"
    "void ecall_other(int n) {\n"
    "  kept += n;\n"
    "}\n";
const Files kv{{"enclave/kv.edl", kv_edl},
               {"enclave/kv.c", kv_c},
               {"ocalls.c", "#include \"kv_u.h\"\nvoid ocall_fetch(int n) {\n  ecall_put(1, n);\n}\n"}};

Files with_edl(const std::string& text) {
  Files files = kv;
  files["enclave/kv.edl"] = text;
  return files;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("an enclave's entry and the ecalls that ocalls make have roots, and our ecall stands behind") {
  const Tree tree(kv, {"enclave/*.c"});
  const Generated generated = tree.generate();
  CHECK(generated.notes.empty());
  CHECK(
      tree.written("tree/enclave/kv.c") ==
      "/*[j*/\n#include \"../jcprof_tree.h\"\n#line 1\n/*j]*/#include \"kv_t.h\"\n"
      "static int kept;\n"
      "/*[j*/\n#if JCPROF_LIVE\n#define ecall_get jcprof_body_ecall_get\n"
      "static JCPROF_BODY __typeof__(int) ecall_get(__typeof__(int));\n#endif\n#line 3\n/*j]*/int "
      "ecall_get(int n) /*[j*/\n#if JCPROF_LIVE\n#undef ecall_get\n#endif\n#line 3\n/*j]*/"
      "{/*[j*/JCPROF_TRAP(1);JCPROF_TRAP(2);/*j]*/\n"
      "  /*[j*/JCPROF_TRAP(3);/*j]*/ocall_fetch(n);\n"
      "  /*[j*/JCPROF_TRAP(4);/*j]*/return kept;\n"
      "}/*[j*/\n#if JCPROF_LIVE\n"
      "__attribute__((__visibility__(\"hidden\"))) JCPROF_WRAPPER __typeof__(int) ecall_get(__typeof__(int) "
      "jcprof_1) { "
      "JCPROF_ROOT(int); return "
      "jcprof_body_ecall_get(jcprof_1); }\n#endif\n#line 6\n/*j]*/\n"
      "/*[j*/\n#if JCPROF_LIVE\n#define ecall_put jcprof_body_ecall_put\n"
      "static JCPROF_BODY void ecall_put(__typeof__(int));\n#endif\n#line 7\n/*j]*/void ecall_put(int n) "
      "/*[j*/\n#if JCPROF_LIVE\n#undef ecall_put\n#endif\n#line 7\n/*j]*/"
      "{/*[j*/JCPROF_TRAP(5);/*j]*/\n"
      "  /*[j*/JCPROF_TRAP(6);/*j]*/kept = n;/*[j*/JCPROF_TRAP(7);/*j]*/\n"
      "}/*[j*/\n#if JCPROF_LIVE\n"
      "__attribute__((__visibility__(\"hidden\"))) JCPROF_WRAPPER void ecall_put(__typeof__(int) jcprof_1) { "
      "JCPROF_ROOT_NESTED_VOID; jcprof_body_ecall_put(jcprof_1); "
      "}\n#endif\n#line 9\n/*j]*/\n"
      "void ecall_other(int n) {/*[j*/JCPROF_TRAP(8);/*j]*/\n"
      "  /*[j*/JCPROF_TRAP(9);/*j]*/kept += n;/*[j*/JCPROF_TRAP_V(10,kept);/*j]*/\n"
      "}\n"
      "/*[j*/\nJCPROF_ENCLAVE(jcprof_enclave)\n/*j]*/");
  CHECK(tree.written("tree/jcprof_tree.h").find("#define JCPROF_ENCLAVE_BUILD 1\n") != std::string::npos);
}

TEST_CASE("a unit of an enclave that compilers say nothing of is judged again only if its EDL says more") {
  Tree tree(kv, {"enclave/kv.c"});
  const fs::path log = tree.folder / "log";
  tree.project.compile.compiler = (tree.folder / "bin/gcc").string();
  write_file(tree.project.compile.compiler,
             "#!/bin/sh\ncase \"$*\" in *kv.c) echo >> " + log.string() + " ;; esac\nexec gcc \"$@\"\n");
  fs::permissions(tree.project.compile.compiler, fs::perms::owner_all);
  const auto times_given = [&] {
    write_file(log, "");
    tree.generate();
    return read_file(log).size();
  };
  CHECK(times_given() == 1);
  CHECK(times_given() == 0);
  std::string edl = kv_edl;
  write_file(tree.folder / "enclave/kv.edl",
             edl.insert(edl.find("    void ecall_put"), "    public void ecall_more(void);\n"));
  CHECK(times_given() == 1);
  CHECK(times_given() == 0);
}

TEST_CASE("an enclave's tree has its EDL with our import, builds without an SDK, and can be undone") {
  const Tree tree(kv, {"enclave/*.c"});
  tree.generate();
  CHECK(tree.written("tree/enclave/kv.edl") ==
        replaced(kv_edl, "  };\n};\n", "  };\n/*[j*/from \"jcprof.edl\" import *;/*j]*/};\n"));
  CHECK(tree.written("tree/enclave/jcprof.edl").find("void jcprof_enclave(") != std::string::npos);
  for (const char* const file :
       {"edge/bridge.c", "edge/jcprof_plugin.h", "edge/host/kv_t.h", "edge/host/kv_u.c"})
    CHECK(tree.has(file));
  CHECK(!tree.has("edge.part"));
  CHECK(tree.built({"enclave/kv.c"}) == "");
  CHECK(tree.is_undone());
}

TEST_CASE("a tree without traps still has the ecall of its EDL") {
  const Tree tree(kv, {"enclave/*.c"});
  tree.generate();
  CHECK(tree.built({"-DJCPROF_OFF", "enclave/kv.c"}) == "");
}

TEST_CASE("an enclave in C++ keeps the C linkage that its EDL's header gives it") {
  Files files = kv;
  files.erase("enclave/kv.c");
  files["enclave/kv.cpp"] = kv_c;
  Tree tree(files, {"enclave/*.cpp"});
  tree.project.compile.compiler = "g++";
  tree.project.compile.flags = {"-Wall", "-Wextra", "-Wmissing-declarations"};
  CHECK(tree.generate().notes.empty());
  CHECK(
      tree.written("tree/enclave/kv.cpp").find("extern \"C\" JCPROF_BODY void ecall_put(__typeof__(int));") !=
      std::string::npos);
  CHECK(tree.built({"enclave/kv.cpp"}) == "");
}

TEST_CASE("sources find the headers of their EDL by whatever folder they name with them") {
  Files files = kv;
  files["enclave/kv.c"] = replaced(kv_c, "kv_t.h", "../enclave/kv_t.h");
  files["ocalls.c"] = replaced(files["ocalls.c"], "kv_u.h", "enclave/kv_u.h");
  const Tree tree(files, {"enclave/*.c"});
  CHECK(tree.generate().notes.empty());
  CHECK(tree.built({"enclave/kv.c"}) == "");
}

TEST_CASE("headers of an EDL that would lie outside of the output folder are not made") {
  Files files = kv;
  files["enclave/kv.c"] = kv_c + "#if 0\n#include \"../../../kv_t.h\"\n#include \"/tmp/kv_t.h\"\n#endif\n";
  const Tree tree(files, {"enclave/*.c"});
  tree.generate();
  CHECK_FALSE(fs::exists(tree.folder.path().parent_path() / "kv_t.h"));
  CHECK_FALSE(fs::exists(tree.folder.path() / "kv_t.h"));
}

TEST_CASE("an enclave's host may call another enclave, which a host build does not have") {
  Files files = kv;
  files["seal/seal.edl"] =
      "enclave { trusted { public int ecall_seal([out] int* sealed, int n); public void ecall_open(void); "
      "};\n"
      "untrusted { void ocall_sealed(int n); }; };\n";
  files["seal/broken.edl"] = "enclave {";
  files["ocalls.c"] =
      "#include \"kv_u.h\"\n#include \"seal_u.h\"\nvoid ocall_sealed(int n) { ecall_put(1, n); }\n"
      "void ocall_fetch(int n) {\n  int code, sealed;\n"
      "  if (ecall_seal(1, &code, &sealed, n) == SGX_ERROR_INVALID_ENCLAVE_ID) ecall_put(1, n);\n}\n";
  Tree tree(files, {"enclave/*.c"});
  tree.project.compile.edl = "enclave/kv.edl";
  tree.generate();
  CHECK(tree.built({"enclave/kv.c"}) == "");
  CHECK_THAT(tree.written("edge/host/seal_u.h"), Catch::Contains("return SGX_ERROR_INVALID_ENCLAVE_ID;"));
}

TEST_CASE("an enclave in C++ has the SDK's NULL, and its searchers") {
  Files files = kv;
  files.erase("enclave/kv.c");
  files["enclave/kv.cpp"] = "#include <algorithm>\n#include <string>\n" + kv_c +
                            "#include <cstdlib>\n#include <experimental/functional>\n"
                            "static int kind(int) { return 1; }\nstatic int kind(const char*) { return 2; }\n"
                            "int both(const std::string& text) {\n  using namespace std::experimental;\n"
                            "  const std::string part(\"b\");\n"
                            "  const boyer_moore_searcher searcher(part.begin(), part.end());\n"
                            "  const boyer_moore_horspool_searcher other(part.begin(), part.end());\n"
                            "  return kind(NULL) + (std::search(text.begin(), text.end(), searcher) == "
                            "std::search(text.begin(), text.end(), other));\n}\n";
  Tree tree(files, {"enclave/*.cpp"});
  tree.project.compile.compiler = "g++";
  tree.project.compile.flags = {"-Wall", "-Wextra", "-std=c++17"};
  CHECK(tree.generate().notes.empty());
  CHECK(tree.built({"enclave/kv.cpp"}) == "");
}

TEST_CASE("of an Open Enclave's EDL every ecall has a root, as it does not say which ocalls make") {
  Tree tree(
      with_edl(
          "enclave {\n  from \"openenclave/edl/logging.edl\" import *;\n  trusted {\n    public int "
          "ecall_get(int n);\n    public void ecall_put(int n);\n    public void ecall_other(int n);\n  };\n"
          "  untrusted {\n    void ocall_fetch(int n);\n  };\n}"),
      {"enclave/*.c"});
  tree.generate();
  const std::string written = tree.written("tree/enclave/kv.c");
  for (const char* const root :
       {"JCPROF_ROOT(int); return jcprof_body_ecall_get", "JCPROF_ROOT_NESTED_VOID; jcprof_body_ecall_put",
        "JCPROF_ROOT_NESTED_VOID; jcprof_body_ecall_other"})
    CHECK(written.find(root) != std::string::npos);
}

TEST_CASE("an ocall of an Open Enclave gives a result of theirs, also where its headers are not about") {
  Files files = with_edl(
      "enclave {\n  from \"openenclave/edl/logging.edl\" import *;\n  trusted {\n    public int "
      "ecall_get(int n);\n    public void ecall_put(int n);\n  };\n  untrusted {\n    void ocall_fetch(int "
      "n);\n  };\n}");
  files["enclave/kv.c"] =
      "#include \"kv_t.h\"\nint ecall_get(int n) {\n  oe_result_t result = ocall_fetch(n);\n"
      "  return result == OE_OK;\n}\nvoid ecall_put(int n) { (void)n; }\n";
  const Tree tree(files, {"enclave/*.c"});
  tree.generate();
  CHECK_FALSE(tree.has_bridge());
  CHECK(tree.built({"enclave/kv.c"}) == "");
}

TEST_CASE("an import that is not found is told of beside what the sources miss of it") {
  Files files = with_edl(
      "enclave {\n  from \"audit.edl\" import *;\n  trusted {\n    public int ecall_get(int n);\n  };\n};\n");
  files["enclave/kv.c"] = "#include \"kv_t.h\"\nint ecall_get(int n) {\n  audit_t a = n;\n  return a;\n}\n";
  const std::string fault = Tree(files, {"enclave/*.c"}).fault();
  CHECK_THAT(fault, Catch::Contains("kv.c:3:"));
  CHECK_THAT(fault,
             Catch::EndsWith(
                 "enclave/kv.edl: the import \"audit.edl\" was not found: what it declares is not known\n"
                 "hint: \"edl_search\" in \"compile\" names the folders of imports"));
}

TEST_CASE("an ecall that ocalls make and that is not among the sources is told of") {
  Files files = kv;
  const std::size_t put = kv_c.find("void ecall_put");
  files["enclave/kv.c"] = kv_c.substr(0, put) + kv_c.substr(kv_c.find("void ecall_other"));
  files["enclave/put.c"] = "#include \"kv_t.h\"\nvoid ecall_put(int n) {\n  (void)n;\n}\n";
  const Tree tree(files, {"enclave/kv.c"});
  CHECK(tree.generate().notes ==
        std::vector<std::string>{"jcprof cannot wrap ecall_put, or it is not among the sources: a stop while "
                                 "an ocall calls it may end the process"});
}

TEST_CASE("a parameter of the entry that the bridge leaves null is told of") {
  Files files = with_edl(replaced(kv_edl, "ecall_get(int n)", "ecall_get(int n, [user_check] void* host)"));
  files["enclave/kv.c"] = replaced(kv_c, "ecall_get(int n)", "ecall_get(int n, void* host)");
  CHECK(Tree(files, {"enclave/*.c"}).generate().notes ==
        std::vector<std::string>{
            "ecall_get gets null for host, because the bridge has no input for that: the ecall may take its "
            "error path; docs/sgx.md, \"The bridge\", says how you fill it in"});
}

TEST_CASE("our ecall has another name where the sources have that one") {
  Files files = kv;
  files["enclave/kv.c"] = kv_c + "int jcprof_enclave(void);\n";
  const Tree tree(files, {"enclave/*.c"});
  tree.generate();
  CHECK(tree.written("tree/enclave/kv.c").find("JCPROF_ENCLAVE(jcprof_enclave_2)") != std::string::npos);
  CHECK(tree.built({"enclave/kv.c"}) == "");
}

TEST_CASE("an entry that is no ecall is refused, with the line of the one that was meant") {
  Tree tree(kv, {"enclave/*.c"});
  tree.project.entry = {"ecall_gte"};
  CHECK(tree.fault() ==
        "enclave/kv.edl:3: the entry \"ecall_gte\" is no ecall of enclave/kv.edl\n"
        "  3 |     public int ecall_get(int n);\n"
        "    |                ^\n"
        "hint: did you mean \"ecall_get\"?");
  tree.project.entry = {"ocall_fetch"};
  CHECK(tree.fault() ==
        "enclave/kv.edl:8: \"ocall_fetch\" cannot be the entry: it is an ocall, which the enclave calls\n"
        "  8 |     void ocall_fetch(int n) allow(ecall_put);\n"
        "    |          ^\n"
        "hint: name a function of a \"trusted\" block");
  tree.project.entry = {"main"};
  CHECK(tree.fault() ==
        "enclave/kv.edl: the entry \"main\" is no ecall of enclave/kv.edl\n"
        "hint: it has ecall_get, ecall_put, ecall_other");
  tree.project.entry = {"ecall_put"};
  CHECK(tree.fault() ==
        "enclave/kv.edl: the ecall \"ecall_put\" is not public\n"
        "hint: it can be called from within an ocall only: profile the ecall that leads there");
}

TEST_CASE("an EDL that is not there, is not the only one, or is none, is told of") {
  Tree tree(kv, {"enclave/*.c"});
  tree.project.compile.edl = "kv.edl";
  CHECK(tree.fault() ==
        "jcprof.json:1: there is no EDL file \"kv.edl\"\n"
        "  1 | {\"entry\": \"ecall_get\", \"compile\": {\"edl\": \"kv.edl\"}}\n"
        "    |                                           ^");
  Files two = kv;
  two["enclave/more.edl"] = kv_edl;
  CHECK(Tree(two, {"enclave/*.c"}).fault() ==
        "jcprof.json:1: \"enclave/kv.edl\" and \"enclave/more.edl\" both declare an entry\n"
        "  1 | {\"entry\": \"ecall_get\", \"compile\": {\"edl\": \"kv.edl\"}}\n"
        "    |           ^\n"
        "hint: name it in \"compile.edl\"");
  Files none = kv;
  none.erase("enclave/kv.edl");
  CHECK(Tree(none, {"enclave/*.c"}).fault() ==
        "jcprof.json:1: there is no EDL file in the project's folder\n"
        "  1 | {\"entry\": \"ecall_get\", \"compile\": {\"edl\": \"kv.edl\"}}\n"
        "    |           ^\n"
        "hint: name it in \"compile.edl\"");
  CHECK(Tree(with_edl(replaced(kv_edl, "int n);\n    void", "int n)\n    void")), {"enclave/*.c"}).fault() ==
        "enclave/kv.edl:4: \";\" is expected, not \"void\"\n"
        "  4 |     void ecall_put(int n);\n"
        "    |     ^");
}

TEST_CASE("an enclave's EDL is preprocessed with the macros and folders of the project") {
  Files files =
      with_edl("#include \"sizes.h\"\n" + replaced(kv_edl, "ecall_get(int n)", "ecall_get(NUMBER n)"));
  files["enclave/kv.edl"] = replaced(files["enclave/kv.edl"], "ecall_put(int n)", "ecall_put(HERE n)");
  files["edl/sizes.h"] = "#ifndef HERE\n#error \"HERE is missing\"\n#endif\n#define NUMBER int\n";
  Tree tree(files, {"enclave/*.c"});
  tree.project.compile.flags = {"-Wall",    "-std=c11", "-DHERE=int",   "-include",
                                "stddef.h", "-I",       "{project}/edl"};
  tree.generate();
  CHECK(
      tree.written("tree/enclave/kv.edl") ==
      replaced(files["enclave/kv.edl"], "  };\n};\n", "  };\n/*[j*/from \"jcprof.edl\" import *;/*j]*/};\n"));
  CHECK(tree.written("edge/host/kv_t.h").find("void ecall_put(int n);") != std::string::npos);
  CHECK(tree.built({"enclave/kv.c"}) == "");
  tree.project.compile.flags = {"-UHERE"};
  tree.project.compile.edl_search = {"edl"};
  CHECK_THAT(tree.fault(),
             Catch::StartsWith("edl/sizes.h:2: the C preprocessor says: #error \"HERE is missing\""));
}
