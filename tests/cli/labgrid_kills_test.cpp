// SPDX-License-Identifier: Apache-2.0
// Kills at random moments: of an agent, of its ssh, of the jcprof of a device, of the whole jcprof, and of
// the coordinator. No sample that was committed is lost, no place stays taken, and the next call goes on.
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "tests/cli/lab.hpp"

namespace jcprof {
namespace {

using namespace std::chrono_literals;
using test::Lab;
using test::LabBench;

constexpr std::array devices{"x", "y"};

/// From the environment, or else this one.
unsigned chosen(const char* variable, unsigned usual) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? static_cast<unsigned>(std::stoul(text)) : usual;
}

struct Trial {
  Lab& lab;
  const LabBench& bench;
  std::mt19937& random;

  bool kill_one(const std::string& with) const {
    const std::vector<pid_t> found = lab.processes_with(with);
    if (found.empty()) return false;
    ::kill(found.at(random() % found.size()), SIGKILL);
    return true;
  }

  /// In words.
  std::string kill_something(const test::StartedAlone& run) const {
    switch (random() % 5) {
      case 0:
        kill_one(JCPROF_FAULTY_AGENT);
        return "an agent";
      case 1:
        kill_one("lg-ssh-");
        return "an ssh";
      case 2:
        kill_one(fmt::format("--as-device {}", devices.at(random() % devices.size())));
        return "the jcprof of a device";
      case 3:
        run.signal(SIGKILL);
        return "jcprof";
      default:
        lab.stop_coordinator();
        std::this_thread::sleep_for(std::chrono::milliseconds{random() % 2000});
        lab.start_coordinator();
        return "the coordinator";
    }
  }

  void make(int number) const {
    test::StartedAlone run =
        bench.start_alone({"run", ".", "--devices", "devices.json", "--rounds", "1000000"});
    // Some come while places are taken, more while both devices are measured.
    if (number % 3 != 0)
      for (const char* device : devices)
        bench.wait_for_rounds(static_cast<int>(bench.count(test::last_round, device)) + 1, device);
    std::this_thread::sleep_for(std::chrono::milliseconds{500 + random() % 6000});
    const std::string what = kill_something(run);
    std::array<long, 2> before{};
    for (std::size_t i = 0; i < devices.size(); ++i) before.at(i) = bench.count(test::samples, devices.at(i));
    std::this_thread::sleep_for(std::chrono::milliseconds{random() % 2000});
    run.signal(SIGTERM);
    const int status = run.status();
    std::cout << fmt::format("kill {}: {}, at {} and {} samples, ended with {}", number, what, before[0],
                             before[1], status)
              << std::endl;
    INFO(what);
    CHECK(lab.becomes_free());
    CHECK(test::becomes_true([&] { return lab.client({"reservations"}).empty(); }, 150s));
    for (std::size_t i = 0; i < devices.size(); ++i)
      CHECK(bench.count(test::samples, devices.at(i)) >= before.at(i));
  }
};

TEST_CASE("kills at random moments lose no sample and no place of labgrid", "[real]") {
  JCPROF_NEEDS_LAB();
  const unsigned seed = chosen("JCPROF_TEST_SEED", 1);
  const unsigned kills = chosen("JCPROF_TEST_KILLS", 5);
  std::cout << "seed " << seed << std::endl;
  std::mt19937 random(seed);
  Lab lab;
  const LabBench bench("labgrid:desk-a " + LabBench::agent());
  bench.list({{"x", "labgrid:desk-a " + LabBench::agent()}, {"y", "labgrid:?rack=b " + LabBench::agent()}});
  const Trial trial{lab, bench, random};
  for (unsigned i = 1; i <= kills; ++i) trial.make(static_cast<int>(i));
  const long rounds =
      std::max(bench.count(test::last_round, devices[0]), bench.count(test::last_round, devices[1])) + 4;
  const ProcessResult last =
      bench.run({"run", ".", "--devices", "devices.json", "--rounds", std::to_string(rounds)});
  INFO(last.tail);
  CHECK(last.exit_status == 0);
  for (const char* device : devices) {
    CHECK(bench.count("SELECT count(*) FROM run", device) == 1);
    CHECK(bench.count(test::last_round, device) >= rounds);
    CHECK(bench.count("SELECT count(*) - count(DISTINCT sequence) FROM sample", device) == 0);
  }
  CHECK(lab.is_free());
}

}  // namespace
}  // namespace jcprof
