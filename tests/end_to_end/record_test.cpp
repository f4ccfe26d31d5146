// SPDX-License-Identifier: Apache-2.0
// jcprof record, as users run it, on programs whose events are known.
#include <algorithm>
#include <csignal>
#include <regex>
#include <string>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "src/core/store.hpp"
#include "src/core/trap_map.hpp"
#include "tests/end_to_end/record_place.hpp"
#include "tests/support/log_file.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using test::becomes_true;
using test::events_of;
using test::LogFile;
using test::read_log;
using test::Running;
using test::Said;
using Place = test::RecordPlace;

constexpr const char* calls_by_caller =
    "SELECT group_concat(way, ' ') FROM (SELECT c.function || '/' || coalesce(p.function, '') || '×' || "
    "c.calls AS way FROM call c LEFT JOIN call p ON p.id = c.parent ORDER BY way)";

std::uint64_t number_behind(const std::string& key, const fs::path& json_file) {
  return nlohmann::json::parse(read_file(json_file)).at(key).get<std::uint64_t>();
}

TEST_CASE("a recorded program has its own input, output and exit status") {
  const Place place("streams");
  write_file(place.files / "in", std::string("a\0b\n", 4));
  const Said said = place.run({"sh", "-c", "./calls copy 100 < in"}, {"--quiet"});
  CHECK(said.status == 7);
  CHECK(said.out == std::string("a\0b\n", 4));
  CHECK(said.err == "to stderr\n");
  CHECK(read_log(place.log).events == events_of(100));
}

/// Without the warning that a host brings which takes the processor away now and then.
std::string of_calm_host(const std::string& text) {
  static const std::regex taken_away("warning: thread [0-9]+ was off its processor [^\n]*\n");
  return std::regex_replace(text, taken_away, "");
}

TEST_CASE("fibers of swapcontext have call stacks of their own, which no call of the thread includes") {
  const Place place("fibers");
  place.compile({"-finstrument-functions"}, "fibers", "fibers.c");
  const Said said = place.run({"./fibers"});
  CHECK(said.status == 0);
  CHECK_THAT(of_calm_host(said.err), !Catch::Contains("warning"));
  CHECK(place.ask(calls_by_caller) == "fiber/×2 main/×1 rest/step×6 resume/main×8 step/fiber×6");
  CHECK(place.ask("SELECT sum(unmatched) FROM thread") == "0");
}

TEST_CASE("fibers that leap from stack to stack have call stacks of their own too") {
  const Place place("leaps");
  place.compile({"-finstrument-functions"}, "fibers", "leaping_fibers.c");
  const Said said = place.run({"./fibers"});
  CHECK(said.status == 0);
  CHECK_THAT(said.err, Catch::Contains("longjmp or an exception ended 3 calls") &&
                           !Catch::Contains("stack"));  // each `fail`
  CHECK(place.ask(calls_by_caller) ==
        "begin/main×2 fail/try×1 fail/try×2 fiber/×2 main/×1 rest/fiber×2 rest/step×6 resume/main×8 "
        "step/fiber×6 try/fiber×2 try/main×1");
  CHECK(place.ask("SELECT sum(unmatched) FROM thread") == "0");
}

TEST_CASE("what was recorded is told on standard error, and in JSON where it is asked for") {
  const Place place("summary");
  const Said said = place.run({"./calls", "work", "1000"}, {"--summary", "summary.json"});
  INFO(said.err);
  CHECK(said.status == 0);
  CHECK(said.out.empty());
  CHECK_THAT(
      said.err,
      Catch::Matches(R"(2002 events of 1 threads in [0-9.]+ s, 0 lost: @/out/record.jcplog \([0-9.]+ MB\))"
                     "\nprofile: @/out/profile.jcprof\n"));
  const nlohmann::json summary = nlohmann::json::parse(read_file(place.files / "summary.json"));
  const LogFile log = read_log(place.log);
  CHECK(std::string(log.looks.at(1).name) == "calls");
  CHECK(log.looks.at(1).running_ns > 0);
  CHECK(log.pairs.size() >= 2);
  CHECK(summary["status"] == 0);
  CHECK(summary["events"] == 2002);
  CHECK(summary["lost"] == 0);
  CHECK(summary["threads"] == 1);
  CHECK(summary["clock"]["source"] == "own");
  CHECK(summary["bytes"] == fs::file_size(place.log));
  CHECK(summary["profile"] == place.profile.string());
  CHECK(summary["warnings"].empty());
}

TEST_CASE("functions are left out while their program runs, by name") {
  const Place place("chosen");
  constexpr std::uint64_t calls = 20'000'000;
  const auto record = [&](const std::vector<std::string>& options) {
    const Said said = place.run({"./calls", "work", std::to_string(calls)}, options);
    INFO(said.err);
    CHECK(said.status == 0);
    CHECK_THAT(said.err, Catch::Contains("1 functions are left out (--filter, --notrace)"));
    // They are recorded until jcprof knows their names.
    const LogFile log = read_log(place.log);
    CHECK(log.events < events_of(calls) / 2);
    CHECK(log.lost == 0);
    CHECK(place.ask("SELECT group_concat(function || '×' || calls) FROM function") == "work×1");
    CHECK(std::stod(place.ask("SELECT share FROM function")) == 1);
  };
  record({"--notrace", "le*f"});
  record({"--filter", "work"});
  const Said said = place.run({"./calls", "work", "10"}, {"--notrace", "laef", "--notrace", "leaf"});
  CHECK_THAT(said.err, Catch::Contains("warning: \"laef\" names no function that was called; "));
  CHECK_THAT(said.err, !Catch::Contains("\"leaf\""));
}

TEST_CASE("a recorded program's calls are in the profile, and again when its log is analyzed again") {
  const Place place("profile");
  REQUIRE(place.run({"./calls", "work", "1000"}).status == 0);
  const std::string calls = "SELECT calls FROM function WHERE function = 'leaf'";
  CHECK(place.ask(calls) == "1000");
  const std::string run = "SELECT project || device || started || unit FROM run";
  const std::string before = place.ask(run);
  CHECK_THAT(before, Catch::StartsWith("calls") && Catch::EndsWith("ns"));
  CHECK(place.files.run({"jcprof", "record", "--analyze", place.log.string()}).status == 0);
  CHECK(place.ask(run) == before);
  fs::remove(place.profile);
  CHECK(place.files.run({"jcprof", "record", "--analyze", place.log.string()}).status == 0);
  CHECK(place.ask(calls) == "1000");
}

TEST_CASE("a program that was built anew since, and looks older, gives no wrong names") {
  const Place place("rebuilt");
  const std::string names = "SELECT count(*) FROM function WHERE function = 'leaf'";
  REQUIRE(place.run({"./calls", "work", "100"}).status == 0);
  CHECK(place.ask(names) == "1");
  place.compile({"-finstrument-functions", "-Wl,--build-id=0x9988776655443322"}, "calls");
  fs::last_write_time(place.files / "calls", fs::last_write_time(place.log) - std::chrono::hours(1));
  const Said again = place.files.run({"jcprof", "record", "--analyze", place.log.string()});
  CHECK(again.status == 0);
  CHECK_THAT(again.err,
             Catch::Contains("/calls: not the build that was recorded, so its functions have no names"));
  CHECK(place.ask(names) == "0");
}

TEST_CASE("a program that crashes or exits in the middle keeps what it recorded, and its status") {
  const Place place("crash");
  CHECK(place.run({"./calls", "crash", "1000"}).status == 128 + SIGSEGV);
  LogFile log = read_log(place.log);
  CHECK(log.events == events_of(1000) + 3);
  CHECK(log.end->status == 128 + SIGSEGV);
  CHECK(place.run({"./calls", "leave"}).status == 9);
  log = read_log(place.log);
  CHECK(log.events == 1);
  CHECK(log.end->status == 9);
}

// A terminal in which Ctrl-C is typed once the program is ready and progress was shown.
constexpr const char* terminal = R"(import os, pty, sys
child, fd = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
said = b''
typed = 0
while True:
    try:
        part = os.read(fd, 4096)
    except OSError:
        break
    if not part:
        break
    said += part
    if b'ready' in said and b'recording: ' in said and not typed:
        typed = os.write(fd, b'\x03')
sys.stdout.buffer.write(said)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
)";

TEST_CASE("Ctrl-C is the recorded program's, and what it records is kept") {
  const Place place("interrupted");
  write_file(place.files / "terminal.py", terminal);
  std::vector<std::string> argv{"python3", "terminal.py", JCPROF_BIN_DIR "/jcprof"};
  const std::vector<std::string> rest = Place::record({"./calls", "listen"});
  argv.insert(argv.end(), rest.begin() + 1, rest.end());
  const Said said = place.files.run(argv);
  INFO(said.out << said.err);
  CHECK(said.status == 40 + SIGINT);
  CHECK_THAT(said.out, Catch::Contains("recording: 0 events, ") && Catch::Contains("heard 2"));
  CHECK(read_log(place.log).end->status == 40 + SIGINT);
}

bool comes_to_say(const Running& run, const std::string& text) {
  return becomes_true([&] { return run.said().find(text) != std::string::npos; });
}

TEST_CASE("SIGTERM is passed on to the recorded program") {
  const Place place("terminated");
  Running run = place.files.start(Place::record({"./calls", "listen"}));
  REQUIRE(comes_to_say(run, "ready"));
  ::kill(run.pid(), SIGTERM);
  CHECK(run.wait() == 40 + SIGTERM);
}

std::size_t count_of(const LogFile& log, std::uint32_t kind) {
  return static_cast<std::size_t>(std::ranges::count(log.entries, kind, &jcprof_log_entry::kind));
}

TEST_CASE("SIGUSR1 pauses recording, SIGUSR2 resumes it, and the log says when") {
  const Place place("paused");
  write_file(place.files / "first", "");
  Running run = place.files.start(Place::record({"./calls", "thrice", "100", "first", "second", "third"}));
  REQUIRE(comes_to_say(run, "worked 1"));
  const auto has = [&](std::uint32_t kind) {
    return becomes_true([&] { return count_of(read_log(place.log), kind) == 1; });
  };
  ::kill(run.pid(), SIGUSR1);
  REQUIRE(has(JCPROF_LOG_PAUSE));
  write_file(place.files / "second", "");
  REQUIRE(comes_to_say(run, "worked 2"));
  ::kill(run.pid(), SIGUSR2);
  REQUIRE(has(JCPROF_LOG_RESUME));
  write_file(place.files / "third", "");
  CHECK(run.wait() == 0);
  CHECK(read_log(place.log).events == 2 * events_of(100));
}

// setsid: the test ends the process group of what it started.

// The recorder must be given a processor in time.
TEST_CASE("a program whose recorder is killed goes on, and the log is good up to there", "[real]") {
  const Place place("killed");
  write_file(place.files / "first", "");
  const pid_t run = place.start_unguarded(
      {"sh", "-c", "exec setsid ./calls thrice 1000000 first second third >said"}, {"--memory", "4M"});
  REQUIRE(becomes_true(
      [&] { return fs::exists(place.files / "said") && read_file(place.files / "said") != ""; }));
  ::kill(run, SIGKILL);
  CHECK(::waitpid(run, nullptr, 0) == run);
  write_file(place.files / "second", "");
  write_file(place.files / "third", "");
  CHECK(becomes_true([&] { return read_file(place.files / "said") == "worked 1\nworked 2\nworked 3\n"; }));
  const LogFile log = read_log(place.log);
  CHECK(log.events > 1'000'000);
  CHECK(log.events <= events_of(1'000'000));
  CHECK_FALSE(log.end.has_value());
  CHECK(place.files.run({"jcprof", "record", "--analyze", place.log.string()}).status == 0);
}

TEST_CASE("a memory that is too small for a fast program loses events and counts each") {
  const Place place("small");
  constexpr std::uint64_t calls = 5'000'000;
  const Said said =
      place.run({"./calls", "work", std::to_string(calls)}, {"--memory", "1M", "--summary", "summary.json"});
  CHECK(said.status == 0);
  const LogFile log = read_log(place.log);
  CHECK(log.events + log.end->lost == events_of(calls));
  CHECK(number_behind("lost", place.files / "summary.json") == log.end->lost);
  CHECK(number_behind("events", place.files / "summary.json") == log.events);
}

// The recorder must be given a processor in time.
TEST_CASE("ten million events of a program that rests now and then go through a memory for a fifth of them",
          "[real]") {
  const Place place("slow");
  constexpr std::uint64_t calls = 5'000'000;
  CHECK(place.run({"./calls", "slowly", std::to_string(calls)}, {"--memory", "16M"}).status == 0);
  const LogFile log = read_log(place.log);
  CHECK(log.events == events_of(calls));
  CHECK(log.end->lost == 0);
}

TEST_CASE("a log on the disk stays below --max-log, and what is beyond is counted") {
  const Place place("full");
  const Said said = place.run({"./calls", "work", "1000000"}, {"--max-log", "1M"});
  CHECK(said.status == 0);
  const LogFile log = read_log(place.log);
  CHECK(fs::file_size(place.log) <= 1U << 20);
  CHECK(log.events > 50'000);
  CHECK(log.events + log.end->lost == events_of(1'000'000));
  CHECK_THAT(said.err,
             Catch::Contains(fmt::format("warning: lost: {} of 2000002 events are lost", log.end->lost)));
}

TEST_CASE("64 threads that come and go are recorded one by one") {
  const Place place("threads");
  CHECK(place.run({"./calls", "threads", "10000", "64", "8"}).status == 0);
  const LogFile log = read_log(place.log);
  CHECK(log.threads.size() == 64);
  CHECK(log.lost == 0);
  for (const auto& [serial, thread] : log.threads) {
    INFO(serial);
    CHECK(thread.events == events_of(10'000));
    for (std::size_t i = 0; i < thread.numbers.size(); ++i) CHECK(thread.numbers[i] == i + 1);
  }
  CHECK(place.ask("SELECT count(*) FROM thread") == "64");
}

TEST_CASE("a clock of the recorder's gives ticks that go on") {
  const Place place("clocks");
  for (const std::string clock : {"published", "counted"}) {
    INFO(clock);
    CHECK(place.run({"./calls", "slowly", "1000000"}, {"--clock", clock}).status == 0);
    const LogFile log = read_log(place.log);
    CHECK(log.events == events_of(1'000'000));
    CHECK(log.head.clock == (clock == "counted" ? JCPROF_LOG_CLOCK_COUNTED : JCPROF_LOG_CLOCK_PUBLISHED));
    CHECK(std::ranges::any_of(log.threads.at(1).words, [](std::uint64_t word) { return word >> 24 > 0; }));
    CHECK(log.pairs.back().tick > log.pairs.front().tick);
  }
}

constexpr const char* traps_by_hand = R"(#include "jcprof.h"
int main(void) {
  JCPROF_TRAP(1);
  JCPROF_TRAP(2);
  return 4;
}
)";

TEST_CASE("events of the processor's counter lie apart, and follow the time that passes") {
  const Place place("ticks");
  REQUIRE(place.run({"./calls", "work", "100000"}).status == 0);
  const LogFile log = read_log(place.log);
  std::size_t same = 0;
  const std::vector<std::uint64_t>& words = log.threads.at(1).words;
  for (std::size_t i = 1; i < words.size(); ++i) same += words[i] >> 24U == words[i - 1] >> 24U;
  CHECK(same < words.size() / 20);
}

TEST_CASE("what is built for the recorder's clock is told to record with one, and then is recorded") {
  const Place place("shared-clock");
  write_file(place.files / "traps.c", traps_by_hand);
  REQUIRE(place.files
              .run({"gcc", "-DJCPROF", "-DJCPROF_RECORD", "-DJCPROF_CLOCK_SHARED",
                    "-I" JCPROF_SOURCE_DIR "/templates", "traps.c", "-o", "traps"})
              .status == 0);
  const Said said = place.run({"./traps"}, {"--no-preload"});
  CHECK(said.status == 4);
  CHECK_THAT(said.err, Catch::StartsWith("warning: lost: code built with -DJCPROF_CLOCK_SHARED recorded "
                                         "nothing: it reads jcprof's clock"));
  (void)place.run({"./traps"}, {"--no-preload", "--clock", "counted"});
  CHECK(read_log(place.log).events == 2);
}

TEST_CASE("what cannot be recorded is refused in words, and leaves nothing behind") {
  const Place place("refused");
  const auto refused = [&](const std::vector<std::string>& argv, int status, const std::string& text) {
    const Said said = place.files.run(argv);
    CHECK(said.status == status);
    CHECK_THAT(said.err, Catch::StartsWith(text));
  };
  refused(Place::record({"./cals"}), 3,
          "cannot start \"./cals\": No such file or directory\nhint: is it installed, and in PATH?");
  refused(Place::record({"./calls"}, {"--memory", "5K"}), 2, "the memory of a log cannot be 5120 bytes\n");
  refused(Place::record({"./calls"}, {"--max-log", "5K"}), 2, "a log of 5120 bytes is too small\n");
  refused(Place::record({"./calls"}, {"--clock", "mine"}), 2,
          "--clock: \"mine\" is none of own, fast, published, counted\n");
  refused({"jcprof", "record"}, 2, "there is no command to record\nhint: jcprof record [options] -- COMMAND");
  refused({"jcprof", "record", "--memroy", "5M", "--", "./calls"}, 2,
          "jcprof record has no option \"--memroy\"");
  refused({"jcprof", "record", "--analyze", "x.jcplog", "--", "./calls"}, 2,
          "a command, --project and --analyze exclude each other\n");
  refused({"jcprof", "record", "--analyze", "x.jcplog", "--summary", "x.json"}, 2,
          "--summary excludes --analyze");
  refused({"jcprof", "record", "--project", ".", "--traps", "x.json"}, 2, "--traps excludes --project");
  CHECK_FALSE(fs::exists(place.log));
  CHECK_FALSE(fs::exists(place.profile));
}

TEST_CASE("a program that records nothing is told how to, and its status is kept") {
  const Place place("plain");
  place.compile({}, "plain");
  const Said said = place.run({"./plain", "leave"});
  CHECK(said.status == 9);
  CHECK_THAT(said.err, Catch::StartsWith("warning: the command never opened the log; compile it with "
                                         "-finstrument-functions"));
  CHECK_FALSE(fs::exists(place.profile));
}

TEST_CASE("a process that the command leaves behind is recorded no more, which is told") {
  const Place place("behind");
  write_file(place.files / "first", "");
  const pid_t run = place.start_unguarded(
      {"sh", "-c",
       "setsid ./calls thrice 100 first second third >said & while ! grep -q 1 said; do sleep 0.01; done"},
      {});
  int status = -1;
  REQUIRE(::waitpid(run, &status, 0) == run);
  CHECK(status == 0);
  CHECK_THAT(read_file(place.files / "errors"),
             Catch::Contains("the command left 1 processes behind; they are no longer recorded"));
  CHECK(read_log(place.log).events == events_of(100));
  write_file(place.files / "second", "");
  write_file(place.files / "third", "");
  CHECK(becomes_true([&] { return read_file(place.files / "said") == "worked 1\nworked 2\nworked 3\n"; }));
}

TEST_CASE("what the user preloads stays, behind the hooks") {
  const Place place("preload");
  const Said said = place.files.run({"env", "LD_PRELOAD=libm.so.6", JCPROF_BIN_DIR "/jcprof", "record", "-o",
                                     "out", "-q", "--", "sh", "-c", "echo $LD_PRELOAD"});
  CHECK_THAT(said.out, Catch::EndsWith("/libjcprof-record.so:libm.so.6\n"));
  CHECK(place.run({"sh", "-c", "echo $LD_PRELOAD"}, {"--no-preload"}).out == "\n");
}

TEST_CASE("what jcprof run has measured is not recorded over") {
  const Place place("measured");
  write_file(place.profile.parent_path() / ".jcprof-out", "");
  {
    Store store(place.profile, OpenMode::fresh);
    store.begin_run({.transport = "exec:"}, {}, {});
  }
  const Said said = place.run({"./calls", "work"});
  CHECK(said.status == 2);
  CHECK(said.err ==
        "\"@/out/profile.jcprof\" holds a measurement of `jcprof run`\n"
        "hint: name another folder with -o\n");
}

TEST_CASE("a program that cuts the shared log short ends nobody") {
  const Place place("shortened");
  const Said said = place.run({"sh", "-c", "(: > \"$JCPROF_RECORD\") 2>/dev/null; ./calls work 100"});
  CHECK(said.status == 0);
  CHECK(read_log(place.log).events == events_of(100));
}

TEST_CASE("numbers that the recorder does not know a program's threads by are not its own") {
  const Place place("namespace");
  if (place.files.run({"unshare", "--pid", "--fork", "true"}).status != 0) {
    WARN("SKIPPED: no PID namespace can be made here");
    return;
  }
  CHECK(place.run({"unshare", "--pid", "--fork", "./calls", "work", "100"}).status == 0);
  LogFile log = read_log(place.log);
  CHECK(log.events == events_of(100));
  CHECK(log.looks.empty());
  CHECK(log.threads.at(1).tids == std::set<std::uint32_t>{0});
  // Nor is a chunk its own that a child has taken which shares its memory.
  CHECK(place.run({"./calls", "vfork", "5000"}, {"--memory", "1M"}).status == 0);
  log = read_log(place.log);
  CHECK(log.events == 2 * events_of(5000));
  CHECK(log.looks.size() == 1);
  CHECK(log.threads.at(1).tids == std::set<std::uint32_t>{0, log.looks.at(1).tid});
}

TEST_CASE("a recording that cannot be analyzed keeps its log, status and summary, and no older profile") {
  const Place place("unanalyzed");
  REQUIRE(place.run({"./calls", "work", "100"}).status == 0);
  REQUIRE(fs::exists(place.profile));
  write_file(place.files / "traps.c",
             "#include \"jcprof.h\"\nint main(int count, char **words) {\n  (void)words;\n  JCPROF_TRAP(1);\n"
             "  return count - 1;\n}\n");
  REQUIRE(place.files
              .run({"gcc", "-DJCPROF", "-DJCPROF_RECORD", "-DJCPROF_BUILD=7u",
                    "-I" JCPROF_SOURCE_DIR "/templates", "traps.c", "-o", "traps"})
              .status == 0);
  const Said said = place.run({"./traps", "1", "2"}, {"--summary", "summary.json"});
  CHECK(said.status == 2);
  CHECK_THAT(said.err, Catch::Contains("--traps"));
  CHECK_FALSE(fs::exists(place.profile));
  const nlohmann::json summary = nlohmann::json::parse(read_file(place.files / "summary.json"));
  CHECK(summary["status"] == 2);
  CHECK(summary["profile"].is_null());
  CHECK(place.run({"./traps", "1", "2", "3"}).status == 3);
  CHECK(place.run({"./traps"}).status == 2);  // it ended well, its recording did not
  place.compile({}, "plain");
  const Said unwritten = place.run({"./plain", "leave"}, {"--summary", "."});
  CHECK(unwritten.status == 9);
  CHECK_THAT(unwritten.err, Catch::Contains(": cannot write: Is a directory"));
}

TEST_CASE("a program with traps needs the map of its build, and no other") {
  const Place place("traps");
  TrapMap map{.language = "c", .sources = {{.path = "traps.c", .sha256 = std::string(64, '0')}}};
  for (const std::uint32_t id : {1U, 2U})
    map.traps.push_back({.id = TrapId{id},
                         .key = fmt::format("key{}", id),
                         .name = fmt::format("TRAP_main_{}", id),
                         .kind = TrapKind::before,
                         .function = "main",
                         .path = "traps.c",
                         .line = id + 2,
                         .column = 3,
                         .offset = 20 * id,
                         .end_line = id + 2,
                         .end_offset = 20 * id + 15});
  write_file(place.files / "traps.c", traps_by_hand);
  write_file(place.files / "traps.json", write_trap_map(map));
  map.traps.front().column = 5;
  write_file(place.files / "others.json", write_trap_map(map));
  const std::uint32_t build = read_trap_map(place.files / "traps.json").build;
  REQUIRE(place.files
              .run({"gcc", "-DJCPROF", "-DJCPROF_RECORD", fmt::format("-DJCPROF_BUILD={}u", build),
                    "-I" JCPROF_SOURCE_DIR "/templates", "traps.c", "-o", "traps"})
              .status == 0);
  CHECK(place.run({"./traps"}, {"--traps", "traps.json"}).status == 4);
  CHECK(place.ask("SELECT hits FROM line WHERE line = 3") == "1");
  fs::remove(place.profile);
  const Said said = place.run({"./traps"}, {"--traps", "others.json"});
  CHECK(said.status == 4);
  CHECK_THAT(said.err, Catch::Contains(fmt::format("recorded by build {:08x}", build)));
  CHECK(read_log(place.log).events == 2);
  CHECK_FALSE(fs::exists(place.profile));
}

}  // namespace
}  // namespace jcprof
