// SPDX-License-Identifier: Apache-2.0
// What measuring takes for granted, tested on the rounds themselves: intervals hold no longer where one of
// these tests finds something. Pure. Each test is a file of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "src/engine/look.hpp"
#include "src/engine/times.hpp"

namespace jcprof::engine {

/// Times depend on the command before.
struct Memory {
  double moves = 0;    // so many ticks at the most within the command; 0: none was seen
  bool lasts = false;  // also with a whole command before each stop
};

/// The findings of the tests.
struct Assumptions {
  double locked_grid = 0;  // period, in ticks, of a grid that begins with each command; 0: none was seen
  Memory memory = {};
  double trend = 0;  // the command got slower (above 0) or faster by this part (trend.hpp); 0: none was seen
};

struct AssumptionScope {
  std::vector<std::uint32_t> edges = {};  // of each block of the table: see Settings::edges
  double whole = 0;                       // the sum of the blocks
  double ns_per_tick = 1;                 // 0: ticks are not time
  double finest_share = 0.005;            // of the whole, that matters
};

Assumptions check_assumptions(const Times& times, const Clock& clock, const AssumptionScope& scope);

}  // namespace jcprof::engine
