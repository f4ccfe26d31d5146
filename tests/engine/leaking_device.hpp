// SPDX-License-Identifier: Apache-2.0
// A device of which some blocks depend on the class of the input. Times are made of the blocks in front of a
// stop, with noise, spikes, drift, and a part of the command before.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <vector>

#include "src/engine/evidence.hpp"

namespace jcprof::test {

struct LeakingDevice {
  std::size_t blocks = 37;
  double block = 1000;                       // ticks
  double sigma = 100;                        // of the noise of a command
  std::map<std::size_t, double> leaks = {};  // blocks that take so much longer for the second class
  double spikes = 0;                         // part of the shots that take ten sigma longer, or more
  double drift = 0;                          // sigmas in a thousand shots
  double left_over = 0;                      // of the whole command before
  double tail = 0;                           // part of the second class's shots that take ten sigma longer
  double step = 1;                           // of the clock, which the shots meet anywhere
  std::uint64_t most = ~std::uint64_t{0};    // shots
  std::uint64_t seed = 1;
  // Its state.
  std::mt19937_64 random = {};
  std::uint64_t shots = 0;
  double before = 0;

  /// Stops count from 1.
  std::vector<engine::ClassedTime> operator()(std::span<const std::size_t> stops) {
    if (shots == 0) random.seed(seed);
    std::vector<engine::ClassedTime> times;
    for (const std::size_t stop : stops) {
      if (shots == most) break;
      const bool is_second = std::bernoulli_distribution(0.5)(random);
      double ticks = block * static_cast<double>(stop);
      for (const auto& [at, longer] : leaks)
        if (is_second && at < stop) ticks += longer;
      double own = block * static_cast<double>(blocks);
      for (const auto& [at, longer] : leaks) own += is_second ? longer : 0;
      ticks += std::normal_distribution(0.0, sigma)(random) + left_over * before +
               drift * sigma * static_cast<double>(shots) / 1000;
      if (std::bernoulli_distribution(spikes + (is_second ? tail : 0))(random)) ticks += 10 * sigma;
      before = own;
      ++shots;
      const double phase = step > 1 ? std::uniform_real_distribution(0.0, 1.0)(random) : 0.5;
      times.push_back({.ticks = step * std::floor(ticks / step + phase), .is_second = is_second});
    }
    return times;
  }

  std::vector<engine::ClassedTime> at_end(std::size_t count) {
    return (*this)(std::vector<std::size_t>(count, blocks));
  }
};

}  // namespace jcprof::test
