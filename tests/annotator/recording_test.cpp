// SPDX-License-Identifier: Apache-2.0
// What is made of enters and leaves: each rule of docs/record.md by a log whose times are known to the tick.
#include <algorithm>
#include <cmath>
#include <random>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "annotator/export/exports.hpp"
#include "annotator/record/profile.hpp"
#include "annotator/tables.hpp"
#include "src/core/error.hpp"
#include "tests/annotator/log_builder.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::uint32_t f = 1;
constexpr std::uint32_t g = 2;
constexpr std::uint32_t h = 3;

std::string warnings(const RecordedRun& run) {
  std::string text;
  for (const Warning& warning : run.warnings) text += to_text(warning) + "\n";
  return text;
}

}  // namespace

TEST_CASE("a call tree has counts, inclusive and exclusive times to the tick") {
  LogBuilder log;
  log.enter(1, 1000, f).enter(1, 1010, g).leave(1, 1025, g).enter(1, 1030, g).enter(1, 1031, h);
  log.leave(1, 1033, h).leave(1, 1070, g).leave(1, 1100, f);
  const RecordedRun run = analyzed(log);
  CHECK(tree(run) == "1: (function 1)×1 100(45)\n1:  (function 2)×2 55(53)\n1:   (function 3)×1 2(2)\n");
  CHECK(estimates(run, EstimateScope::function) ==
        "(function 2)×2 55(53) (function 1)×1 100(45) (function 3)×1 2(2) ");
  CHECK(estimate_of(run, EstimateScope::total).ticks == 100);
  CHECK(estimate_of(run, EstimateScope::unattributed).ticks == 0);
  const StoredCall& twice = run.recording.calls.at(1);
  CHECK(twice.least == 15);
  CHECK(twice.most == 40);
  CHECK(twice.q50 == 15);
  CHECK(twice.q95 == 40);
  const StoredEstimate& function = estimate_of(run, EstimateScope::function, "(function 2)");
  CHECK(function.mean == 27.5);
  CHECK(function.share == 0.53);
  CHECK(function.rounds == 1);
  CHECK(run.info.unit == ClockUnit::cycles);
  CHECK(run.info.transport == "record");
  CHECK(run.events == 8);
  CHECK(run.status == 0);
  CHECK(warnings(run).empty());
}

TEST_CASE("recursion counts once in a function, at each depth in the tree") {
  LogBuilder log;
  log.enter(1, 0, f).enter(1, 10, f).enter(1, 20, f).leave(1, 30, f).leave(1, 50, f).leave(1, 100, f);
  const RecordedRun run = analyzed(log);
  CHECK(tree(run) == "1: (function 1)×1 100(60)\n1:  (function 1)×1 40(30)\n1:   (function 1)×1 10(10)\n");
  CHECK(estimates(run, EstimateScope::function) == "(function 1)×3 100(100) ");
  CHECK(estimate_of(run, EstimateScope::function, "(function 1)").mean == 50);
}

TEST_CASE("mutual recursion counts the outermost call of each function") {
  LogBuilder log;
  log.enter(1, 0, f).enter(1, 10, g).enter(1, 20, f).enter(1, 30, g).leave(1, 40, g).leave(1, 50, f);
  log.leave(1, 60, g).leave(1, 100, f);
  CHECK(estimates(analyzed(log), EstimateScope::function) == "(function 1)×2 100(70) (function 2)×2 50(30) ");
}

TEST_CASE("frames that an exception or longjmp left end where a call further out goes on") {
  LogBuilder log;
  log.enter(1, 0, f).enter(1, 10, g).enter(1, 20, h).enter(1, 25, h);  // longjmp to f, which calls g
  log.leave(1, 60, f).enter(1, 70, g).leave(1, 75, g);
  CHECK(tree(analyzed(log)) ==
        "1: (function 1)×1 60(10)\n1:  (function 2)×1 50(10)\n1:   (function 3)×1 40(5)\n"
        "1:    (function 3)×1 35(35)\n1: (function 2)×1 5(5)\n");
  CHECK_THAT(warnings(analyzed(log)), Catch::StartsWith("longjmp or an exception ended 3 calls"));
}

TEST_CASE("calls on the stack of a fiber have a tree of their own, and only the time that it runs") {
  constexpr std::uint64_t fiber = 0x7000;
  LogBuilder log;
  // f resumes a fiber twice, which runs g, and h in it; the second time it ends.
  log.enter(1, 0, f).stack(1, 10, fiber | JCPROF_LOG_FRESH).enter(1, 11, g).enter(1, 20, h).stack(1, 30, 0);
  log.stack(1, 50, fiber).leave(1, 55, h).leave(1, 60, g).stack(1, 61, 0).leave(1, 100, f);
  const RecordedRun run = analyzed(log);
  CHECK(tree(run) == "1: (function 1)×1 69(69)\n1: (function 2)×1 29(14)\n1:  (function 3)×1 15(15)\n");
  CHECK(estimate_of(run, EstimateScope::total).ticks == 100);
  CHECK(estimate_of(run, EstimateScope::unattributed).ticks == 2);
  CHECK(run.recording.marks.empty());
  CHECK(warnings(run).empty());
}

TEST_CASE("a fiber that begins anew on the stack of one that was given up has none of its calls") {
  constexpr std::uint64_t fiber = 0x7000;
  LogBuilder log;
  log.stack(1, 0, fiber | JCPROF_LOG_FRESH).enter(1, 1, g).stack(1, 10, 0);
  log.stack(1, 20, fiber | JCPROF_LOG_FRESH).enter(1, 21, h).leave(1, 25, h).stack(1, 30, 0);
  CHECK(tree(analyzed(log)) == "1: (function 2)×1 9(9)\n1: (function 3)×1 4(4)\n");
}

TEST_CASE(
    "calls on stacks where a thread is not may end unseen too when events are lost or recording pauses") {
  constexpr std::uint64_t fiber = 0x7000;
  const auto told = [](bool is_lost) {
    LogBuilder log;
    log.enter(1, 0, f).stack(1, 10, fiber | JCPROF_LOG_FRESH).enter(1, 11, g).enter(1, 20, h).stack(1, 30, 0);
    if (is_lost)
      log.next_chunk(1, 5);
    else
      log.pause(40).resume(50);
    return warnings(analyzed(log.stack(1, 60, fiber).leave(1, 65, g).stack(1, 70, 0).leave(1, 80, f)));
  };
  const auto is_unsure =
      Catch::Contains("1 calls were open when events were lost or the recording was paused");
  CHECK_THAT(told(true), is_unsure && !Catch::Contains("longjmp"));
  CHECK_THAT(told(false), is_unsure && !Catch::Contains("longjmp"));
}

TEST_CASE("a return to a call of another stack says that the calls of this thread cannot be trusted") {
  constexpr std::uint64_t fiber = 0x7000;
  LogBuilder log;
  log.enter(1, 0, f).stack(1, 10, fiber | JCPROF_LOG_FRESH).enter(1, 11, g);
  log.leave(1, 50, f).enter(1, 60, h).leave(1, 70, h).enter(2, 0, f).leave(2, 10, f);
  CHECK(warnings(analyzed(log)) ==
        "1 threads left the stack of a fiber unseen: from then on their calls may stand in the wrong tree, "
        "and their times are wrong; switch fibers by swapcontext, setcontext or longjmp alone\n");
}

TEST_CASE("a return whose call was paused is none of another stack") {
  constexpr std::uint64_t fiber = 0x7000;
  LogBuilder log;
  log.enter(1, 0, f).stack(1, 10, fiber | JCPROF_LOG_FRESH).pause(11).resume(20).leave(1, 50, f);
  CHECK(warnings(analyzed(log)).empty());
}

TEST_CASE("a fiber that moves to another thread causes a warning, once") {
  constexpr std::uint64_t fiber = 0x7000;
  LogBuilder log;
  log.stack(1, 0, fiber | JCPROF_LOG_FRESH).enter(1, 1, g).stack(1, 10, 0);
  log.stack(2, 20, fiber).leave(2, 25, g).stack(2, 26, 0).stack(2, 30, fiber).stack(2, 31, 0);
  const RecordedRun run = analyzed(log);
  CHECK(tree(run) == "1: (function 2)×1 9(9)\n");
  CHECK_THAT(warnings(run), Catch::StartsWith("1 fibers moved to another thread"));
}

TEST_CASE("a fiber that comes back to a thread brings returns of calls that it made elsewhere") {
  constexpr std::uint64_t fiber = 0x7000;
  constexpr std::uint64_t other = 0x8000;
  LogBuilder log;
  log.stack(1, 0, other | JCPROF_LOG_FRESH).enter(1, 1, g).stack(1, 2, fiber | JCPROF_LOG_FRESH);
  log.enter(1, 3, f).stack(1, 10, 0);
  log.stack(2, 20, fiber).enter(2, 21, g).stack(2, 30, 0).next_chunk(2);
  log.next_chunk(1, 0).stack(1, 40, fiber).leave(1, 45, g).leave(1, 50, f);
  CHECK_THAT(warnings(analyzed(log)), Catch::StartsWith("1 fibers moved to another thread") &&
                                          !Catch::Contains("cannot be trusted") &&
                                          !Catch::Contains("unseen:"));
}

TEST_CASE("fibers of two processes at one address, and new ones in place of others, have not moved") {
  constexpr std::uint64_t fiber = 0x7000;
  LogBuilder log;
  log.processes[2] = 200;
  log.stack(1, 0, fiber | JCPROF_LOG_FRESH).enter(1, 1, g).leave(1, 9, g).stack(1, 10, 0);
  log.stack(2, 20, fiber).enter(2, 22, g).leave(2, 25, g).stack(2, 26, 0);  // forked on the fiber's stack
  log.stack(3, 40, fiber | JCPROF_LOG_FRESH).enter(3, 41, g).leave(3, 42, g).stack(3, 43, 0);
  CHECK(warnings(analyzed(log)).empty());
}

TEST_CASE("a change of stacks that nobody told is not called longjmp") {
  LogBuilder log;
  // f changes to a fiber, which runs g and h and changes back; the second time it goes on in h.
  log.enter(1, 0, f).enter(1, 10, g).enter(1, 20, h).leave(1, 30, f);
  log.enter(1, 40, f).enter(1, 45, g).leave(1, 48, f).leave(1, 50, h).leave(1, 60, g);
  const std::string text = warnings(analyzed(log));
  CHECK_THAT(text,
             Catch::StartsWith("a thread changes its stack unseen (fibers or coroutines that do not use "
                               "swapcontext): 2 calls stopped there and returned later") &&
                 !Catch::Contains("longjmp"));
}

TEST_CASE("one call that returns late does not hide that longjmp ended others") {
  LogBuilder log;
  for (std::uint64_t tick = 0; tick < 300; tick += 100)
    log.enter(1, tick, f).enter(1, tick + 10, g).leave(1, tick + 20, f);
  CHECK_THAT(
      warnings(analyzed(log.leave(1, 400, g))),
      Catch::Contains("longjmp or an exception ended 2 calls") && Catch::Contains(": 1 calls stopped"));
}

TEST_CASE("a return behind a loss or a pause is not that of a call that longjmp ended before") {
  const auto told = [](bool is_lost) {
    LogBuilder log;
    log.enter(1, 0, f).enter(1, 10, g).leave(1, 20, f);
    if (is_lost)
      log.next_chunk(1, 5);
    else
      log.pause(25).resume(26);
    return warnings(analyzed(log.leave(1, 30, g)));
  };
  CHECK_THAT(told(true), Catch::Contains("longjmp or an exception ended 1 calls"));
  CHECK_THAT(told(false), Catch::StartsWith("longjmp or an exception ended 1 calls"));
}

TEST_CASE("what is open at the end of a thread ends with its last event, also after exit and a signal") {
  LogBuilder log;
  log.enter(1, 0, f).enter(1, 10, g).enter(1, 90, h).enter(2, 5, f).enter(2, 200, g);
  const LogFile file(log.bytes(std::nullopt));
  const RecordedRun run = analyze_log({.file = file.path()});
  CHECK(tree(run) ==
        "1: (function 1)×1 90(10)\n1:  (function 2)×1 80(80)\n1:   (function 3)×1 0(0)\n"
        "2: (function 1)×1 195(195)\n2:  (function 2)×1 0(0)\n");
  CHECK_FALSE(run.status);
}

TEST_CASE("a return whose call was not seen is counted, and harms nothing") {
  LogBuilder log;
  log.leave(1, 0, g).enter(1, 10, f).leave(1, 20, g).leave(1, 40, f).leave(1, 70, f);
  const RecordedRun run = analyzed(log);
  CHECK(tree(run) == "1: (function 1)×1 30(30)\n");
  CHECK(run.recording.threads.at(0).unmatched == 3);
  CHECK(estimate_of(run, EstimateScope::total).ticks == 70);
  CHECK(estimate_of(run, EstimateScope::unattributed).ticks == 40);
}

TEST_CASE("a pause is cut out of what it lies in, and is no function's") {
  LogBuilder log;
  // From inside, as they are seen later, and from outside.
  log.pause(1000).pause(20).resume(50).pause(58, LogBuilder::recorder).resume(65, LogBuilder::recorder);
  log.pause(55).resume(60);
  log.enter(1, 0, f).enter(1, 10, g).leave(1, 55, g).leave(1, 70, f);
  log.enter(2, 30, f).leave(2, 40, f).enter(2, 45, g).leave(2, 52, g);
  const RecordedRun run = analyzed(log);
  CHECK(tree(run) ==
        "1: (function 1)×1 30(15)\n1:  (function 2)×1 15(15)\n2: (function 2)×1 2(2)\n2: (function 1)×1 "
        "0(0)\n");
  CHECK(run.recording.threads.at(0).paused == 40);
  CHECK(run.recording.threads.at(0).recorded == 30);
  CHECK(run.recording.threads.at(1).paused == 20);
}

TEST_CASE("between the calls of an enclave or a TA runs its host, whose time is nobody's") {
  LogBuilder log;
  // Three runs of 10 ticks, and a second thread of the host's that makes calls too.
  for (const std::uint64_t begin : {1000U, 5000U, 20000U})
    log.enter(1, begin, f).enter(1, begin + 1, g).leave(1, begin + 9, g).leave(1, begin + 10, f);
  log.enter(2, 3000, g).leave(2, 3007, g).enter(2, 9000, g).leave(2, 9007, g);
  const RecordedRun of_program = analyzed(log);
  CHECK(estimate_of(of_program, EstimateScope::total).ticks == 25017);
  log.head.anchor = 0x1000;
  const RecordedRun run = analyzed(log);
  CHECK(tree(run) == tree(of_program));
  CHECK(estimate_of(run, EstimateScope::total).ticks == 44);
  CHECK(estimate_of(run, EstimateScope::unattributed).ticks == 0);
  CHECK(estimate_of(run, EstimateScope::function, "(function 2)").share == Approx(38.0 / 44));
  CHECK(run.recording.threads.at(0).recorded == 30);
  CHECK(run.recording.threads.at(0).outside == 3990 + 14990);
  CHECK(run.recording.threads.at(1).outside == 5993);
}

TEST_CASE("pauses of two threads that cross last until the next one resumes") {
  LogBuilder log;
  log.resume(99).pause(100).pause(150).resume(160);
  log.enter(1, 0, f).enter(1, 120, g).leave(1, 170, g).leave(1, 200, f);
  CHECK(tree(analyzed(log)) == "1: (function 1)×1 140(130)\n1:  (function 2)×1 10(10)\n");
}

TEST_CASE("calls that were open where something was lost, and were not seen to return, are told") {
  LogBuilder log;
  log.enter(1, 0, f).enter(1, 10, g).enter(1, 15, h).next_chunk(1, 5);
  log.enter(1, 30, g).enter(1, 35, h).leave(1, 40, g).leave(1, 100, f);
  const std::string text = warnings(analyzed(log));
  CHECK(text.find("2 calls were open when events were lost or the recording was paused, and their return is "
                  "missing") != std::string::npos);
  CHECK(text.find("longjmp or an exception ended 1 calls") != std::string::npos);
}

TEST_CASE("where events were lost time belongs to nobody, and calls go on behind it") {
  LogBuilder log;
  log.enter(1, 0, f).enter(1, 10, g).next_chunk(1, 17).leave(1, 110, h).leave(1, 120, g).leave(1, 150, f);
  log.next_chunk(2, 3).enter(2, 40, f).leave(2, 45, f);
  const RecordedRun run = analyzed(log);
  CHECK(
      tree(run) ==
      "1: (function 1)×1 50(40)\n1:  (function 2)×1 10(10)\n1: (lost)×1 100(100)\n2: (function 1)×1 5(5)\n");
  CHECK(run.recording.threads.at(0).lost == 17);
  CHECK(run.recording.threads.at(0).gap == 100);
  CHECK(run.recording.threads.at(0).recorded == 50);
  CHECK(run.lost == 20);
  CHECK(warnings(run) ==
        "lost: 20 events are lost for want of memory; their time counts for no function; record with more "
        "--memory (or --max-log, if the log was full), or leave small functions out\n");
}

TEST_CASE("chunks follow each other without a seam, also where ticks need more than 40 bits") {
  LogBuilder log;
  log.enter(1, 0, f).next_chunk(1).enter(1, 10, g).hole(1);
  log.leave(1, (std::uint64_t{1} << 45U) + 7, g).leave(1, (std::uint64_t{1} << 45U) + 17, f);
  const RecordedRun run = analyzed(log);
  CHECK(run.recording.calls.at(0).inclusive == std::ldexp(1.0, 45) + 17);
  CHECK(run.recording.calls.at(1).inclusive == std::ldexp(1.0, 45) - 3);
}

TEST_CASE("calls that take no tick have quantiles where there is no own cost that could hide them") {
  LogBuilder log;
  log.enter(1, 0, 1).enter(1, 5, 2).leave(1, 5, 2).leave(1, 9, 1);
  const RecordedRun run = analyzed(log);
  const StoredEstimate& row = estimate_of(run, EstimateScope::function, "(function 2)");
  CHECK(row.most == 0.0);
  CHECK(row.q99 == 0.0);
}

TEST_CASE("calls that own cost hides have no quantiles, nor lines; others do") {
  LogBuilder log;
  log.head.hook_ticks = 40 * 1024;
  // Of g's 41 ticks 40 are its return's, to a quarter; of h's 140, 100 are left.
  log.enter(1, 0, f).enter(1, 100, g).leave(1, 141, g).enter(1, 300, g).leave(1, 341, g);
  log.enter(1, 400, h).leave(1, 540, h).leave(1, 1000, f);
  const RecordedRun run = analyzed(log);
  const StoredEstimate& hidden = estimate_of(run, EstimateScope::function, "(function 2)");
  CHECK_FALSE((hidden.q50 || hidden.least || hidden.most));
  CHECK(hidden.hits == 2);
  CHECK(estimate_of(run, EstimateScope::function, "(function 3)").q50 == 100);
}

TEST_CASE("threads that were mostly off their processor are told, where that is known") {
  const auto told = [](double running_ms, std::uint64_t ms) {
    LogBuilder log;
    const auto ns = [](double milliseconds) { return static_cast<std::uint64_t>(milliseconds * 1e6); };
    log.pair(0, 0).pair(ns(5000), ns(5000));
    log.enter(1, 0, f).leave(1, ns(static_cast<double>(ms)), f).enter(2, 0, f).leave(2, ns(2000), f);
    jcprof_log_thread waiter{.thread = 1, .running_ns = ns(running_ms), .waiting_ns = 1};
    std::strcpy(waiter.name, "main");
    log.block(JCPROF_LOG_BLOCK_THREAD, waiter);
    return warnings(analyzed(log));
  };
  CHECK(
      told(200, 2000) ==
      "1 of 2 threads were waiting most of the time (thread 1, main, was on a processor for at most "
      "20 % of its time). A wait for a lock, another thread or a processor counts for the call that waits\n");
  CHECK(told(1500, 2000).empty());
  // The recorder may have looked at it in its first moments only.
  CHECK(told(1, 300).empty());
  CHECK(told(0, 100).empty());
}

TEST_CASE("a thread that was off its processor while recording was paused is not told") {
  LogBuilder log;
  log.pair(0, 0).pair(5'000'000'000, 5'000'000'000);
  log.enter(1, 0, f).pause(100'000'000).resume(1'600'000'000).leave(1, 2'000'000'000, f);
  log.block(JCPROF_LOG_BLOCK_THREAD,
            jcprof_log_thread{.thread = 1, .running_ns = 400'000'000, .waiting_ns = 1});
  CHECK(warnings(analyzed(log)).find("waiting most of the time") == std::string::npos);
}

TEST_CASE("a clock that steps back costs nothing but the step") {
  LogBuilder log;
  log.enter(1, 1000, f).enter(1, 1010, g).leave(1, 700, g).enter(1, 720, g).leave(1, 721, g).leave(1, 800, f);
  const RecordedRun run = analyzed(log);
  CHECK(tree(run) == "1: (function 1)×1 110(109)\n1:  (function 2)×2 1(1)\n");
  CHECK(
      warnings(run) ==
      "unsteady: the clock jumped back 1 times, by 310 ticks at most; jcprof counts such differences as 0\n");
}

TEST_CASE("own cost is taken off each difference by the kind of its second event") {
  LogBuilder log;
  log.head.hook_ticks = 10 * 1024;
  log.head.trap_ticks = 3 * 1024;
  log.head.anchor = 0x1000;
  constexpr std::uint64_t commands = 7;  // all alike
  for (std::uint64_t begin = 0; begin < commands * 1000; begin += 1000)
    log.enter(1, begin, f)
        .enter(1, begin + 100, g)
        .leave(1, begin + 130, g)
        .mark(1, begin + 150, 1, 5)
        .leave(1, begin + 200, f);
  const RecordedRun run = analyzed(log);
  CHECK(tree(run) == "1: (function 1)×7 1120(980)\n1:  (function 2)×7 140(140)\n");
  CHECK(run.recording.threads.at(0).overhead == commands * 40 + 60);  // and the host's time between
  const StoredEstimate& function = estimate_of(run, EstimateScope::function, "(function 2)");
  CHECK(function.low == commands * 17.5);  // its return, to a quarter
  CHECK(function.high == commands * 22.5);
  const StoredEstimate& total = estimate_of(run, EstimateScope::total);
  CHECK(total.high - total.ticks == Approx(total.ticks - total.low));
}

namespace {

/// So many commands of an enclave, p and now and then q; both call h, and none takes what another took.
RecordedRun some_commands(std::mt19937_64& random, int count) {
  std::lognormal_distribution<double> differs(0, 0.5);
  const auto part = [&](double ticks) { return static_cast<std::uint64_t>(ticks * differs(random)); };
  LogBuilder log;
  log.head.anchor = 0x1000;
  std::uint64_t tick = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t entry = i % 3 == 0 ? g : f;
    log.enter(1, tick, entry);
    tick += part(entry == g ? 50'000 : 2000);
    log.enter(1, tick, h);
    tick += part(10'000);
    log.leave(1, tick, h);
    tick += part(500);
    log.leave(1, tick, entry);
    tick += 1'000'000;
  }
  return analyzed(log);
}

}  // namespace

TEST_CASE("the ± of a recording of several commands covers another recording of as many, 95 times in 100") {
  std::mt19937_64 random(1);
  std::size_t covered = 0;
  std::size_t all = 0;
  const auto count = [&](double value, double low, double high) {
    ++all;
    if (low <= value && value <= high) ++covered;
  };
  for (int pair = 0; pair < 300; ++pair) {
    const RecordedRun one = some_commands(random, 30);
    const RecordedRun other = some_commands(random, 30);
    const auto compare = [&](EstimateScope scope, const std::string& name) {
      const StoredEstimate& a = estimate_of(one, scope, name);
      const StoredEstimate& b = estimate_of(other, scope, name);
      REQUIRE(a.rounds == 30);
      count(b.ticks, a.low, a.high);
      if (scope == EstimateScope::function) count(b.inclusive, a.inclusive_low, a.inclusive_high);
    };
    compare(EstimateScope::total, "");
    for (const char* name : {"(function 1)", "(function 2)", "(function 3)"})
      compare(EstimateScope::function, name);
  }
  const double coverage = static_cast<double>(covered) / static_cast<double>(all);
  INFO(coverage);
  CHECK(coverage > 0.93);
  CHECK(coverage < 0.985);
}

TEST_CASE(
    "a recording of one run, or of fewer than seven commands of a kind, has values without an interval") {
  std::mt19937_64 random(1);
  for (const int commands : {1, 6, 12}) {
    INFO(commands);
    const RecordedRun run = some_commands(random, commands);  // of 12 four are q
    for (const StoredEstimate& row : run.estimates) {
      if (row.scope == EstimateScope::unattributed || row.function == "(function 1)") continue;
      CHECK(row.rounds == 1);
    }
    const Profile profile = recorded_profile(run);
    CHECK(was_measured(profile.total));
    if (commands > 6) {
      CHECK(tables(profile).find("± is how far another recording") != std::string::npos);
      continue;
    }
    CHECK(tables(profile).find("± is not known: one run does not tell") != std::string::npos);
    CHECK(function_table(profile).find("±") == std::string::npos);
    const nlohmann::json ticks = nlohmann::json::parse(to_json(profile)).at("total");
    CHECK(ticks.at("value").is_number());
    CHECK(ticks.at("low").is_null());
    CHECK(ticks.at("high").is_null());
  }
}

TEST_CASE("of more than 64 kinds of commands no interval is known") {
  for (const std::uint32_t kinds : {64U, 65U}) {
    LogBuilder log;
    log.head.anchor = 0x1000;
    for (std::uint64_t command = 0; command < 7 * std::uint64_t{kinds}; ++command) {
      const auto kind = 1 + static_cast<std::uint32_t>(command % kinds);
      log.enter(1, command * 1000, kind).leave(1, command * 1000 + 100 + command, kind);
    }
    const StoredEstimate total = estimate_of(analyzed(log), EstimateScope::total);
    INFO(kinds);
    CHECK(total.rounds == (kinds == 64 ? 7 * kinds : 1));
    CHECK((total.high > total.ticks) == (kinds == 64));
  }
}

TEST_CASE("a command that the call tree has no room for is no part of the next one") {
  LogBuilder log;
  log.head.anchor = 0x1000;
  const auto command = [&](std::uint64_t tick) { log.enter(1, tick, f).leave(1, tick + 100, f); };
  for (std::uint64_t i = 0; i < 7; ++i) command(i * 1000);
  constexpr std::uint32_t fills = 4;
  log.enter(1, 8000, fills);
  for (int i = 0; i < 600'000; ++i) log.enter(1, 8000, h);
  log.leave(1, 8000, fills);
  log.enter(1, 9000, g);
  command(9000);
  log.leave(1, 9100, g);
  command(10'000);
  const StoredEstimate known = estimate_of(analyzed(log), EstimateScope::function, "(function 1)");
  CHECK(known.ticks == 900);
  CHECK(known.high == known.ticks);
}

TEST_CASE("own cost that does not fit into a difference is taken off the next ones, and fractions add up") {
  LogBuilder log;
  log.head.hook_ticks = 10 * 1024 + 512;
  log.enter(1, 0, f).enter(1, 4, g).leave(1, 10, g).leave(1, 100, f);
  const RecordedRun run = analyzed(log);
  CHECK(tree(run) == "1: (function 1)×1 69(69)\n1:  (function 2)×1 0(0)\n");
  CHECK(run.recording.threads.at(0).overhead == 31);

  // Without end, where a call was calibrated too dear: of a difference much later only what 64 events cost.
  LogBuilder dear;
  dear.head.hook_ticks = 10 * 1024;
  for (std::uint64_t i = 0; i < 1000; ++i) dear.enter(1, 2 * i, f).leave(1, 2 * i + 1, f);
  dear.enter(1, 10'000, f).leave(1, 20'000, f);
  CHECK(analyzed(dear).recording.threads.at(0).overhead == 1999 + 650 + 10);
}

TEST_CASE("an event costs less behind work, which goes on while the clock is read") {
  const auto own = [](std::uint64_t per_tick, std::uint64_t difference, std::uint64_t apart) {
    LogBuilder log;
    log.head.hook_ticks = 20 * 1024 * per_tick;
    log.head.hook_apart_ticks = apart * 1024 * per_tick;
    log.enter(1, 1000, f).leave(1, 1000 + difference * per_tick, f);
    return analyzed(log).recording.calls.at(0).inclusive / static_cast<double>(per_tick);
  };
  for (const std::uint64_t per_tick : {1, 100}) {
    INFO(per_tick);
    CHECK(own(per_tick, 15, 8) == 0);
    CHECK(own(per_tick, 20, 8) == 0);
    CHECK(own(per_tick, 23, 8) == 6);  // 3 more than back to back, and the event costs 3 less
    CHECK(own(per_tick, 32, 8) == 24);
    CHECK(own(per_tick, 100, 8) == 92);
  }
  CHECK(own(1, 100, 0) == 80);   // not calibrated
  CHECK(own(1, 100, 30) == 80);  // nor possible
}

TEST_CASE(
    "an event behind long work may cost nothing or twice as much, one behind short work is known to a "
    "quarter") {
  const auto doubt = [](std::uint64_t difference, std::uint64_t apart) {
    LogBuilder log;
    log.head.hook_ticks = 20 * 1024;
    log.head.hook_apart_ticks = apart * 1024;
    log.enter(1, 1000, f).leave(1, 1000 + difference, f);
    const RecordedRun run = analyzed(log);
    const StoredEstimate& row = estimate_of(run, EstimateScope::function, "(function 1)");
    const StoredEstimate& total = estimate_of(run, EstimateScope::total);
    CHECK(total.high - total.ticks == row.high - row.ticks);
    return row.high - row.ticks;
  };
  CHECK(doubt(20, 20) == 5);
  CHECK(doubt(25, 20) == 5);
  CHECK(doubt(30, 20) == 10);  // the 10 of work may be the event's
  CHECK(doubt(1000, 20) == 20);
  CHECK(doubt(1000, 8) == 20);
  CHECK(doubt(1000, 0) == 5);  // a recorder that does not tell the two apart
}

TEST_CASE("calls of functions that are left out are parts of their callers, recorded or not") {
  LogBuilder log;
  log.head.hook_ticks = 10 * 1024;
  log.enter(1, 0, f).enter(1, 100, g).enter(1, 200, h).leave(1, 300, h).leave(1, 400, g);
  log.enter(1, 500, h).leave(1, 600, h);  // g records no more
  log.leave(1, 700, f);
  log.function(g, 0x2000 | JCPROF_LOG_LEFT_OUT);
  const RecordedRun run = analyzed(log);
  CHECK(tree(run) == "1: (function 1)×1 630(450)\n1:  (function 3)×2 180(180)\n");
  CHECK(run.recording.threads.at(0).overhead == 70);
  CHECK_THAT(warnings(run), Catch::Contains("1 functions are left out (--filter, --notrace): "));
  // Nobody knows how many calls of g there were later.
  const auto row_of = [&](const char* name) {
    return *std::ranges::find_if(run.estimates, [&](const StoredEstimate& row) {
      return row.scope == EstimateScope::function && row.function == name;
    });
  };
  CHECK_FALSE(row_of("(function 1)").resolved);
  CHECK(row_of("(function 1)").low == 0);
  CHECK(row_of("(function 1)").high < 1.5 * row_of("(function 1)").ticks);
  CHECK(row_of("(function 1)").inclusive_low == Approx(180).margin(20));
  CHECK(row_of("(function 3)").resolved);
}

TEST_CASE("a clock that goes in steps tells only the sum of events' cost") {
  LogBuilder log;
  log.head.hook_ticks = 1024;
  log.head.hook_apart_ticks = 512;
  log.enter(1, 1000, f).leave(1, 1100, f);
  CHECK(tree(analyzed(log)) == "1: (function 1)×1 99(99)\n");
}

TEST_CASE("a clock that did not wait for loads is told, if a target used it") {
  const auto told = [](bool has_come, bool is_ordered, bool is_fast) {
    LogBuilder log;
    log.head.attached = has_come ? 7 : 0;
    log.head.ordered = is_ordered ? 1 : 0;
    log.head.fast = is_fast ? 1 : 0;
    log.enter(1, 0, f).leave(1, 9, f);
    return warnings(analyzed(log));
  };
  const std::string unordered =
      "the clock did not wait for loads: the time of a load that misses the cache may count for the "
      "function that follows; ";
  CHECK(told(false, false, false).empty());
  CHECK(told(true, true, false).empty());
  CHECK(told(true, false, false) == unordered + "build the target with the jcprof.h of this jcprof\n");
  CHECK(told(true, false, true) == unordered + "record without --clock fast\n");
}

TEST_CASE("threads have trees, names and times of their own") {
  LogBuilder log;
  for (std::uint32_t thread = 64; thread >= 1; --thread) {
    log.enter(thread, 100 * thread, f);
    for (std::uint32_t i = 0; i < thread; ++i)
      log.enter(thread, 100 * thread + 2 * i + 1, g).leave(thread, 100 * thread + 2 * i + 2, g);
    log.leave(thread, 100 * thread + 2 * thread + 1, f).next_chunk(thread);
  }
  jcprof_log_thread named{.thread = 2, .tid = 7, .running_ns = 600, .waiting_ns = 5, .name = "worker"};
  log.block(JCPROF_LOG_BLOCK_THREAD, named);
  const RecordedRun run = analyzed(log);
  REQUIRE(run.recording.threads.size() == 64);
  CHECK(run.recording.calls.size() == 128);
  const StoredThread& second = run.recording.threads.at(1);
  CHECK(second.serial == 2);
  CHECK(second.name == "worker");
  CHECK(second.tid == 102);
  CHECK(second.process == 100);
  CHECK(second.running == 600.0);
  CHECK(second.first == 100);
  CHECK(second.last == 105);
  CHECK(second.recorded == 5);
  CHECK_FALSE(run.recording.threads.at(2).running);
  CHECK(estimates(run, EstimateScope::function) ==
        "(function 1)×64 4224(2144) (function 2)×2080 2080(2080) ");
}

TEST_CASE("marks have their names, payloads, threads, moments and the call that is under way") {
  LogBuilder log;
  log.name(1, "session")
      .enter(1, 100, f)
      .mark(1, 110, 1, 0)
      .leave(1, 120, f)
      .mark(1, 130, 2, ~std::uint64_t{0});
  log.mark(2, 105, 1, 17);
  const RecordedRun run = analyzed(log);
  CHECK(run.recording.marks ==
        std::vector<StoredMark>{{.name = "session", .payload = 17, .thread = 2, .at = 5},
                                {.name = "session", .thread = 1, .call = 1, .at = 10},
                                {.name = "mark 2", .payload = ~std::uint64_t{0}, .thread = 1, .at = 30}});
  CHECK(run.recording.calls.at(0).inclusive == 20);
}

TEST_CASE("the ten slowest calls of each function are known, with thread and moment") {
  LogBuilder log;
  std::uint64_t tick = 1000;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const std::uint64_t ticks = i * 37 % 101;  // each once
    log.enter(i % 2 + 1, tick, f).leave(i % 2 + 1, tick + ticks, f);
    tick += 200;
  }
  const RecordedRun run = analyzed(log);
  REQUIRE(run.recording.slow.size() == 10);
  for (std::uint32_t i = 0; i < 10; ++i) {
    const StoredSlow& slow = run.recording.slow[i];
    std::uint32_t call = 0;
    while (call * 37 % 101 != slow.ticks) ++call;
    CHECK(slow.at == 200 * call);
    CHECK(slow.thread == call % 2 + 1);
    if (i > 0) CHECK(slow.ticks < run.recording.slow[i - 1].ticks);
  }
  CHECK(run.recording.slow.back().ticks > 85);
}

TEST_CASE("quantiles are right to 1 % over nine orders of magnitude") {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> times(9, 4);
  std::vector<std::uint64_t> ticks(20'000);
  for (std::uint64_t& t : ticks) t = static_cast<std::uint64_t>(times(random));
  LogBuilder log;
  std::uint64_t now = 0;
  for (const std::uint64_t t : ticks) {
    log.enter(1, now, f).leave(1, now + t, f);
    now += t;
  }
  const RecordedRun run = analyzed(log);
  std::ranges::sort(ticks);
  const auto exact = [&](double part) {
    return static_cast<double>(ticks[static_cast<std::size_t>(std::ceil(part * 20'000)) - 1]);
  };
  const StoredCall& call = run.recording.calls.at(0);
  const StoredEstimate& function = estimate_of(run, EstimateScope::function, "(function 1)");
  CHECK(call.least == static_cast<double>(ticks.front()));
  CHECK(call.most == static_cast<double>(ticks.back()));
  CHECK(std::abs(call.q50 / exact(0.5) - 1) < 0.01);
  CHECK(std::abs(call.q95 / exact(0.95) - 1) < 0.01);
  CHECK(std::abs(call.q99 / exact(0.99) - 1) < 0.01);
  CHECK(function.q99 == call.q99);
}

TEST_CASE("where ways are too many for quantiles of their own, those of functions are as right as ever") {
  constexpr std::uint64_t ways = 300;
  LogBuilder log;
  std::map<std::uint64_t, std::vector<double>> all;
  std::uint64_t now = 0;
  for (std::uint32_t from = 1; from <= ways; ++from) {
    log.enter(1, now, from);
    for (std::uint32_t id = 1001; id <= 1000 + ways; ++id)
      for (std::uint64_t call = 0; call < 4; ++call) {
        const std::uint64_t ticks = 100 + (7 * from + 131 * call + id) % 900;
        log.enter(1, now, id).leave(1, now + ticks, id);
        now += ticks;
        all[id].push_back(static_cast<double>(ticks));
      }
    log.leave(1, now, from);
  }
  const RecordedRun run = analyzed(log);
  CHECK(run.recording.calls.size() == ways + ways * ways);
  for (auto& [id, ticks] : all) {
    const StoredEstimate& function =
        estimate_of(run, EstimateScope::function, fmt::format("(function {})", id));
    std::ranges::sort(ticks);
    CHECK(std::abs(*function.q50 / ticks[ticks.size() / 2 - 1] - 1) < 0.01);
    CHECK(std::abs(*function.q99 / ticks[ticks.size() * 99 / 100 - 1] - 1) < 0.01);
  }
  for (const StoredCall& call : run.recording.calls)
    if (call.q50 < call.least || call.q50 > call.q95 || call.q99 > call.most) FAIL(call.id);
}

TEST_CASE("pairs make ticks nanoseconds, and tell where the clock stood still or stepped") {
  const auto with_pairs = [](std::uint64_t behind_at_50) {
    LogBuilder log;
    for (std::uint64_t i = 0; i < 100; ++i)  // 100 ms apart, 2 ticks a nanosecond
      log.pair(1'000'000 + i * 200'000'000 - (i >= 50 ? behind_at_50 : 0), 5 + i * 100'000'000);
    log.enter(1, 0, f).leave(1, 3000, f);
    return analyzed(log);
  };
  const RecordedRun steady = with_pairs(0);
  CHECK(steady.info.unit == ClockUnit::ns);
  CHECK(steady.info.resolution == Approx(0.5));
  CHECK(steady.recording.calls.at(0).inclusive == Approx(1500));
  CHECK(warnings(steady).empty());
  const RecordedRun stalled = with_pairs(20'000'000);
  CHECK(stalled.info.resolution == Approx(0.5));
  CHECK(
      warnings(stalled).find("the clock stood still in 1 of 99 intervals: 10.0 ms in all, 10.0 ms at most") !=
      std::string::npos);
}

TEST_CASE("less than two pairs leave ticks as they are, in the unit that the caller knows") {
  LogBuilder log;
  log.pair(5, 10).enter(1, 0, f).leave(1, 30, f);
  const LogFile file(log);
  const RecordedRun run = analyze_log({.file = file.path(), .unit = ClockUnit::instructions});
  CHECK(run.info.unit == ClockUnit::instructions);
  CHECK(run.info.hz == 0);
  CHECK(run.recording.calls.at(0).inclusive == 30);
}

TEST_CASE("a clock that only the program has is as fast as it says, whatever the recorder's pairs are") {
  const auto with_hz = [](std::uint64_t hz) {
    LogBuilder log;
    log.head.clock_hz = hz;
    for (std::uint64_t i = 0; i < 100; ++i) log.pair(7 + i * 300'000'000, 5 + i * 100'000'000);
    log.pause(1'000'000, LogBuilder::recorder).resume(2'000'000, LogBuilder::recorder);
    log.enter(1, 0, f).enter(1, 100, g).leave(1, 200, g).pause(1000).resume(1500).leave(1, 2'500'000, f);
    return analyzed(log);
  };
  const char* paused =
      "the recording was paused from outside, and the program has a clock of its own, so calls that were "
      "open then include the pause";
  const RecordedRun told = with_hz(1'000'000);
  CHECK(told.info.unit == ClockUnit::ns);
  CHECK(told.info.resolution == 1000);
  CHECK(tree(told) == "1: (function 1)×1 2499500000(2499400000)\n1:  (function 2)×1 100000(100000)\n");
  CHECK(warnings(told).find(paused) != std::string::npos);
  const RecordedRun untold = with_hz(~std::uint64_t{0});
  CHECK(untold.info.unit == ClockUnit::cycles);
  CHECK(tree(untold) == "1: (function 1)×1 2499500(2499400)\n1:  (function 2)×1 100(100)\n");
  CHECK(warnings(untold).find("define JCPROF_CLOCK_HZ, the ticks per second, beside JCPROF_CLOCK") !=
        std::string::npos);
  const RecordedRun ours = with_hz(0);
  CHECK(ours.recording.calls.at(0).inclusive == Approx(1'499'500 / 3.0));
  CHECK(warnings(ours).empty());
}

TEST_CASE("functions that the table had no room for are one") {
  LogBuilder log;
  log.enter(1, 0, JCPROF_LOG_OTHERS).leave(1, 5, JCPROF_LOG_OTHERS).function(f, 0x4711);
  log.enter(1, 5, f).leave(1, 25, f);
  CHECK(tree(analyzed(log)) == "1: 0x4711×1 20(20)\n1: (others)×1 5(5)\n");
}

TEST_CASE("a frame that never returns, again and again, is cut at a million and harms nothing") {
  LogBuilder log;
  log.enter(1, 0, g);
  for (std::uint64_t i = 1; i <= 1'200'000; ++i) log.enter(1, i, f);
  log.leave(1, 1'200'100, f).leave(1, 1'200'200, g);
  const RecordedRun run = analyzed(log);
  CHECK(run.recording.calls.at(0).inclusive == 1'200'200);
  CHECK(estimate_of(run, EstimateScope::total).ticks == 1'200'200);
  CHECK(estimate_of(run, EstimateScope::unattributed).ticks == 0);
  CHECK(warnings(run).find("calls are beyond the limit of the call tree") != std::string::npos);
}

TEST_CASE("a recorded run is stored like any other, and its views are filled") {
  LogBuilder log;
  log.enter(1, 0, f).enter(1, 10, g).leave(1, 30, g).leave(1, 100, f);
  const RecordedRun run = analyzed(log);
  const test::TemporaryFolder folder;
  const std::filesystem::path profile = folder.path() / "profile.jcprof";
  {
    Store store(profile, OpenMode::fresh);
    const std::int64_t id = store_recording(store, run);
    CHECK(store.last_run()->transport == "record");
    CHECK(store.recording(id) == run.recording);
    CHECK(store.estimates(id).size() == run.estimates.size());
  }
  const QueryResult rows = query(profile, "SELECT function, calls, exclusive, q50 FROM function");
  CHECK(rows.rows.at(0) == std::vector<std::optional<std::string>>{"(function 1)", "1", "80.0", "100.0"});
}

}  // namespace jcprof::annotator
