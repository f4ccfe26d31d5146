// SPDX-License-Identifier: Apache-2.0
// An ecall's time as jcprof-agent-ecall takes it against a bare loop over the same ecall, and how often a
// second an enclave is loaded anew. The ecall is a function of a bridge without an enclave: nothing of the
// SDK's is in it.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "agents/ecall/bridge.hpp"
#include "agents/ecall/clock.hpp"
#include "agents/ecall/enclave.hpp"
#include "agents/target.hpp"
#include "bench/bars.hpp"
#include "programs/main_guard.hpp"
#include "src/core/error.hpp"
#include "src/engine/statistics.hpp"

namespace {

using namespace jcprof;
using namespace jcprof::agents;
using namespace jcprof::ecall;

constexpr std::size_t shots = 256;
constexpr std::size_t calls_in_a_row = 16;
constexpr double bar = 1.05;
// A machine shared with others; where it is missed by this much something is wrong with the code.
constexpr double failing = 1.15;

/// Some 3 µs of work: an ecall without any takes 1 µs in simulation mode, and more on hardware.
const Bytes input{5};

class BareLoop {
 public:
  explicit BareLoop(const BridgeChoice& choice) : bridge_(choice) {
    check(bridge_.functions().load() == 0, "the bridge loads");
    check(bridge_.functions().prepare(bridge_.ecall(), input.data(), input.size()) == 0,
          "it takes the input");
  }

  /// ns of one call: the median of rows of some, so that what interrupts us is not in it.
  double ns(ClockKind clock, double ticks_per_ns) const {
    const auto row = [&] {
      for (std::size_t i = 0; i < calls_in_a_row; ++i) bridge_.functions().call();
      return 0;
    };
    std::vector<double> times;
    for (std::size_t i = 0; i < shots / calls_in_a_row; ++i)
      times.push_back(static_cast<double>(timed(clock, row).ticks) / ticks_per_ns / calls_in_a_row);
    return engine::median(times);
  }

 private:
  Bridge bridge_;
};

double agent_ns(Target& target, double ticks_per_ns) {
  const std::vector<Shot> whole(shots);
  std::vector<double> times;
  target.measure(whole, std::span(&input, 1), [&](const Sample& sample) {
    check(sample.outcome == Outcome::ended, "the ecall runs to its end");
    times.push_back(static_cast<double>(sample.ticks) / ticks_per_ns);
  });
  return engine::median(times);
}

double loads_per_second(Target& target, Reset how, int loads) {
  const std::int64_t begin = monotonic_ns();
  for (int i = 0; i < loads; ++i) target.reset(how);
  return loads * 1e9 / static_cast<double>(monotonic_ns() - begin);
}

ExitCode compare(int rounds, const std::string& bridge) {
  const ClockKind clock = has_invariant_tsc() ? ClockKind::tsc : ClockKind::monotonic;
  const double ticks_per_ns = ecall::ticks_per_ns(description_of(clock));
  const BridgeChoice choice{.file = bridge, .ecall = {}};
  // The agent's process first: it is forked from one that has loaded nothing.
  Target target(std::make_unique<Enclave>(ChildSettings{.bridge = choice, .clock = clock}),
                {.what = "enclave", .ticks_per_ns = ticks_per_ns});
  const BareLoop loop(choice);
  std::vector<double> ratios;
  std::vector<double> bare;
  std::vector<double> ours;
  for (int round = 0; round < rounds; ++round) {
    // Turn about, so that neither always comes behind the other.
    if (round % 2 == 0) bare.push_back(loop.ns(clock, ticks_per_ns));
    ours.push_back(agent_ns(target, ticks_per_ns));
    if (round % 2 != 0) bare.push_back(loop.ns(clock, ticks_per_ns));
    ratios.push_back(ours.back() / bare.back());
  }
  const double ratio = engine::median(ratios);
  std::ranges::sort(ratios);
  fmt::print("one ecall: medians of {} pairs of {} calls, by the {}\n", rounds, shots,
             description_of(clock).clock);
  fmt::print("agent          | {:8.1f} ns\nbare loop      | {:8.1f} ns\n", engine::median(ours),
             engine::median(bare));
  fmt::print("ratio          | {:8.3f}   pairs from {:.3f} to {:.3f}\n", ratio, ratios.front(),
             ratios.back());
  constexpr int loads = 200;
  fmt::print("loads a second | {:8.0f} in one process, {:.0f} in a new one each\n",
             loads_per_second(target, Reset::session, loads), loads_per_second(target, Reset::target, loads));
  bench::Bars bars;
  bars.at_most("ecall: agent / bare loop", ratio, bar);
  return ratio <= failing ? ExitCode::done : ExitCode::check_failed;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"An ecall behind jcprof-agent-ecall against a bare loop over it.", "bench-ecall"};
  int rounds = 200;
  std::string bridge = JCPROF_BENCH_BRIDGE;
  app.add_option("--rounds", rounds, "pairs of batches")->check(CLI::Range(1, 100'000));
  app.add_option("--bridge", bridge, "another bridge, with an ecall that takes any input");
  CLI11_PARSE(app, argc, argv);
  return jcprof::cli::guarded([&] { return compare(rounds, bridge); });
}
