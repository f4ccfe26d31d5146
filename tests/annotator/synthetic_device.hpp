// SPDX-License-Identifier: Apache-2.0
// A device whose costs are known: what the estimates are held against. Noise is skewed, with spikes and
// drift.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "annotator/run_data.hpp"

namespace jcprof::annotator {

struct SyntheticDevice {
  TrapMap map;
  std::vector<Event> path;
  std::vector<double> costs;  // of each block of the path
  double pass = 40;           // of a trap that is not armed
  double counting = 25;       // on top, of one that counts
  std::function<bool(std::size_t)> is_measured = [](std::size_t) { return true; };
  double lost = 0;   // part of the shots
  double noise = 1;  // 0: an exact clock
  std::uint64_t seed = 1;

  RunData run(std::uint32_t rounds) const {
    std::mt19937_64 random(seed);
    RunData data{.run = {.device = "synthetic", .simulated = true}, .map = map, .inputs = {{}}};
    data.paths[0] = path;
    for (int i = 0; i < 30; ++i) calibrate(data, random);
    std::vector<std::size_t> stops;
    for (std::size_t i = 0; i < path.size(); ++i)
      if (is_measured(i)) stops.push_back(i);
    stops.push_back(path.size());
    double time = 0;
    // The warm-up is stored as round 0; its times are those of another state of the device.
    for (int i = 0; i < 30; ++i) {
      shoot(data, random, 0, i % 2 == 0 ? 0 : path.size(), time);
      data.samples.back().ticks *= 2;
    }
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      std::vector<std::size_t> order = stops;
      if (round % 2 == 1) order.assign(stops.rbegin(), stops.rend());
      for (const std::size_t stop : order) shoot(data, random, round, stop, time);
    }
    return data;
  }

 private:
  double jitter(std::mt19937_64& random) const {
    std::lognormal_distribution<double> skewed(0, 0.6);
    std::uniform_real_distribution<double> uniform(0, 1);
    double value = 150 * skewed(random);
    if (uniform(random) < 0.01) value += 20000 * uniform(random);
    return noise * value;
  }

  void calibrate(RunData& data, std::mt19937_64& random) const {
    const double passes = 1000;
    const auto timed = [&](double each) {
      return static_cast<Ticks>(std::llround(5000 + 3 * passes + each * passes + jitter(random)));
    };
    data.calibrations.push_back({"empty", 1000, timed(0)});
    data.calibrations.push_back({"unarmed", 1000, timed(pass)});
    data.calibrations.push_back({"counting", 1000, timed(pass + counting)});
  }

  void shoot(RunData& data, std::mt19937_64& random, std::uint32_t round, std::size_t stop,
             double& time) const {
    double ticks = 9000 + noise * (time * 1e-7 + 50 * std::sin(time * 1e-7));
    for (std::size_t i = 0; i < stop; ++i) ticks += costs[i] + pass;
    StoredSample sample{
        .sequence = data.samples.size(), .round = round, .outcome = Outcome::ended, .status = 0x9000};
    if (stop < path.size()) {
      sample.asked = path[stop];
      sample.outcome = Outcome::stopped;
      sample.status.reset();
      ticks += counting * (path[stop].hit - 1);
    }
    sample.ticks = static_cast<Ticks>(std::llround(ticks + jitter(random)));
    if (std::uniform_real_distribution<double>(0, 1)(random) < lost) sample.outcome = Outcome::lost;
    time += ticks;
    data.samples.push_back(sample);
  }
};

}  // namespace jcprof::annotator
