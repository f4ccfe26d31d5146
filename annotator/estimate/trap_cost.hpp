// SPDX-License-Identifier: Apache-2.0
// What traps and stops cost, from a run's calibrations. Costs only: what they are taken off is elsewhere.
#pragma once

#include <vector>

#include "src/core/store.hpp"
#include "src/engine/statistics.hpp"

namespace jcprof::annotator {

using engine::Interval;

/// Zero where it was not calibrated.
struct TrapCost {
  Interval pass;      // of an unarmed pass, or of one while another trap is armed
  Interval counting;  // what a pass of the armed trap costs on top of that
  // What a stop costs that a command does not which runs to its end: the exception itself, and what unwinding
  // costs more than returning, for each frame and each guard in it.
  Interval stop;
  Interval frame;
  Interval guard;
};

TrapCost trap_cost(const std::vector<StoredCalibration>& calibrations, double alpha);

/// How many of each were passed, or by how many more.
struct TrapCount {
  double passes = 0;
  double counted = 0;  // of them, while armed
  double stops = 0;
  double frames = 0;
  double guards = 0;

  void add(const TrapCount& other, double times);
};

/// What they cost together.
double cost_of(const TrapCount& count, const TrapCost& cost);
/// How far that may be wrong.
double half_width_of(const TrapCount& count, const TrapCost& cost);

}  // namespace jcprof::annotator
