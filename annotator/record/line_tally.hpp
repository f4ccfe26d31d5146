// SPDX-License-Identifier: Apache-2.0
// What passes of source lines took, by themselves; and how often traps were passed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "annotator/record/quantile_sketch.hpp"

namespace jcprof::annotator {

struct LinePasses {
  std::uint64_t passes = 0;
  std::uint64_t ticks = 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
  QuantileSketch sketch;
};

struct LineTally {
  std::vector<LinePasses> lines;    // by TrapTable's lines
  std::vector<std::uint64_t> hits;  // by trap number - 1

  void add(std::uint32_t line, std::uint64_t ticks) {
    LinePasses& passes = lines[line];
    ++passes.passes;
    passes.ticks += ticks;
    passes.least = std::min(passes.least, ticks);
    passes.most = std::max(passes.most, ticks);
    if (!passes.sketch.holds(ticks)) passes.sketch.widen(ticks);
    passes.sketch.add(ticks);
  }
};

}  // namespace jcprof::annotator
