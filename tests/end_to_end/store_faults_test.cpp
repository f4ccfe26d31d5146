// SPDX-License-Identifier: Apache-2.0
// A profile that cannot be written on, or that something has damaged.
#include <random>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/pcsc_place.hpp"
#include "tests/end_to_end/pin_bench.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using test::PinBench;
using test::Said;

TEST_CASE("a disk that gets full in the middle of a run costs the round, and the next run goes on") {
  // Commands as long as the example's: warm-up and calibrations have fewer of them before the rounds.
  const PinBench bench("full", "ROUNDS = (short) 100", "ROUNDS = (short) 1000");
  test::use_virtual_card(bench.project);
  // No file may be larger: the profile's log reaches that after some rounds, however long it calibrates
  // before.
  const Said said = bench.place.run({"sh", "-c", "trap '' XFSZ; ulimit -f 7800; exec \"$@\"", "sh",
                                     std::string(JCPROF_BIN_DIR) + "/jcprof-run", bench.project.string(),
                                     "--rounds", "10000", "-q"});
  CHECK(said.status == 3);
  CHECK(said.err ==
        "@/javacard-pin/jcprof-out/profile.jcprof: cannot be written or read: disk I/O error; the size of "
        "files is limited\n"
        "hint: raise it (`ulimit -f unlimited`); earlier results are safe; the same command resumes there\n");
  CHECK(bench.place.processes("java").empty());
  // Whether there was room left to write down that it ended is chance.
  CHECK(bench.ask("SELECT group_concat(state IN ('running', 'interrupted')) FROM run") == "1");
  CHECK(std::stoi(bench.ask(test::rounds_stored).value_or("0")) >= 3);
  bench.goes_on();
}

TEST_CASE("a damaged profile is refused and left alone, and a fresh one replaces it") {
  const PinBench bench("damaged");
  test::use_virtual_card(bench.project);
  CHECK(bench.start("3").wait() == 0);
  const std::string damaged =
      "@/javacard-pin/jcprof-out/profile.jcprof: the profile is damaged: database disk image is malformed\n"
      "hint: the file stays as it is: bring back a copy of it, or move it away and measure again\n";
  const std::string whole = read_file(bench.profile());
  const auto is_refused = [&](const std::string& content, const std::string& text) {
    write_file(bench.profile(), content);
    for (const std::string verb : {"run", "annotate"}) {
      const Said said = bench.place.run({"jcprof", verb, bench.project.string(), "-q"});
      INFO(verb);
      CHECK(said.err == text);
      CHECK(said.status == 2);
      CHECK(read_file(bench.profile()) == content);
    }
  };
  is_refused(whole.substr(0, whole.size() / 2), damaged);
  std::string noise = whole;
  std::mt19937 random(1);
  for (std::size_t i = 4096; i < noise.size(); ++i) noise[i] = static_cast<char>(random());
  is_refused(noise, damaged);
  const Said said =
      bench.place.run({"jcprof", "run", bench.project.string(), "-q", "--rounds", "3", "--fresh"});
  CHECK(said.err == "");
  CHECK(said.status == 0);
  CHECK(test::is_sound(bench.profile()));
  CHECK(bench.ask(test::states) == "1 complete");
}

}  // namespace
}  // namespace jcprof
