// SPDX-License-Identifier: Apache-2.0
// SIGINT, SIGTERM, SIGHUP and --max-time in every phase: how soon, with which exit code, and what is left.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "src/core/store.hpp"
#include "tests/core/temporary_folder.hpp"
#include "tests/support/processes.hpp"
#include "tests/support/slowdown.hpp"

namespace jcprof {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr auto promised = 2s;  // docs/safety.md

constexpr const char* applet = R"(package a;
public class A extends javacard.framework.Applet {
  public void process(javacard.framework.APDU apdu) {
    short n = 0;
    n++;
    n += 2;
    n += 3;
  }
}
)";

bool becomes_true(const std::function<bool()>& condition) {
  for (const auto deadline = Clock::now() + 120s; Clock::now() < deadline; std::this_thread::sleep_for(5ms))
    if (condition()) return true;
  return false;
}

/// A project whose agent does what a test wants, and jcprof on it, which no guard of the test's cleans up
/// for.
class Bench {
 public:
  Bench() { write_file(folder_ / "p/src/A.java", applet); }
  ~Bench() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    for (const pid_t left : processes()) ::kill(left, SIGKILL);
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  fs::path operator/(const std::string& name) const { return folder_ / name; }

  /// What all of a test's processes have in their command line, and leave behind them: a program that no
  /// group or session holds.
  std::string escaping(const std::string& then) const {
    return fmt::format("setsid sh -c 'sleep 1000; : {0}' & {1} : {0}", folder_.path().string(), then);
  }

  /// An agent that writes "1 0" into `memory` when its fault has come.
  void write_project(json options, const json& more = json::object()) {
    options["memory"] = (folder_ / "memory").string();
    // It goes by the folder's name, so that it can be found.
    const std::string script =
        "#!/bin/sh\n" + escaping("exec " JCPROF_FAULTY_AGENT " '" + options.dump() + "'") + "\n";
    write_file(folder_ / "agent", script);
    fs::permissions(folder_ / "agent", fs::perms::owner_all);
    json project{{"format", "jcprof-project"},
                 {"version", 1},
                 {"name", "ending"},
                 {"target", "applet"},
                 {"sources", {"src/*.java"}},
                 {"entry", "A.process"},
                 {"transport", "agent:" + (folder_ / "agent").string()},
                 {"trigger", {{"apdu", "B0310000"}}}};
    project.update(more);
    write_file(folder_ / "p/jcprof.json", project.dump());
  }

  void generate() {
    start({"jcprof-gen", "p", "-q"});
    REQUIRE(ends() == 0);
  }

  void start(std::vector<std::string> argv) {
    argv.front() = JCPROF_BIN_DIR "/" + argv.front();
    for (std::string& argument : argv)
      if (argument == "p") argument = (folder_ / "p").string();
    std::vector<char*> pointers;
    for (std::string& argument : argv) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    const std::string said = (folder_ / "said").string();
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::setpgid(0, 0);
    const int output = ::open(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    ::setenv("JCPROF_YES", "1", 1);
    ::setenv("PCSCLITE_CSOCK_NAME", "/nowhere/pcscd.comm", 1);
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }

  void wait_for_fault() const {
    REQUIRE(becomes_true([&] {
      std::error_code none;
      return fs::exists(folder_ / "memory", none) && read_file(folder_ / "memory").ends_with(" 0");
    }));
  }

  void send(int signal) {
    asked_ = Clock::now();
    ::kill(pid_, signal);
  }

  /// The exit code; -signal where one ended it.
  int ends() {
    int status = 0;
    REQUIRE(becomes_true([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; }));
    took_ = Clock::now() - asked_;
    pid_ = -1;
    INFO(said());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  Clock::duration took() const { return took_; }
  std::string said() const { return read_file(folder_ / "said"); }

  std::vector<pid_t> processes() const {
    std::vector<pid_t> found;
    for (const auto& [pid, line] : test::command_lines())
      if (line.find(folder_.path().string()) != std::string::npos) found.push_back(pid);
    return found;
  }

  /// Within the time that is promised, longer by as much as the machine is busy, with 128 and the signal, and
  /// nothing is left.
  void ends_on(int signal) {
    const auto allowed = promised * test::slowdown();
    CHECK(processes().size() > 1);
    send(signal);
    CHECK(ends() == 128 + signal);
    CHECK(took() < allowed);
    CHECK(becomes_true([&] { return processes().empty() || Clock::now() - asked_ > allowed; }));
    CHECK(processes().empty());
  }

  std::string ask(const std::string& sql) const {
    return query(folder_ / "p/jcprof-out/profile.jcprof", sql).rows.at(0).at(0).value_or("");
  }

 private:
  test::TemporaryFolder folder_;
  pid_t pid_ = -1;
  Clock::time_point asked_ = Clock::now();
  Clock::duration took_{};
};

TEST_CASE("SIGINT, SIGTERM and SIGHUP end first contact, tracing and calibration where the agent hangs") {
  const std::vector<std::pair<std::string, int>> cases{{"hello_hangs", SIGINT},
                                                       {"measure_hangs", SIGTERM},
                                                       {"trace_hangs", SIGINT},
                                                       {"calibrate_hangs", SIGTERM},
                                                       {"calibrate_hangs", SIGHUP}};
  for (const auto& [fault, signal] : cases) {
    Bench bench;
    INFO(fault);
    bench.write_project({{"fault", fault}});
    bench.generate();
    bench.start({"jcprof-run", "p", "-q"});
    bench.wait_for_fault();
    bench.ends_on(signal);
  }
}

TEST_CASE("SIGINT and SIGTERM end warm-up and rounds, keep the samples, and the next run goes on") {
  for (const auto& [shot, signal] : {std::pair(10, SIGTERM), std::pair(400, SIGINT)}) {
    Bench bench;
    bench.write_project({{"fault", "shot_hangs"}, {"shot", shot}});
    bench.generate();
    bench.start({"jcprof-run", "p", "--rounds", "2000"});
    bench.wait_for_fault();
    bench.ends_on(signal);
    CHECK(bench.ask("SELECT state FROM run") == "interrupted");
    CHECK(std::stoi(bench.ask("SELECT count(*) FROM sample")) >= shot - 2);
    CHECK(std::stoi(bench.ask("SELECT count(*) FROM calibration")) > 0);
  }
}

TEST_CASE("a signal ends the session under way, and the same command resumes it and makes the others") {
  Bench bench;
  bench.write_project({{"fault", "shot_hangs"}, {"shot", 40}});
  bench.generate();
  const std::vector<std::string> command{"jcprof", "run", "p", "--rounds", "6", "--sessions", "2"};
  bench.start(command);
  bench.wait_for_fault();
  bench.ends_on(SIGTERM);
  CHECK_THAT(bench.said(), Catch::EndsWith("the same command, without --fresh, resumes\n"));
  const fs::path first = bench / "p/jcprof-out/sessions/1/profile.jcprof";
  const auto ask = [&](const std::string& sql) { return query(first, sql).rows.at(0).at(0).value_or(""); };
  CHECK(ask("SELECT state FROM run") == "interrupted");
  CHECK(std::stoi(ask("SELECT count(*) FROM sample")) >= 38);
  const std::string begun = ask("SELECT started FROM run");
  bench.start(command);
  CHECK(bench.ends() == 0);
  CHECK(ask("SELECT group_concat(state || started) FROM run") == "complete" + begun);
  CHECK(fs::exists(bench / "p/jcprof-out/sessions/2/profile.jcprof"));
}

TEST_CASE("a calibration that was broken off is made again") {
  Bench bench;
  bench.write_project({{"fault", "calibrate_hangs"}});
  bench.generate();
  bench.start({"jcprof-run", "p", "-q"});
  bench.wait_for_fault();
  bench.ends_on(SIGINT);
  CHECK(bench.ask("SELECT count(*) FROM calibration") == "0");
  bench.write_project({});
  bench.start({"jcprof-run", "p", "-q", "--rounds", "2"});
  CHECK(bench.ends() == 0);
  CHECK(std::stoi(bench.ask("SELECT count(*) FROM calibration")) > 0);
}

TEST_CASE("tracing in small windows ends on a signal, and when --max-time is over, and stores nothing") {
  const json slow{{"window", 1}, {"trace_ms", 50}, {"path", std::vector<int>(1000, 1)}};
  Bench bench;
  bench.write_project(slow);
  bench.generate();
  bench.start({"jcprof-run", "p", "-q", "--max-time", "1s"});
  CHECK(bench.ends() == 2);
  CHECK(bench.said() ==
        "--max-time ended before the first round: after 1 s, in phase \"path\"\n"
        "hint: allow more time, or set fewer traps: a coarser \"level\" in \"profile\" of jcprof.json\n");
  CHECK(bench.took() < 10s * test::slowdown());
  CHECK(bench.processes().empty());
  CHECK(bench.ask("SELECT count(*) FROM run") == "0");
  fs::remove(bench / "memory");
  bench.start({"jcprof-run", "p", "-q"});
  REQUIRE(becomes_true([&] { return fs::exists(bench / "memory"); }));
  bench.ends_on(SIGTERM);
  CHECK(bench.ask("SELECT count(*) FROM run") == "0");
}

TEST_CASE("SIGTERM to jcprof profile ends what it runs: a build step, and the run with its agent") {
  Bench bench;
  const std::string step = bench.escaping("touch " + (bench / "ready").string() + "; sleep 1000;");
  bench.write_project({{"fault", "shot_hangs"}, {"shot", 40}},
                      {{"build", {{{"run", {"sh", "-c", step}}, {"cwd", "{tree}"}}}}});
  bench.start({"jcprof", "profile", "p"});
  REQUIRE(becomes_true([&] { return fs::exists(bench / "ready"); }));
  bench.ends_on(SIGTERM);
  bench.write_project({{"fault", "shot_hangs"}, {"shot", 40}});
  bench.start({"jcprof", "profile", "p"});
  bench.wait_for_fault();
  bench.ends_on(SIGTERM);
  CHECK(std::stoi(bench.ask("SELECT count(*) FROM sample")) >= 38);
}

TEST_CASE("what waits for a daemon, or for a card, ends too, and with it what was started") {
  for (const char* transport : {"pcsc:", "vpcd:"}) {
    Bench bench;
    INFO(transport);
    const std::string device =
        bench.escaping(fmt::format("touch {}; sleep 1000;", (bench / "ready").string()));
    bench.write_project({}, {{"transport", transport}, {"start", {{"run", {"sh", "-c", device}}}}});
    bench.generate();
    bench.start({"jcprof-run", "p", "-q"});
    REQUIRE(becomes_true([&] { return fs::exists(bench / "ready"); }));
    bench.ends_on(SIGTERM);
  }
}

TEST_CASE("nothing outlives a jcprof that is killed, wherever it went") {
  Bench bench;
  bench.write_project({{"fault", "shot_hangs"}, {"shot", 10}});
  bench.generate();
  bench.start({"jcprof-run", "p", "-q"});
  bench.wait_for_fault();
  CHECK(bench.processes().size() > 2);
  bench.send(SIGKILL);
  CHECK(bench.ends() == -SIGKILL);
  CHECK(becomes_true([&] { return bench.processes().empty(); }));
}

TEST_CASE("a limit on the size of files is an error with a way out, and what was committed stays") {
  Bench bench;
  bench.write_project({});
  bench.generate();
  bench.start({"jcprof-run", "p", "-q", "--rounds", "4"});
  REQUIRE(bench.ends() == 0);
  const std::string samples = bench.ask("SELECT count(*) FROM sample");
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  rlimit limit = before;
  limit.rlim_cur = fs::file_size(bench / "p/jcprof-out/profile.jcprof") + 20'000;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  bench.start({"jcprof-run", "p", "-q", "--rounds", "4000"});
  ::setrlimit(RLIMIT_FSIZE, &before);
  CHECK(bench.ends() == 3);
  CHECK_THAT(bench.said(), Catch::Contains("ulimit -f"));
  CHECK(std::stoi(bench.ask("SELECT count(*) FROM sample")) >= std::stoi(samples));
  CHECK(bench.processes().empty());
}

}  // namespace
}  // namespace jcprof
