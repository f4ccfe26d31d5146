// SPDX-License-Identifier: Apache-2.0
// Tests what a line (reader and card, or agent and TEE) resolves: loops of known ratios are measured like the
// blocks of a command, with the engine of a real run. Says what was found; prints and stores nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "harness/transport.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/warning.hpp"
#include "src/engine/engine.hpp"

namespace jcprof::harness {

struct SelftestSettings {
  engine::Precision precision = {};
  std::uint64_t seed = 1;
  std::chrono::nanoseconds longest{2'000'000'000};  // for one command
  std::chrono::nanoseconds most_time{std::chrono::minutes{5}};
  std::function<bool()> goes_on = [] { return true; };  // asked between commands
  std::function<void(std::chrono::nanoseconds)> pause = [](std::chrono::nanoseconds time) {
    cancellation().sleep_for(time);
  };
};

struct SelftestBlock {
  std::uint64_t passes = 0;
  engine::Interval ticks = {};
  double truth = 1;             // its passes, in those of the first block
  engine::Interval ratio = {};  // its time, in that of the first block
  double error = 0;             // ratio / truth - 1
  bool is_off = false;          // by more than the interval, and by more than 5 %
};

struct Selftest {
  Description device = {};
  CalibrationKind loop = CalibrationKind::empty;
  std::vector<SelftestBlock> blocks = {};  // 1x, 2x, 4x and the known extra
  bool complete = false;                   // else time ran out, or somebody had enough
  std::uint64_t commands = 0;              // in all, those for finding the sizes included
  std::uint64_t shots = 0;                 // that the engine asked for
  double whole = 0;                        // ticks of all blocks
  double sigma = 0;                        // ticks; of the longest command less the shortest
  engine::Clock clock = {};
  double grid = 0;  // ticks; 0: none was seen
  // A block of less cannot be told from nothing: the half width that the extra's interval came to.
  double least_ticks = 0;
  double least_share = 0;
  std::vector<Warning> warnings = {};
};

/// The blocks lie between commands of p, p + n, p + 3n, p + 7n and p + 7n + n/10 passes; n is doubled until
/// 4n passes take a millisecond and 20 standard deviations, or a limit is reached.
/// UserError (environment) where the target cannot calibrate, or takes too long for a single look.
Selftest selftest(Transport& transport, const SelftestSettings& settings);

}  // namespace jcprof::harness
