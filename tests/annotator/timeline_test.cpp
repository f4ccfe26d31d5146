// SPDX-License-Identifier: Apache-2.0
// The calls of a log in order of time, as text and as a trace.
#include <cstring>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "annotator/record/timeline.hpp"
#include "src/core/error.hpp"
#include "tests/annotator/log_builder.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::uint32_t caller = 1;
constexpr std::uint32_t callee = 2;

/// Without the first line, which names the columns; blanks in front of a line are left out.
std::string lines_of(LogBuilder& log, const TimelineWish& wish = {}) {
  const LogFile file(log);
  const std::string text = timeline({.file = file.path()}, wish);
  std::string lines;
  for (std::size_t at = text.find('\n') + 1; at < text.size(); at = text.find('\n', at) + 1)
    lines += text.substr(text.find_first_not_of(' ', at),
                         text.find('\n', at) + 1 - text.find_first_not_of(' ', at));
  return lines;
}

/// Two threads in one time: the second one's chunk comes first in the file.
LogBuilder two_threads() {
  LogBuilder log;
  log.enter(2, 1020, callee).leave(2, 1040, callee).next_chunk(2);
  log.enter(1, 1000, caller).enter(1, 1010, callee).leave(1, 1030, callee).leave(1, 1100, caller);
  return log;
}

}  // namespace

TEST_CASE("a time line has the calls of all threads in the order in which they began, indented") {
  LogBuilder log = two_threads();
  const LogFile file(log);
  CHECK(timeline({.file = file.path()}, {}) ==
        "   begin (ticks)   time (ticks)  thread   call\n"
        "               0            100  1        (function 1)\n"
        "              10             20  1          (function 2)\n"
        "              20             20  2        (function 2)\n");
}

TEST_CASE("a window of a time line has the calls that run in it, with their callers") {
  LogBuilder log = two_threads();
  CHECK(lines_of(log, {.from = 30, .to = 40}) ==
        "0            100  1        (function 1)\n20             20  2        (function 2)\n");
  CHECK(lines_of(log, {.to = 10}) == "0            100  1        (function 1)\n");
  CHECK(lines_of(log, {.least = 21}) == "0            100  1        (function 1)\n");
}

TEST_CASE("a time line that is too long is refused") {
  LogBuilder log = two_threads();
  CHECK(lines_of(log, {.most = 3}) != "");
  CHECK_THROWS_WITH(lines_of(log, {.most = 2}),
                    Catch::Contains("more than 2 calls") && Catch::Contains("--from"));
  CHECK(lines_of(log, {.to = 15, .most = 2}) != "");
}

TEST_CASE("marks, losses and pauses stand between the calls") {
  LogBuilder log;
  log.name(7, "session").pause(60).resume(80);
  log.enter(1, 0, caller).mark(1, 10, 7, 42).next_chunk(1, 5).enter(1, 50, callee).leave(1, 90, callee);
  log.leave(1, 100, caller);
  CHECK(lines_of(log) ==
        "0             40  1        (function 1)\n"
        "10                 1        -- session: 42\n"
        "50                 1        -- events lost: 5\n"
        "50             20  1          (function 2)\n"
        "60                 -        -- recording paused\n"
        "80                 -        -- recording resumed\n");
}

TEST_CASE("losses ahead of the first event of a thread and behind its last one stand in a time line") {
  LogBuilder log;
  log.next_chunk(1, 3)
      .enter(1, 10, caller)
      .leave(1, 20, caller)
      .next_chunk(1, 4)
      .processor(1, 5)
      .next_chunk(1, 2);
  CHECK(lines_of(log) ==
        "0                 1        -- events lost: 3\n"
        "0             10  1        (function 1)\n"
        "10                 1        -- events lost: 4\n");
}

TEST_CASE("a mark stands in the row of its fiber") {
  LogBuilder log;
  log.name(7, "here").stack(1, 10, 4096).enter(1, 20, callee).mark(1, 25, 7, 1).leave(1, 30, callee);
  CHECK_THAT(lines_of(log), Catch::Contains(" 1/1      -- here: 1\n"));
}

TEST_CASE("own cost is taken off the times of a time line as of those of the profile, not off its moments") {
  LogBuilder log;
  log.head.hook_ticks = 2 * 1024;
  log.enter(1, 0, caller).enter(1, 10, callee).leave(1, 30, callee).leave(1, 100, caller);
  CHECK(lines_of(log) ==
        "0             94  1        (function 1)\n10             18  1          (function 2)\n");
  CHECK(tree(analyzed(log)) == "1: (function 1)×1 94(76)\n1:  (function 2)×1 18(18)\n");
}

TEST_CASE("each fiber has calls of its own in a time line") {
  LogBuilder log;
  log.enter(1, 0, caller).stack(1, 10, 4096).enter(1, 20, callee).stack(1, 30, 0).leave(1, 40, caller);
  CHECK(lines_of(log) ==
        "0             20  1        (function 1)\n20             10  1/1      (function 2)\n");
}

TEST_CASE("a trace has complete events that nest, instants, and names of threads") {
  LogBuilder log;
  log.name(7, "a \"mark\"").pair(0, 0).pair(1000, 500'000'000).pause(600).resume(700);
  log.enter(1, 0, caller).mark(1, 10, 7, ~std::uint64_t{0}).enter(1, 50, callee).leave(1, 90, callee);
  log.leave(1, 100, caller);
  jcprof_log_thread news{.thread = 1, .tid = 101};
  std::memcpy(news.name, "sixteen letters!", sizeof news.name);
  log.block(JCPROF_LOG_BLOCK_THREAD, news);
  const LogFile file(log);
  CHECK(timeline({.file = file.path()}, {.format = TimelineFormat::trace}) ==
        R"json({"displayTimeUnit":"ns","otherData":{"tool":"jcprof","clock":"ns"},"traceEvents":[
{"name":"thread_name","ph":"M","pid":100,"tid":1,"args":{"name":"thread 1 sixteen letters!"}},
{"name":"(function 1)","ph":"X","ts":0.000,"dur":50000.000,"pid":100,"tid":1,"args":{"time":50000.000,"own":30000.000}},
{"name":"a \"mark\"","ph":"i","s":"t","ts":5000.000,"pid":100,"tid":1,"args":{"number":"18446744073709551615"}},
{"name":"(function 2)","ph":"X","ts":25000.000,"dur":20000.000,"pid":100,"tid":1,"args":{"time":20000.000,"own":20000.000}},
{"name":"recording paused","ph":"i","s":"g","ts":300000.000,"pid":100,"tid":0},
{"name":"recording resumed","ph":"i","s":"g","ts":350000.000,"pid":100,"tid":0}
]}
)json");
}

TEST_CASE("a log without events has a time line without calls") {
  LogBuilder log;
  CHECK(lines_of(log).empty());
  const LogFile file(log);
  const auto trace =
      nlohmann::json::parse(timeline({.file = file.path()}, {.format = TimelineFormat::trace}));
  CHECK(trace.at("traceEvents").empty());
}

}  // namespace jcprof::annotator
