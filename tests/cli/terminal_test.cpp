// SPDX-License-Identifier: Apache-2.0
// Output to terminals and for programs: signs, colours, errors in JSON. Finds the profile that PROJECT means.
#include "programs/terminal.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "programs/output.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::cli {
namespace {

TEST_CASE("signs become ASCII, and columns stay where two blanks part them") {
  CHECK(in_ascii("12 µs  ±3.4  ×1000 → a.c…") == "12 us +-3.4  x1000 > a.c...");
  CHECK(in_ascii("about ±0.5 points") == "about +-0.5 points");
  CHECK(in_ascii("größe") == "größe");  // a name is not ours
}

TEST_CASE("output that goes to no terminal keeps its signs, and has colours only if asked") {
  // Standard output of a test is no terminal.
  CHECK(shown_on(Stream::out, "±1") == (is_terminal(Stream::out) ? shown_on(Stream::out, "±1") : "±1"));
  CHECK(is_coloured(Stream::out, ColourWish::always));
  CHECK_FALSE(is_coloured(Stream::out, ColourWish::never));
}

/// What a program of ours prints on a terminal of its own.
std::string on_terminal(const std::string& environment, const std::string& words,
                        const std::filesystem::path& folder) {
  return run_and_wait(
             {.argv = {"script", "-qec", "env " + environment + " " JCPROF_BIN_DIR "/" + words, "/dev/null"},
              .cwd = folder},
             {}, std::chrono::seconds{20})
      .tail;
}

bool is_ascii(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return (static_cast<unsigned char>(c) & 0x80U) == 0; });
}

TEST_CASE("a terminal without UTF-8 gets ASCII") {
  const test::TemporaryFolder folder;
  std::string stamps = "timestamps:\n";
  for (const std::string component : {"libteec", "kmodule", "core", "core", "kmodule", "libteec"})
    stamps += "- core: 0\n  counter: " + std::to_string(stamps.size()) +
              "\n  address: 0x1\n  component: " + component + "\n";
  write_file(folder / "one.ts", stamps + "...\n");
  const auto shown = [&](const std::string& locale) {
    return on_terminal("LC_ALL=" + locale, "jcprof layers one.ts", folder.path());
  };
  CHECK_FALSE(is_ascii(shown("C.UTF-8")));
  CHECK(is_ascii(shown("C")));
}

TEST_CASE("under --json a mistake is one JSON object on standard error") {
  const test::TemporaryFolder folder;
  const auto said = [&](const std::string& words) {
    const ProcessResult result = run_and_wait(
        {.argv = {"sh", "-c", JCPROF_BIN_DIR "/" + words + " 2>&1 >/dev/null"}, .cwd = folder.path()}, {},
        std::chrono::seconds{20});
    CHECK(result.exit_status == 2);
    return nlohmann::json::parse(result.tail);
  };
  CHECK(said("jcprof run none.json --json")["faults"][0]["place"]["file"] == "none.json");
  CHECK(said("jcprof run . --round 5 --json")["faults"][0]["hint"] == "did you mean \"--rounds\"?");
  CHECK(said("jcprof-gen . --json")["code"] == 2);
}

TEST_CASE("PROJECT may be a project, an output folder, or a profile") {
  const test::TemporaryFolder folder;
  write_file(
      folder / "jcprof.json",
      R"({"format": "jcprof-project", "version": 1, "target": "program", "sources": ["*.c"], "entry": "main",
                 "transport": "exec:", "trigger": {"run": ["./a"]}})");
  const std::filesystem::path newest = folder / "jcprof-out/profile.jcprof";
  CHECK(profile_meant(folder.path()) == newest);
  CHECK(profile_meant(folder / "jcprof.json") == newest);
  CHECK(profile_meant(newest) == newest);
  std::filesystem::create_directories(newest.parent_path());
  write_file(folder / "other/profile.jcprof", "");
  CHECK(profile_meant(folder / "other") == folder / "other/profile.jcprof");
}

}  // namespace
}  // namespace jcprof::cli
