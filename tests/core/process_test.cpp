// SPDX-License-Identifier: Apache-2.0
#include "src/core/process.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "src/core/cancellation.hpp"
#include "src/core/file.hpp"
#include "tests/core/fault_text.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof {
namespace {

using namespace std::chrono_literals;
using test::fault_text;
using test::TemporaryFolder;
using Clock = std::chrono::steady_clock;

Command shell(const TemporaryFolder& folder, const std::string& script) {
  return {.argv = {"sh", "-c", script}, .cwd = folder.path()};
}

bool becomes_true(const std::function<bool()>& condition) {
  const auto deadline = Clock::now() + 10s;
  while (!condition() && Clock::now() < deadline) std::this_thread::sleep_for(5ms);
  return condition();
}

/// A process that was killed may still be a zombie of init's.
bool is_running(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  return !text.empty() && text[text.rfind(')') + 2] != 'Z';
}

/// The number that a script wrote, once it has.
pid_t pid_in(const std::filesystem::path& file) {
  REQUIRE(becomes_true([&] { return std::filesystem::exists(file) && read_file(file).ends_with('\n'); }));
  return std::stoi(read_file(file));
}

TEST_CASE("a program that ends hands over status, output and log, both streams in order") {
  const TemporaryFolder folder;
  const ProcessResult result =
      run_and_wait(shell(folder, "echo one; echo two >&2; pwd; exit 7"), {folder / "logs/step.log"}, 10s);
  const std::string output = "one\ntwo\n" + std::filesystem::canonical(folder.path()).string() + "\n";
  CHECK(result.exit_status == 7);
  CHECK_FALSE(result.timed_out);
  CHECK(result.tail == output);
  CHECK(read_file(folder / "logs/step.log") == output);
}

TEST_CASE("a signal ends a program with 128 and its number") {
  const TemporaryFolder folder;
  CHECK(run_and_wait(shell(folder, "kill -SEGV $$"), {}, 10s).exit_status == 128 + SIGSEGV);
}

TEST_CASE("arguments arrive as they are, standard input is empty, the environment is added to") {
  const TemporaryFolder folder;
  Command command = shell(folder, "printf '%s|' \"$@\"; cat; echo \"$JCPROF_X,$HOME\"");
  command.argv.insert(command.argv.end(), {"sh", "$(date)", "a b", "*"});
  command.environment = {{"JCPROF_X", "x y"}, {"HOME", "/nowhere"}};
  CHECK(run_and_wait(command, {}, 10s).tail == "$(date)|a b|*|x y,/nowhere\n");
}

TEST_CASE("a program that is not there is named, as a matter of the environment") {
  const TemporaryFolder folder;
  const Command command{.argv = {"no-such-javac", "-g"}, .cwd = folder.path()};
  CHECK(fault_text([&] { run_and_wait(command, {}, 1s); }) ==
        "cannot start \"no-such-javac\": No such file or directory\nhint: is it installed, and in PATH?");
  try {
    run_and_wait(command, {}, 1s);
    FAIL("started");
  } catch (const UserError& error) {
    CHECK(error.exit_code() == ExitCode::environment);
  }
}

TEST_CASE("a folder that is not there, or a file without the right to run it, is named") {
  const TemporaryFolder folder;
  write_file(folder / "plain", "x");
  CHECK(fault_text([] { run_and_wait({.argv = {"true"}, .cwd = "/no/such"}, {}, 1s); }) ==
        "cannot enter \"/no/such\": No such file or directory\n"
        "hint: jcprof wanted to run \"true\" there");
  CHECK(fault_text([&] { run_and_wait({.argv = {"./plain"}, .cwd = folder.path()}, {}, 1s); }) ==
        "cannot start \"./plain\": Permission denied");
}

TEST_CASE("a program that takes too long is killed with its children") {
  const TemporaryFolder folder;
  const auto begin = Clock::now();
  const ProcessResult result =
      run_and_wait(shell(folder, "sleep 1000 & echo $! > pid; echo started; wait"), {}, 500ms);
  CHECK(result.timed_out);
  CHECK(result.exit_status == 128 + SIGKILL);
  CHECK(result.tail == "started\n");
  CHECK(Clock::now() - begin < 10s);
  const pid_t grandchild = pid_in(folder / "pid");
  CHECK(becomes_true([&] { return !is_running(grandchild); }));
}

TEST_CASE("a grandchild that stays behind does not keep us waiting, and is killed") {
  const TemporaryFolder folder;
  const auto begin = Clock::now();
  const ProcessResult result = run_and_wait(shell(folder, "sleep 1000 & echo $! > pid; echo done"), {}, 60s);
  CHECK(result.exit_status == 0);
  CHECK(result.tail == "done\n");
  CHECK(Clock::now() - begin < 20s);
  const pid_t grandchild = pid_in(folder / "pid");
  CHECK(becomes_true([&] { return !is_running(grandchild); }));
}

TEST_CASE("a grandchild that left the group and floods the pipe does not keep us waiting") {
  const TemporaryFolder folder;
  const auto begin = Clock::now();
  const ProcessResult result = run_and_wait(
      shell(folder, "setsid sh -c 'echo $$ > pid; exec yes' & while [ ! -s pid ]; do :; done"), {}, 60s);
  CHECK(result.exit_status == 0);
  CHECK(Clock::now() - begin < 20s);
  const pid_t grandchild = pid_in(folder / "pid");
  // The pipe is closed now, so that `yes` ends by itself.
  CHECK(becomes_true([&] { return !is_running(grandchild); }));
}

TEST_CASE("a flood of output fills the log to its bound and no further") {
  const TemporaryFolder folder;
  const ProcessResult result =
      run_and_wait(shell(folder, "yes 0123456789 | head -c 20000000; echo; echo last"),
                   {.file = folder / "log", .keep_bytes = 1000}, 60s);
  CHECK(result.exit_status == 0);
  CHECK(result.tail.size() <= 4096);
  CHECK(result.tail.starts_with("0123456789\n"));
  CHECK(result.tail.ends_with("\nlast\n"));
  const std::string log = read_file(folder / "log");
  CHECK(log.substr(990) == "0123456789\n[jcprof: the rest of the output was dropped]\n");
}

TEST_CASE("a background program is waited for by what it says") {
  const TemporaryFolder folder;
  BackgroundProcess process(shell(folder, "echo rea; sleep 0.1; printf 'ready on port 1'; exec sleep 1000"),
                            {folder / "log"});
  CHECK(process.wait_for_output("ready on", 10s));
  CHECK(process.wait_for_output("rea\n", 10s));  // long said
  CHECK_FALSE(process.wait_for_output("never", 50ms));
  CHECK_FALSE(process.ended());
  process.stop();
  CHECK(process.ended() == 128 + SIGTERM);
  CHECK(process.tail() == "rea\nready on port 1");
}

TEST_CASE("waiting ends when the background program does") {
  const TemporaryFolder folder;
  BackgroundProcess process(shell(folder, "echo no; exit 3"), {});
  const auto begin = Clock::now();
  CHECK_FALSE(process.wait_for_output("yes", 60s));
  CHECK(Clock::now() - begin < 20s);
  CHECK(becomes_true([&] { return process.ended() == 3; }));
}

TEST_CASE("a background program that ignores SIGTERM is killed after the grace time") {
  const TemporaryFolder folder;
  BackgroundProcess process(shell(folder, "trap '' TERM; echo up; while :; do sleep 0.05; done"), {});
  REQUIRE(process.wait_for_output("up", 10s));
  process.stop(50ms);
  CHECK(process.ended() == 128 + SIGKILL);
}

TEST_CASE("nothing is left of a background program when its object goes") {
  const TemporaryFolder folder;
  {
    BackgroundProcess process(shell(folder, "sleep 1000 & echo $! > pid; wait"), {});
    pid_in(folder / "pid");
  }
  const pid_t grandchild = pid_in(folder / "pid");
  CHECK(becomes_true([&] { return !is_running(grandchild); }));
}

/// Asks for the end of whatever waits, until it goes.
class Asked {
 public:
  explicit Asked(int signal) { cancellation().ask(signal); }
  ~Asked() { cancellation().forget(); }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;
};

// Leaves group and session, twice, and has no parent any more when it writes its number.
constexpr auto escape =
    "setsid sh -c 'setsid sh -c \"echo \\$\\$ > pid; exec sleep 1000\" &' & while [ ! -s pid ]; do :; done";

TEST_CASE("a program that leaves group and session does not escape when the step ends, or is late") {
  for (const std::string after : {"; echo done", "; exec sleep 1000"}) {
    const TemporaryFolder folder;
    const ProcessResult result = run_and_wait(shell(folder, escape + after), {}, 2s);
    CHECK(result.timed_out == after.ends_with("1000"));
    CHECK_FALSE(is_running(pid_in(folder / "pid")));
  }
}

TEST_CASE("a program that leaves group and session does not escape when a background program is stopped") {
  const TemporaryFolder folder;
  BackgroundProcess process(shell(folder, std::string(escape) + "; echo up; exec sleep 1000"), {});
  REQUIRE(process.wait_for_output("up", 10s));
  const pid_t escaped = pid_in(folder / "pid");
  CHECK(is_running(escaped));
  process.stop();
  CHECK_FALSE(is_running(escaped));
}

TEST_CASE("a step is ended when somebody asks, by SIGTERM first, and with all that it started") {
  const TemporaryFolder folder;
  std::thread other([&] {
    pid_in(folder / "ready");
    cancellation().ask(SIGINT);
  });
  const auto begun = Clock::now();
  CHECK_THROWS_AS(
      run_and_wait(
          shell(folder,
                std::string(escape) +
                    "; trap 'echo told > told; exit' TERM; echo $$ > ready; while :; do sleep 0.02; done"),
          {}, 60s),
      Cancelled);
  CHECK(Clock::now() - begun < 10s);
  other.join();
  cancellation().forget();
  CHECK(read_file(folder / "told") == "told\n");
  CHECK_FALSE(is_running(pid_in(folder / "pid")));
}

TEST_CASE("what ignores SIGTERM takes its grace time once, however many there are") {
  const TemporaryFolder folder;
  std::vector<std::unique_ptr<BackgroundProcess>> stubborn;
  for (int i = 0; i < 4; ++i) {
    stubborn.push_back(std::make_unique<BackgroundProcess>(
        shell(folder, "trap '' TERM; echo up; while :; do sleep 0.05; done"), LogPolicy{}));
    REQUIRE(stubborn.back()->wait_for_output("up", 10s));
  }
  const Asked asked(SIGTERM);
  const auto begun = Clock::now();
  stubborn.clear();
  CHECK(Clock::now() - begun < 1500ms);
}

TEST_CASE("waiting for a greeting ends when somebody asks") {
  const TemporaryFolder folder;
  BackgroundProcess process(shell(folder, "exec sleep 1000"), {});
  const Asked asked(SIGTERM);
  CHECK_THROWS_AS(process.wait_for_output("never", 60s), Cancelled);
}

TEST_CASE("nothing is left of a background program, nor of its children, when we are killed") {
  const TemporaryFolder folder;
  const pid_t us = ::fork();
  if (us == 0) {
    const BackgroundProcess process(
        shell(folder, "echo $$ > child; setsid sleep 1000 & echo $! > grandchild; wait"), {});
    std::this_thread::sleep_for(60s);
    ::_exit(0);
  }
  const pid_t child = pid_in(folder / "child");
  const pid_t grandchild = pid_in(folder / "grandchild");
  CHECK(is_running(child));
  CHECK(is_running(grandchild));
  ::kill(us, SIGKILL);
  ::waitpid(us, nullptr, 0);
  CHECK(becomes_true([&] { return !is_running(child) && !is_running(grandchild); }));
}

}  // namespace
}  // namespace jcprof
