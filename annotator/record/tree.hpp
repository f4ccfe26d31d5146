// SPDX-License-Identifier: Apache-2.0
// Call trees with symbols for functions, as they are stored, and the sums of each function. A call that a
// hook and a trap both showed is one.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "annotator/record/call_tree.hpp"
#include "annotator/record/thread_walk.hpp"
#include "src/core/store.hpp"

namespace jcprof::annotator {

/// Sums over all calls of a symbol, in ticks.
struct FunctionSums {
  std::uint64_t count = 0;
  std::uint64_t inclusive = 0;  // of the outermost calls
  std::uint64_t of_calls = 0;   // of all calls, also those within each other
  std::uint64_t exclusive = 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
  std::uint64_t doubt = 0;        // of the exclusive time, by own cost, in 1/1024 ticks
  std::uint64_t doubt_below = 0;  // and of the inclusive time
  // Ticks that may be those of hooks: nobody counts the calls of functions that are left out.
  std::uint64_t hooks = 0;        // of the exclusive time,
  std::uint64_t hooks_below = 0;  // and of the inclusive time
  QuantileSketch sketch = {};
};

struct RecordedTree {
  std::vector<StoredCall> calls;  // thread by thread, each in one piece behind its caller, the hottest first
  std::vector<std::uint32_t> call_of;   // by node of the walk; 0: none
  std::vector<FunctionSums> functions;  // by symbol
};

struct TreeNames {
  std::vector<std::uint32_t> symbol_of;  // by number of the function
  std::size_t symbols = 1;               // with number 0
  double per_tick = 1;
};

RecordedTree recorded_tree(const CallTree& tree, std::span<const ThreadTotals> threads,
                           const TreeNames& names);

}  // namespace jcprof::annotator
