// SPDX-License-Identifier: Apache-2.0
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

}  // namespace
}  // namespace jcprof::cli
