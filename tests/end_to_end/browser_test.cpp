// SPDX-License-Identifier: Apache-2.0
// Chromium's opinion of the reports that people get of the examples.
#include <filesystem>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/chromium.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using test::Said;
using test::Workplace;

void expect(const Workplace& place, const std::vector<std::string>& argv) {
  const Said said = place.run(argv);
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
}

TEST_CASE("Chromium finds no fault in the reports of the examples") {
  const Workplace place("report-chromium");
  const auto profile = [&](const fs::path& project, const std::string& out) {
    expect(place, {"jcprof", "profile", project.string(), "-o", out, "--no-refine", "--rounds", "8"});
  };
  const fs::path sort = place.copied("examples/c-sort");
  profile(sort, "before");
  profile(sort, "sort");
  expect(place,
         {"jcprof", "annotate", sort.string(), "-o", "sort", "--against", "before/profile.jcprof", "-q"});
  profile(place.copied("examples/c-sort", "c-sort-in-process") / "agent.json", "in-process");
  profile(place.example("javacard-pin"), "pin");
  profile(place.example("javacard-bignum"), "bignum");
  profile(place.example("javacard-torture"), "torture");
  const fs::path enclave = place.copied("examples/enclave-kv");
  profile(enclave, "enclave");
  expect(place, {"jcprof", "record", "-q", "--project", enclave.string(), "-o", "enclave-recorded"});
  expect(place, {"jcprof", "annotate", enclave.string(), "-o", "enclave-recorded", "-q"});

  const fs::path words = place.copied("examples/record-wordcount");
  expect(place, {"make", "-C", words.string(), "JCPROF_INCLUDE=" JCPROF_SOURCE_DIR "/templates"});
  expect(place, {"jcprof", "record", "-q", "-o", "words", "--", (words / "wordcount").string(),
                 JCPROF_SOURCE_DIR "/README.md"});
  expect(place, {"jcprof", "annotate", "words/profile.jcprof", "-q"});

  const fs::path sensor = place.copied("examples/agent-python");
  const Said map = place.run({"python3", "make_traps.py"}, sensor.string());
  REQUIRE(map.status == 0);
  write_file(sensor / "jcprof-out/.jcprof-out", "");
  write_file(sensor / "jcprof-out/traps.json", map.out);
  expect(place, {"jcprof", "run", sensor.string(), "--rounds", "8", "-q"});
  expect(place, {"jcprof", "annotate", sensor.string(), "-q"});

  std::vector<fs::path> folders{sensor / "jcprof-out"};
  for (const char* out :
       {"sort", "in-process", "pin", "bignum", "torture", "enclave", "enclave-recorded", "words"})
    folders.push_back(place / out);
  test::chromium_finds_no_fault(place, folders);
  if (!fs::exists(place / "shots")) return;
  // Those that scripts/screenshots takes for the README.
  for (const char* view : {"distribution", "flame", "comparison"})
    for (const char* scheme : {"light", "dark"})
      CHECK(fs::file_size(place / "shots" / fmt::format("c-sort-{}-{}.png", view, scheme)) > 20'000);
}

}  // namespace
}  // namespace jcprof
