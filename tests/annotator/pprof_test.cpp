// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/exports.hpp"

#include <regex>

#include <catch2/catch.hpp>

#include "annotator/record/profile.hpp"
#include "tests/annotator/foreign_reader.hpp"
#include "tests/annotator/some_measured.hpp"
#include "tests/annotator/some_recording.hpp"

namespace jcprof::annotator {
namespace {

/// What `go tool pprof` prints, runs of blanks as one.
std::string pprof(const Profile& profile, const std::vector<std::string>& how) {
  const std::string program = test::from_cache("pprof/pprof");
  if (program.empty()) return "";
  const test::ForeignReader reader;
  reader.write("profile.pb.gz", to_pprof(profile));
  std::vector<std::string> argv{program, "-symbolize=none"};
  argv.insert(argv.end(), how.begin(), how.end());
  argv.emplace_back("profile.pb.gz");
  return std::regex_replace(reader.says(argv), std::regex("[ \t]+"), " ");
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("pprof shows a measured run's functions with what they take") {
  const std::string top = pprof(test::some_measured(), {"-top", "-unit=ns"});
  if (top.empty()) return;
  INFO(top);
  CHECK(has(top, "Type: time\n"));
  CHECK(has(top, "1980ns total"));
  CHECK(has(top, " 1800ns 90.91% 90.91% 1980ns 100% p\n"));
  CHECK(has(top, " 120ns 6.06% 96.97% 120ns 6.06% g\n"));
  CHECK(has(top, " 60ns 3.03% 100% 60ns 3.03% f\n"));
}

TEST_CASE("pprof shows the share of a line, and how often functions were called") {
  const std::string lines = pprof(test::some_measured(), {"-top", "-lines", "-unit=ns"});
  if (lines.empty()) return;
  INFO(lines);
  CHECK(has(lines, " 1120ns 56.57% 56.57% 1300ns 65.66% p A.java:20\n"));
  const std::string calls = pprof(test::some_measured(), {"-top", "-sample_index=calls"});
  INFO(calls);
  CHECK(has(calls, " 3 total"));
  CHECK(has(calls, " 1 33.33% 100% 3 100% p\n"));
}

TEST_CASE("pprof knows when, by what and on what a profile was made") {
  Profile profile = test::some_measured();
  profile.run.unit = ClockUnit::instructions;
  const std::string raw = pprof(profile, {"-raw"});
  if (raw.empty()) return;
  INFO(raw);
  CHECK(has(raw, "Time: 2026-01-02 03:04:05.678 +0000 UTC\n"));
  CHECK(has(raw, "pin on synthetic, SIMULATED\n"));
  CHECK(has(raw, "jcprof 0.1.0 over vpcd, started 2026-01-02T03:04:05.678Z\n"));
  CHECK(has(raw, "calls/count instructions/count[dflt]\n"));
  CHECK_FALSE(has(raw, "thread"));
  CHECK(std::regex_search(raw, std::regex("\n [0-9]+: 0x0 M=1 p A\\.java:20(:0)? s=1")));
}

TEST_CASE("pprof tells the threads of a recording apart") {
  const Profile profile = recorded_profile(test::some_recording());
  const std::string all = pprof(profile, {"-top", "-unit=ns"});
  if (all.empty()) return;
  INFO(all);
  CHECK(has(all, "1201ns total"));
  CHECK(has(all, " 451ns 37.55% 87.43% 1101ns 91.67% count\n"));
  const std::string second = pprof(profile, {"-top", "-unit=ns", "-tagfocus=thread=^2$"});
  INFO(second);
  CHECK(has(second, "of 1201ns total"));
  CHECK(has(second, " 201ns 16.74% count\n"));
  CHECK_FALSE(has(second, "put"));
}

TEST_CASE("pprof has each call of a recording once, with its thread, its lines and its library") {
  const std::string raw = pprof(recorded_profile(test::some_recording()), {"-raw"});
  if (raw.empty()) return;
  CHECK(raw.substr(raw.find("Samples:")) == R"(Samples:
calls/count time/nanoseconds[dflt]
 1 100: 1 
 thread:[1 words]
 4 301: 2 1 
 thread:[1 words]
 100 599: 3 2 1 
 thread:[1 words]
 2 150: 2 
 thread:[2]
 8 51: 4 2 
 thread:[2]
Locations
 1: 0x0 M=1 main /src/words.c:20 s=20
 2: 0x0 M=1 count /src/words.c:5 s=5
 3: 0x0 M=1 put /src/words.c:1 s=1
 4: 0x0 M=2 memcpy :0 s=0
Mappings
1: 0x0/0x0/0x0 /home/words [FN][FL][LN]
2: 0x0/0x0/0x0 /lib/libc.so.6 [FN][FL][LN]
)");
}

TEST_CASE("a year that pprof cannot hold is none") {
  Profile profile = test::some_measured();
  profile.run.started = GENERATE("2262-05-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z");
  const std::string raw = pprof(profile, {"-raw"});
  if (raw.empty()) return;
  INFO(raw);
  CHECK_FALSE(has(raw, "Time:"));
}

TEST_CASE("the same profile gives the same bytes of pprof") {
  CHECK(to_pprof(test::some_measured()) == to_pprof(test::some_measured()));
}

}  // namespace jcprof::annotator
