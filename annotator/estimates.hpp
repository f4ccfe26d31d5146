// SPDX-License-Identifier: Apache-2.0
// The profile as numbers with intervals: blocks, lines, functions, and what is left over. Pure: a run's data
// in, a Profile out; the same data give the same Profile to the bit.
#pragma once

#include <string>
#include <vector>

#include "annotator/attribution.hpp"
#include "annotator/run_data.hpp"
#include "annotator/stretches.hpp"

namespace jcprof::annotator {

/// One published number. Ticks are in the run's unit and never below 0; shares are fractions of the sum of
/// all blocks. Not resolved: its interval reaches down to 0, or its half width is more than the value, so
/// that only the upper end says something.
struct Estimate {
  Interval ticks;
  Interval share;
  double raw = 0;  // the value before it was kept from falling below 0
  std::uint32_t rounds = 0;
  bool resolved = false;
};

struct BlockEstimate {
  Event from;
  Event to;  // trap 0: the end of the command
  std::string function;
  std::string path;
  std::size_t line = 0;
  std::uint64_t passed = 1;  // blocks of the path in it: more than one where hits of a loop were sampled
  Estimate cost;
};

struct LineEstimate {
  std::string path;
  std::size_t line = 0;
  std::string function;
  std::uint64_t hits = 0;
  Estimate cost;
};

struct FunctionEstimate {
  std::string function;
  std::string path;
  std::size_t line = 0;
  std::uint64_t calls = 0;
  Estimate exclusive;
  Estimate inclusive;
};

/// From one trap straight to the next, wherever on the path.
struct EdgeEstimate {
  TrapId from{};
  TrapId to{};           // 0: the end of the command
  std::string function;  // of `from`, as are path and line
  std::string path;
  std::size_t line = 0;
  std::uint64_t count = 0;  // how often it was gone
  Estimate cost;
};

/// A loop with all that it calls.
struct LoopEstimate {
  std::string function;
  std::string path;
  std::size_t line = 0;
  std::uint64_t entries = 0;  // how often it was begun
  std::uint64_t passes = 0;   // of all entries
  Estimate cost;
};

struct Profile {
  RunInfo run;
  std::uint64_t shots = 0;
  std::uint32_t rounds = 0;
  TrapCost trap_cost;
  Estimate total;  // T(end) without the cost of the traps on the way
  Estimate entry;  // T(first stop) without what stopping costs: transport, what runs before the first trap
  Interval
      unattributed;  // total - entry - sum of the blocks, all raw: medians do not add up; may be negative
  std::vector<BlockEstimate> blocks;        // along the path
  std::vector<LineEstimate> lines;          // hottest first
  std::vector<FunctionEstimate> functions;  // hottest first, by exclusive time
  std::vector<EdgeEstimate> edges;          // hottest first
  std::vector<LoopEstimate> loops;          // hottest first
  std::vector<UnreachedLine> unreached;
  std::vector<SourceDigest> sources;
  std::string language;
  std::vector<std::string> warnings;  // of the run, then of the estimates
};

/// alpha: 1 - the confidence of the intervals.
Profile estimate(const RunData& data, double alpha = 0.05);

/// As it goes into the store, for its views; see Store::replace_estimates.
std::vector<StoredEstimate> stored(const Profile& profile);

}  // namespace jcprof::annotator
