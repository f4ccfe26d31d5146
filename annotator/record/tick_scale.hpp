// SPDX-License-Identifier: Apache-2.0
// The length of a tick, from pairs of ticks and nanoseconds that were read together, and the clock's health.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/core/types.hpp"
#include "src/core/warning.hpp"
#include "templates/jcprof_log.h"

namespace jcprof::annotator {

struct TickScale {
  ClockUnit unit = ClockUnit::cycles;
  double per_tick = 1;  // of the unit
  std::vector<Warning> warnings;
};

/// `hz`: clock_hz of the log's head. `uncalibrated`: what a tick is where neither that nor pairs tell.
TickScale scale_of(std::uint64_t hz, std::span<const jcprof_log_pair> pairs, ClockUnit uncalibrated);

}  // namespace jcprof::annotator
