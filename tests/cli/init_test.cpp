// SPDX-License-Identifier: Apache-2.0
#include <regex>
#include <string>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::cli {
namespace {

TEST_CASE("init takes jCardSim from the folder that JCPROF_CACHE names") {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "cache");
  std::filesystem::create_symlink(JCPROF_JCARDSIM, folder / "cache/jcardsim-9.jar");
  write_file(folder / "card/A.java",
             "import javacard.framework.*;\npublic class A extends Applet {\n  public static void "
             "install(byte[] a, short o, byte l) {}\n  public void process(APDU apdu) {}\n}\n");
  const ProcessResult result = run_and_wait({.argv = {JCPROF_BIN_DIR "/jcprof", "init", "--no-try", "card"},
                                             .cwd = folder.path(),
                                             .environment = {{"JCPROF_CACHE", folder / "cache"}}},
                                            {}, std::chrono::seconds{100});
  INFO(result.tail);
  CHECK(result.exit_status == 0);
  CHECK_THAT(read_file(folder / "card/jcprof.json"),
             Catch::Contains((folder / "cache/jcardsim-9.jar").string()));
}

TEST_CASE("init hands on which trusted application it is to take") {
  const test::TemporaryFolder folder;
  const std::string entry =
      "TEE_Result TA_InvokeCommandEntryPoint(void *s, uint32_t c, uint32_t t, TEE_Param p[4])\n"
      "{\n\tswitch (c) {\n\tcase 0:\n\t\treturn 0;\n\tdefault:\n\t\treturn 1;\n\t}\n}\n";
  for (const std::string name : {"bell", "lock"}) {
    write_file(folder / "-tas" / name / "Makefile",
               "BINARY = " + std::string(name == "bell" ? "1" : "2") +
                   "1111111-2222-3333-4444-555555555555\ninclude $(TA_DEV_KIT_DIR)/mk/ta_dev_kit.mk\n");
    write_file(folder / "-tas" / name / "sub.mk", "srcs-y += " + name + ".c\n");
    write_file(folder / "-tas" / name / (name + ".c"), entry);
  }
  const ProcessResult result = run_and_wait(
      {.argv = {JCPROF_BIN_DIR "/jcprof", "init", "--ta", "lock", "--", "-tas"}, .cwd = folder.path()}, {},
      std::chrono::seconds{100});
  INFO(result.tail);
  CHECK(result.exit_status == 0);
  CHECK_THAT(read_file(folder / "-tas/jcprof.json"), Catch::Contains("21111111-2222"));
}

TEST_CASE("a Java Card kit converts an applet with traps, and its verifier accepts the CAP file") {
  const char* const kit = std::getenv("JC_HOME");
  if (kit == nullptr) {
    WARN("SKIPPED: JC_HOME names no Java Card kit");
    return;
  }
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "p");
  std::filesystem::copy(JCPROF_SOURCE_DIR "/examples/javacard-pin/src", folder / "p/src");
  const std::string classes = fmt::format("java -Djc.home={0} -cp '{0}/lib/*' com.sun.javacard", kit);
  const std::string exports = fmt::format("$(find {} -name '*.exp' -path '*java*')", kit);
  const ProcessResult result = run_and_wait(
      {.argv = {"sh", "-exc",
                fmt::format("{0} init --no-try p\nsed -i 's,\"gp\"[^]]*,\"true\",' p/jcprof.json\n"
                            "{0} profile --yes p || true\n{1}.offcardverifier.Verifier -nobanner {2} "
                            "$(find p/jcprof-out -name pin.cap)\n",
                            JCPROF_BIN_DIR "/jcprof", classes,
                            std::filesystem::exists(std::filesystem::path(kit) / "api_export_files")
                                ? exports
                                : "-target 3.0.4")},
       .cwd = folder.path(),
       .environment = {{"JCPROF_CACHE", folder / "cache"}}},
      {}, std::chrono::seconds{100});
  INFO(result.tail);
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.tail, Catch::Contains("0 errors"));
}

/// The project file and the words of `jcprof init` in p/, where this variable is set.
std::pair<std::string, std::string> drafted_with(const test::TemporaryFolder& folder, const char* variable,
                                                 const std::filesystem::path& value) {
  std::filesystem::remove(folder / "p/jcprof.json");
  const ProcessResult result =
      run_and_wait({.argv = {JCPROF_BIN_DIR "/jcprof", "init", "--yes", "--no-try", "p"},
                    .cwd = folder.path(),
                    .environment = {{variable, value}, {"JCPROF_CACHE", folder / "cache"}}},
                   {}, std::chrono::seconds{100});
  CHECK(result.exit_status == 0);
  return {read_file(folder / "p/jcprof.json"), result.tail};
}

TEST_CASE("init says that JC_HOME is the folder of no kit that it knows") {
  const test::TemporaryFolder folder;
  write_file(folder / "p/A.java",
             "package p; class A extends javacard.framework.Applet {\n"
             "  public void process(javacard.framework.APDU apdu) {}\n}\n");
  const std::string kit = (folder / "kit").string();
  CHECK_THAT(
      drafted_with(folder, "JC_HOME", kit).second,
      Catch::Contains("note: JC_HOME is " + kit +
                      ", where there is no lib/tools.jar: the draft has no steps "
                      "that convert and load the applet; set the variable to the folder of a Java Card kit, "
                      "3.0.5 or newer\n"));
  write_file(folder / "kit/lib/tools.jar", "");
  const auto [draft, words] = drafted_with(folder, "JC_HOME", kit);
  CHECK_THAT(draft, Catch::Contains("-Djc.home=" + kit) && Catch::Contains(kit + "/lib/api_classic.jar"));
  CHECK_THAT(words, !Catch::Contains("note: "));
}

TEST_CASE("init says that SGX_SDK is the folder of no SDK, and is silent of one that is") {
  const test::TemporaryFolder folder;
  write_file(folder / "p/e.edl", "enclave { trusted { public int ecall_one(int n); }; };\n");
  write_file(folder / "p/e.c", "int ecall_one(int n) { return n + 1; }\n");
  write_file(folder / "p/Makefile", "enclave.signed.so:\n\t$(SGX_SDK)/bin/x64/sgx_edger8r e.edl\n");
  write_file(folder / "sdk/include/sgx_urts.h", "");
  const std::string sdk = (folder / "sdk").string();
  CHECK_THAT(
      drafted_with(folder, "SGX_SDK", sdk).second,
      Catch::Contains("note: SGX_SDK is " + sdk +
                      ", where there is no bin/x64/sgx_edger8r: the draft is for a host build; set the "
                      "variable to the folder of Intel's SDK\n"));
  const std::string makefile = read_file(folder / "p/Makefile");
  write_file(folder / "p/Makefile", "bridge.so: e.c\n\tcc -shared -o $@ $<\n");
  CHECK_THAT(drafted_with(folder, "SGX_SDK", sdk).second,
             Catch::Contains(": the draft has flags of its own instead of the makefile's; "));
  std::filesystem::remove(folder / "p/Makefile");
  CHECK_THAT(drafted_with(folder, "SGX_SDK", sdk).second, !Catch::Contains("note: SGX_SDK"));
  write_file(folder / "p/Makefile", makefile);
  write_file(folder / "sdk/bin/x64/sgx_edger8r", "");
  const auto [draft, words] = drafted_with(folder, "SGX_SDK", sdk);
  CHECK_THAT(draft, Catch::Contains(sdk));
  CHECK_THAT(words, !Catch::Contains("note: SGX_SDK"));
  CHECK_THAT(drafted_with(folder, "TA_DEV_KIT_DIR", "/nowhere").second, !Catch::Contains("note: "));
}

TEST_CASE("init says that TA_DEV_KIT_DIR is the folder of no development kit") {
  const test::TemporaryFolder folder;
  write_file(folder / "p/Makefile",
             "BINARY = 11111111-2222-3333-4444-555555555555\ninclude $(TA_DEV_KIT_DIR)/mk/ta_dev_kit.mk\n");
  write_file(folder / "p/sub.mk", "srcs-y += a.c\n");
  write_file(folder / "p/a.c",
             "TEE_Result TA_InvokeCommandEntryPoint(void *s, uint32_t c, uint32_t t, TEE_Param p[4])\n"
             "{\n\tswitch (c) {\n\tcase 0:\n\t\treturn 0;\n\tdefault:\n\t\treturn 1;\n\t}\n}\n");
  CHECK_THAT(drafted_with(folder, "TA_DEV_KIT_DIR", folder / "kit").second,
             Catch::Contains("note: TA_DEV_KIT_DIR is " + (folder / "kit").string() +
                             ", where there is no mk/ta_dev_kit.mk: the draft names no kit; "));
  const std::filesystem::path own = "optee-vm/root/usr/lib/optee-os-dev/vexpress-qemu_armv8a";
  write_file(folder / "cache" / own / "mk/ta_dev_kit.mk", "");
  CHECK_THAT(drafted_with(folder, "TA_DEV_KIT_DIR", folder / "kit").second,
             Catch::Contains(": the draft takes the kit in " + (folder / "cache" / own).string() + "; "));
  write_file(folder / "kit/mk/ta_dev_kit.mk", "");
  const auto [draft, words] = drafted_with(folder, "TA_DEV_KIT_DIR", folder / "kit");
  CHECK_THAT(draft, Catch::Contains((folder / "kit").string()));
  CHECK_THAT(words, !Catch::Contains("note: "));
}

/// The words of init for a program of this text, and its project file is there.
std::string said_of(const test::TemporaryFolder& folder, const std::string& text,
                    const std::vector<std::string>& options, int status = 0) {
  write_file(folder / "p/main.c", text);
  std::vector<std::string> argv{JCPROF_BIN_DIR "/jcprof", "init", "p"};
  argv.insert(argv.end(), options.begin(), options.end());
  const ProcessResult result =
      run_and_wait({.argv = argv, .cwd = folder.path(), .environment = {{"JCPROF_YES", ""}}}, {},
                   std::chrono::seconds{100});
  INFO(result.tail);
  CHECK(result.exit_status == status);
  CHECK(std::filesystem::exists(folder / "p/jcprof.json"));
  return result.tail;
}

/// A program that CMake does not configure, and that this makefile makes.
struct BrokenCMake {
  test::TemporaryFolder folder;

  explicit BrokenCMake(const std::string& makefile) {
    write_file(folder / "p/CMakeLists.txt", "message(FATAL_ERROR \"no\")\nadd_executable(x main.c)\n");
    write_file(folder / "p/Makefile", "$(shell touch made)\n" + makefile);
    write_file(folder / "p/main.c", "int main(void) { return 0; }\n");
  }

  /// The words of init. Its exit code is 1 where its try of the draft fails.
  std::string init(const std::vector<std::pair<std::string, std::string>>& environment,
                   int status = 0) const {
    const ProcessResult result = run_and_wait(
        {.argv = {JCPROF_BIN_DIR "/jcprof", "init", "p"}, .cwd = folder.path(), .environment = environment},
        {}, std::chrono::seconds{100});
    INFO(result.tail);
    CHECK(result.exit_status == status);
    return result.tail;
  }
  std::string draft() const { return read_file(folder / "p/jcprof.json"); }
};

TEST_CASE("where CMake fails init takes the makefile, if that makes a program") {
  const BrokenCMake good("prog: main.c\n\t$(CC) -o $@ $<\n");
  CHECK_THAT(good.init({{"JCPROF_YES", "1"}}), Catch::Contains("the makefile is taken instead"));
  CHECK_THAT(good.draft(), Catch::Contains("\"make\", \"-j2\", \"prog\""));
  const BrokenCMake bad("$(error no)\n");
  CHECK_THAT(bad.init({{"JCPROF_YES", "1"}}, 1), Catch::Contains("CMake names no program to measure") &&
                                                     Catch::Contains("nor does make") &&
                                                     !Catch::Contains("taken instead"));
  CHECK_THAT(bad.draft(), Catch::Contains("\"cmake\", \"--build\""));
}

TEST_CASE("options with which CMake makes no program are none of the makefile's that is taken instead") {
  const test::TemporaryFolder folder;
  write_file(folder / "p/CMakeLists.txt",
             "cmake_minimum_required(VERSION 3.18)\nproject(p C)\noption(P_TESTS \"\" ON)\n"
             "if(P_TESTS)\n  message(FATAL_ERROR \"no\")\nendif()\nadd_library(lib main.c)\n");
  write_file(folder / "p/Makefile", "prog: main.c\n\t$(CC) -o $@ $<\n");
  CHECK_THAT(said_of(folder, "int main(void) { return 0; }\n", {"--no-try", "--yes"}),
             Catch::Contains("the makefile is taken instead"));
  CHECK_THAT(read_file(folder / "p/jcprof.json"),
             Catch::Contains(R"("make", "-j2", "prog")") && !Catch::Contains("P_TESTS"));
}

TEST_CASE("init says that cc compiles also where the makefile is taken instead of CMake") {
  const BrokenCMake place("CC = no-such-gcc\nprog: main.c\n\t$(CC) -o $@ $<\n");
  CHECK_THAT(
      place.init({{"JCPROF_YES", "1"}}),
      Catch::Contains("the makefile is taken instead\n") &&
          Catch::Contains("the makefile compiles with no-such-gcc, which is not here: the draft has it "
                          "take cc"));
}

TEST_CASE("init does not claim that a makefile of configure's takes cc") {
  const test::TemporaryFolder folder;
  write_file(folder / "p/configure", "");
  write_file(folder / "p/Makefile", "CC = no-such-gcc\nprog: main.c\n\t$(CC) -o $@ $<\n");
  CHECK_THAT(
      said_of(folder, "int main(void) { return 0; }\n", {"--no-try", "--yes"}),
      Catch::Contains("note: the makefile compiles with no-such-gcc, which is not here: run ./configure "
                      "CC=cc CXX=c++ here, then jcprof init again"));
  CHECK_THAT(read_file(folder / "p/jcprof.json"), !Catch::Contains("CC=cc"));
}

TEST_CASE(
    "init says that tests are off since CMake fails with them, and that submodules have not been fetched") {
  const test::TemporaryFolder folder;
  write_file(folder / "p/CMakeLists.txt",
             "cmake_minimum_required(VERSION 3.18)\nproject(p C)\noption(P_BUILD_TESTS \"\" ON)\n"
             "if(P_BUILD_TESTS)\n  add_subdirectory(deps/check)\nendif()\nadd_executable(p main.c)\n");
  write_file(folder / "p/main.c", "int main(void) { return 0; }\n");
  write_file(
      folder / "p/.gitmodules",
      "[submodule \"deps/check\"]\n\tpath = deps/check\n\turl = u\n[submodule \"more\"]\n\tpath = more\n");
  write_file(folder / "p/more/here.c", "");
  std::filesystem::create_directories(folder / "p/deps/check");
  const ProcessResult result = run_and_wait(
      {.argv = {JCPROF_BIN_DIR "/jcprof", "init", "--no-try", "--yes", "p"}, .cwd = folder.path()}, {},
      std::chrono::seconds{100});
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.tail, Catch::Contains("CMake fails unless tests and benchmarks are off") &&
                              Catch::Contains("nothing is in deps/check\n"));
}

TEST_CASE("init finds the programs of a library in what make check makes") {
  const test::TemporaryFolder folder;
  write_file(folder / "p/Makefile",
             "lib.a: lib.o\n\tar rc $@ lib.o\ncheck: lib.a\n\t$(MAKE) -C checks look\n"
             "\tfor i in $(TESTS) none; do ./$$i; done\n");
  write_file(folder / "p/lib.c", "int lib(void) { return 0; }\n");
  write_file(folder / "p/checks/Makefile", "look: look.c\n\tcc -o $@ look.c ../lib.a\n");
  write_file(folder / "p/checks/look.c", "int lib(void);\nint main(void) { return lib(); }\n");
  const ProcessResult result = run_and_wait(
      {.argv = {JCPROF_BIN_DIR "/jcprof", "init", "--no-try", "--yes", "p"}, .cwd = folder.path()}, {},
      std::chrono::seconds{100});
  INFO(result.tail);
  CHECK(result.exit_status == 0);
  CHECK_THAT(read_file(folder / "p/jcprof.json"),
             Catch::Contains(R"("make", "-j2", "-C", "checks", "look")"));
}

/// A library of CMake's, whose build file goes on like that.
ProcessResult init_of_library(const test::TemporaryFolder& folder, const std::string& more) {
  write_file(folder / "p/CMakeLists.txt",
             "cmake_minimum_required(VERSION 3.18)\nproject(p C)\nadd_library(lib lib.c)\n" + more);
  write_file(folder / "p/lib.c", "int lib(void) { return 0; }\n");
  write_file(folder / "p/look.c", "int lib(void);\nint main(void) { return lib(); }\n");
  return run_and_wait(
      {.argv = {JCPROF_BIN_DIR "/jcprof", "init", "--no-try", "--yes", "p"}, .cwd = folder.path()}, {},
      std::chrono::seconds{100});
}

TEST_CASE("init finds the programs of a library that CMake makes on request") {
  const test::TemporaryFolder folder;
  const ProcessResult result =
      init_of_library(folder,
                      "option(P_TESTS \"\" OFF)\nif(P_TESTS)\n  message(FATAL_ERROR \"no\")\nendif()\n"
                      "option(P_EXAMPLES \"\" OFF)\nif(P_EXAMPLES)\n  add_executable(look look.c)\n"
                      "  target_link_libraries(look lib)\nendif()\n");
  INFO(result.tail);
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.tail, Catch::Contains("CMake makes a program only with -DP_EXAMPLES=ON"));
  CHECK_THAT(read_file(folder / "p/jcprof.json"),
             Catch::Contains("\"-DP_EXAMPLES=ON\"") && Catch::Contains("\"*.c\"") &&
                 Catch::Contains(R"("--target", "look")") && !Catch::Contains("P_TESTS"));
}

TEST_CASE("init finds a program of CMake's that the build puts among the sources, and tries it in the copy") {
  const test::TemporaryFolder folder;
  write_file(
      folder / "p/CMakeLists.txt",
      "cmake_minimum_required(VERSION 3.18)\nproject(p C)\n"
      "set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/bin)\nadd_executable(p main.c)\n");
  write_file(folder / "p/bin/p", "of an earlier build");
  CHECK_THAT(said_of(folder, "int main(void) { return 0; }\n", {"--yes"}),
             Catch::Contains("ok       path: ") && !Catch::Contains("note: "));
  const std::string draft = read_file(folder / "p/jcprof.json");
  CHECK_THAT(draft, Catch::Contains(R"("run": ["{tree}/bin/p"])") &&
                        Catch::Contains(R"("exclude_from_tree": ["bin/p"])"));
  CHECK(read_file(folder / "p/bin/p") == "of an earlier build");
}

TEST_CASE("init finds the programs behind variables of CMake's that no option() declares") {
  const std::string program = "  add_executable(look look.c)\n  target_link_libraries(look lib)\n";
  const test::TemporaryFolder telling;
  CHECK_THAT(
      init_of_library(telling, "if(P_EXAMPLES)\n  include(more.cmake OPTIONAL)\n" + program + "endif()\n")
          .tail,
      Catch::Contains("CMake makes a program only with -DP_EXAMPLES=ON"));
  const test::TemporaryFolder cached;
  CHECK_THAT(init_of_library(cached, "set(P_TOOLS NO CACHE BOOL \"\")\nif(NOT P_TOOLS STREQUAL NO)\n" +
                                         program + "endif()\n")
                 .tail,
             Catch::Contains("CMake makes a program only with -DP_TOOLS=ON"));
  const test::TemporaryFolder silent;
  CHECK_THAT(
      init_of_library(silent, "if(WIN32)\nelseif(UNIX)\n  if(P_DRIVER)\n" + program + "  endif()\nendif()\n")
          .tail,
      Catch::Contains("CMake makes a program only with -DP_DRIVER=ON"));
  const test::TemporaryFolder failing;
  const ProcessResult failed = init_of_library(
      failing, "if(P_DRIVER)\n  message(FATAL_ERROR \"no\")\n" + program + "endif()\nif(P_TESTS)\nendif()\n");
  CHECK(failed.exit_status == 2);
  CHECK_THAT(failed.tail,
             Catch::Contains("also with its options for examples, tools and tests (-DP_TESTS=ON, "
                             "-DP_DRIVER=ON)"));
}

TEST_CASE("init says that CMake makes libraries and no program, rather than draft what nobody builds") {
  const test::TemporaryFolder folder;
  const ProcessResult result = init_of_library(
      folder, "option(P_TESTS \"\" OFF)\nif(P_TESTS)\n  message(FATAL_ERROR \"no\")\nendif()\n");
  INFO(result.tail);
  CHECK(result.exit_status == 2);
  CHECK_THAT(result.tail,
             Catch::Contains("it makes libraries and no program") && Catch::Contains("add_executable"));
  CHECK_FALSE(std::filesystem::exists(folder / "p/jcprof.json"));
}

TEST_CASE("init asks for make where a configured library does not say yet which tests it makes") {
  const test::TemporaryFolder folder;
  write_file(folder / "p/configure", "");
  write_file(folder / "p/lib.c", "int lib(void) { return 1; }\n");
  write_file(folder / "p/check.c", "int lib(void); int main(void) { return lib() - 1; }\n");
  write_file(folder / "p/Makefile",
             "all: lib.o\nMakefile: Makefile.in\nMakefile.in:\n"
             "check: check.o missing.la\n\t$(CC) -o check check.o lib.o\n");
  const ProcessResult result =
      run_and_wait({.argv = {JCPROF_BIN_DIR "/jcprof", "init", "p", "--yes"}, .cwd = folder.path()}, {},
                   std::chrono::seconds{100});
  INFO(result.tail);
  CHECK(result.exit_status == 2);
  CHECK_THAT(result.tail, Catch::Contains("run make here, then jcprof init again"));
  CHECK_FALSE(std::filesystem::exists(folder / "p/jcprof.json"));
}

TEST_CASE("leave for CMake is none for make") {
  const BrokenCMake place("prog: main.c\n\t$(CC) -o $@ $<\n");
  const std::string root = std::filesystem::canonical(place.folder / "p").string();
  write_file(place.folder / "state/jcprof/allowed",
             sha256(fmt::format("{}{}prepare: CMake, which configures (into {}/jcprof-out/prepared)", root,
                                '\0', root)) +
                 "\n");
  CHECK_THAT(place.init({{"JCPROF_YES", ""}, {"XDG_STATE_HOME", place.folder / "state"}}),
             Catch::Contains("nobody has allowed jcprof"));
  CHECK_FALSE(std::filesystem::exists(place.folder / "p/made"));
}

TEST_CASE("without the build system's program, or with a foreign output folder, init goes by the texts") {
  const BrokenCMake without("prog: main.c\n");
  std::filesystem::create_directory(without.folder / "none");
  CHECK_THAT(without.init({{"JCPROF_YES", "1"}, {"PATH", without.folder / "none"}}, 1),
             Catch::Contains("CMake names no program to measure") && Catch::Contains("nor does make"));
  const BrokenCMake foreign("$(error no)\n");
  write_file(foreign.folder / "p/jcprof-out/mine", "");
  CHECK_THAT(foreign.init({{"JCPROF_YES", "1"}}), Catch::Contains("CMake names no program to measure"));
}

TEST_CASE("init ends by trying the draft, up to the path, and stops at what fails") {
  const test::TemporaryFolder good;
  CHECK_THAT(said_of(good, "int main(void) { return 0; }\n", {"--yes"}),
             Catch::Contains("tried:\n") && Catch::Contains("ok       build: 1 steps\n") &&
                 Catch::Contains("ok       trigger: answered 0 in ") && Catch::Contains("ok       path: ") &&
                 Catch::Contains("the same each time"));
  const test::TemporaryFolder bad;
  CHECK_THAT(said_of(bad, "int main(void) { return 3; }\n", {"--yes"}, 1),
             Catch::Contains("failed   trigger: the program ") &&
                 Catch::Contains("ended with status 3, expected was 0") &&
                 Catch::EndsWith("stopped at what failed\n"));
}

TEST_CASE("init says which of several programs it takes, and how to choose another") {
  const test::TemporaryFolder folder;
  write_file(folder / "p/second.c", "int main(void) { return 0; }\n");
  CHECK_THAT(said_of(folder, "int main(void) { return 0; }\n", {"--no-try"}),
             Catch::StartsWith("the draft takes main.c, one of 2 programs\n"
                               "another program: second.c; --entry chooses it\n"));
}

TEST_CASE("init tries nothing that nobody has allowed, or with --no-try") {
  const test::TemporaryFolder unasked;
  CHECK_THAT(said_of(unasked, "int main(void) { return 0; }\n", {}),
             Catch::Contains("remark   trial: not made: it runs the programs of the project\n         "
                             "`jcprof doctor --yes p` allows them"));
  CHECK_FALSE(std::filesystem::exists(unasked / "p/jcprof-out/tree"));
  const test::TemporaryFolder unwished;
  CHECK_THAT(said_of(unwished, "int main(void) { return 0; }\n", {"--yes", "--no-try"}),
             !Catch::Contains("tried"));
}

TEST_CASE("init has a header made in a copy that only make makes, and its units get traps") {
  const test::TemporaryFolder folder;
  write_file(
      folder / "p/Makefile",
      "prog: main.c src/sub.c number.h src/parts/more.h\n\t$(CC) -g -DHERE -Isrc -o $@ main.c src/sub.c\n"
      "number.h: number.txt\n\tsed 's/^/#define NUMBER /' $< > $@\n"
      "src/parts/more.h:\n\tmkdir -p src/parts\n\techo '#define MORE 1' > $@\n");
  write_file(folder / "p/number.txt", "0\n");
  write_file(folder / "p/src/sub.c",
             "#include \"parts/more.h\"\n#ifdef _WIN32\n#include \"nowhere.h\"\n#endif\n"
             "int sub(void) { return HERE - MORE; }\n");
  CHECK_THAT(said_of(folder,
                     "#include \"number.h\"\n#include \"parts/more.h\"\nint sub(void);\n"
                     "int main(void) { return NUMBER * MORE + sub(); }\n",
                     {"--yes"}),
             Catch::Contains("ok       path: ") && !Catch::Contains("failed"));
  CHECK_THAT(read_file(folder / "p/jcprof-out/tree/main.c"), Catch::Contains("JCPROF_"));
  CHECK_THAT(read_file(folder / "p/jcprof-out/tree/src/sub.c"), Catch::Contains("JCPROF_"));
  CHECK_FALSE(std::filesystem::exists(folder / "p/number.h"));
  CHECK_FALSE(std::filesystem::exists(folder / "p/src/parts"));
}

TEST_CASE("init has no header made that lies beside the project, nor one that is a variable of make's") {
  const test::TemporaryFolder folder;
  write_file(folder / "common/x.h", "#define X 0\n");
  write_file(folder / "p/Makefile", "prog: main.c ../common/x.h\n\t$(CC) -o $@ main.c\n");
  CHECK_THAT(said_of(folder,
                     "#include \"../common/x.h\"\n#ifdef _WIN32\n#include \"a=b.h\"\n#endif\n"
                     "int main(void) { return X; }\n",
                     {"--no-try", "--yes"}),
             !Catch::Contains("note: "));
  CHECK_THAT(read_file(folder / "p/jcprof.json"), !Catch::Contains("prepare"));
}

/// The words of init where this makefile compiles somewhere else.
std::string said_of_compiler(const test::TemporaryFolder& folder, const std::string& makefile,
                             const std::vector<std::string>& options = {"--yes"}) {
  write_file(folder / "p/Makefile", makefile);
  write_file(folder / "p/sub.c", "#ifdef SUB\nint sub(void) { return 0; }\n#endif\n");
  return said_of(folder, "int sub(void);\nint main(void) { return sub(); }\n", options);
}

TEST_CASE("init has cc compile where the makefile's compiler is not here or in a container, and says so") {
  const test::TemporaryFolder container;
  CHECK_THAT(
      said_of_compiler(container,
                       "CC = docker run --rm -v /p:/p image/gcc gcc\nprog: main.o sub.o\n"
                       "\t$(CC) -o $@ $^ -lm\n%.o: %.c\n\t$(CC) -DSUB -c -o $@ $<\n"),
      Catch::Contains("note: the makefile compiles with gcc in a container: the draft has it take cc") &&
          Catch::Contains("ok       path: "));
  CHECK_THAT(read_file(container / "p/jcprof.json"),
             Catch::Contains(R"("make", "-j2", "CC=cc", "CXX=c++", "prog")"));
  const test::TemporaryFolder gone;
  CHECK_THAT(
      said_of_compiler(gone, "CC = no-such-gcc\nprog: main.c sub.c\n\t$(CC) -DSUB -o $@ $^\n"),
      Catch::Contains("note: the makefile compiles with no-such-gcc, which is not here: the draft has it "
                      "take cc") &&
          Catch::Contains("ok       path: "));
  const test::TemporaryFolder own;
  CHECK_THAT(said_of_compiler(own,
                              "out/prog: main.c sub.c\n\tln -s /usr/bin/gcc mygcc-gcc\n"
                              "\t./mygcc-gcc -DSUB -o prog main.c sub.c\n",
                              {"--yes", "--no-try"}),
             !Catch::Contains("note: "));
  const test::TemporaryFolder mixed;
  CHECK_THAT(
      said_of_compiler(mixed,
                       "prog: main.c sub.c\n\tdocker run i gcc -c main.c\n\tdocker run i gcc -DSUB -c sub.c\n"
                       "\tdocker run i gcc -o $@ main.o sub.o\n",
                       {"--yes", "--no-try"}),
      Catch::Contains("gcc in a container, and not all files with the same flags: have it take cc"));
  const test::TemporaryFolder fixed;
  CHECK_THAT(
      said_of_compiler(fixed,
                       "out/prog: main.c sub.c\n\tdocker run image clang -DSUB -lm -o $@ main.c sub.c\n"),
      Catch::Contains("note: the makefile compiles with clang in a container: the draft compiles with cc, "
                      "without make") &&
          Catch::Contains("ok       path: "));
}

TEST_CASE("init gives a command the time that it needs") {
  const test::TemporaryFolder folder;
  said_of(
      folder,
      "#include <time.h>\nstatic void step(void) { struct timespec t = {0, 1000000}; nanosleep(&t, 0); }\n"
      "int main(void) { for (int i = 0; i < 100; i++) step(); return 0; }\n",
      {"--yes"});
  // 4060 shots of a tenth of a second and what a busy machine adds.
  std::smatch time;
  const std::string draft = read_file(folder / "p/jcprof.json");
  REQUIRE(std::regex_search(draft, time, std::regex(R"("max_time": "([0-9]+)m")")));
  CHECK(std::stoi(time[1]) >= 7);
}

TEST_CASE("init gives a command more time also if its path is too long to be measured at each statement") {
  const test::TemporaryFolder folder;
  CHECK_THAT(
      said_of(folder,
              "#include <time.h>\nstatic volatile unsigned sum;\nint main(void) {\n  struct timespec t "
              "= {0, 100000000};\n  nanosleep(&t, 0);\n  for (unsigned i = 0; i < 200000; i++)\n    "
              "sum += i;\n  return 0;\n}\n",
              {"--yes"}),
      Catch::Contains("are too many to stop at"));
  CHECK_THAT(read_file(folder / "p/jcprof.json"), !Catch::Contains(R"("max_time": "1m")"));
}

TEST_CASE("init --quiet tells of a trial only what failed") {
  const test::TemporaryFolder good;
  CHECK(said_of(good, "int main(void) { return 0; }\n", {"--yes", "--quiet"}).empty());
  const test::TemporaryFolder bad;
  CHECK_THAT(said_of(bad, "int main(void) { return 3; }\n", {"--yes", "--quiet"}, 1),
             Catch::StartsWith("tried:\nfailed   trigger: the program "));
}

TEST_CASE("a draft that cannot be tried is good all the same") {
  const test::TemporaryFolder folder;
  write_file(folder / "p/jcprof-out", "not a folder");
  CHECK_THAT(said_of(folder, "int main(void) { return 0; }\n", {"--yes"}),
             Catch::Contains("note: it was not tried: "));
}

}  // namespace
}  // namespace jcprof::cli
