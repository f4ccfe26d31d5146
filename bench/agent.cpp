// SPDX-License-Identifier: Apache-2.0
// Batches of shots through an agent against a bare echo of the same lines through a pipe.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "harness/agent/transport.hpp"
#include "programs/main_guard.hpp"
#include "src/core/error.hpp"
#include "src/engine/statistics.hpp"

namespace {

using namespace jcprof;
using namespace jcprof::harness;
using Clock = std::chrono::steady_clock;

constexpr std::size_t batch = 256;
constexpr double bar = 0.5;
// A machine shared with others; where it is missed by this much something is wrong with the code.
constexpr double failing = 0.35;

constexpr std::string_view sample =
    R"("n":{},"sample":{{"outcome":"stopped","trap":17,"hit":2,"ticks":48211,"signature":1838293}}}})";

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = ::write(STDOUT_FILENO, text.data(), text.size());
    if (size <= 0) std::exit(1);
    text.remove_prefix(static_cast<std::size_t>(size));
  }
}

/// The quickest agent there can be: knows its answers, and writes each as a line of its own.
int answer() {
  for (std::string line; std::getline(std::cin, line);) {
    const std::string id = line.substr(0, line.find(','));
    if (line.find("\"hello\"") != std::string::npos) {
      write_all(id + fmt::format(R"(,"ok":{{"protocol":1,"agent":"bench/1","device":"none","simulated":true,)"
                                 R"("clock":{{"name":"none","unit":"ns"}},"max_batch":{},"can":[]}}}})"
                                 "\n",
                                 batch));
      continue;
    }
    const auto shots = static_cast<std::size_t>(std::ranges::count(line, '}')) - 1;
    for (std::size_t n = 0; n < shots; ++n) write_all(id + "," + fmt::format(fmt::runtime(sample), n) + "\n");
    write_all(id + ",\"ok\":{}}\n");
  }
  return 0;
}

/// Each line back as it came, as a line of its own.
int echo() {
  for (std::string line; std::getline(std::cin, line);) write_all(line + "\n");
  return 0;
}

double seconds_of(const std::function<void()>& work) {
  const Clock::time_point begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Command self(const std::string& mode) {
  return {.argv = {own_executable().string(), mode}, .cwd = std::filesystem::current_path()};
}

/// The lines out at once and back one by one, with nothing looked at.
class Echo {
 public:
  void run() {
    for (std::size_t n = 0; n < batch; ++n)
      echo_.send(R"({"id":1000,)" + fmt::format(fmt::runtime(sample), n) + "\n");
    for (std::size_t n = 0; n < batch; ++n)
      check(echo_.read_line(Clock::now() + std::chrono::seconds{10}).state == LineState::read,
            "the echo answers");
  }

 private:
  AgentProcess echo_{self("--echo"), {}};
};

class Agent {
 public:
  void run() {
    std::size_t taken = 0;
    transport_->measure(shots_, [&](const Shot&, const Sample& got) {
      taken += got.outcome == Outcome::stopped ? 1 : 0;
      return true;
    });
    check(taken == batch, "the agent answers each shot");
  }

 private:
  std::vector<Shot> shots_ = std::vector<Shot>(batch, Shot{.stop = {.trap = TrapId{17}, .hit = 2}});
  std::unique_ptr<Transport> transport_ =
      make_agent_transport({.settings = {.command = self("--answer")}, .traps = 17}, nullptr);
};

ExitCode compare(int rounds) {
  Echo echo;
  Agent agent;
  echo.run();
  agent.run();
  std::vector<double> ratios;
  std::vector<double> ours;
  std::vector<double> bare;
  for (int round = 0; round < rounds; ++round) {
    // Turn about, so that neither always comes behind the other.
    const double first = round % 2 == 0 ? seconds_of([&] { echo.run(); }) : seconds_of([&] { agent.run(); });
    const double second = round % 2 == 0 ? seconds_of([&] { agent.run(); }) : seconds_of([&] { echo.run(); });
    bare.push_back(batch / (round % 2 == 0 ? first : second));
    ours.push_back(batch / (round % 2 == 0 ? second : first));
    ratios.push_back(ours.back() / bare.back());
  }
  const double ratio = engine::median(ratios);
  std::ranges::sort(ratios);
  fmt::print("shots per second: medians of {} pairs of {} shots\n", rounds, batch);
  fmt::print("agent, batches | {:7.0f}\nbare echo      | {:7.0f}\n", engine::median(ours),
             engine::median(bare));
  fmt::print("ratio          | {:7.2f}   pairs from {:.2f} to {:.2f}\n", ratio, ratios.front(),
             ratios.back());
  fmt::print("bar            | {:7.2f}   {}\n", bar, ratio >= bar ? "met" : "MISSED");
  return ratio >= failing ? ExitCode::done : ExitCode::check_failed;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && argv[1] == std::string_view("--answer")) return answer();
  if (argc == 2 && argv[1] == std::string_view("--echo")) return echo();
  CLI::App app{"Batches of shots through an agent against a bare echo of the same lines.", "bench-agent"};
  int rounds = 200;
  app.add_option("--rounds", rounds, "pairs of batches")->check(CLI::Range(1, 100'000));
  CLI11_PARSE(app, argc, argv);
  return jcprof::cli::guarded([&] { return compare(rounds); });
}
