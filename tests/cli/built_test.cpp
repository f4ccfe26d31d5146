// SPDX-License-Identifier: Apache-2.0
#include "programs/built.hpp"

#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::cli {
namespace {

TEST_CASE("a build is told from another by what it made, and jcprof's own files are no part of it") {
  const test::TemporaryFolder out;
  TrapMap map{.language = "c"};
  write_file(out / "traps.json", write_trap_map(map));
  CHECK(noted_build(out.path(), map).empty());
  write_file(out / "tree/a.c", "int main() {}");
  write_file(out / "bin/app", "code");
  note_build(out.path());
  const std::string first = noted_build(out.path(), map);
  CHECK(first.size() == 64);
  for (const char* own :
       {"profile.jcprof", "profile.jcprof-wal", "logs/build.log", "annotated/a.c", "leak.json",
        "leak.jcprof-wal", "memory.json", "memory/a.c", "sessions/sessions.json"})
    write_file(out / own, "whatever");
  note_build(out.path());
  CHECK(noted_build(out.path(), map) == first);
  write_file(out / "bin/app", "code of other flags");
  CHECK(noted_build(out.path(), map) == first);
  note_build(out.path());
  CHECK(noted_build(out.path(), map) != first);
  map.language = "c++";
  CHECK(noted_build(out.path(), map).empty());
}

}  // namespace
}  // namespace jcprof::cli
