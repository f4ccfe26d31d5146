// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <catch2/catch.hpp>

#include "annotator/export/exports.hpp"
#include "annotator/tables.hpp"

namespace jcprof::annotator {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Estimate cost(double value, double half, double share) {
  return {.ticks = {value, value - half, value + half},
          .share = {share, share / 2, share * 2},
          .raw = value,
          .rounds = 10,
          .resolved = value > half};
}

Profile small_profile() {
  Profile profile;
  profile.run.project = "pin";
  profile.run.device = "jcardsim\x1b[31m";
  profile.run.started = "2026-01-02T03:04:05.678Z";
  profile.run.transport = "vpcd";
  profile.run.simulated = true;
  profile.run.state = RunState::complete;
  profile.shots = 120;
  profile.rounds = 10;
  profile.paths = {{}};
  profile.total = cost(8e6, 1e5, 1.1);
  profile.entry = cost(1e6, 1e4, 0.1);
  profile.unattributed = {-2e3, -1e4, 1e4};
  profile.blocks = {{{TrapId{1}, 1}, {TrapId{2}, 3}, "A.p", "src/A.java", 10, 1, cost(6e6, 1e5, 0.75)},
                    {{TrapId{2}, 3}, {}, "A.p", "src/A.java", 12, 1, cost(1e3, 2e3, 0.25)}};
  profile.blocks[1].cost.ticks = {1e3, -infinity, infinity};
  profile.lines = {{"src/A.java", 10, "A.p", 50, cost(6e6, 1e5, 0.75)},
                   {"src/A.java", 12, "A.p", 1, cost(1e3, 2e3, 0.25)}};
  profile.functions = {{"A.p", "src/A.java", 9, 1, cost(6e6, 1e5, 0.75), cost(7e6, 1e5, 0.9)}};
  profile.edges = {
      {TrapId{1}, TrapId{2}, "A.p", "src/A.java", 10, 50, cost(6e6, 1e5, 0.75), 0.5, 6.5e6, 5e6}};
  profile.loops = {{"A.p", "src/A.java", 9, 2, 50, cost(6e6, 1e5, 0.75)},
                   {"A.p", "src/A.java", 14, 1, 3, cost(1e3, 2e3, 0.25)}};
  profile.warnings = {"10 rounds\nonly"};
  return profile;
}

}  // namespace

TEST_CASE("the report on a terminal") {
  CHECK(tables(small_profile()) ==
        "pin on jcardsim?[31m, SIMULATED: 10 rounds, 120 shots\n"
        "total 8.0 ms ±0.1, of it 1.00 ms before the first trap and -2.0 µs ±12.0 unattributed\n"
        "± is 95 % within this session; another session may be faster or slower as a whole\n"
        "< is an upper bound: the noise hides the time; more rounds lower the bound\n"
        "\n"
        " typical     ±     share  hits  line           function\n"
        "  6.0 ms  ±0.1    75.0 %   ×50  src/A.java:10  A.p\n"
        "< 3.0 µs        < 50.0 %    ×1  src/A.java:12  A.p\n"
        "\n"
        "typical own     ±   share  with calls   share  calls  function  line\n"
        "     6.0 ms  ±0.1  75.0 %      7.0 ms  90.0 %     ×1  A.p       src/A.java:9\n"
        "\n"
        "typical loop     ±     share  begun  passes    a pass  line           function\n"
        "      6.0 ms  ±0.1    75.0 %     ×2     ×50    120 µs  src/A.java:9   A.p\n"
        "    < 3.0 µs        < 50.0 %     ×1      ×3  < 1.0 µs  src/A.java:14  A.p\n"
        "\n"
        "warning: 10 rounds?only\n");
}

TEST_CASE("the time before the first trap is never more than the total") {
  Profile profile = small_profile();
  profile.entry.ticks.value = 8e6;
  CHECK(total_text(profile) == "total 8.0 ms ±0.1, all of it before the first trap, as far as is known");
}

TEST_CASE(
    "the report says what is the hottest and how sure that is, and what times are on average where that "
    "differs") {
  Profile profile = small_profile();
  profile.drift = 0.021;
  profile.hottest_lines = {.among = {{"src/A.java", 10, "A.p"}, {"src/A.java", 12, "A.p"}},
                           .confidence = 0.95};
  profile.hottest_functions = {.among = {{"src/A.java", 9, "A.p"}}, .confidence = 0.9996};
  profile.lines[0].cost.averages = {.mean = {9e6, 8.8e6, 9.2e6}, .differs = true};
  profile.total.averages = {.mean = {11e6, 10.8e6, 11.2e6}, .differs = true};
  CHECK(header(profile) ==
        "pin on jcardsim?[31m, SIMULATED: 10 rounds, 120 shots\n"
        "total 8.0 ms ±0.1 (11.0 ms ±0.2 on average), of it 1.00 ms before the first trap and -2.0 µs ±12.0 "
        "unattributed\n"
        "± is 95 % within this session, in which the speed varied by 2.1 %; another session may be faster or "
        "slower "
        "as a whole\n"
        "< is an upper bound: the noise hides the time; more rounds lower the bound\n"
        "hottest line: src/A.java:10 or src/A.java:12 (95 % sure)\n"
        "hottest function: A.p (over 99 % sure)\n");
  CHECK(line_table(profile) ==
        " typical     ±   on average     share  hits  line           function\n"
        "  6.0 ms  ±0.1  9.0 ms ±0.2    75.0 %   ×50  src/A.java:10  A.p\n"
        "< 3.0 µs                     < 50.0 %    ×1  src/A.java:12  A.p\n");
}

TEST_CASE("the hottest lines are named where they are few, and counted where noise makes them many") {
  const auto told = [](std::size_t lines) {
    Profile profile = small_profile();
    profile.hottest_lines.among.assign(lines, {"src/A.java", 10, "A.p"});
    profile.hottest_lines.confidence = 0.95;
    const std::string text = header(profile);
    const std::size_t begin = text.find("hottest line: ");
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  CHECK(told(6) == "hottest line: src/A.java:10, src/A.java:10, src/A.java:10 or one of 3 more (95 % sure)");
  CHECK(told(7) == "hottest line: one of 7 (95 % sure)");
}

TEST_CASE("the report names the reader") {
  Profile profile = small_profile();
  profile.run.device = "gd60";
  profile.run.reader = "ACS ACR39U 00 00";
  profile.run.protocol = "T=0";
  profile.run.simulated = false;
  CHECK(header(profile).starts_with("pin on gd60 in reader ACS ACR39U 00 00, T=0: 10 rounds, 120 shots\n"));
}

TEST_CASE(
    "the report says how many paths there are, and where no command is known to have ended on this one") {
  Profile profile = small_profile();
  profile.run.device = "gd60";
  profile.run.simulated = false;
  profile.paths.resize(3);
  CHECK(header(profile).starts_with("pin on gd60: 10 rounds, 120 shots, 3 paths\ntotal 8.0 ms"));
  profile.total.rounds = 0;
  CHECK(header(profile) ==
        "pin on gd60: 10 rounds, 120 shots, 3 paths\n"
        "the time of a whole command on this path is not known\n"
        "± is 95 % within this session; another session may be faster or slower as a whole\n"
        "< is an upper bound: the noise hides the time; more rounds lower the bound\n");
  profile.paths.resize(1);
  CHECK(
      header(profile).starts_with("pin on gd60: 10 rounds, 120 shots\nno command has run to its end yet\n"));
}

TEST_CASE("on a narrow terminal places lose their beginning, numbers nothing") {
  Profile profile = small_profile();
  profile.lines[0].path = "a/long/way/to/the/source/of/the/Applet.java";
  profile.lines[0].function = "PinApplet.verifyTheWholePin";
  CHECK(line_table(profile, {.width = 70, .rows = 1}) ==
        "typical     ±   share  hits  line                  function\n"
        " 6.0 ms  ±0.1  75.0 %   ×50  …/the/Applet.java:10  ….verifyTheWholePin\n"
        "… and 1 more\n");
}

TEST_CASE("colour only where it was asked for") {
  const Profile profile = small_profile();
  CHECK(tables(profile).find('\x1b') == std::string::npos);
  CHECK(warning_list(profile, {.colour = Colour::always}) == "\x1b[33mwarning:\x1b[0m 10 rounds?only\n");
}

TEST_CASE("the JSON export") {
  Profile profile = small_profile();
  profile.run.device = "jcardsim";
  profile.run.agent = "jcprof/0.1.0 pcsc-lite/1.9.9";
  profile.run.reader = "Reader 00 00";
  profile.run.protocol = "T=1";
  profile.run.atr = "3b80";
  profile.lines.resize(1);
  profile.blocks.erase(profile.blocks.begin());
  profile.functions.clear();
  profile.loops.resize(1);
  CHECK(to_json(profile) == R"({
 "format": "jcprof-profile",
 "version": 1,
 "project": "pin",
 "device": "jcardsim",
 "transport": "vpcd",
 "agent": "jcprof/0.1.0 pcsc-lite/1.9.9",
 "reader": "Reader 00 00",
 "protocol": "T=1",
 "atr": "3b80",
 "started": "2026-01-02T03:04:05.678Z",
 "unit": "ns",
 "hz": 0.0,
 "simulated": true,
 "paths": 1,
 "rounds": 10,
 "shots": 120,
 "headline": "typical",
 "interval": "95 % within this session; another session may be faster or slower as a whole",
 "total": {
  "value": 8000000.0,
  "low": 7900000.0,
  "high": 8100000.0
 },
 "entry": {
  "value": 1000000.0,
  "low": 990000.0,
  "high": 1010000.0
 },
 "between": null,
 "unattributed": {
  "value": -2000.0,
  "low": -10000.0,
  "high": 10000.0
 },
 "hottest": {
  "lines": [],
  "confidence": null
 },
 "hottest_function": {
  "functions": [],
  "confidence": null
 },
 "blocks": [
  {
   "from": {
    "trap": 2,
    "hit": 3
   },
   "to": {
    "trap": 0,
    "hit": 1
   },
   "function": "A.p",
   "path": "src/A.java",
   "line": 12,
   "rounds": 10,
   "share": {
    "value": 0.25,
    "low": 0.125,
    "high": 0.5
   },
   "ticks": {
    "value": null,
    "low": null,
    "high": null
   },
   "raw": null,
   "resolved": false
  }
 ],
 "lines": [
  {
   "path": "src/A.java",
   "line": 10,
   "function": "A.p",
   "hits": 50,
   "ticks": {
    "value": 6000000.0,
    "low": 5900000.0,
    "high": 6100000.0
   },
   "share": {
    "value": 0.75,
    "low": 0.375,
    "high": 1.5
   },
   "resolved": true
  }
 ],
 "functions": [],
 "edges": [
  {
   "from": 1,
   "to": 2,
   "function": "A.p",
   "path": "src/A.java",
   "line": 10,
   "rate": 0.5,
   "count": 50,
   "mean": 6500000.0,
   "q05": 5000000.0,
   "q95": null,
   "ticks": {
    "value": 6000000.0,
    "low": 5900000.0,
    "high": 6100000.0
   },
   "share": {
    "value": 0.75,
    "low": 0.375,
    "high": 1.5
   },
   "resolved": true
  }
 ],
 "loops": [
  {
   "path": "src/A.java",
   "line": 9,
   "function": "A.p",
   "entries": 2,
   "passes": 50,
   "ticks": {
    "value": 6000000.0,
    "low": 5900000.0,
    "high": 6100000.0
   },
   "share": {
    "value": 0.75,
    "low": 0.375,
    "high": 1.5
   },
   "resolved": true
  }
 ],
 "warnings": [
  "10 rounds\nonly"
 ]
}
)");
}

TEST_CASE("the CSV export has one row a line") {
  Profile profile = small_profile();
  profile.lines[0].function = "A.\"p\"";
  profile.lines[1].cost.ticks.high = infinity;
  profile.lines[0].cost.averages = {.mean = {7, 6, 8}, .median = {5, 4, 6}, .q05 = 3, .q95 = 9};
  CHECK(to_csv(profile) ==
        "path,line,function,hits,rounds,ns,ns_low,ns_high,share,share_low,share_high,resolved,"
        "ns_mean,ns_mean_low,ns_mean_high,ns_median,ns_median_low,ns_median_high,ns_q05,ns_q95,headline\r\n"
        "\"src/A.java\",10,\"A.\"\"p\"\"\",50,10,6000000,5900000,6100000,0.75,0.375,1.5,1,"
        "7,6,8,5,4,6,3,9,typical\r\n"
        "\"src/A.java\",12,\"A.p\",1,10,1000,-1000,,0.25,0.125,0.5,0,,,,,,,,,typical\r\n");
}

TEST_CASE("bytes that are no text do not stop an export") {
  Profile profile = small_profile();
  profile.run.device = "\xff\xfe";
  CHECK(to_json(profile).find(R"("device": "\ufffd\ufffd")") != std::string::npos);
}

}  // namespace jcprof::annotator
