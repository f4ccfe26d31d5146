// SPDX-License-Identifier: Apache-2.0
#include "src/core/file.hpp"

#include <sys/stat.h>
#include <catch2/catch.hpp>

#include "tests/core/fault_text.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof {
namespace {

using test::fault_text;
using test::TemporaryFolder;

TEST_CASE("what is written is read again, byte for byte, and nothing lies beside it") {
  const TemporaryFolder folder;
  const std::string content("a\0b\r\n\xFF", 6);
  write_file(folder / "deep/er/x", content);
  CHECK(read_file(folder / "deep/er/x") == content);
  CHECK(std::distance(std::filesystem::directory_iterator(folder / "deep/er"), {}) == 1);
}

TEST_CASE("a file that is not there, and a folder, are named") {
  const TemporaryFolder folder;
  CHECK(fault_text([] { read_file("no/such.json"); }) ==
        "no/such.json: cannot read: No such file or directory");
  CHECK(fault_text([&] { read_file(folder.path()); }) ==
        folder.path().string() + ": cannot read: Is a directory");
}

TEST_CASE("a pipe, a link to one, a device and a link to itself are refused at once") {
  const TemporaryFolder folder;
  const std::string pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::filesystem::create_symlink(pipe, folder / "link.c");
  std::filesystem::create_symlink("loop.c", folder / "loop.c");
  CHECK(fault_text([&] { read_file(pipe); }) == pipe + ": cannot read: it is a pipe, not a regular file");
  CHECK(why_unreadable(folder / "link.c") == "cannot read: it is a pipe, not a regular file");
  CHECK(why_unreadable("/dev/zero") == "cannot read: it is a device, not a regular file");
  CHECK(why_unreadable(folder / "loop.c") == "cannot read: Too many levels of symbolic links");
}

TEST_CASE("a file of more than 256 MiB is refused before it is read") {
  const TemporaryFolder folder;
  write_file(folder / "large.c", "x");
  std::filesystem::resize_file(folder / "large.c", 300 << 20);
  CHECK(why_unreadable(folder / "large.c") == "larger than 268435456 bytes");
}

TEST_CASE("an old errno does not make a good file unreadable") {
  const TemporaryFolder folder;
  write_file(folder / "x", "x");
  errno = EISDIR;
  CHECK(read_file(folder / "x") == "x");
}

TEST_CASE("a place that cannot be written to is a broken environment") {
  try {
    write_file("/proc/no-such-folder/x", "x");
    FAIL("written");
  } catch (const UserError& error) {
    CHECK(error.exit_code() == ExitCode::environment);
  }
}

TEST_CASE("a digest is that of FIPS 180-4") {
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace jcprof
