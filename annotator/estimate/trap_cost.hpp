// SPDX-License-Identifier: Apache-2.0
// The costs of traps and stops, from a run's calibrations.
#pragma once

#include <limits>
#include <string_view>
#include <vector>

#include "src/core/store.hpp"
#include "src/engine/statistics.hpp"

namespace jcprof::annotator {

using engine::Interval;

/// A cost is zero where it was not calibrated.
struct TrapCost {
  Interval pass;      // an unarmed pass, or one while another trap is armed
  Interval counting;  // by how much a pass of the armed trap costs more
  // A stop costs this much more than running to the end: the exception itself, and unwinding in place of
  // returning, for each frame and each guard in it.
  Interval stop;
  Interval frame;
  Interval guard;
  // By how much a stop costs more or less at one trap of a function than at the others: a half width.
  double site = std::numeric_limits<double>::infinity();
};

/// A stop in C is a longjmp, or the end of the process: it unwinds nothing.
bool stops_leap(std::string_view language);

TrapCost trap_cost(const std::vector<StoredCalibration>& calibrations, double alpha);

/// The number of each, or a difference of two numbers.
struct TrapCount {
  double passes = 0;
  double counted = 0;  // of them, while armed
  double stops = 0;
  double frames = 0;
  double guards = 0;

  void add(const TrapCount& other, double times);
};

/// Their cost together.
double cost_of(const TrapCount& count, const TrapCost& cost);
/// Half width of that cost.
double half_width_of(const TrapCount& count, const TrapCost& cost);

/// The most that one of each can cost where it was not calibrated.
struct CostLimits {
  double pass = std::numeric_limits<double>::infinity();
  double counted = std::numeric_limits<double>::infinity();
  double stop = std::numeric_limits<double>::infinity();
  double frame = std::numeric_limits<double>::infinity();
  double guard = std::numeric_limits<double>::infinity();

  /// No cost is below nothing: `count` of them took no more than `ticks`, with all else that ran.
  void take(const TrapCount& count, double ticks);
};

/// The largest error of the cost of `end` less that of `begin`, for accusing a target: stops cost more at one
/// place than at another, and only limits are known of a kind that was not calibrated.
double widest_doubt(const TrapCount& begin, const TrapCount& end, const TrapCost& cost,
                    const CostLimits& limits);

}  // namespace jcprof::annotator
