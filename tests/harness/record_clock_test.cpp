// SPDX-License-Identifier: Apache-2.0
#include "harness/record/clock.hpp"

#include <sched.h>
#include <catch2/catch.hpp>

#include "harness/clock.hpp"
#include "harness/record/warnings.hpp"

namespace jcprof::harness {
namespace {

constexpr std::uint64_t ms = 1'000'000;

ClockHealth health_of(std::initializer_list<jcprof_log_pair> looks) {
  ClockWatch watch;
  for (const jcprof_log_pair& look : looks) watch.look(look);
  return watch.health();
}

TEST_CASE("a clock that goes on is healthy") {
  const ClockHealth health = health_of({{10, 1 * ms}, {20, 2 * ms}, {21, 9 * ms}});
  CHECK(health.stalls == 0);
  CHECK(health.steps_back == 0);
}

TEST_CASE("a clock that stands is told by how often, how long, and how long at most") {
  const ClockHealth health = health_of(
      {{10, 1 * ms}, {10, 2 * ms}, {10, 4 * ms}, {11, 5 * ms}, {11, 5 * ms}, {12, 6 * ms}, {12, 8 * ms}});
  CHECK(health.stalls == 2);
  CHECK(health.stalled_ns == 5 * ms);
  CHECK(health.longest_ns == 3 * ms);
  CHECK(health.steps_back == 0);
}

TEST_CASE("a clock that steps back is told by how often and how far") {
  const ClockHealth health = health_of({{10, 1 * ms}, {7, 2 * ms}, {20, 3 * ms}, {19, 4 * ms}});
  CHECK(health.steps_back == 2);
  CHECK(health.furthest_back == 3);
  CHECK(health.stalls == 0);
}

/// True once the value has changed; nothing but a clock that stands for a minute keeps it from that.
bool moves(const jcprof_log_u64& now) {
  const std::uint64_t first = load(now);
  const std::int64_t begun = now_ns();
  while (load(now) == first && now_ns() - begun < 60'000 * static_cast<std::int64_t>(ms)) sched_yield();
  return load(now) > first;
}

TEST_CASE("a clock thread writes ticks at once and for as long as it lives") {
  jcprof_log_u64 now = 0;
  {
    const ClockThread clock(now, RecordClock::counted, std::nullopt);
    CHECK(load(now) >= 1);
    CHECK(moves(now));
  }
  const std::uint64_t last = now;
  CHECK(load(now) == last);
  if (!has_counter()) return;
  const std::uint64_t before = counter();
  const ClockThread clock(now, RecordClock::published, std::nullopt);
  CHECK(load(now) >= before);
  CHECK(moves(now));
}

TEST_CASE("a processor is set apart for a clock thread where there are two, and given back") {
  cpu_set_t before;
  cpu_set_t within;
  cpu_set_t after;
  REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
  {
    const SetApart apart(RecordClock::counted);
    REQUIRE(::sched_getaffinity(0, sizeof within, &within) == 0);
    CHECK(apart.processor().has_value() == (CPU_COUNT(&before) > 1));
    CHECK(CPU_COUNT(&within) == CPU_COUNT(&before) - (apart.processor() ? 1 : 0));
  }
  REQUIRE(::sched_getaffinity(0, sizeof after, &after) == 0);
  CHECK(CPU_EQUAL(&before, &after));
  CHECK_FALSE(SetApart(RecordClock::own).processor().has_value());
}

std::vector<std::string> texts(const RecordFacts& facts) {
  std::vector<std::string> said;
  for (const Warning& warning : record_warnings(facts)) said.push_back(to_text(warning));
  return said;
}

TEST_CASE("what went wrong in a recording is said with numbers and a way out") {
  const LogWritten good{.events = 90, .is_whole = true};
  CHECK(texts({.log = good, .attached = 7}).empty());
  CHECK(texts({.log = {.is_whole = true}}) ==
        std::vector<std::string>{
            "the command never opened the log; compile it with -finstrument-functions, or with traps of "
            "jcprof gen and -DJCPROF_RECORD; a static program needs jcprof.h with JCPROF_HOOKS "
            "(docs/record.md)"});
  CHECK(texts({.log = {.events = 90, .lost = 10, .is_whole = true}, .attached = 7}) ==
        std::vector<std::string>{
            "lost: 10 of 100 events are lost; use more --memory, or hooks in fewer functions"});
  CHECK(texts({.log = {.events = 90, .lost = 10, .dropped = 2, .why = "No space left on device"},
               .attached = 7}) ==
        std::vector<std::string>{
            "lost: the log on the disk is full (No space left on device): jcprof discarded 2 chunks; record "
            "fewer functions or lines (\"include\" and \"level\" in jcprof.json; hooks: docs/record.md), or "
            "less of the run (JCPROF_PAUSE); or use a larger --max-log",
            "lost: jcprof could not write the end of the log (No space left on device); everything before it "
            "is valid",
            "lost: 10 of 100 events are lost"});
  CHECK(texts({.log = {.is_whole = true}, .is_unfit = true}) ==
        std::vector<std::string>{"lost: code built with -DJCPROF_CLOCK_SHARED recorded nothing: it reads "
                                 "jcprof's clock, and --clock own gives none; record with --clock published, "
                                 "or with --clock counted if the processor has no counter"});
  CHECK(texts({.log = {.is_whole = true}, .is_misplaced = true}) ==
        std::vector<std::string>{"an enclave recorded nothing: its code uses the thread-local storage "
                                 "of the host, because the SDK's simulation does not change %fs; compile the "
                                 "trusted sources with -mno-tls-direct-seg-refs (docs/sgx.md)"});
  CHECK(texts({.clock = RecordClock::counted, .log = good, .attached = 7, .is_unfit = true}) ==
        std::vector<std::string>{
            "lost: code built without -DJCPROF_CLOCK_SHARED recorded nothing: it cannot read the clock of "
            "--clock counted; build it with -DJCPROF_CLOCK_SHARED, or record with --clock own"});
  CHECK(texts({.clock = RecordClock::counted,
               .health = {.stalls = 3, .stalled_ns = 12 * ms, .longest_ns = 5 * ms},
               .log = good,
               .attached = 7,
               .others = 2}) ==
        std::vector<std::string>{
            "the clock stood still 3 times: 12.0 ms in all, 5.0 ms at most; keep a processor free for "
            "the clock, or record with --clock own",
            "the command left 2 processes behind; they are no longer recorded"});
  CHECK(texts({.health = {.steps_back = 1, .furthest_back = 9}, .log = good, .attached = 7}) ==
        std::vector<std::string>{"the clock jumped back 1 times, by 9 ticks at most; the counters of "
                                 "the processors differ: keep the command on one processor, with taskset"});
}

}  // namespace
}  // namespace jcprof::harness
