// SPDX-License-Identifier: Apache-2.0
#include "tests/optee/machine.hpp"

#include <cstdlib>

#include <catch2/catch.hpp>

#include "src/core/file.hpp"

namespace jcprof::test {
namespace {

namespace fs = std::filesystem;

fs::path cache() {
  if (const char* const set = std::getenv("JCPROF_CACHE"); set != nullptr && *set != '\0') return set;
  return fs::path(std::getenv("HOME")) / ".cache/jcprof";
}

}  // namespace

std::string optee_vm() {
  return (fs::path(JCPROF_SOURCE_DIR) / "scripts/optee-vm").string();
}

std::optional<std::string> optee_obstacle(const Workplace& place) {
  const Said said = place.run({optee_vm(), "build"});
  INFO(said.err);
  REQUIRE((said.status == 0 || said.status == 3));
  return said.status == 3 ? std::optional(said.err) : std::nullopt;
}

std::string echo_program(const Workplace& place) {
  const std::string source = (fs::path(JCPROF_SOURCE_DIR) / "tests/optee/echo.c").string();
  const Said said =
      place.run({"aarch64-linux-gnu-gcc", "-O2", "-static", "-Wall", "-Werror", "-o", "optee-echo", source});
  INFO(said.err);
  REQUIRE(said.status == 0);
  return (place / "optee-echo").string();
}

std::string cache_with(const Workplace& place, const std::string& part, const std::string& file,
                       const std::string& content) {
  const fs::path copy = place / "cache";
  fs::create_directories(copy / "optee-vm");
  for (const auto& entry : fs::directory_iterator(cache() / "optee-vm")) {
    const fs::path to = copy / "optee-vm" / entry.path().filename();
    if (entry.path().filename() != part)
      fs::create_symlink(entry.path(), to);
    else
      fs::copy(entry.path(), to, fs::copy_options::recursive);
  }
  write_file(copy / "optee-vm" / part / file, content);
  return "JCPROF_CACHE=" + copy.string();
}

}  // namespace jcprof::test
