// SPDX-License-Identifier: Apache-2.0
// The time line of a recorded program beside its profile.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

using test::Said;
using test::Workplace;

/// Four threads, two at a time, of 500 calls each.
void record_threads(const Workplace& files) {
  REQUIRE(files
              .run({"gcc", "-O1", "-g", "-pthread", "-finstrument-functions",
                    JCPROF_SOURCE_DIR "/tests/end_to_end/recorded/calls.c", "-o", "calls"})
              .status == 0);
  const Said said = files.run({"jcprof", "record", "-q", "-o", "out", "--timeline", "calls.json", "--",
                               "./calls", "threads", "500", "4", "2"});
  INFO(said.err);
  REQUIRE(said.status == 0);
}

/// ns; the format has µs with three digits.
long long ns(const nlohmann::json& us) {
  return std::llround(us.get<double>() * 1000);
}

}  // namespace

TEST_CASE("the trace of a recorded program is in order, nests, and adds up to its profile") {
  const Workplace files("record-timeline");
  record_threads(files);
  const auto trace = nlohmann::json::parse(read_file(files / "calls.json"));
  std::map<int, std::vector<long long>> open;  // ends of calls under way, by thread
  std::set<int> named;
  std::map<std::string, std::pair<int, double>> sums;
  long long last = 0;
  bool nests = true;
  bool is_sorted = true;
  for (const auto& event : trace.at("traceEvents")) {
    const int thread = event.at("tid");
    if (event.at("ph") == "M") {
      named.insert(thread);
      continue;
    }
    REQUIRE(event.at("ph") == "X");
    const long long begin = ns(event.at("ts"));
    const long long end = begin + ns(event.at("dur"));
    std::vector<long long>& ends = open[thread];
    while (!ends.empty() && ends.back() <= begin) ends.pop_back();
    nests = nests && named.contains(thread) && (ends.empty() || end <= ends.back());
    nests = nests && (event.at("name") == "work") == ends.empty();
    ends.push_back(end);
    is_sorted = is_sorted && last <= begin;
    last = begin;
    auto& [calls, time] = sums[event.at("name")];
    ++calls;
    time += event.at("args").at("time").get<double>();
  }
  CHECK(nests);
  CHECK(is_sorted);
  CHECK(named.size() == 4);
  REQUIRE(sums.size() == 2);
  CHECK(sums["leaf"].first == 2000);
  CHECK(sums["work"].first == 4);
  for (const auto& [name, sum] : sums) {
    const auto inclusive = test::value_of(files / "out/profile.jcprof",
                                          "SELECT sum(inclusive) FROM call WHERE function = '" + name + "'");
    CHECK(1000 * sum.second == Approx(std::stod(inclusive.value())).margin(sum.first));  // of rounding
  }
}

TEST_CASE("a window of a log's time line is made of the log alone, and needs a unit") {
  const Workplace files("record-window");
  record_threads(files);
  const std::vector<std::string> again{"jcprof",     "record",      "-q",  "--analyze", "out/record.jcplog",
                                       "--timeline", "/dev/stdout", "--to"};
  const auto until = [&](const std::string& time) {
    std::vector<std::string> argv = again;
    argv.push_back(time);
    return files.run(argv);
  };
  const Said said = until("1ns");
  CHECK(said.status == 0);
  // The system decides which of the threads runs first.
  const auto trace = nlohmann::json::parse(read_file(files / "calls.json"));
  const auto first =
      std::ranges::find(trace.at("traceEvents"), "X", [](const auto& event) { return event.at("ph"); });
  CHECK_THAT(said.out,
             Catch::Matches(fmt::format("      begin \\(ms\\)      time \\(us\\)  thread   call\n"
                                        " +0\\.000000 +[0-9.]+  {}        work  .*calls\\.c:[0-9]+\n",
                                        first->at("tid").template get<int>())));
  CHECK(until("1").status == 2);
  CHECK(files.run({"jcprof", "record", "--from", "1ms", "--", "./calls", "work"}).status == 2);
}

}  // namespace jcprof
