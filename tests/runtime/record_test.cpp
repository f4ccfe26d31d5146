// SPDX-License-Identifier: Apache-2.0
// Record mode in programs: what is in the log, however they call, end, fork and are interrupted.
#include <algorithm>
#include <chrono>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/runtime/record_log.hpp"
#include "tests/runtime/workshop.hpp"

namespace jcprof::test {
namespace {

const Flags traps = {"-DJCPROF", "-DJCPROF_RECORD", "-DJCPROF_PROGRAM", "-DJCPROF_BUILD=0xCAFE0001u"};
const Flags hooks = {"-include", "jcprof.h",        "-finstrument-functions",
                     "-DJCPROF", "-DJCPROF_RECORD", "-DJCPROF_HOOKS",
                     "-g",       "-pthread"};
const std::string library = JCPROF_BINARY_DIR "/lib/libjcprof-record.so";
const std::vector<Flags> optimisations = {
    {"-O0"}, {"-O2"}, {"-O1", "-fsanitize=address,undefined"}, {"-O1", "-fsanitize=thread"}};

using Environment = std::vector<std::pair<std::string, std::string>>;

/// Runs it with a log of its own, and looks at that once it has ended.
class Recording {
 public:
  Recording(const Workshop& workshop, const LogShape& shape = {})
      : workshop_(workshop), log_(workshop.path("log.jcplog"), shape) {}

  Ran run(const Flags& argv, Environment environment = {}) {
    environment.emplace_back("JCPROF_RECORD", workshop_.path("log.jcplog"));
    const Ran ran = workshop_.run(argv, environment);
    log_.finish();
    return ran;
  }
  /// Drains while it runs, as the recorder does.
  Ran run_drained(const Flags& argv) {
    std::jthread drainer([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        log_.drain();
        std::this_thread::sleep_for(std::chrono::microseconds{100});
      }
    });
    const Ran ran = workshop_.run(argv, {{"JCPROF_RECORD", workshop_.path("log.jcplog")}});
    drainer.request_stop();
    drainer.join();
    log_.finish();
    return ran;
  }
  RecordLog& log() { return log_; }

 private:
  const Workshop& workshop_;
  RecordLog log_;
};

/// The one module of what was printed as "0x… name" is `file`.
void check_module(const RecordLog& log, const std::string& name, const std::string& printed,
                  const std::string& file) {
  const std::size_t end = printed.find(" " + name + "\n");
  REQUIRE(end != std::string::npos);
  const std::size_t line = printed.rfind('\n', end);
  const std::uint64_t address =
      std::stoull(printed.substr(line == std::string::npos ? 0 : line + 1), nullptr, 16);
  std::vector<std::string> files;
  for (const auto& [head, text] : log.entries(JCPROF_LOG_MODULE)) {
    if (head.a <= address && address < head.b) files.push_back(text);
  }
  CHECK(files == std::vector<std::string>{file});
}

/// Marks' payloads go up, to `steps` at most, and chunks are in order.
bool check_steps(const LogThread& thread, std::uint64_t steps) {
  std::uint64_t last = 0;
  for (const LogEvent& event : thread.events) {
    if (event.kind != JCPROF_LOG_MARK) continue;
    if (event.payload <= last || event.payload > steps) return false;
    last = event.payload;
  }
  return std::ranges::is_sorted(thread.chunks);
}

}  // namespace

TEMPLATE_TEST_CASE("calls are recorded in their order, by hooks", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string twice = "twice( leaf( )leaf leaf( )leaf )twice";
  for (const Flags& optimisation : optimisations) {
    INFO(optimisation.back());
    const std::string program = workshop.build("calls", {"record_calls.c"}, hooks + optimisation);
    Recording recording(workshop);
    const Ran ran = recording.run({program, "twice", "twice"});
    CHECK(ran.status == 0);
    CHECK(recording.log().calls(1, ran.output) == twice + " " + twice);
    CHECK(recording.log().lost() == 0);
    CHECK(recording.log().head().hook_ticks > 0);
    CHECK(recording.log().head().trap_ticks > 0);
    CHECK(recording.log().head().hook_apart_ticks > 0);
    CHECK(recording.log().head().trap_apart_ticks > 0);
    CHECK(recording.log().head().pointer_bytes == sizeof(void*));
  }
}

TEMPLATE_TEST_CASE("calls are recorded however a program is linked, and by hooks that are preloaded", "", Gcc,
                   Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::vector<std::pair<std::string, std::string>> ways = {
      {"-fPIE", "-pie"}, {"-fno-pie", "-no-pie"}, {"-fno-pie", "-static"}};
  for (const auto& [compiling, linking] : ways) {
    INFO(linking);
    const std::string program = workshop.link(
        "calls", workshop.compile({"record_calls.c"}, hooks + Flags{compiling}) + Flags{linking});
    Recording recording(workshop);
    const Ran ran = recording.run({program, "twice"});
    CHECK(recording.log().calls(1, ran.output) == "twice( leaf( )leaf leaf( )leaf )twice");
    check_module(recording.log(), "twice", ran.output, program);
  }
  const std::string program = workshop.build("calls", {"record_calls.c"}, {"-finstrument-functions", "-O2"});
  Recording recording(workshop);
  const Ran ran = recording.run({program, "twice"}, {{"LD_PRELOAD", library}});
  CHECK(recording.log().calls(1, ran.output) == "twice( leaf( )leaf leaf( )leaf )twice");
  check_module(recording.log(), "twice", ran.output, program);
}

TEMPLATE_TEST_CASE("a program says whether its events wait for loads, as its log asks", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program = workshop.build("calls", {"record_calls.c"}, hooks + Flags{"-O2"});
  for (const std::uint32_t fast : {0U, 1U}) {
    Recording recording(workshop, {.fast = fast});
    CHECK(recording.run({program, "twice"}).status == 0);
    CHECK(recording.log().head().ordered == 1 - fast);
  }
}

TEMPLATE_TEST_CASE("a longjmp leaves calls open, and goes on", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program = workshop.build("calls", {"record_calls.c"}, hooks + Flags{"-O1"});
  Recording recording(workshop);
  const Ran ran = recording.run({program, "returns", "twice"});
  CHECK(recording.log().calls(1, ran.output) ==
        "returns( leaps( leaps( leaps( leaf( )leaf )returns twice( leaf( )leaf leaf( )leaf )twice");
}

TEMPLATE_TEST_CASE("an exception leaves calls, of which gcc tells the ends", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const Flags& optimisation : optimisations) {
    INFO(optimisation.back());
    const std::string program = workshop.build("thrown", {"record_thrown.cpp"}, hooks + optimisation);
    Recording recording(workshop);
    const Ran ran = recording.run({program});
    const bool ends = std::is_same_v<TestType, Gcc>;
    CHECK(recording.log().calls(1, ran.output) ==
          fmt::format("catches( passes( throws( {}leaf( )leaf )catches catches( passes( throws( leaf( )leaf "
                      ")throws leaf( )leaf )passes )catches",
                      ends ? ")throws )passes " : ""));
  }
}

TEMPLATE_TEST_CASE("however a program ends, what was recorded is there", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program = workshop.build("calls", {"record_calls.c"}, hooks + Flags{"-O2"});
  const std::vector<std::pair<std::string, int>> ways = {
      {"exit", 3}, {"_exit", 4}, {"killed", 128 + 9}, {"segv", 128 + 11}};
  for (const auto& [way, status] : ways) {
    INFO(way);
    Recording recording(workshop);
    const Ran ran = recording.run({program, "twice", way});
    CHECK(ran.status == status);
    CHECK(recording.log().calls(1, ran.output) == "twice( leaf( )leaf leaf( )leaf )twice ends(");
  }
}

TEMPLATE_TEST_CASE("traps of a tree record its lines, in C and C++", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const Flags& optimisation : optimisations) {
    INFO(optimisation.back());
    const Flags flags = traps + optimisation;
    Recording in_c(workshop);
    CHECK(in_c.run({workshop.build("flow", {"flow.c", "program.c"}, flags)}) == Ran{0, "result 234\n"});
    CHECK(
        in_c.log().lines() ==
        "1000 1 2 20 20 20 21 22 22 3 30 31 4 40 41 43 41 43 42 43 50 50 50 51 5 60 60 6 70000 70000 131071 "
        "70000 131071 4194303 "
        "1 2 20 20 21 22 3 30 31 4 40 41 43 41 43 42 43 50 50 50 51 5 60 60 6 70000 70000 131071 70000 "
        "131071 4194303 7 7 1001");
    CHECK(in_c.log().head().build == 0xCAFE0001);
    for (const std::string standard : {"-std=c++11", "-std=c++20"}) {
      Recording in_cxx(workshop);
      workshop.link("unwinding", workshop.compile({"unwinding.cpp"}, flags + Flags{standard}) +
                                     workshop.compile({"program.c"}, flags) + flags);
      CHECK(in_cxx.run({workshop.path("unwinding")}) == Ran{0, "result 112\n"});
      CHECK(in_cxx.log().lines() ==
            "1000 1 30 22 20 21 10 24 23 31 30 22 20 10 24 32 2 40 22 20 10 24 42 3 4 11 12 10 5 60 50 51 52 "
            "51 52 53 54 "
            "6 1001");
    }
  }
}

TEMPLATE_TEST_CASE("a full log loses and counts, and goes on once there is room", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const Flags& optimisation : optimisations) {
    INFO(optimisation.back());
    // The clock stands still: a thread that had to wait would take one slot more, for its processor time.
    const std::string program =
        workshop.build("full", {"record_full.c"}, traps + optimisation + Flags{"-DJCPROF_CLOCK=1"});
    CHECK(workshop.run({program}) ==
          Ran{0,
              "full: unwritten 0; state 2 number 1 lost 0 used 23; state 2 number 2 lost 0 used 23; state 2 "
              "number 3 lost 0 used 23; state 1 number 4 lost 0 used 23;\n"
              "over-full: unwritten 1000; state 2 number 1 lost 0 used 23; state 2 number 2 lost 0 used 23; "
              "state 2 number 3 lost 0 used 23; state 2 number 4 lost 0 used 23;\n"
              "drained: unwritten 0; state 1 number 5 lost 1001 used 9; state 0 number 2 lost 0 used 0; "
              "state 2 number 3 lost 0 used 23; state 2 number 4 lost 0 used 23;\n"});
  }
}

TEMPLATE_TEST_CASE("of 64 threads that come and go each step is written or counted as lost", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  constexpr std::uint64_t steps = 3000;
  for (const Flags& optimisation : optimisations) {
    for (const std::uint32_t chunks : {8U, 4096U}) {
      INFO(optimisation.back() << " " << chunks);
      const std::string program =
          workshop.build("threads", {"record_threads.c"}, traps + optimisation + Flags{"-pthread"});
      Recording recording(workshop, {.chunk_bytes = 4096, .chunks = chunks});
      CHECK(recording.run_drained({program, "3", "64", std::to_string(steps)}) == Ran{0, ""});
      RecordLog& log = recording.log();
      std::uint64_t written = 0;
      for (const auto& [serial, thread] : log.finish()) {
        written += thread.events.size();
        CHECK(check_steps(thread, steps));
      }
      CHECK(log.head().threads == 3 * 64 + 1);
      CHECK(written + log.lost() == 3 * 64 * steps + 1);
      CHECK(written > 0);
      if (chunks == 4096) CHECK(log.lost() == 0);
    }
  }
}

TEMPLATE_TEST_CASE("a child of fork is another thread, and another program records nothing", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const Flags& optimisation : optimisations) {
    INFO(optimisation.back());
    const std::string program = workshop.build("forks", {"record_forks.c"}, traps + optimisation);
    Recording recording(workshop);
    const Ran ran = recording.run({program});
    CHECK(ran.status == 7);
    const auto& threads = recording.log().finish();
    const bool forks_for_vfork = optimisation.back() == "-fsanitize=thread";
    REQUIRE(threads.size() == (forks_for_vfork ? 3 : 2));
    CHECK(ran.output == fmt::format("{} 18\n", threads.at(1).process));
    CHECK(recording.log().lines() == (forks_for_vfork ? "1 2 3 4 20 21 30" : "1 2 30 3 4 20 21"));
    CHECK(threads.at(2).events.size() == 2);
    CHECK(threads.at(2).process != threads.at(1).process);
    CHECK(recording.log().head().attached == threads.at(1).process);
    CHECK(recording.log().head().refused == 2);
  }
}

TEMPLATE_TEST_CASE("another program takes the log that is offered, and waits a second where it is taken", "",
                   Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program = workshop.build("forks", {"record_forks.c"}, traps + Flags{"-O2"});
  Recording recording(workshop);
  RecordLog offered(workshop.path("70"), {});
  recording.log().head().offered = 70;
  const auto begun = std::chrono::steady_clock::now();
  CHECK(recording.run({program}).status == 7);
  const auto taken = std::chrono::steady_clock::now() - begun;
  CHECK(taken > std::chrono::milliseconds(900));
  CHECK(taken < std::chrono::seconds(10));
  offered.finish();
  CHECK(offered.lines() == "99");
  CHECK(offered.head().attached != recording.log().head().attached);
  CHECK(recording.log().lines() == "1 2 30 3 4 20 21");
  CHECK(recording.log().head().refused == 1);  // the last one, of the first one's process
}

TEMPLATE_TEST_CASE("a log that is offered and not there is not waited for", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program = workshop.build("forks", {"record_forks.c"}, traps + Flags{"-O2"});
  Recording recording(workshop);
  recording.log().head().offered = 71;
  const auto begun = std::chrono::steady_clock::now();
  CHECK(recording.run({program}).status == 7);
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::milliseconds(900));
  CHECK(recording.log().head().refused == 2);
}

TEMPLATE_TEST_CASE("traps, and hooks that are preloaded beside them, share a later log too", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program =
      workshop.build("flow", {"parts.c", "shared.c", "program.c"}, traps + Flags{"-finstrument-functions"});
  Recording recording(workshop);
  RecordLog offered(workshop.path("72"), {});
  recording.log().head().attached = ~0U;
  recording.log().head().offered = 72;
  CHECK(recording.run({program}, {{"LD_PRELOAD", library}}) == Ran{0, "result 8\n"});
  const auto& threads = offered.finish();
  CHECK(offered.lines() == "1000 10 20 20 11 1001");
  REQUIRE(threads.size() == 2);
  CHECK(threads.at(1).tid == threads.at(2).tid);
  CHECK(recording.log().head().refused == 0);
}

TEMPLATE_TEST_CASE("a child forked while another thread looks for the log goes on without one", "", Gcc,
                   Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program =
      workshop.build("early-fork", {"record_early_fork.c"}, traps + Flags{"-O2", "-pthread"});
  Recording recording(workshop);
  CHECK(recording.run({program}).status == 5);
  CHECK(recording.log().lines() == "1 3");
}

TEMPLATE_TEST_CASE("while a thread waits for a log, others wait once, and a forked child looks for itself",
                   "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program =
      workshop.build("late-fork", {"record_late_fork.c"}, traps + Flags{"-O2", "-pthread"});
  Recording recording(workshop);
  RecordLog taken(workshop.path("73"), {});
  taken.head().attached = ~0U;
  recording.log().head().attached = ~0U;
  recording.log().head().offered = 73;
  CHECK(recording.run({program}).status == 5);
  CHECK(recording.log().head().refused == 2);
}

TEMPLATE_TEST_CASE("a storm of signals loses no count", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const Flags& optimisation : optimisations) {
    INFO(optimisation.back());
    const std::string program = workshop.build("storm", {"record_storm.c"}, traps + optimisation);
    for (const std::string way : {"return", "leap"}) {
      // The sanitizer runs handlers when it likes, masked or not: one may leap out of the attaching.
      if (way == "leap" && optimisation.back() == "-fsanitize=thread") continue;
      Recording recording(workshop, {.chunk_bytes = 4096, .chunks = 64});
      const Ran ran = recording.run_drained({program, way, "300000"});
      CHECK(ran.status == 0);
      std::uint64_t passed = 0;
      std::uint64_t handled = 0;
      std::istringstream(ran.output) >> passed >> handled;
      std::uint64_t told = recording.log().lost();
      for (const auto& [serial, thread] : recording.log().finish()) told += thread.events.size();
      if (way == "return") CHECK(told == passed);
      // What a leap abandons between two instructions is not told, or its chunk's losses are told twice.
      INFO(told << " told, " << passed << " passed, " << handled << " leaps");
      if (way == "leap") CHECK(told + handled >= passed);
    }
  }
}

TEMPLATE_TEST_CASE("a handler may record between any two instructions", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  REQUIRE_X86_64("steps by the trap flag of x86-64");
  const Workshop workshop(TestType::compilers());
  constexpr std::uint64_t steps = 50;
  for (const Flags& optimisation : {Flags{"-O0"}, Flags{"-O2"}}) {
    const std::string program = workshop.build("steps", {"record_steps.c"}, traps + optimisation);
    // In a larger chunk more handlers in a row find no room.
    for (const auto& [each, bytes] : std::vector<std::pair<std::string, std::uint32_t>>{
             {"1", 256}, {"3", 256}, {"3", 1024}, {"7", 256}, {"97", 256}}) {
      INFO(optimisation.back() << " " << each << " " << bytes);
      Recording recording(workshop, {.chunk_bytes = bytes, .chunks = 512});
      const Ran ran = recording.run_drained({program, each, std::to_string(steps)});
      CHECK(ran.status == 0);
      const auto& thread = recording.log().finish().at(1);
      CHECK(fmt::format("{}\n", thread.events.size() + recording.log().lost()) == ran.output);
      CHECK(check_steps(thread, steps));
    }
  }
}

TEMPLATE_TEST_CASE("handlers may record all through a search for a free chunk that is in vain", "", Gcc,
                   Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  REQUIRE_X86_64("steps by the trap flag of x86-64");
  const Workshop workshop(TestType::compilers());
  constexpr std::uint32_t bytes = 256;
  constexpr std::uint32_t chunks = 2048;
  constexpr std::uint64_t events_of_chunk = (bytes - sizeof(jcprof_log_chunk)) / sizeof(std::uint64_t) - 1;
  const std::uint64_t before = chunks * events_of_chunk;
  for (const Flags& optimisation : {Flags{"-O0"}, Flags{"-O2"}}) {
    INFO(optimisation.back());
    // The clock stands still: no event is late, and each looks for room where it took a slot.
    const std::string program =
        workshop.build("steps", {"record_steps.c"}, traps + optimisation + Flags{"-DJCPROF_CLOCK=1"});
    Recording recording(workshop, {.chunk_bytes = bytes, .chunks = chunks});
    // The first step that records lies amid the search of the first mark.
    const Ran ran = recording.run({program, "1", "50", std::to_string(before), "2000"});
    CHECK(ran.status == 0);
    const auto& thread = recording.log().finish().at(1);
    CHECK(thread.events.size() == before);
    CHECK(recording.log().lost() > 0x10000 / sizeof(std::uint64_t));  // slots that lie nowhere
    CHECK(fmt::format("{}\n", thread.events.size() + recording.log().lost()) == ran.output);
  }
}

TEMPLATE_TEST_CASE("a late event tells the processor time, which includes no wait", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const Flags& optimisation : optimisations) {
    INFO(optimisation.back());
    const std::string program = workshop.build("late", {"record_late.c"}, traps + optimisation);
    Recording recording(workshop, {.chunk_bytes = 4096});
    CHECK(recording.run({program}).status == 0);
    CHECK(recording.log().lines() == "1 2 3 4");
    const LogThread& thread = recording.log().finish().at(1);
    // After a wait; after work; after a wait, in both slots of a mark.
    REQUIRE(thread.processor_ns.size() >= 4);
    CHECK(thread.processor_ns.back() - thread.processor_ns.front() > 29'000'000);
    CHECK(thread.processor_ns.back() - thread.processor_ns.front() < 45'000'000);
    CHECK(thread.chunks.size() == 1);
    CHECK(recording.log().lost() == 0);
  }
}

TEMPLATE_TEST_CASE("the clock that tells processor times may record, leap and fork", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program =
      workshop.build("own_clock", {"record_own_clock.c"}, traps + Flags{"-O2", "-pthread"});
  Recording recording(workshop, {.chunk_bytes = 4096});
  CHECK(recording.run({program, "traps"}).status == 0);
  // A chunk begins behind a leap of more than 2^39 ns, as a word cannot hold it. The child begins anew.
  CHECK(recording.log().lines() == "1 9 2 9 3 9 4 9 5 6");
  const auto& threads = recording.log().finish();
  CHECK(threads.at(1).chunks == std::vector<std::uint32_t>{1, 2});
  // The clock's own traps while a chunk begins, and the event in which the child began.
  CHECK(recording.log().lost() == 3 * 2 + 1);
}

TEMPLATE_TEST_CASE("a clock that passes thousands of traps costs no count and no order", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program =
      workshop.build("own_clock", {"record_own_clock.c"}, traps + Flags{"-O2", "-pthread"});
  for (const std::string reading : {"1", "2", "3", "4"}) {
    INFO(reading);
    Recording recording(workshop, {.chunk_bytes = 4096});
    const Ran ran = recording.run_drained({program, "busy", reading});
    const LogThread& thread = recording.log().finish().at(1);
    CHECK(ran == Ran{0, fmt::format("{}\n", thread.events.size() + recording.log().lost())});
    CHECK(std::ranges::is_sorted(thread.chunks));
    CHECK(std::ranges::is_sorted(thread.events, {}, &LogEvent::tick));
  }
}

TEMPLATE_TEST_CASE("a thread that begins while another one calibrates tells its processor time too", "", Gcc,
                   Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  REQUIRE_X86_64("other clocks may be too slow for the waits of the test");
  const Workshop workshop(TestType::compilers());
  for (const Flags& optimisation : {Flags{"-O2"}, Flags{"-O1", "-fsanitize=thread"}}) {
    INFO(optimisation.back());
    const std::string program =
        workshop.build("own_clock", {"record_own_clock.c"}, traps + optimisation + Flags{"-pthread"});
    Recording recording(workshop, {.chunk_bytes = 4096});
    CHECK(recording.run({program, "threads"}).status == 0);
    const auto& threads = recording.log().finish();
    const LogThread& other = threads.at(1).events.size() > 1 ? threads.at(1) : threads.at(2);
    CHECK(other.chunks == std::vector<std::uint32_t>{1, 2});
    CHECK(other.processor_ns.size() == 1);
    CHECK(recording.log().lost() == 0);
  }
}

TEMPLATE_TEST_CASE("what is loaded later is known as a module too", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const Flags flags = {"-finstrument-functions", "-O2"};
  const std::string plugin = workshop.link(
      "plugin.so",
      Flags{"-shared"} + workshop.compile({"record_plugin.c"}, flags + Flags{"-DPLUGIN", "-fPIC"}));
  const std::string program = workshop.build("loader", {"record_plugin.c"}, flags);
  Recording recording(workshop);
  const Ran ran = recording.run({program, plugin}, {{"LD_PRELOAD", library}});
  CHECK(ran.status == 0);
  CHECK(recording.log().calls(1, ran.output) == "called( plugged( )plugged )called");
  check_module(recording.log(), "called", ran.output, program);
  check_module(recording.log(), "plugged", ran.output, plugin);
}

TEMPLATE_TEST_CASE("traps, and hooks that are preloaded beside them, share a log", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program =
      workshop.build("flow", {"parts.c", "shared.c", "program.c"}, traps + Flags{"-finstrument-functions"});
  Recording recording(workshop);
  CHECK(recording.run({program}, {{"LD_PRELOAD", library}}) == Ran{0, "result 8\n"});
  CHECK(recording.log().lines() == "1000 10 20 20 11 1001");
  const auto& threads = recording.log().finish();
  REQUIRE(threads.size() == 2);
  CHECK(threads.at(1).tid == threads.at(2).tid);
  CHECK(recording.log().head().refused == 0);
}

TEMPLATE_TEST_CASE("marks and pauses are recorded with their names and times", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const Flags& optimisation : optimisations) {
    INFO(optimisation.back());
    const std::string program = workshop.build("marks", {"record_marks.c"}, traps + optimisation);
    Recording recording(workshop);
    CHECK(recording.run({program}) == Ran{0, ""});
    const RecordLog& log = recording.log();
    CHECK(log.calls(1, "") == "1 mark 1=17 5 mark 2=0 mark 1=19 5 mark 1=18446744073709551615 3");
    const auto names = log.entries(JCPROF_LOG_NAME);
    REQUIRE(names.size() == 2);
    CHECK((names[0].head.a == 1 && names[0].text == "session"));
    CHECK((names[1].head.a == 2 && names[1].text == "a pause"));
    const auto pauses = log.entries(JCPROF_LOG_PAUSE);
    const auto resumes = log.entries(JCPROF_LOG_RESUME);
    REQUIRE((pauses.size() == 1 && resumes.size() == 1));
    const auto& events = recording.log().finish().at(1).events;
    CHECK(events[3].tick <= pauses[0].head.a);
    CHECK(pauses[0].head.a < resumes[0].head.a);
    CHECK(resumes[0].head.a <= events[4].tick);
  }
}

TEMPLATE_TEST_CASE("where there is no room to tell of a pause there is none, which is told", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program = workshop.build("marks", {"record_marks.c"}, traps);
  Recording recording(workshop,
                      {.entry_bytes = 150});  // two names, of 40 bytes each, and less than two switches
  CHECK(recording.run({program}) == Ran{0, ""});
  CHECK(recording.log().calls(1, "") ==
        "1 mark 1=17 5 mark 2=0 2 mark 1=18 5 mark 1=19 5 mark 1=18446744073709551615 3");
  CHECK(recording.log().entries(JCPROF_LOG_PAUSE).empty());
  CHECK(recording.log().head().entries_used > 150);
}

TEMPLATE_TEST_CASE("what is paused from outside records nothing", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program = workshop.build("flow", {"flow.c", "program.c"}, traps);
  Recording recording(workshop);
  recording.log().head().off = JCPROF_LOG_OFF_OUTSIDE;
  CHECK(recording.run({program}) == Ran{0, "result 234\n"});
  CHECK(recording.log().lines() == "");
  CHECK(recording.log().lost() == 0);
}

TEMPLATE_TEST_CASE("a clock may leap and step back, and is not read without a log", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  for (const Flags& optimisation : optimisations) {
    INFO(optimisation.back());
    const std::string program = workshop.build("clock", {"record_clock.c"}, traps + optimisation);
    CHECK(workshop.run({program}) == Ran{0, "0\n"});
    Recording recording(workshop, {.chunk_bytes = 4096});
    CHECK(recording.run({program}).status == 0);
    const LogThread& thread = recording.log().finish().at(1);
    std::vector<std::uint64_t> ticks;
    for (const LogEvent& event : thread.events) ticks.push_back(event.tick);
    const std::uint64_t wide = std::uint64_t{1} << 40;
    const std::uint64_t back = 1000 + wide + (std::uint64_t{1} << 50) - (std::uint64_t{1} << 45);
    CHECK(ticks == std::vector<std::uint64_t>{1000, 1005, 1000 + wide - 1, 1000 + wide,
                                              1000 + wide + (std::uint64_t{1} << 50), back, back, back - 1});
    CHECK(thread.chunks == std::vector<std::uint32_t>{1, 2, 3, 4, 5});
    CHECK(recording.log().lost() == 0);
    CHECK(recording.log().head().clock_hz == ~std::uint64_t{0});
  }
}

TEMPLATE_TEST_CASE("a clock of the program's own says how fast it is, and is mixed with no other", "", Gcc,
                   Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program =
      workshop.build("clock", {"record_clock.c"}, traps + Flags{"-DJCPROF_CLOCK_HZ=32768"});
  Recording recording(workshop);
  CHECK(recording.run({program}).status == 0);
  CHECK(recording.log().head().clock_hz == 32768);
  const std::string hooked =
      workshop.build("hooked", {"record_clock.c"}, traps + Flags{"-finstrument-functions"});
  Recording beside(workshop);
  CHECK(beside.run({hooked}, {{"LD_PRELOAD", library}}) == Ran{0, "0\n"});
  CHECK(beside.log().head().clock_hz == 0);
  CHECK(beside.log().head().refused == 1);
  CHECK(beside.log().finish().size() == 1);
  CHECK(beside.log().lines().empty());
}

TEMPLATE_TEST_CASE("functions that the table has no room for are others", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program = workshop.build("calls", {"record_calls.c"}, hooks);
  Recording recording(workshop, {.functions = 2});
  const Ran ran = recording.run({program, "twice", "returns"});
  CHECK(recording.log().calls(1, ran.output) ==
        "twice( leaf( )leaf leaf( )leaf )twice others( others( others( others( leaf( )leaf )others");
}

TEMPLATE_TEST_CASE("what is not a log is left alone, and the program does what it does", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::string program = workshop.build("flow", {"flow.c", "program.c"}, traps);
  const Ran ran{0, "result 234\n"};
  CHECK(workshop.run({program}) == ran);
  for (const std::string& content : {std::string(), std::string("JCPROFL1"), std::string(10000, 'x')}) {
    write_file(workshop.path("novel"), content);
    CHECK(workshop.run({program}, {{"JCPROF_RECORD", workshop.path("novel")}}) == ran);
    CHECK(read_file(workshop.path("novel")) == content);
  }
  CHECK(workshop.run({program}, {{"JCPROF_RECORD", "/no/such/file"}}) == ran);
  Recording other_clock(workshop, {.clock = JCPROF_LOG_CLOCK_COUNTED});
  CHECK(other_clock.run({program}) == ran);
  CHECK((other_clock.log().head().attached == 0 && other_clock.log().head().threads == 0));
}

TEMPLATE_TEST_CASE("an enclave is handed its log by our ecall", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const Flags flags = {"-DJCPROF",
                       "-DJCPROF_ENCLAVE_BUILD",
                       "-DJCPROF_RECORD",
                       "-DJCPROF_BUILD=0xCAFE0001u",
                       "-DJCPROF_SHOW_WARNINGS",
                       "-Wall",
                       "-Werror",
                       "-O2"};
  const Flags parts = workshop.compile({"enclave.c"}, flags + Flags{"-ffreestanding", "-nostdinc", "-fpie"});
  CHECK(workshop.run({"sh", "-c", "nm -u enclave.o | grep -v _GLOBAL_OFFSET_TABLE_"}) ==
        Ran{0, "                 U ocall_ask\n"});
  const std::string host = workshop.link("host", parts + workshop.compile({"record_host.c"}, flags));
  const Ran recorded{0,
                     "5 5: 1 30 31 32 31 32 33 2 3 4\n"
                     "build cafe0001, attached ffffffff, anchor 1, calibrated 1, misplaced 0, 0 bytes of the "
                     "host's changed\n"};
  CHECK(workshop.run({host}) == recorded);
#ifdef __x86_64__
  const auto simulated = [&](const Flags& more) {
    const Flags trusted = workshop.compile({"enclave.c"}, flags + Flags{"-ffreestanding", "-fpie"} + more);
    return workshop.run({workshop.link(
        "simulated", trusted + workshop.compile({"record_host.c"}, flags + Flags{"-DSIMULATED"}))});
  };
  CHECK(simulated({"-mno-tls-direct-seg-refs"}) == recorded);
  CHECK(simulated({}) == Ran{0,
                             "5 5:\n"
                             "build 0, attached 0, anchor 0, calibrated 0, misplaced 1, 0 bytes of the "
                             "host's changed\n"});
#endif
}

#ifdef __x86_64__
TEMPLATE_TEST_CASE(
    "a thread of an enclave goes on where its last root ecall ended, also with storage made anew", "", Gcc,
    Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const auto recorded = [&](const Flags& arguments) {
    return workshop.run(Flags{workshop.path("unbound")} + arguments);
  };
  for (const std::string level : {"-O0", "-O2"}) {
    INFO(level);
    workshop.build("unbound", {"record_unbound.c"},
                   {level, "-Wall", "-DJCPROF", "-DJCPROF_ENCLAVE_BUILD", "-DJCPROF_RECORD",
                    "-mno-tls-direct-seg-refs"});
    for (const std::string policy : {"bound", "unbound"}) {
      INFO(policy);
      CHECK(recorded({policy, "1", "600"}) == Ran{0,
                                                  "thread 1: 20 chunks, 1200 traps, 600 marks, sum 90000\n"
                                                  "lost 0, 0 bytes of the host's changed\n"});
      CHECK(recorded({policy, "3", "12"}) == Ran{0,
                                                 "thread 1: 1 chunks, 8 traps, 4 marks, sum 12\n"
                                                 "thread 2: 1 chunks, 8 traps, 4 marks, sum 8\n"
                                                 "thread 3: 1 chunks, 8 traps, 4 marks, sum 16\n"
                                                 "lost 0, 0 bytes of the host's changed\n"});
      // What finds no room is lost, and no more than that.
      CHECK(recorded({policy, "1", "5000"}) == Ran{0,
                                                   "thread 1: 64 chunks, 3840 traps, 1920 marks, sum 921600\n"
                                                   "lost 9240, 0 bytes of the host's changed\n"});
    }
  }
}
#endif

}  // namespace jcprof::test
