// SPDX-License-Identifier: Apache-2.0
// The costs of traps and stops, from a run's calibrations.
#pragma once

#include <vector>

#include "src/core/store.hpp"
#include "src/engine/statistics.hpp"

namespace jcprof::annotator {

using engine::Interval;

/// A cost is zero where it was not calibrated.
struct TrapCost {
  Interval pass;      // an unarmed pass, or one while another trap is armed
  Interval counting;  // by how much a pass of the armed trap costs more
  // By how much a stop costs more than running to the end: the exception itself, and unwinding in place of
  // returning, for each frame and each guard in it.
  Interval stop;
  Interval frame;
  Interval guard;
};

TrapCost trap_cost(const std::vector<StoredCalibration>& calibrations, double alpha);

/// How many of each there are, or by how many more.
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
/// How far that may be wrong.
double half_width_of(const TrapCount& count, const TrapCost& cost);
/// How far the cost of `end` less that of `begin` may be wrong where a target is to be accused of it: stops
/// cost more at one place than at another, and nothing is known of a kind that was not calibrated (infinite).
double widest_doubt(const TrapCount& begin, const TrapCount& end, const TrapCost& cost);

}  // namespace jcprof::annotator
