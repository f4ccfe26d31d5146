// SPDX-License-Identifier: Apache-2.0
// templates/jcprof_plugin.h beside templates/jcprof.h: one layout, and no warning from any compiler.
#define JCPROF
#include "templates/jcprof.h"
#include "templates/jcprof_plugin.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof {
namespace {

static_assert(sizeof(jcprof_window) == sizeof(jcprof_head));
static_assert(offsetof(jcprof_window, build) == offsetof(jcprof_head, build));
static_assert(offsetof(jcprof_window, trap) == offsetof(jcprof_head, trap));
static_assert(offsetof(jcprof_window, hit) == offsetof(jcprof_head, hit));
static_assert(offsetof(jcprof_window, from) == offsetof(jcprof_head, from));
static_assert(offsetof(jcprof_window, room) == offsetof(jcprof_head, room));
static_assert(offsetof(jcprof_window, events) == offsetof(jcprof_head, events));
static_assert(offsetof(jcprof_window, before) == offsetof(jcprof_head, before));
static_assert(offsetof(jcprof_window, all) == offsetof(jcprof_head, all));
static_assert(offsetof(jcprof_window, passes) == offsetof(jcprof_head, passes));
static_assert(offsetof(jcprof_window, last) == offsetof(jcprof_head, passes) + sizeof(jcprof_u64));

TEST_CASE("jcprof_plugin.h is clean in C90 to C17 and C++11 to C++20") {
  const test::TemporaryFolder folder;
  write_file(folder / "user.c", "#include \"templates/jcprof_plugin.h\"\n");
  const std::vector<std::string> warnings{"-Wall",   "-Wextra",          "-Wconversion", "-Wshadow",
                                          "-Wundef", "-pedantic-errors", "-Werror",      "-fsyntax-only",
                                          "-I",      JCPROF_SOURCE_DIR};
  const auto compiles = [&](std::vector<std::string> argv) {
    argv.insert(argv.end(), warnings.begin(), warnings.end());
    argv.push_back((folder / "user.c").string());
    const ProcessResult result =
        run_and_wait({.argv = argv, .cwd = folder.path()}, {}, std::chrono::seconds{60});
    INFO(result.tail);
    CHECK(result.exit_status == 0);
  };
  for (const char* standard : {"-std=c90", "-std=c99", "-std=c17"})
    compiles({"gcc", "-Wstrict-prototypes", standard});
  for (const char* standard : {"-std=c++11", "-std=c++20"}) compiles({"g++", "-x", "c++", standard});
}

}  // namespace
}  // namespace jcprof
