// SPDX-License-Identifier: Apache-2.0
// What is made of traps, alone and between hooks, by logs whose times are known to the tick; as attribute()
// has it of the same path.
#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include "annotator/estimate/attribution.hpp"
#include "annotator/record/log.hpp"
#include "annotator/record/profile.hpp"
#include "src/core/error.hpp"
#include "tests/annotator/log_builder.hpp"
#include "tests/annotator/trap_maps.hpp"

namespace jcprof::annotator {
namespace {

using enum TrapKind;

/// Ticks before the i-th event of a path: all sums of a few of them differ.
std::uint64_t ticks_before(std::size_t i) {
  return i * i + 3;
}

struct Sums {
  std::map<std::string, std::string> functions;  // "calls inclusive(exclusive)"
  std::map<std::size_t, std::string> lines;      // "hits ticks"
  bool operator==(const Sums&) const = default;
};

Sums as_attributed(const TrapMap& map, const std::vector<std::uint32_t>& traps) {
  const Attribution result = attribute(map, path_of(traps));
  std::vector<std::uint64_t> begins;  // ticks, of each event
  for (std::size_t i = 0; i < traps.size(); ++i)
    begins.push_back((begins.empty() ? 0 : begins.back()) + (i == 0 ? 0 : ticks_before(i)));
  const auto at = [&](std::size_t i) { return begins[std::min(i, begins.size() - 1)]; };
  std::vector<std::uint64_t> exclusive(result.functions.size());
  std::vector<std::uint64_t> inclusive(result.functions.size());
  std::vector<std::uint64_t> lines(result.lines.size());
  std::vector<bool> is_owner(result.lines.size());
  // What runs behind the last event nobody records; but that its statement was begun.
  const TrapKind last = map.traps[traps.back() - 1].kind;
  const bool is_begun = last == before || last == loop_body || last == handler;
  for (std::size_t i = 0; i + (is_begun ? 0 : 1) < traps.size(); ++i) {
    exclusive[result.blocks[i].function] += at(i + 1) - at(i);
    lines[result.blocks[i].line] += at(i + 1) - at(i);
    is_owner[result.blocks[i].line] = true;
  }
  for (const Invocation& call : result.invocations)
    if (call.outermost) inclusive[call.function] += at(call.end) - at(call.begin);
  Sums sums;
  for (std::size_t i = 0; i < result.functions.size(); ++i)
    sums.functions[result.functions[i].name] =
        fmt::format("{} {}({})", result.functions[i].calls, inclusive[i], exclusive[i]);
  for (std::size_t i = 0; i < result.lines.size(); ++i)
    if (is_owner[i]) sums.lines[result.lines[i].line] = fmt::format("{} {}", result.lines[i].hits, lines[i]);
  return sums;
}

RecordedRun recorded(const TrapMap& map, const std::vector<std::uint32_t>& traps) {
  LogBuilder log;
  std::uint64_t tick = 1000;
  for (std::size_t i = 0; i < traps.size(); ++i) {
    if (i > 0) tick += ticks_before(i);
    if (i % 5 == 4) log.next_chunk(1);
    log.line(1, tick, traps[i]);
  }
  return analyzed(log, map);
}

Sums sums_of(const RecordedRun& run) {
  Sums sums;
  for (const StoredEstimate& row : run.estimates) {
    if (row.scope == EstimateScope::function)
      sums.functions[row.function] = fmt::format("{} {}({})", row.hits, row.inclusive, row.ticks);
    if (row.scope == EstimateScope::line) sums.lines[row.line] = fmt::format("{} {}", row.hits, row.ticks);
  }
  return sums;
}

void check_alike(const TrapMap& map, const std::vector<std::uint32_t>& traps) {
  const Sums attributed = as_attributed(map, traps);
  const Sums sums = sums_of(recorded(map, traps));
  CHECK(sums.functions == attributed.functions);
  CHECK(sums.lines == attributed.lines);
}

/// Of a tree "way exclusive: line=ticks…", the threads left out.
std::vector<std::string> ways_with_lines(const CostTree& tree) {
  std::vector<std::string> ways;
  std::vector<std::string> name(tree.nodes.size());
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const CostNode& node = tree.nodes[i];
    const CostFunction& function = tree.functions[node.function];
    if (function.is_thread) continue;
    name[i] = (name[node.parent].empty() ? "" : name[node.parent] + ">") + function.name;
    ways.push_back(fmt::format("{} {:.0f}:", name[i], node.exclusive));
    for (const CostLine& line : node.lines) ways.back() += fmt::format(" {}={:.0f}", line.line, line.cost);
  }
  std::ranges::sort(ways);
  return ways;
}

/// p: loops, a try and markers; f: a try that is entered again; g: leaves in all ways.
TrapMap all_kinds() {
  return MapMaker()
      .trap(entry0, "p", 1)
      .trap(entry, "p", 1)
      .trap(before, "p", 10, 14)     // for (…) {
      .trap(loop_body, "p", 11, 13)  //   while (…)
      .trap(loop_body, "p", 12)      //     s;
      .end_of(5)
      .trap(before, "p", 13)
      .trap(after, "p", 14)
      .trap(marker, "p", 15)
      .trap(entry, "f", 20)
      .trap(before, "f", 21, 26)  // try {
      .trap(before, "f", 22)
      .trap(handler, "f", 24, 24)  // } catch {
      .trap(after, "f", 26)
      .trap(returns, "f", 27)
      .trap(exit, "f", 28)
      .trap(entry, "g", 30)
      .trap(before, "g", 31)
      .trap(before, "g", 31)
      .trap(handler, "g", 33)
      .trap(returns, "g", 34)
      .trap(marker, "m", 40)
      .trap(marker, "m", 41)
      .map();
}

}  // namespace

TEST_CASE("recorded traps: what runs after a return belongs to the calling statement") {
  check_alike(two_calls(), {1, 2, 3, 4, 8, 9, 6, 7, 5});
  check_alike(two_calls(), {1, 2, 3, 4, 6, 7, 8, 9, 8, 9, 5});
}

TEST_CASE("recorded traps: loops, blocks without braces, handlers, markers, recursion") {
  check_alike(all_kinds(), {1, 2, 3, 4, 5, 6, 4, 5, 6, 7, 8, 3, 8, 9, 9});
  check_alike(all_kinds(), {1, 2, 3, 10, 11, 12, 17, 18, 13, 14, 15, 7, 8});        // g throws into f
  check_alike(all_kinds(), {1, 2, 10, 11, 12, 10, 11, 12, 17, 13, 14, 15, 15, 9});  // f within f
  check_alike(all_kinds(), {1, 2, 17, 18, 21, 20, 21, 9, 22, 23, 9});  // a return, then `finally`
}

TEST_CASE("recorded traps: any sequence of traps is attributed as in stop mode") {
  CHECK(rc::check("sums of functions and lines are the same", [] {
    // The outermost function stays: what runs behind its end is nobody's here, and the command's own there.
    std::vector<std::uint32_t> traps =
        *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(2, 24));
    traps.insert(traps.begin(), 1);
    const Sums attributed = as_attributed(all_kinds(), traps);
    const RecordedRun run = recorded(all_kinds(), traps);
    const Sums sums = sums_of(run);
    RC_ASSERT(sums.functions == attributed.functions);
    RC_ASSERT(sums.lines == attributed.lines);
    std::map<std::size_t, double> lines;
    for (const CostNode& node : cost_tree(run.recording).nodes) {
      double whole = 0;
      for (const CostLine& line : node.lines) {
        lines[line.line] += line.cost;
        whole += line.cost;
      }
      RC_ASSERT(node.lines.empty() || whole == node.exclusive);
    }
    for (const StoredEstimate& row : run.estimates)
      if (row.scope == EstimateScope::line) RC_ASSERT(lines[row.line] == row.ticks);
  }));
}

TEST_CASE("recorded traps: each call has its lines") {
  const std::vector<std::uint32_t> traps{1, 2, 3, 4, 8, 9, 6, 7, 8, 9, 5};
  CHECK(ways_with_lines(cost_tree(recorded(two_calls(), traps).recording)) ==
        std::vector<std::string>{"p 251: 1=11 10=12 20=228", "p>f 52: 40=52", "p>g 112: 50=112"});
}

TEST_CASE("recorded traps: lines of which no trap was passed were not reached, unless events were lost") {
  const auto unreached = [](RecordedRun run) {
    std::string text;
    for (const UnreachedLine& line : recorded_profile(run).unreached) text += fmt::format("{} ", line.line);
    return text;
  };
  // The last event's line was reached, though nobody knows for how long.
  CHECK(unreached(recorded(all_kinds(), {1, 2, 3, 4, 10, 11})) == "12 13 22 24 30 31 33 34 40 41 ");
  LogBuilder log;
  log.line(1, 0, 1).line(1, 5, 2).next_chunk(1, 7).line(1, 10, 3);
  CHECK(unreached(analyzed(log, all_kinds())).empty());
  LogBuilder paused;
  paused.line(1, 0, 1).line(1, 5, 2).pause(6).resume(8).line(1, 10, 3);
  CHECK(unreached(analyzed(paused, all_kinds())).empty());
}

TEST_CASE("recorded traps: between two commands time belongs to nobody") {
  LogBuilder log;
  log.line(1, 0, 1).line(1, 1, 2).line(1, 10, 5).line(1, 1010, 1).line(1, 1011, 2).line(1, 1020, 5);
  const RecordedRun run = analyzed(log, two_calls("java"));
  CHECK(estimates(run, EstimateScope::function) == "p×2 20(20) ");
  CHECK(estimates(run, EstimateScope::line) == "1×2 20 ");
}

TEST_CASE("recorded traps: a command of an enclave or a TA ends before the next one begins, seen or not") {
  LogBuilder log;
  log.head.anchor = 0x1000;
  // The first one's end has no trap.
  log.line(1, 0, 1).line(1, 1, 2).line(1, 10, 3).line(1, 1010, 1).line(1, 1011, 2).line(1, 1020, 3);
  const TrapMap map = MapMaker().trap(entry0, "p", 1).trap(entry, "p", 1).trap(before, "p", 10).map();
  const RecordedRun run = analyzed(log, map);
  CHECK(estimates(run, EstimateScope::function) == "p×2 20(20) ");
  CHECK(run.estimates.front().ticks == 20);
  CHECK(run.recording.threads.at(0).outside == 1000);
}

TEST_CASE("recorded traps: a command whose entry a macro returns from ends at the last trap of its body") {
  LogBuilder log;
  log.head.anchor = 0x1000;
  // 1 p() { JCPROF_LAST  10 RETURN(f());  12 }: the last trap stands first in the body, and is passed last.
  const TrapMap map = MapMaker()
                          .trap(entry0, "p", 1)
                          .trap(entry, "p", 1)
                          .trap(before, "p", 10)
                          .trap(exit, "p", 12)
                          .trap(entry, "f", 20)
                          .trap(exit, "f", 22)
                          .map();
  for (const std::uint64_t begin : {0U, 1030U})
    log.line(1, begin, 1)
        .line(1, begin + 1, 2)
        .line(1, begin + 10, 3)
        .line(1, begin + 12, 5)
        .line(1, begin + 20, 6)
        .line(1, begin + 30, 4);
  const RecordedRun run = analyzed(log, map);
  CHECK(tree(run) == "1: p×2 60(44)\n1:  f×2 16(16)\n");
  CHECK(run.recording.threads.at(0).outside == 1000);
}

TEST_CASE("recorded traps: an entry of an enclave or a TA that is called by one that runs is a call") {
  LogBuilder log;
  log.head.anchor = 0x1000;
  // p calls itself on line 20, and is entered a second time by the host.
  log.line(1, 0, 1).line(1, 1, 2).line(1, 10, 4).line(1, 30, 1).line(1, 31, 2).line(1, 40, 5);
  log.line(1, 100, 5).line(1, 1100, 1).line(1, 1101, 2).line(1, 1110, 5);
  const RecordedRun run = analyzed(log, two_calls());
  CHECK(tree(run) == "1: p×2 110(100)\n1:  p×1 10(10)\n");
  CHECK(run.recording.threads.at(0).outside == 1000);
}

TEST_CASE("hooks of an enclave show that its entry is called by one that runs, and their frames stay") {
  LogBuilder log;
  log.head.anchor = 0x1000;
  const TrapMap map = MapMaker().trap(entry0, "p", 1).trap(entry, "p", 1).trap(before, "p", 10).map();
  log.enter(1, 0, 1).line(1, 1, 1).line(1, 2, 2).line(1, 10, 3).enter(1, 20, 1).line(1, 21, 1);
  log.line(1, 22, 2).leave(1, 30, 1).leave(1, 50, 1);
  const RecordedRun run = analyzed(log, map);
  CHECK(tree(run) == "1: (function 1)×1 50(1)\n1:  p×1 49(39)\n1:   (function 1)×1 10(1)\n1:    p×1 9(9)\n");
  CHECK(run.recording.threads.at(0).outside == 0);
}

TEST_CASE("recorded traps: of one pass of a line least, most and quantiles are known, calls left out") {
  LogBuilder log;
  log.line(1, 0, 1).line(1, 5, 2);
  std::uint64_t tick = 10;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    log.line(1, tick, 4).line(1, tick + i, 8).line(1, tick + i + 1000, 9);  // i ticks before g, i in it
    tick += 2 * i + 1000;
  }
  log.line(1, tick, 5);
  const RecordedRun run = analyzed(log, two_calls());
  const auto line = std::ranges::find(run.estimates, std::size_t{20}, &StoredEstimate::line);
  REQUIRE(line != run.estimates.end());
  CHECK(line->hits == 100);
  CHECK(line->ticks == 2 * 5050);
  CHECK(line->least == 2.0);
  CHECK(line->most == 200.0);
  CHECK(line->q50 == 100.0);
  CHECK(*line->q95 == Approx(190).epsilon(0.01));
}

TEST_CASE("recorded traps: own cost is what runs without traps tell, if that is above the calibrated one") {
  const auto with_cost = [](std::uint64_t calibrated, std::uint64_t event_ps, std::uint64_t apart = 0) {
    LogBuilder log;
    for (std::uint64_t i = 0; i < 3; ++i) log.pair(i * 200'000'000, i * 100'000'000);  // 2 ticks a nanosecond
    log.head.trap_ticks = calibrated * 1024;
    log.head.trap_apart_ticks = apart * 1024;
    log.event_ps = event_ps;
    log.line(1, 0, 1).line(1, 100, 2).line(1, 200, 4).line(1, 300, 6).line(1, 400, 7).line(1, 500, 5);
    return tree(analyzed(log, two_calls()));
  };
  CHECK(with_cost(10, 0) == "1: p×1 225(180)\n1:  f×1 45(45)\n");
  CHECK(with_cost(10, 4000) == with_cost(10, 0));  // 8 ticks
  CHECK(with_cost(10, 20'000) == "1: p×1 150(120)\n1:  f×1 30(30)\n");
  // Between other code the calibrated cost is no more than 10 of 60 ticks; runs tell the mean.
  CHECK(with_cost(60, 20'000, 10) == with_cost(10, 20'000));
  CHECK(with_cost(10, ~std::uint64_t{0}) == "1: p×1 0(0)\n1:  f×1 0(0)\n");
}

namespace {

double sum_of_doubts(const RecordedRun& run, const std::string& function) {
  double sum = 0;
  for (const StoredEstimate& row : run.estimates)
    if (row.scope == EstimateScope::line && row.function == function) sum += row.high - row.ticks;
  return sum;
}

}  // namespace

TEST_CASE("recorded traps: sources that were not read are named") {
  TrapMap map = two_calls();
  map.unread = {{.path = "hot.c", .reason = "hot.c:1: 'defs.h' file not found"}};
  LogBuilder log;
  const RecordedRun run = analyzed(log.line(1, 0, 1).line(1, 100, 5), map);
  CHECK(std::ranges::count_if(run.warnings, [](const Warning& warning) {
          return warning.text.find("hot.c (hot.c:1: 'defs.h' file not found)") != std::string::npos;
        }) == 1);
}

TEST_CASE("recorded traps: own cost is in doubt by how runs without traps differ, within reason") {
  const auto total_of = [](std::uint64_t event_ps, std::uint64_t doubt_ps) {
    LogBuilder log;
    for (std::uint64_t i = 0; i < 3; ++i) log.pair(i * 200'000'000, i * 100'000'000);  // 2 ticks a nanosecond
    log.head.trap_ticks = 20 * 1024;                                                   // 10 ns
    log.event_ps = event_ps;
    log.doubt_ps = doubt_ps;
    log.line(1, 0, 1);
    for (std::uint64_t i = 1; i <= 10; ++i) log.line(1, i * 1000, 2);
    const RecordedRun run = analyzed(log.line(1, 11'000, 5), two_calls());
    return estimate_of(run, EstimateScope::function, "p");
  };
  const auto half = [](const StoredEstimate& row) { return row.high - row.ticks; };
  // 11 differences of 500 ns.
  CHECK(total_of(20'000, 0).ticks == Approx(11 * 480));
  CHECK(half(total_of(20'000, 0)) == Approx(11 * 5));
  CHECK(half(total_of(20'000, 5'000)) == Approx(11 * 5));
  CHECK(total_of(20'000, 15'000).ticks == Approx(11 * 480));
  CHECK(half(total_of(20'000, 15'000)) == Approx(11 * 15));
  // A clear cost may be any multiple of the calibrated 10 ns. An unclear one is at most eight times that.
  CHECK(total_of(200'000, 20'000).ticks == Approx(11 * 300));
  CHECK(total_of(200'000, 60'000).ticks == Approx(11 * 420));
  CHECK(half(total_of(200'000, 60'000)) == Approx(11 * 70));  // or the calibrated one
  CHECK(half(total_of(200'000, 900'000)) == Approx(11 * 80));
  // No more is in doubt than the time that was there.
  CHECK(half(total_of(480'000, 120'000)) == Approx(11 * 120));
  CHECK(half(total_of(300'000, 75'000)) == Approx(11 * 75));
  CHECK(half(total_of(4'000'000, 1'000'000)) == Approx(11 * 500));
}

TEST_CASE("recorded traps: own cost that is taken off a later difference is in doubt there") {
  LogBuilder log;
  for (std::uint64_t i = 0; i < 3; ++i) log.pair(i * 200'000'000, i * 100'000'000);  // 2 ticks a nanosecond
  log.head.trap_ticks = 20 * 1024;
  log.event_ps = 20'000;  // 40 ticks
  log.doubt_ps = 15'000;
  log.line(1, 0, 1).line(1, 2, 2).line(1, 4, 2).line(1, 6, 2);
  const RecordedRun run = analyzed(log.line(1, 1006, 5), two_calls());
  const StoredEstimate& row = estimate_of(run, EstimateScope::function, "p");
  CHECK(row.ticks == Approx(503 - 4 * 20));
  // Three events have room for 1 ns each, and 19 of 20 are taken later.
  CHECK(row.high - row.ticks == Approx(3 * 1 + 15 * (80 - 3) / 20.0));
}

TEST_CASE("recorded traps: the interval of a frequent caller holds the own cost of its callees' entries") {
  LogBuilder log;
  log.head.trap_ticks = 8 * 1024;
  log.line(1, 0, 1).line(1, 100, 2).line(1, 200, 4);
  for (std::uint64_t tick = 300; tick < 900; tick += 200) log.line(1, tick, 6).line(1, tick + 100, 7);
  const RecordedRun run = analyzed(log.line(1, 900, 5), two_calls());
  const auto doubt = [&](const char* function, EstimateScope scope = EstimateScope::function) {
    const StoredEstimate& row = estimate_of(run, scope, function);
    CHECK(row.high - row.ticks == Approx(row.ticks - row.low));
    return row.high - row.ticks;
  };
  // A quarter of 8 ticks for each difference that is theirs.
  CHECK(doubt("p") == Approx(2 * 6));
  CHECK(doubt("f") == Approx(2 * 3));
  // Of the lines of p, one calls f.
  CHECK(sum_of_doubts(run, "p") == Approx(2 * 6));
  CHECK(doubt("f", EstimateScope::line) == Approx(2 * 3));
}

TEST_CASE("recorded traps: a log whose recorder did not tell what an event costs has its end") {
  LogBuilder log;
  std::string bytes = log.line(1, 0, 1).line(1, 100, 5).bytes(7);
  const std::size_t end = bytes.size() - sizeof(jcprof_log_end) - sizeof(jcprof_log_block);
  bytes.resize(bytes.size() - sizeof(std::uint64_t));
  const jcprof_log_block block{.kind = JCPROF_LOG_BLOCK_END, .bytes = 16};
  std::memcpy(bytes.data() + end, &block, sizeof block);
  const LogFile file(bytes);
  const RecordedRun run = analyze_log({.file = file.path(), .traps = two_calls()});
  CHECK(run.status == 7);
}

TEST_CASE("hooks and traps in one program are recorded side by side") {
  // Hooks of p (1), f (2) and of h (3), which has no traps; p calls f, f calls h, which calls g, which has no
  // hook.
  LogBuilder log;
  log.name(1, "half").enter(1, 0, 1).line(1, 10, 1).line(1, 20, 2).line(1, 30, 4);
  log.enter(1, 40, 2).line(1, 42, 6).enter(1, 50, 3).line(1, 60, 8).mark(1, 65, 1, 1).line(1, 70, 9);
  log.leave(1, 80, 3).line(1, 90, 7).leave(1, 95, 2).line(1, 100, 5).leave(1, 110, 1);
  const RecordedRun run = analyzed(log, two_calls());
  CHECK(tree(run) ==
        "1: (function 1)×1 110(20)\n1:  p×1 90(35)\n1:   (function 2)×1 55(7)\n1:    f×1 48(18)\n"
        "1:     (function 3)×1 30(20)\n1:      g×1 10(10)\n");
  CHECK(estimates(run, EstimateScope::line) == "1×1 20 40×1 18 20×1 15 50×1 10 ");
}

TEST_CASE("traps that an exception left between hooks end where a hook further out goes on") {
  LogBuilder log;
  log.enter(1, 0, 1).line(1, 10, 6).enter(1, 20, 2).line(1, 30, 8).leave(1, 50, 1).enter(1, 60, 3);
  log.leave(1, 61, 3);
  CHECK(tree(analyzed(log, two_calls())) ==
        "1: (function 1)×1 50(10)\n1:  f×1 40(10)\n1:   (function 2)×1 30(10)\n1:    g×1 20(20)\n"
        "1: (function 3)×1 1(1)\n");
}

TEST_CASE("a call that only hooks show was left by an exception when a trap of its caller is passed") {
  LogBuilder log;
  log.line(1, 0, 1).line(1, 5, 2).line(1, 10, 3).enter(1, 20, 1).line(1, 60, 4).line(1, 100, 5);
  const RecordedRun run = analyzed(log, two_calls());
  CHECK(tree(run) == "1: p×1 100(60)\n1:  (function 1)×1 40(40)\n");
  CHECK(estimates(run, EstimateScope::line) == "20×1 40 1×1 10 10×1 10 ");
}

TEST_CASE("traps without their map, or with another one, are refused") {
  LogBuilder log;
  log.head.build = 0x1A2B3C4D;
  log.line(1, 0, 1);
  const LogFile file(log);
  const auto refused = [&](std::optional<TrapMap> traps) -> std::string {
    try {
      (void)analyze_log({.file = file.path(), .traps = std::move(traps)});
    } catch (const UserError& error) {
      return std::string(error.what()).substr(file.path().string().size());
    }
    return "";
  };
  CHECK(
      refused(std::nullopt) ==
      ": the log holds traps, and their map is missing\nhint: name the traps.json of the build with --traps");
  TrapMap other = two_calls();
  other.build = 0x11111111;
  CHECK(refused(other) ==
        ": recorded by build 1a2b3c4d, the trap map is of build 11111111\n"
        "hint: name the traps.json that was written with the program that ran");
  other.build = 0x1A2B3C4D;
  CHECK(refused(other).empty());
}

// ---- against an evaluator that looks at all events again for each one

namespace {

struct RandomStep {
  bool is_enter = true;
  std::uint32_t id = 1;
  std::uint64_t ticks = 0;  // before it
  bool lost = false;        // events before it
};

/// Which calls are open after `count` events: indices of their enters.
std::vector<std::size_t> open_after(const std::vector<RandomStep>& steps, std::size_t count) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < count; ++i) {
    if (steps[i].is_enter) {
      open.push_back(i);
      continue;
    }
    for (std::size_t depth = open.size(); depth-- > 0;)
      if (steps[open[depth]].id == steps[i].id) {
        open.resize(depth);
        break;
      }
  }
  return open;
}

/// "1.2.1: count inclusive exclusive least most" by way.
std::map<std::string, std::string> naive_ways(const std::vector<RandomStep>& steps, const LogPause& pause) {
  struct Way {
    std::uint64_t count = 0, inclusive = 0, exclusive = 0, least = ~std::uint64_t{0}, most = 0;
  };
  std::vector<std::uint64_t> inclusive(steps.size());
  std::map<std::string, Way> ways;
  const auto way_of = [&](const std::vector<std::size_t>& open, std::size_t depth) {
    std::string name;
    for (std::size_t i = 0; i <= depth; ++i) name += fmt::format("{}.", steps[open[i]].id);
    return name;
  };
  std::uint64_t now = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::uint64_t passed = 0;
    for (std::uint64_t t = 0; t < steps[i].ticks; ++t)
      passed += now + t < pause.begin || now + t >= pause.end;
    now += steps[i].ticks;
    const std::vector<std::size_t> open = open_after(steps, i);
    if (i == 0 || steps[i].lost || open.empty()) continue;
    for (const std::size_t call : open) inclusive[call] += passed;
    ways[way_of(open, open.size() - 1)].exclusive += passed;
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].is_enter) continue;
    const std::vector<std::size_t> open = open_after(steps, i + 1);
    Way& way = ways[way_of(open, open.size() - 1)];
    ++way.count;
    way.inclusive += inclusive[i];
    way.least = std::min(way.least, inclusive[i]);
    way.most = std::max(way.most, inclusive[i]);
  }
  std::map<std::string, std::string> texts;
  for (const auto& [name, way] : ways)
    texts[name] = fmt::format("{} {} {} {} {}", way.count, way.inclusive, way.exclusive, way.least, way.most);
  return texts;
}

std::map<std::string, std::string> analyzed_ways(const std::vector<RandomStep>& steps,
                                                 const LogPause& pause) {
  LogBuilder log;
  log.pause(pause.begin).resume(pause.end);
  std::uint64_t now = 0;
  for (const RandomStep& step : steps) {
    now += step.ticks;
    if (step.lost) log.next_chunk(1, 1);
    step.is_enter ? log.enter(1, now, step.id) : log.leave(1, now, step.id);
  }
  const RecordedRun run = analyzed(log);
  std::map<std::uint32_t, std::string> names{{0, ""}};
  std::map<std::string, std::string> texts;
  for (const StoredCall& call : run.recording.calls) {
    if (call.symbol == 0) continue;
    const std::string& name = run.recording.symbols.at(call.symbol).name;  // "(function 1)"
    const std::string way = names[call.parent] + name.substr(10, name.size() - 11) + ".";
    names[call.id] = way;
    texts[way] =
        fmt::format("{} {} {} {} {}", call.count, call.inclusive, call.exclusive, call.least, call.most);
  }
  return texts;
}

}  // namespace

TEST_CASE("any enters and leaves, with losses and a pause, give what looking at all of them again gives") {
  CHECK(rc::check("the call trees are the same", [] {
    const auto count = *rc::gen::inRange<std::size_t>(1, 60);
    const LogPause pause{.begin = *rc::gen::inRange<std::uint64_t>(0, 200),
                         .end = 200 + *rc::gen::inRange<std::uint64_t>(0, 100)};
    std::vector<RandomStep> steps;
    for (std::size_t i = 0; i < count; ++i)
      steps.push_back({.is_enter = *rc::gen::arbitrary<bool>(),
                       .id = *rc::gen::inRange<std::uint32_t>(1, 4),
                       .ticks = *rc::gen::inRange<std::uint64_t>(0, 20),
                       .lost = *rc::gen::inRange(0, 10) == 0});
    RC_ASSERT(analyzed_ways(steps, pause) == naive_ways(steps, pause));
  }));
}

}  // namespace jcprof::annotator
