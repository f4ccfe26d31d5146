// SPDX-License-Identifier: Apache-2.0
// A device whose costs are known, which the estimates are held against. Noise is skewed, with spikes and
// drift. Which calls and guards a stop leaves is a model of its own: it takes nothing of the code under test.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "annotator/estimate/run_data.hpp"

namespace jcprof::annotator {

struct SyntheticDevice {
  TrapMap map;
  std::vector<Event> path;
  std::vector<double> costs;  // of each block of the path
  double pass = 40;           // of a trap that is not armed
  double counting = 25;       // on top, of one that counts
  double stop = 4000;         // on top, of a command that a trap stops
  double frame = 60;          // and of each frame, and each guard, that it leaves
  double guard = 110;
  double stop_differs =
      0;  // by place: every second stop of the path is cheaper by this part, and the others dearer
  double traps_differ = 0;  // by trap: stops cost up to this part more or less
  std::function<bool(std::size_t)> is_measured = [](std::size_t) { return true; };
  double lost = 0;   // part of the shots
  double noise = 1;  // 0: an exact clock
  std::uint64_t seed = 1;

  RunData run(std::uint32_t rounds) const {
    Session session{.data = {.run = {.device = "synthetic", .simulated = true}, .map = map, .inputs = {{}}},
                    .random = std::mt19937_64(seed)};
    session.data.paths = {{.events = path}};
    session.stopping = stop_costs();
    session.reached.push_back(0);
    for (const double cost : costs) session.reached.push_back(session.reached.back() + cost + pass);
    for (int i = 0; i < 30; ++i) calibrate(session);
    std::vector<std::size_t> stops;
    for (std::size_t i = 0; i < path.size(); ++i)
      if (is_measured(i)) stops.push_back(i);
    stops.push_back(path.size());
    // The warm-up is stored as round 0; its times are those of another state of the device.
    for (int i = 0; i < 30; ++i) {
      shoot(session, 0, i % 2 == 0 ? 0 : path.size());
      session.data.samples.back().ticks *= 2;
    }
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      std::vector<std::size_t> order = stops;
      if (round % 2 == 1) order.assign(stops.rbegin(), stops.rend());
      for (const std::size_t at : order) shoot(session, round, at);
    }
    return session.data;
  }

 private:
  struct Session {
    RunData data;
    std::mt19937_64 random;
    std::vector<double> stopping = {};  // of each event
    std::vector<double> reached = {};   // work up to each event, and to the end
    double time = 0;
  };

  /// Calls are a stack: an entry begins one, a return leaves one, and a trap further out leaves all above it.
  /// A stop unwinds them all but the command's own, and the guards round the trap and round each call.
  std::vector<double> stop_costs() const {
    struct Call {
      std::string function;
      double guards = 0;
    };
    const std::vector<double> of_traps = factors_of_traps();
    std::vector<Call> calls;
    std::vector<double> of_stops;
    TrapKind before = TrapKind::before;
    for (const Event& event : path) {
      const Trap& trap = map.at(event.trap);
      if (before == TrapKind::returns || before == TrapKind::exit) calls.pop_back();
      const bool enters = trap.kind == TrapKind::entry && before != TrapKind::entry0;
      const auto runs = [&](const Call& call) { return call.function == trap.function; };
      if (enters || std::ranges::none_of(calls, runs)) calls.push_back({.function = trap.function});
      while (!runs(calls.back())) calls.pop_back();
      calls.back().guards = static_cast<double>(trap.guards);
      double guards = 0;
      for (const Call& call : calls) guards += call.guards;
      const double place = of_stops.size() % 2 == 0 ? 1 + stop_differs : 1 - stop_differs;
      of_stops.push_back(place * of_traps[number(event.trap)] * stop +
                         frame * static_cast<double>(calls.size() - 1) + guard * guards);
      before = trap.kind;
    }
    return of_stops;
  }

  std::vector<double> factors_of_traps() const {
    std::mt19937_64 random(seed + 1000);
    std::uniform_real_distribution<double> factor(1 - traps_differ, 1 + traps_differ);
    std::vector<double> factors(map.traps.size() + 1, 1);
    if (traps_differ > 0)
      for (double& one : factors) one = factor(random);
    return factors;
  }

  double jitter(std::mt19937_64& random) const {
    std::lognormal_distribution<double> skewed(0, 0.6);
    std::uniform_real_distribution<double> uniform(0, 1);
    double value = 150 * skewed(random);
    if (uniform(random) < 0.01) value += 20000 * uniform(random);
    return noise * value;
  }

  void calibrate(Session& session) const {
    constexpr double call = 5;
    const auto add = [&](const char* kind, std::uint64_t passes, double ticks) {
      ticks += 5000 + jitter(session.random);
      session.data.calibrations.push_back({kind, passes, static_cast<Ticks>(std::llround(ticks))});
    };
    add("empty", 1000, 1000 * 3);
    add("unarmed", 1000, 1000 * (3 + pass));
    add("counting", 1000, 1000 * (3 + pass + counting));
    add("returned", 0, 0);
    add("stop", 0, stop);
    add("calls", 64, 64 * call);
    add("frames", 64, stop + 64 * (call + frame));
    add("guards", 64, stop + 64 * (call + frame + guard));
  }

  void shoot(Session& session, std::uint32_t round, std::size_t at) const {
    double ticks = 9000 + noise * (session.time * 1e-7 + 50 * std::sin(session.time * 1e-7));
    ticks += session.reached[at];
    StoredSample sample{
        .sequence = session.data.samples.size(), .round = round, .outcome = Outcome::ended, .status = 0x9000};
    if (at < path.size()) {
      sample.asked = path[at];
      sample.outcome = Outcome::stopped;
      sample.status.reset();
      ticks += counting * (path[at].hit - 1) + session.stopping[at];
    }
    sample.ticks = static_cast<Ticks>(std::llround(ticks + jitter(session.random)));
    if (std::uniform_real_distribution<double>(0, 1)(session.random) < lost) sample.outcome = Outcome::lost;
    session.time += ticks;
    session.data.samples.push_back(sample);
  }
};

}  // namespace jcprof::annotator
