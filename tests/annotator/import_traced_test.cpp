// SPDX-License-Identifier: Apache-2.0
// Traces whose ends were lost, and samples of gmon.out.
#include <catch2/catch.hpp>

#include "annotator/import/traced.hpp"
#include "annotator/record/symbols.hpp"
#include "annotator/tables.hpp"
#include "tests/annotator/import_bench.hpp"

namespace jcprof::annotator {
using test_import::Bench, test_import::function_of;

namespace {

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

const std::string gmon_head = "gmon" + little_endian(1, 4) + std::string(12, '\0');

/// `counts`: of bins between the addresses, at 100 Hz.
std::string histogram(std::uint64_t low, std::uint64_t high, const std::vector<std::uint64_t>& counts) {
  std::string text = little_endian(0, 1) + little_endian(low, 8) + little_endian(high, 8) +
                     little_endian(counts.size(), 4) + little_endian(100, 4) +
                     std::string("seconds\0\0\0\0\0\0\0\0s", 16);
  for (const std::uint64_t count : counts) text += little_endian(count, 2);
  return text;
}

}  // namespace

TEST_CASE("gmon.out: a bin is the time of the functions in it, by their bytes") {
  Bench bench;
  if (!bench.build("gprof", {})) return;
  std::smatch match;
  const std::string names = bench.reader.says({"nm", "-S", "words"});
  REQUIRE(std::regex_search(names, match, std::regex("([0-9a-f]{16}) ([0-9a-f]{16}) t twice")));
  const std::uint64_t at = std::stoull(match[1].str(), nullptr, 16);
  const std::uint64_t end = at + std::stoull(match[2].str(), nullptr, 16);
  const std::string bins = gmon_head + histogram(at, at + 4, {3, 4});
  const Profile profile = bench.imported("gmon.out", bins, "words");
  REQUIRE(function_of(profile, "twice") != nullptr);
  CHECK(function_of(profile, "twice")->exclusive.ticks.value == 70e6);
  const Profile both = bench.imported("gmon.out", gmon_head + histogram(end - 4, end + 4, {3}), "words");
  REQUIRE(function_of(both, "fib") != nullptr);
  CHECK(function_of(both, "twice")->exclusive.ticks.value == 15e6);
  CHECK(function_of(both, "fib")->exclusive.ticks.value == 15e6);
  const Profile none = bench.imported("gmon.out", gmon_head + histogram(16, 20, {3}), "words");
  CHECK_THAT(none.warnings.back(),
             Catch::Contains("100.0 % of the time lies where the program has no symbol"));
  bench.reader.write("arcs", gmon_head + little_endian(1, 1) + little_endian(at, 8) + little_endian(16, 8) +
                                 little_endian(1, 4));
  CHECK_THROWS_WITH(import_profile({.path = bench.path("arcs"), .elf = bench.path("words")}),
                    Catch::Contains("no call of the file leads to a function"));
  CHECK(bench.error("gmon.out", bins).starts_with("gmon.out: gmon.out holds addresses and no names"));
  bench.reader.write("cut", bins.substr(0, 50));
  CHECK_THROWS_WITH(import_profile({.path = bench.path("cut"), .elf = bench.path("words")}),
                    Catch::Contains("the file is cut off (byte 45)"));
}

TEST_CASE("a traced call whose return was lost has no end, and the first event is of any kind") {
  CallTracer tracer;
  tracer.leave(1, "x", 100);
  tracer.enter(1, "f", 110);
  tracer.enter(1, "g", 112);
  tracer.leave(1, "f", 120);
  const RecordedRun run = std::move(tracer).finish({.info = {.unit = ClockUnit::ns, .rounds = 1}});
  CHECK(run.recording.threads.at(0).last == 20);
  REQUIRE(!run.recording.slow.empty());
  CHECK(run.recording.slow[0].at == 10);
  const Profile profile = recorded_profile(run);
  CHECK(function_of(profile, "f")->inclusive.ticks.value == 10);
  CHECK(cost_cells(function_of(profile, "g")->inclusive, ClockUnit::ns).value == "not measured");
  CHECK(profile.warnings ==
        std::vector<std::string>{"1 call has no end: its time is that until the last event inside",
                                 "1 return has no call: it is left out"});
}

TEST_CASE("OP-TEE's ftrace: milliseconds, a return to depth 0, and a thread for each TA") {
  Bench bench;
  const std::string head = "Function graph for TA: ";
  const Profile profile = bench.imported(
      "f.txt", head + "abc @ 80085000\n 9.000 us |   0 |  }\n 1.250 ms |   1 |  get()\n |   1 |  hang() {\n" +
                   head + "def @ 80085000\n 2.000 us |   1 |  get()\n");
  CHECK(profile.recorded->threads == 2);
  CHECK(function_of(profile, "get")->exclusive.ticks.value == 1'252'000);
  CHECK(profile.warnings.size() == 3);
  CHECK_THAT(profile.warnings[1], Catch::Contains("1 call has no end"));
  CHECK_THAT(profile.warnings[2], Catch::Contains("1 return has no call"));
}

TEST_CASE("names that were mangled are read, and others stay") {
  CHECK(demangled("_Z3fooi") == "foo(int)");
  CHECK(demangled("w") == "w");
}

}  // namespace jcprof::annotator
