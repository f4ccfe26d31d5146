// SPDX-License-Identifier: Apache-2.0
// The drafts of `jcprof init` for an enclave: with the SDK the enclave itself by its makefile, without a host
// build.
#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/rewriter/draft_trees.hpp"

namespace jcprof::rewriter {
namespace {

using Strings = std::vector<std::string>;

const Files shop{
    {"App/App.cpp",
     "#include \"Shop_u.h\"\nsgx_enclave_id_t global_eid = 0;\nvoid ocall_print(const char* t) { helper(t); "
     "}\nint main() { return 0; }\n"},
    {"App/Parts/helper.cpp", "void helper(const char*) {}\n"},
    {"App/Parts/tool.c", c_main},
    {"App/Shop_u.c", "int made;\n"},
    {"Enclave/Shop.cpp",
     "#include \"Shop_t.h\"\nint ecall_sell(int n) { return n; }\nint ecall_buy(int n) { return n; }\n"},
    {"Enclave/Shop.edl",
     "enclave { trusted { public int ecall_sell(int n); public int ecall_buy(int n); }; untrusted { void "
     "ocall_print([in, string] const char* t); }; };\n"},
    {"Makefile",
     "SGX_SDK ?= /opt/intel/sgxsdk\nSGX_EDGER8R := $(SGX_SDK)/bin/x64/sgx_edger8r\n"
     "Other := stock.signed.so\nSigned_Enclave_Name := shop.signed.so\n"}};

FoundTree tree_with_sdk() {
  FoundTree tree = tree_of(shop);
  tree.sdk = "/sdk";
  return tree;
}

std::string joined(const Strings& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

TEST_CASE("with the SDK an enclave's project builds the enclave, and the bridge beside it") {
  const Project project = drafted(tree_with_sdk());
  CHECK(project.compile.make == ".");
  CHECK(project.compile.flags.empty());
  REQUIRE(project.build.size() == 3);
  CHECK(project.build[0].run == Strings{"make", "SGX_MODE=SIM", "SGX_SDK=/sdk",
                                        "CC=gcc -mno-tls-direct-seg-refs", "CXX=g++ -mno-tls-direct-seg-refs",
                                        "shop.signed.so"});
  CHECK(joined(project.build[1].run) ==
        "/sdk/bin/x64/sgx_edger8r --untrusted Enclave/Shop.edl --search-path . --search-path Enclave "
        "--search-path /sdk/include --untrusted-dir {out}/edge");
  CHECK(joined(project.build[2].run) ==
        "cc -O2 -g -shared -fPIC -o bridge.so -I{out}/edge -I/sdk/include "
        "-DENCLAVE_FILE=\"shop.signed.so\" -DENCLAVE_ID=global_eid {out}/edge/bridge.c {out}/edge/Shop_u.c "
        "App/App.cpp App/Parts/helper.cpp -L/sdk/lib64 -lsgx_urts_sim -Wl,-rpath,/sdk/lib64 "
        "-Wl,--disable-new-dtags -lpthread -ldl -lstdc++");
  CHECK(project.transport == "agent:jcprof-agent-ecall {tree}/bridge.so");
}

TEST_CASE("in hardware mode the enclave is built as it is, and the system's runtime is taken") {
  FoundTree tree = tree_with_sdk();
  tree.is_sgx_hardware = true;
  const Project project = drafted(tree);
  CHECK(project.build[0].run == Strings{"make", "SGX_MODE=HW", "SGX_SDK=/sdk", "shop.signed.so"});
  CHECK_THAT(joined(project.build[2].run), Catch::Contains(" -lsgx_urts ") && !Catch::Contains("-rpath"));
}

TEST_CASE("without the SDK an enclave gets a host build, with the files that its ocalls call") {
  const Project project = drafted(tree_of(shop));
  CHECK(project.compile.make.empty());
  REQUIRE(project.build.size() == 2);
  CHECK_THAT(joined(project.build[1].run), Catch::Contains(" App/App.cpp App/Parts/helper.cpp ") &&
                                               !Catch::Contains("tool.c") &&
                                               !Catch::Contains("App/Shop_u.c"));
}

TEST_CASE("an application of two enclaves is built with the untrusted sides of both, or with a word on one") {
  Files files = shop;
  files["App/App.cpp"] = "#include \"../Stock/Stock_u.h\"\n" + files["App/App.cpp"];
  files["Stock/Stock.edl"] =
      "enclave { from \"parts/count.edl\" import *; trusted { public int ecall_stock(void); }; };\n";
  files["Stock/parts/count.edl"] = "enclave { trusted { public int ecall_count(void); }; };\n";
  files["Unused/Unused.edl"] = "enclave { trusted { public int ecall_unused(void); }; };\n";
  FoundTree tree = tree_of(files);
  CHECK_THAT(draft_project(tree).text,
             Catch::Contains("// There is no enclave of \"Stock/Stock.edl\": its ecalls give "
                             "SGX_ERROR_INVALID_ENCLAVE_ID.\n") &&
                 !Catch::Contains("Unused"));
  tree.sdk = "/sdk";
  const Project project = drafted(tree);
  REQUIRE(project.build.size() == 4);
  CHECK(joined(project.build[2].run) ==
        "/sdk/bin/x64/sgx_edger8r --untrusted Stock/Stock.edl --search-path . --search-path Stock/parts "
        "--search-path Stock --search-path /sdk/include --untrusted-dir {out}/edge");
  CHECK_THAT(joined(project.build[3].run),
             Catch::Contains(" {out}/edge/Shop_u.c {out}/edge/Stock_u.c App/App.cpp "));
}

TEST_CASE("a signed enclave's name is taken as make has it, or not at all") {
  const auto asked_for = [](const std::string& makefile) {
    FoundTree tree = tree_with_sdk();
    tree.texts.at("Makefile") = "SGX_EDGER8R := edger8r\nNAME = shop\nDIR ?= out\n" + makefile;
    return drafted(tree).build[0].run.back();
  };
  CHECK(asked_for("all: $(DIR)/${NAME}.signed.so\n") == "out/shop.signed.so");
  CHECK(asked_for("OUT = $(NAME)-sim.signed.so\n") == "shop-sim.signed.so");
  CHECK(asked_for("# old.signed.so\nOUT := ./new.signed.so # shop.signed.so\n") == "./new.signed.so");
  for (const char* refused :
       {"A = ../../../x.signed.so\n", "A = /x.signed.so\n", "A = $(UNKNOWN)/x.signed.so\n",
        "A = $(UNKNOWN)-x.signed.so\n", "A = -x.signed.so\n", "A = $(B:.so=.signed.so)\n",
        "A = $(call f,a)/x.signed.so\n", "A = shop.signed.so.bak\n"}) {
    INFO(refused);
    CHECK(asked_for(refused) == "enclave.signed.so");
  }
}

TEST_CASE("tests, and files beside trusted ones, are no part of an enclave's host") {
  Files files = shop;
  files["App/tests/check.cpp"] = "int check() { return 0; }\n";
  files["App/Trusted/more.cpp"] = "int ecall_more(int n) { return n; }\n";
  files["App/Trusted/inner.cpp"] = "int inner() { return 0; }\n";
  files["Enclave/Shop.edl"].replace(files["Enclave/Shop.edl"].find("public int ecall_buy"), 0,
                                    "public int ecall_more(int n); ");
  files["App/Outside/print.cpp"] = files["App/App.cpp"];
  files.erase("App/App.cpp");
  files["App/Outside/tests/check.cpp"] = "int check() { return 0; }\n";
  const std::string host = joined(drafted(tree_of(files)).build[1].run);
  CHECK_THAT(host, Catch::Contains(" App/Outside/print.cpp ") && !Catch::Contains("check.cpp") &&
                       !Catch::Contains("inner.cpp"));
}

TEST_CASE("an enclave's host may lie below the folder of a trusted file") {
  Files files = shop;
  files["Shop.cpp"] = files["Enclave/Shop.cpp"];
  files.erase("Enclave/Shop.cpp");
  files["App/helper.cpp"] = "int helper() { return 0; }\n";
  CHECK_THAT(joined(drafted(tree_of(files)).build[1].run), Catch::Contains("App/helper.cpp"));
}

TEST_CASE("init --entry chooses an enclave's ecall, and the others are listed") {
  FoundTree tree = tree_of(shop);
  tree.wanted_entry = "ecall_buy";
  const Draft draft = draft_project(tree);
  CHECK(parse_project("/p/jcprof.json", draft.text).entry == Strings{"ecall_buy"});
  CHECK(draft.others == Strings{"ecall_sell (Enclave/Shop.cpp)"});
}

}  // namespace
}  // namespace jcprof::rewriter
