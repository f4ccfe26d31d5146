// SPDX-License-Identifier: Apache-2.0
// Time in which a thread is off its processor, and time in which it changes chunks: nobody's own time. A tick
// is a nanosecond here.
#include <catch2/catch.hpp>

#include "tests/annotator/log_builder.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::uint32_t waiter = 1;
constexpr std::uint32_t inner = 2;
constexpr std::uint64_t ms = 1'000'000;
// On a processor before its first event.
constexpr std::uint64_t start = 7 * ms;

/// Thread 1 begins at tick 0.
LogBuilder begun(std::uint64_t processor_ns = start) {
  LogBuilder log;
  log.pair(0, 0).pair(1000 * ms, 1000 * ms).change_chunk(1, {}, {.tick = 0, .ns = processor_ns});
  return log;
}

std::string told_by(const RecordedRun& run) {
  std::string text;
  for (const Warning& warning : run.warnings) text += to_text(warning) + "\n";
  return text;
}

/// "name own+away " for each call.
std::string waits(const RecordedRun& run) {
  std::string text;
  for (const StoredCall& call : run.recording.calls)
    text += fmt::format("{} {}+{} ", run.recording.symbols.at(call.symbol).name, call.exclusive / ms,
                        call.away / ms);
  return text;
}

}  // namespace

TEST_CASE(
    "the time that a thread is off its processor is no call's, and stands beside the call that waited") {
  LogBuilder log = begun();
  log.enter(1, 0, waiter).processor(1, start + 2 * ms).enter(1, 2 * ms, inner);
  log.processor(1, start + 12 * ms).leave(1, 52 * ms, inner);   // 40 of 50 ms in g, which waits
  log.processor(1, start + 20 * ms).leave(1, 60 * ms, waiter);  // and all of 8 ms in f
  const RecordedRun run = analyzed(log);
  CHECK(waits(run) == "(function 1) 10+0 (function 2) 10+40 ");
  const StoredThread& thread = run.recording.threads.at(0);
  CHECK(thread.recorded == 20 * ms);
  CHECK(thread.away == 40 * ms);
  CHECK(run.events == 4);
  CHECK(told_by(run).empty());
}

TEST_CASE("a wait before a mark is away time of the open call, and the mark stays") {
  LogBuilder log = begun();
  log.mark(1, 0, 1, 5).enter(1, 0, waiter);
  log.processor(1, start + 2 * ms)
      .processor(1, start + 2 * ms)
      .mark(1, 30 * ms, 1, 6)
      .leave(1, 31 * ms, waiter);
  const RecordedRun run = analyzed(log);
  CHECK(waits(run) == "(function 1) 3+28 ");
  CHECK(run.recording.marks.size() == 2);
}

TEST_CASE("a log without processor times counts waits as own time") {
  LogBuilder log;
  log.pair(0, 0).pair(1000 * ms, 1000 * ms).enter(1, 0, waiter).leave(1, 50 * ms, waiter);
  const RecordedRun old = analyzed(log);
  CHECK(waits(old) == "(function 1) 50+0 ");
  CHECK_FALSE(old.recording.threads.at(0).away);
  LogBuilder unknown = begun();
  unknown.enter(1, 0, waiter).processor(1, JCPROF_LOG_NS_MASK).leave(1, 50 * ms, waiter);
  CHECK(waits(analyzed(unknown)) == "(function 1) 50+0 ");
  LogBuilder uncalibrated;
  uncalibrated.change_chunk(1, {}, {.tick = 0, .ns = start});
  uncalibrated.enter(1, 0, waiter).processor(1, start + ms).leave(1, 50 * ms, waiter);
  CHECK(waits(analyzed(uncalibrated)) == "(function 1) 50+0 ");
}

TEST_CASE("waits are unknown if only the program has the clock") {
  LogBuilder log = begun();
  log.head.clock_hz = 1'000'000'000;
  log.enter(1, 0, waiter).processor(1, start + 2 * ms).leave(1, 50 * ms, waiter);
  CHECK(waits(analyzed(log)) == "(function 1) 50+0 ");
}

TEST_CASE("processor times go on when the log's 40 bits start again at 0") {
  LogBuilder log = begun((std::uint64_t{5} << 40U) - ms);
  log.enter(1, 0, waiter).processor(1, 2 * ms).leave(1, 50 * ms, waiter);
  CHECK(waits(analyzed(log)) == "(function 1) 3+47 ");
}

TEST_CASE("the time in which a thread changes chunks is nobody's, with and without a wait before it") {
  LogBuilder log = begun();
  log.enter(1, 0, waiter);
  log.change_chunk(1, {.tick = 10 * ms, .ns = start + 10 * ms}, {.tick = 13 * ms, .ns = start + 11 * ms});
  log.enter(1, 14 * ms, inner);
  log.change_chunk(1, {.tick = 20 * ms, .ns = start + 14 * ms}, {.tick = 21 * ms, .ns = start + 15 * ms});
  log.leave(1, 22 * ms, inner).leave(1, 23 * ms, waiter);
  const RecordedRun run = analyzed(log);
  CHECK(waits(run) == "(function 1) 12+0 (function 2) 3+4 ");
  // 3 ms for the first change, 2 of them away.
  CHECK(run.recording.threads.at(0).overhead == 2 * ms);
  CHECK(run.recording.threads.at(0).away == 6 * ms);
}

TEST_CASE("a target that cannot read its processor time changes chunks in nobody's time too") {
  LogBuilder log;
  log.enter(1, 0, waiter).change_chunk(1, {.tick = 10}, {.tick = 40}).leave(1, 40, waiter);
  // Without a time of its own the chunk's base is its first event.
  CHECK(tree(analyzed(log)) == "1: (function 1)×1 10(10)\n");
}

TEST_CASE("the recorder's cost of an event is reduced by the changes of chunks") {
  TrapMap map;
  map.traps.resize(2);
  for (std::size_t i = 0; i < 2; ++i) {
    map.traps[i].id = static_cast<TrapId>(i + 1);
    map.traps[i].kind = i == 0 ? TrapKind::entry0 : TrapKind::exit;
    map.traps[i].function = "f";
  }
  LogBuilder log = begun();
  log.event_ps = 1'000'000;  // 1 µs an event, half of it the change
  log.line(1, 100'000, 1);
  log.change_chunk(1, {.tick = 150'000, .ns = start + 150'000}, {.tick = 151'000, .ns = start + 151'000});
  log.line(1, 201'000, 2);
  CHECK(analyzed(log, map).recording.threads.at(0).overhead == 1000 + 500);
}

TEST_CASE("waits are unknown while the recording is paused or events are lost") {
  LogBuilder paused = begun();
  paused.enter(1, 0, waiter).pause(10 * ms).resume(40 * ms);
  paused.processor(1, start + 12 * ms).leave(1, 42 * ms, waiter);
  CHECK(waits(analyzed(paused)) == "(function 1) 12+0 ");
  LogBuilder lost = begun();
  lost.enter(1, 0, waiter).enter(1, 5 * ms, inner).next_chunk(1, 3);
  lost.change_chunk(1, {.tick = 40 * ms, .ns = start + 6 * ms}, {.tick = 41 * ms, .ns = start + 7 * ms});
  lost.leave(1, 42 * ms, inner).processor(1, start + 9 * ms).leave(1, 50 * ms, waiter);
  CHECK(waits(analyzed(lost)) == "(function 1) 6+7 (function 2) 0+0 (lost) 37+0 ");
}

TEST_CASE("a warning tells of waits that are too short to be seen one by one, if they matter") {
  const auto told = [](std::uint64_t away) {
    LogBuilder log = begun();
    log.enter(1, 0, waiter).enter(1, 99 * ms, inner);
    log.processor(1, start + 100 * ms - away).leave(1, 100 * ms, inner).leave(1, 100 * ms, waiter);
    return told_by(analyzed(log));
  };
  CHECK(told(20 * ms) ==
        "thread 1 was off its processor for up to 19 ms in waits that were too short to be seen one "
        "by one: they count as time of the calls that waited, and may be missing in the time of calls that "
        "did not\n");
  CHECK(told(3 * ms).empty());
}

TEST_CASE("a warning tells of short waits that may hide in the late event of a call that did not wait") {
  const auto told = [](std::uint64_t between) {
    LogBuilder log = begun();
    log.head.late = 20'000;
    log.enter(1, 0, waiter).leave(1, 0, waiter);
    for (std::uint64_t i = 0; i < 100; ++i) {
      const std::uint64_t from = i * 55'000;
      log.enter(1, from, waiter).leave(1, from + between, waiter).enter(1, from + between, inner);
      log.processor(1, start + (i + 1) * 40'000).leave(1, from + 55'000, inner);
    }
    return told_by(analyzed(log));
  };
  CHECK_THAT(told(15'000), Catch::StartsWith("thread 1 was off its processor for up to 1.5 ms in "));
  // No wait is so short.
  CHECK(told(1500).empty());
}

TEST_CASE("a time slice that another program gets is no doubt about the calls before it") {
  LogBuilder log = begun();
  log.head.late = 20'000;
  std::uint64_t tick = 0;
  for (std::uint64_t slice = 1; slice <= 10; ++slice) {
    for (int i = 0; i < 99; ++i, tick += 10'000) log.enter(1, tick, waiter).leave(1, tick + 10'000, waiter);
    log.enter(1, tick, waiter).processor(1, start + slice * ms).leave(1, tick + 10 * ms + 10'000, waiter);
    tick += 10 * ms + 10'000;
  }
  const RecordedRun run = analyzed(log);
  CHECK(waits(run) == "(function 1) 9.99688+100 ");
  CHECK(told_by(run).empty());
}

TEST_CASE("the two words of a late mark are one reading") {
  LogBuilder log = begun();
  log.head.late = 64 * 1000;
  log.enter(1, 0, waiter).processor(1, start + ms).processor(1, start + ms).mark(1, ms, 1, 5);
  log.leave(1, ms, waiter);
  CHECK(analyzed(log).recording.threads.at(0).overhead == 1000);
}

TEST_CASE("a chunk full of processor times takes no longer than one full of events") {
  // To look at the square of their number would take more than an hour.
  constexpr std::size_t many = std::size_t{1} << 21U;
  LogBuilder log = begun();
  log.enter(1, 0, waiter);
  for (std::size_t i = 0; i < many; ++i) log.processor(1, start + 2 * ms + i);
  log.leave(1, 30 * ms, waiter).next_chunk(1);
  for (std::size_t i = 0; i < many; ++i) log.processor(1, start + 2 * ms + i);
  const RecordedRun run = analyzed(log);
  CHECK(waits(run) == "(function 1) 2+28 ");
  CHECK(run.events == 2);
}

TEST_CASE("two clocks that are read one after the other show no wait, and a child's own clock shows none") {
  LogBuilder log = begun();
  log.enter(1, 0, waiter).processor(1, start + ms - 1500).enter(1, ms, inner);
  log.processor(1, 3 * ms).leave(1, 20 * ms, inner);            // of a child of vfork
  log.processor(1, start + 30 * ms).leave(1, 30 * ms, waiter);  // and of the parent again
  CHECK(waits(analyzed(log)) == "(function 1) 11+0 (function 2) 19+0 ");
}

}  // namespace jcprof::annotator
