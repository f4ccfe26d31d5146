// SPDX-License-Identifier: Apache-2.0
#include "harness/exec/transport.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "harness/path.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/path_signature.hpp"
#include "tests/core/fault_text.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::harness {
namespace {

using namespace std::chrono_literals;
using test::fault_text;
using test::TemporaryFolder;
namespace fs = std::filesystem;

constexpr Shot whole{};
const Shot at_second_3{.stop = {.trap = TrapId{3}, .hit = 2}};

/// fake_program on the path 1 2 3 3 4, and what a test changes of it.
struct Place {
  TemporaryFolder folder;
  ExecSetup setup{.placeholders = {{"tree", folder.path().string()}, {"out", "o"}},
                  .device = "",
                  .traps = 4,
                  .build = 0x1b,
                  .logs = folder / "logs"};
  std::unique_ptr<Transport> transport = {};

  explicit Place(std::vector<std::string> wishes = {}) {
    setup.trigger.run = {JCPROF_FAKE_PROGRAM, "1 2 3 3 4"};
    setup.trigger.run.insert(setup.trigger.run.end(), wishes.begin(), wishes.end());
    setup.session.timeout = 20s;
  }

  Transport& target() {
    if (!transport) transport = make_exec_transport(setup, nullptr);
    return *transport;
  }

  Sample shoot(const Shot& shot) {
    Sample sample;
    target().measure(std::span(&shot, 1), [&](const Shot&, const Sample& got) {
      sample = got;
      return true;
    });
    return sample;
  }
};

std::string words(const Sample& sample) {
  return std::string(name_of(sample.outcome)) + ": " + sample.why;
}

std::string reply(const Sample& sample) {
  return {sample.reply.begin(), sample.reply.end()};
}

bool is_running(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  return !text.empty() && text[text.rfind(')') + 2] != 'Z';
}

/// Once the process whose number stands in a file has ended.
bool is_gone(const fs::path& file) {
  const pid_t pid = std::stoi(read_file(file));
  for (int i = 0; i < 1000 && is_running(pid); ++i) std::this_thread::sleep_for(10ms);
  return !is_running(pid);
}

TEST_CASE("a program runs to its end, or stops where it is asked to") {
  Place place({"exit=3", "print=5"});
  place.setup.trigger.expect = "0|3";
  const Sample end = place.shoot(whole);
  CHECK(end.outcome == Outcome::ended);
  CHECK(end.status == 3);
  CHECK(reply(end) == "xxxxx");
  CHECK(end.ticks > 10'000);
  const Sample stop = place.shoot(at_second_3);
  CHECK(stop.outcome == Outcome::stopped);
  CHECK(stop.reached == at_second_3.stop);
  CHECK(stop.ticks > 10'000);
}

TEST_CASE("an event that the path does not have lets the program end") {
  Place place;
  CHECK(place.shoot({.stop = {.trap = TrapId{2}, .hit = 9}}).outcome == Outcome::ended);
}

TEST_CASE("what a program is, its transport says") {
  Place place;
  const Description plain = place.target().describe();
  CHECK(plain.transport == "exec");
  CHECK_FALSE(plain.device.empty());
  CHECK_FALSE(plain.simulated);
  CHECK(plain.resolution == 1);
  Place named;
  named.setup.device = "my board";
  named.setup.trigger.clock = ProgramClock::cpu;
  CHECK(named.target().describe().device == "my board");
  CHECK(named.target().describe().resolution == 1000);
}

TEST_CASE("the path of a program is read whole or in windows") {
  Place place({"print=2"});
  const std::vector<TrapId> path{TrapId{1}, TrapId{2}, TrapId{3}, TrapId{3}, TrapId{4}};
  const TraceWindow all = place.target().trace(0, 0, 262'144);
  CHECK(all.traps == path);
  CHECK_FALSE(all.more);
  CHECK(all.run == WholeRun{.events = 5, .digest = {.signature = path_signature(path)}});
  CHECK(all.end.outcome == Outcome::ended);
  CHECK(reply(all.end) == "xx");
  const TraceWindow window = place.target().trace(0, 1, 2);
  CHECK(window.traps == std::vector<TrapId>{TrapId{2}, TrapId{3}});
  CHECK(window.more);
  CHECK(window.before.signature == path_signature(std::span(path).first(1)));
  CHECK(place.target().trace(0, 9, 2).traps.empty());
  const TracedPath traced = trace_path(place.target(), 0, {.window = 2});
  CHECK(traced.state == PathState::steady);
  CHECK(traced.events.size() == 5);
}

TEST_CASE("traps are calibrated, and the unwinding that a program has not is not") {
  Place place;
  const auto few = place.target().calibrate(CalibrationKind::unarmed, 1000);
  REQUIRE(few);
  CHECK(few->passes == 1000);
  const auto many = place.target().calibrate(CalibrationKind::counting, 100'000'000);
  REQUIRE(many);
  CHECK(many->ticks > few->ticks);
  CHECK(place.target().calibrate(CalibrationKind::empty, 1000));
  CHECK_FALSE(place.target().calibrate(CalibrationKind::returned, 3));
  CHECK_FALSE(place.target().calibrate(CalibrationKind::unwind, 3));
}

TEST_CASE("a status of 86 is not a stop, and another one no reason to doubt one") {
  Place place({"exit=86"});
  place.setup.trigger.expect = "86";
  const Sample sample = place.shoot(at_second_3);
  CHECK(sample.outcome == Outcome::stopped);
  const Sample end = place.shoot({.stop = {.trap = TrapId{9}}});
  CHECK(end.outcome == Outcome::ended);
  CHECK(end.status == 86);
  Place wrapped;
  wrapped.setup.trigger.run = {"sh", "-c", "\"$0\" '1 2 3 3 4'; exit 5", JCPROF_FAKE_PROGRAM};
  wrapped.setup.trigger.expect = "5";
  CHECK(wrapped.shoot(at_second_3).outcome == Outcome::stopped);
  CHECK(wrapped.shoot(whole).status == 5);
}

TEST_CASE("a program that fails at its first run is not measured, unless the project expects that") {
  Place place;
  place.setup.trigger.run = {"sh", "-c", "echo no such file >&2; exec ${0} 1 exit=3", JCPROF_FAKE_PROGRAM};
  const std::string text = fault_text([&] { place.shoot(whole); });
  CHECK_THAT(text, Catch::StartsWith("the program sh -c echo"));
  CHECK_THAT(text, Catch::EndsWith(
                       " ended with status 3, expected was 0; it said \"no such file\"\n"
                       "hint: run it by hand, twice: give it the arguments, \"stdin\" and \"cwd\" that it "
                       "lacks, and undo in "
                       "\"before_each\" of \"session\" what its first run leaves behind; "
                       "if that answer is right, put \"expect\": \"3\" into \"trigger\" of jcprof.json"));
  Place expected({"exit=3"});
  expected.setup.trigger.expect = "3";
  CHECK(expected.shoot(whole).status == 3);
}

TEST_CASE("a stop elsewhere is no sample, and says where it was") {
  Place place({"elsewhere"});
  const Sample sample = place.shoot({.stop = {.trap = TrapId{3}, .hit = 1}});
  CHECK(words(sample) == "elsewhere: it stopped at trap 4, hit 1 instead");
  CHECK(sample.reached == Event{.trap = TrapId{4}});
  CHECK(words(place.shoot({.stop = {.trap = TrapId{4}, .hit = 1}})) ==
        "lost: it says that it stopped at trap 5, hit 1, and traps.json has 4 traps");
}

TEST_CASE("a program that crashes is lost, with the signal and its last words") {
  Place place({"complain=out of luck", "crash"});
  CHECK(words(place.shoot(whole)) == "lost: it was ended by SIGSEGV");
  Place late;
  late.setup.trigger.run = {"sh", "-c", "echo no luck >&2; kill -ABRT $$"};
  CHECK(words(late.shoot(whole)) == "lost: it was ended by SIGABRT; it said \"no luck\"");
}

TEST_CASE("a program that hangs is killed with its children at the time-out") {
  Place place;
  const fs::path pid = place.folder / "pid";
  place.setup.trigger.run = {"sh", "-c", "sleep 1000 & echo $! > pid; exec \"$0\" 1 hang",
                             JCPROF_FAKE_PROGRAM};
  place.setup.session.timeout = 500ms;
  CHECK(words(place.shoot(whole)) == "timed_out: it did not end within 500 ms");
  CHECK(is_gone(pid));
}

TEST_CASE("a child that outlives the program is killed, and keeps nobody waiting") {
  Place place;
  const fs::path pid = place.folder / "pid";
  place.setup.trigger.run.push_back("orphan=" + pid.string());
  CHECK(place.shoot(whole).outcome == Outcome::ended);
  CHECK(is_gone(pid));
}

TEST_CASE("a program does not outlive us") {
  Place place;
  const fs::path pid = place.folder / "pid";
  place.setup.trigger.run = {"sh", "-c", "echo $$ > pid; exec sleep 1000"};
  const pid_t us = ::fork();
  if (us == 0) {
    place.shoot(whole);
    ::_exit(0);
  }
  for (int i = 0; i < 1000 && !(fs::exists(pid) && read_file(pid).ends_with('\n')); ++i)
    std::this_thread::sleep_for(10ms);
  ::kill(us, SIGKILL);
  ::waitpid(us, nullptr, 0);
  CHECK(is_gone(pid));
}

TEST_CASE("of ten megabytes that a program prints, 64 KiB are kept") {
  Place place({"print=10000000"});
  CHECK(place.shoot(whole).reply.size() == 65'536);
}

TEST_CASE("a program that prints without end is killed before the memory is full") {
  Place place({"flood"});
  CHECK(words(place.shoot(whole)) == "lost: it wrote more than 256 MiB");
}

TEST_CASE("the report of a program that deletes the file is read all the same, and the next run has one") {
  Place place({"delete"});
  CHECK(place.shoot(at_second_3).outcome == Outcome::stopped);
  CHECK(place.shoot(at_second_3).outcome == Outcome::stopped);
}

TEST_CASE("a program that spoils or cuts the file is lost, and the next run has a good one") {
  for (const char* wish : {"spoil", "cut"}) {
    Place place({wish});
    CHECK(words(place.shoot(whole)) == "lost: it damaged the file that JCPROF_REPORT names");
    CHECK(place.shoot(at_second_3).outcome == Outcome::stopped);
  }
}

TEST_CASE("a program that closes its input is measured like any other") {
  Place place({"close"});
  place.setup.trigger.input = "{input}";
  place.target().set_inputs({{1, 2, 3}});
  CHECK(place.shoot(whole).outcome == Outcome::ended);
}

TEST_CASE("standard input holds the input's bytes, a file, or nothing") {
  Place bytes({"cat"});
  bytes.setup.trigger.input = "{input}";
  bytes.target().set_inputs({{'o', 'n', 'e'}, {}, {'3'}});
  CHECK(reply(bytes.shoot(whole)) == "one");
  CHECK(reply(bytes.shoot({.stop = {}, .input = 2})) == "3");
  CHECK(reply(bytes.shoot({.stop = {}, .input = 1})).empty());
  Place file({"cat"});
  write_file(file.folder / "data-0a.txt", "in a file");
  file.setup.trigger.input = "data-{input}.txt";
  file.target().set_inputs({{10}});
  CHECK(reply(file.shoot(whole)) == "in a file");
  CHECK(reply(file.shoot(whole)) == "in a file");
  Place nothing({"cat"});
  CHECK(reply(nothing.shoot(whole)).empty());
}

TEST_CASE("arguments hold the input in hex, and the program runs where it is told to") {
  Place place({"arguments=<{input}> in "});
  fs::create_directories(place.folder / "sub");
  place.setup.trigger.cwd = "{tree}/sub";
  place.target().set_inputs({{0x0a, 0xff}});
  CHECK(reply(place.shoot(whole)) == "<0aff> in " + fs::canonical(place.folder / "sub").string());
}

TEST_CASE("scripts run once, and around each shot") {
  Place place;
  const std::string log = (place.folder / "log").string();
  const auto say = [&](const std::string& what) {
    return Script{RunStep{{"sh", "-c", "echo \"$0\" >> " + log, what}}, WaitStep{1ms}};
  };
  place.setup.session.once = say("once");
  place.setup.session.before_each = say("before {input}");
  place.setup.session.after_each = say("after");
  place.target().set_inputs({{0x0a}});
  place.shoot(whole);
  place.shoot(at_second_3);
  CHECK(read_file(log) == "once\nbefore 0a\nafter\nbefore 0a\nafter\n");
}

TEST_CASE("a script that fails ends the run") {
  Place place;
  place.setup.session.before_each = {RunStep{{"sh", "-c", "echo no such table; exit 4"}}};
  CHECK(fault_text([&] { place.shoot(whole); }) ==
        "step 1 of \"before_each\" failed with status 4: sh -c echo no such table; exit 4\nno such table\n"
        "hint: its output is in " +
            (place.folder / "logs/session.log").string());
}

TEST_CASE("what programs complain of goes to a log") {
  Place place({"complain=twice"});
  place.shoot(whole);
  place.shoot(at_second_3);
  CHECK(read_file(place.folder / "logs/exec.log") == "to itself\ntwice\nto itself\ntwice\n");
}

TEST_CASE("processor time leaves out what a program waits for") {
  Place place;
  place.setup.trigger.run = {"sh", "-c", "\"$0\" 1; sleep 1", JCPROF_FAKE_PROGRAM};
  CHECK(place.shoot(whole).ticks >= 1'000'000'000);
  Place cpu;
  cpu.setup.trigger = place.setup.trigger;
  cpu.setup.trigger.clock = ProgramClock::cpu;
  const Ticks ticks = cpu.shoot(whole).ticks;
  CHECK(ticks > 0);
  CHECK(ticks < 500'000'000);
}

TEST_CASE("a whole run tells the part of its processor time that other threads take") {
  std::int64_t scheduled = 0;
  if (!(std::ifstream("/proc/self/schedstat") >> scheduled) || scheduled == 0) {
    WARN("SKIPPED: the kernel does not say how long a thread ran");
    return;
  }
  const auto part_of = [](std::vector<std::string> work) {
    return Place(std::move(work)).shoot(whole).other_threads;
  };
  CHECK(part_of({"compute"}) < 0.05);
  CHECK(part_of({"compute", "child"}) < 0.05);
  CHECK(part_of({"thread"}) > 0.7);
  const double half = part_of({"compute", "thread"});  // of work; one of them may run at another speed
  CHECK(half > 0.1);
  CHECK(half < 0.9);
}

TEST_CASE("a program of another build is refused") {
  Place place({"build"});
  CHECK(fault_text([&] { place.shoot(whole); }) ==
        "the program is build 00001234, traps.json is of build 0000001b\n"
        "hint: build what jcprof-gen wrote last: \"jcprof profile\" does all of it");
}

TEST_CASE("a program that carries no traps, or does not come to its entry, is told from one that does") {
  Place place({"early"});
  CHECK_THAT(fault_text([&] { place.shoot(whole); }),
             Catch::StartsWith("the program ended with status 7 and did not get as far as the entry\n"));
  Place other;
  other.setup.trigger.run = {"sh", "-c", "echo what is a report >&2"};
  CHECK_THAT(fault_text([&] { other.shoot(whole); }),
             Catch::StartsWith("the program ended with status 0 and did not get as far as the entry; it said "
                               "\"what is a report\"\n"));
}

TEST_CASE("what cannot be started is named") {
  const auto with = [](const std::string& program, const std::string& cwd) {
    Place place;
    place.setup.trigger.run = {program};
    place.setup.trigger.cwd = cwd;
    return fault_text([&] { place.shoot(whole); });
  };
  CHECK(with("no-such-program", "/") ==
        "cannot start \"no-such-program\": it is not in PATH\n"
        "hint: a program that \"build\" makes is named with its folder, such as \"{out}/app\"");
  CHECK(with("./no-such-program", "/") ==
        "cannot start \"/no-such-program\": No such file or directory\n"
        "hint: \"run\" in \"trigger\" names what \"build\" makes of {tree}");
  CHECK(with("/etc/passwd", "/") ==
        "cannot start \"/etc/passwd\": Permission denied\n"
        "hint: \"run\" in \"trigger\" names what \"build\" makes of {tree}");
  CHECK(with("true", "/no/such") ==
        "cannot enter \"/no/such\": No such file or directory\n"
        "hint: \"cwd\" in \"trigger\" says where the program runs");
}

TEST_CASE("the environment is passed on, but for what arms traps") {
  Place place;
  ::setenv("JCPROF_TRAP", "2", 1);
  ::setenv("JCPROF_TEST", "seen", 1);
  place.setup.trigger.run = {"sh", "-c", "echo $JCPROF_TEST,$JCPROF_TRAP; exec \"$0\" '1 2'",
                             JCPROF_FAKE_PROGRAM};
  CHECK(reply(place.shoot(whole)) == "seen,\n");
  ::unsetenv("JCPROF_TRAP");
  ::unsetenv("JCPROF_TEST");
}

TEST_CASE("a shot waits as long as it is told before the clock starts") {
  Place place;
  place.shoot(whole);
  const auto begin = std::chrono::steady_clock::now();
  const Sample sample = place.shoot({.stop = {}, .input = 0, .delay_ns = 2'000'000'000});
  CHECK(std::chrono::steady_clock::now() - begin >= 2s);
  CHECK(sample.ticks < 2'000'000'000);
}

}  // namespace
}  // namespace jcprof::harness
