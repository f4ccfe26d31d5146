// SPDX-License-Identifier: Apache-2.0
#include "rewriter/strip_files.hpp"

#include <sys/stat.h>
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

const std::string trapped = "int f(void) { /*[j*/JCPROF_TRAP(1);/*j]*/return 1; }\n";
const std::string original = "int f(void) { return 1; }\n";

mode_t mode_of(const fs::path& file) {
  struct stat status = {};
  REQUIRE(::stat(file.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

TEST_CASE("strip keeps a file's mode, and leaves nothing beside it") {
  const TemporaryFolder folder;
  write_file(folder / "x.c", trapped);
  REQUIRE(::chmod((folder / "x.c").c_str(), 0750) == 0);
  CHECK(strip_in_place(folder.path()).changed == 1);
  CHECK(read_file(folder / "x.c") == original);
  CHECK(mode_of(folder / "x.c") == 0750);
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("strip says of a file with several names that it leaves it, and goes on with the others") {
  const TemporaryFolder folder;
  write_file(folder / "a.c", trapped);
  fs::create_hard_link(folder / "a.c", folder / "b.c");
  write_file(folder / "c.c", trapped);
  const StrippedFiles stripped = strip_in_place(folder.path());
  CHECK(stripped.changed == 1);
  REQUIRE(stripped.faults.size() == 2);
  CHECK(stripped.faults[0].message == "has 2 names (hard links), and only this one would lose its traps");
  CHECK(read_file(folder / "a.c") == trapped);
  CHECK(fs::hard_link_count(folder / "a.c") == 2);
  CHECK(read_file(folder / "c.c") == original);
}

TEST_CASE("strip follows a link that it is given, and passes over links in a folder") {
  const TemporaryFolder folder;
  write_file(folder / "elsewhere/x.c", trapped);
  write_file(folder / "elsewhere/y.c", trapped);
  fs::create_directories(folder / "tree");
  fs::create_symlink(folder / "elsewhere/x.c", folder / "tree/x.c");
  fs::create_symlink("loop.c", folder / "tree/loop.c");
  CHECK(strip_in_place(folder / "tree").changed == 0);
  CHECK(read_file(folder / "elsewhere/x.c") == trapped);
  CHECK(strip_in_place(folder / "tree/x.c").changed == 1);
  CHECK(fs::is_symlink(folder / "tree/x.c"));
  CHECK(read_file(folder / "elsewhere/x.c") == original);
  fs::create_directory_symlink(folder / "elsewhere", folder / "link");
  CHECK(strip_in_place(folder / "link").changed == 1);
  CHECK(read_file(folder / "elsewhere/y.c") == original);
}

TEST_CASE("strip goes on past files that it does not like, and reports them all") {
  const TemporaryFolder folder;
  write_file(folder / "a.c", "int f(void) { /*[j*/JCPROF_TRAP(1); return 1; }\n");
  write_file(folder / "b.c", "x");
  fs::resize_file(folder / "b.c", 300 << 20);
  REQUIRE(::mkfifo((folder / "c.c").c_str(), 0600) == 0);
  write_file(folder / "z.c", trapped);
  const StrippedFiles stripped = strip_in_place(folder.path());
  CHECK(stripped.changed == 1);
  CHECK(stripped.faults.size() == 2);
  CHECK(read_file(folder / "z.c") == original);
  CHECK(strip_in_place(folder / "c.c").faults.size() == 1);
}

TEST_CASE("strip does not put an original over a file that is there") {
  const TemporaryFolder folder;
  write_file(folder / "PM.java.jcprof-original", "old");
  write_file(folder / "PM.java", "mine");
  CHECK(strip_in_place(folder.path()).faults.size() == 1);
  CHECK(read_file(folder / "PM.java") == "mine");
}

}  // namespace
}  // namespace jcprof::rewriter
