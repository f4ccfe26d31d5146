// SPDX-License-Identifier: Apache-2.0
// Finds the block of a path in which times begin to depend on the class of the input. The whole command comes
// first. If it depends on the class, stops are searched by bisection, and the block is confirmed by the
// difference of the differences at its two ends, from shots that are made for that alone. Talks to no target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "src/engine/evidence.hpp"
#include "src/engine/statistics.hpp"

namespace jcprof::engine {

struct LeakSettings {
  std::size_t stops = 1;          // 1, 2, … along the path; the last is the end of the command
  double alpha = 1e-3;            // of a false alarm, over all stops and looks
  std::size_t most_shots = 2000;  // at a stop
  bool sweeps = false;            // looks at stops all along the path, whatever the whole command shows
  std::size_t sweep_shots = 500;  // at each of them
  std::uint64_t seed = 1;
};

/// Times at these stops, one for each, in this order. The source tosses the coins. A missing time is a shot
/// that did not come to its stop. Fewer times than stops: the budget is spent.
using ClassedShots = std::function<std::vector<ClassedTime>(std::span<const std::size_t> stops)>;

struct StopLook {
  std::size_t stop = 0;
  std::vector<ClassedTime> times = {};
  double evidence = 0;  // natural logarithm
};

/// From one stop to another. Stop 0 is the start of the command.
struct LeakingBlock {
  std::size_t begin = 0;
  std::size_t end = 0;
  Interval shift;             // ticks that the second class takes longer in it, at 95 %
  bool is_confirmed = false;  // the interval is on that side of 0 on which the whole command is
};

struct LeakFindings {
  std::deque<StopLook> looks;  // at each stop that was looked at; that of the whole command is first
  bool is_found = false;       // at some stop there is enough evidence
  double p = 1;                // at most, over all stops
  Interval whole;              // shift of the whole command, at 95 %
  double findable = 0;         // without evidence: a shift that would have been found with 99 %
  bool is_cut_sweep = false;   // the budget ended a sweep
  bool is_uneven = false;      // shots of one class come to their stop less often: no times are compared
  bool leaves_behind = false;  // times depend on the class of the command before
  std::vector<LeakingBlock> blocks;  // along the path, those that are not confirmed too
  bool is_spent = false;             // the budget ended the search
  std::uint64_t shots = 0;
};

LeakFindings search_leak(const LeakSettings& settings, const ClassedShots& shots);

}  // namespace jcprof::engine
