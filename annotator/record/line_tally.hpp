// SPDX-License-Identifier: Apache-2.0
// The own time of source lines, in all and in each call, and how often traps were passed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "annotator/record/quantile_sketch.hpp"

namespace jcprof::annotator {

struct LinePasses {
  std::uint64_t passes = 0;
  std::uint64_t ticks = 0;
  std::uint64_t doubt = 0;  // by own cost, in 1/1024 ticks
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
  QuantileSketch sketch;
};

struct LineTally {
  static constexpr std::size_t most_parts = 1U << 20U;

  std::vector<LinePasses> lines;    // by TrapTable's lines
  std::vector<std::uint64_t> hits;  // by trap number - 1
  /// Ticks by node of the call tree (the upper half) and line; of too many the first.
  std::unordered_map<std::uint64_t, std::uint64_t> parts;

  void add(std::uint32_t line, std::uint32_t node, std::uint64_t ticks, std::uint64_t doubt) {
    const std::uint64_t key = std::uint64_t{node} << 32U | line;
    if (const auto part = parts.find(key); part != parts.end())
      part->second += ticks;
    else if (parts.size() < most_parts)
      parts.emplace(key, ticks);
    LinePasses& passes = lines[line];
    ++passes.passes;
    passes.ticks += ticks;
    passes.doubt += doubt;
    passes.least = std::min(passes.least, ticks);
    passes.most = std::max(passes.most, ticks);
    if (!passes.sketch.holds(ticks)) passes.sketch.widen(ticks);
    passes.sketch.add(ticks);
  }
};

}  // namespace jcprof::annotator
