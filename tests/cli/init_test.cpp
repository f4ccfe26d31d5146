// SPDX-License-Identifier: Apache-2.0
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
  const ProcessResult result = run_and_wait({.argv = {JCPROF_BIN_DIR "/jcprof", "init", "card"},
                                             .cwd = folder.path(),
                                             .environment = {{"JCPROF_CACHE", folder / "cache"}}},
                                            {}, std::chrono::seconds{100});
  INFO(result.tail);
  CHECK(result.exit_status == 0);
  CHECK_THAT(read_file(folder / "card/jcprof.json"),
             Catch::Contains((folder / "cache/jcardsim-9.jar").string()));
}

/// A program that CMake does not configure, and that this makefile makes.
struct BrokenCMake {
  test::TemporaryFolder folder;

  explicit BrokenCMake(const std::string& makefile) {
    write_file(folder / "p/CMakeLists.txt", "message(FATAL_ERROR \"no\")\nadd_executable(x main.c)\n");
    write_file(folder / "p/Makefile", "$(shell touch made)\n" + makefile);
    write_file(folder / "p/main.c", "int main(void) { return 0; }\n");
  }

  /// What init says; it ends well.
  std::string init(const std::vector<std::pair<std::string, std::string>>& environment) const {
    const ProcessResult result = run_and_wait(
        {.argv = {JCPROF_BIN_DIR "/jcprof", "init", "p"}, .cwd = folder.path(), .environment = environment},
        {}, std::chrono::seconds{100});
    INFO(result.tail);
    CHECK(result.exit_status == 0);
    return result.tail;
  }
  std::string draft() const { return read_file(folder / "p/jcprof.json"); }
};

TEST_CASE("where CMake fails init takes the makefile, if that makes a program") {
  const BrokenCMake good("prog: main.c\n\t$(CC) -o $@ $<\n");
  CHECK_THAT(good.init({{"JCPROF_YES", "1"}}), Catch::Contains("the makefile is taken instead"));
  CHECK_THAT(good.draft(), Catch::Contains("\"make\", \"-j2\", \"prog\""));
  const BrokenCMake bad("$(error no)\n");
  CHECK_THAT(bad.init({{"JCPROF_YES", "1"}}), Catch::Contains("CMake does not say what it makes") &&
                                                  Catch::Contains("nor does make") &&
                                                  !Catch::Contains("taken instead"));
  CHECK_THAT(bad.draft(), Catch::Contains("\"cmake\", \"--build\""));
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
  CHECK_THAT(without.init({{"JCPROF_YES", "1"}, {"PATH", without.folder / "none"}}),
             Catch::Contains("CMake does not say what it makes") && Catch::Contains("nor does make"));
  const BrokenCMake foreign("$(error no)\n");
  write_file(foreign.folder / "p/jcprof-out/mine", "");
  CHECK_THAT(foreign.init({{"JCPROF_YES", "1"}}), Catch::Contains("CMake does not say what it makes"));
}

}  // namespace
}  // namespace jcprof::cli
