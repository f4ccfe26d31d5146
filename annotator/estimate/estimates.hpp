// SPDX-License-Identifier: Apache-2.0
// The profile as numbers with intervals: blocks, lines, functions, and the rest. Pure: the same data of a run
// give the same Profile to the bit.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "annotator/estimate/attribution.hpp"
#include "annotator/estimate/cost_tree.hpp"
#include "annotator/estimate/edges.hpp"
#include "annotator/estimate/hottest.hpp"
#include "annotator/estimate/measured_path.hpp"
#include "annotator/estimate/run_data.hpp"

namespace jcprof::annotator {

struct BlockEstimate {
  Event from;
  Event to;              // trap 0: the end of the command
  std::string function;  // empty, as is the path, behind the last trap of a command
  std::string path;
  std::size_t line = 0;
  std::uint64_t passed = 1;  // blocks of the path in it: more than one where hits of a loop were sampled
  Estimate cost;
  Hot hot = Hot::undecided;  // takes at least RunInfo::hot
};

/// Times of single calls, with what they call, or of single passes of a line. Recorded runs tell them.
struct Spread {
  double average = 0, least = 0, most = 0, q50 = 0, q95 = 0, q99 = 0;
};

struct LineEstimate {
  std::string path;
  std::size_t line = 0;
  std::string function;
  std::uint64_t hits = 0;
  Estimate cost;
  std::optional<Spread> spread = {};
  std::vector<double> rounds = {};  // its cost in each round, or missing; of measured runs
};

struct FunctionEstimate {
  std::string function;
  std::string path;
  std::size_t line = 0;
  std::uint64_t calls = 0;
  Estimate exclusive;
  Estimate inclusive;
  std::optional<Spread> spread = {};
  std::optional<double> away = {};  // of a recording: off a processor, in neither of the costs
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

/// One of the paths that the command was seen to take.
struct PathEstimate {
  double rate = 1;                    // part of the traced runs that take it; each input counts the same
  std::size_t events = 0;             // traps on it
  std::vector<std::uint32_t> inputs;  // that take it
  Estimate total;                     // T(end) without the cost of the traps on the path; without a share
};

/// The parts of a recorded run.
struct Recorded {
  std::size_t threads = 0;
  std::uint64_t events = 0;
  std::uint64_t lost = 0;
};

/// Traps shape the measured times from this share on.
inline constexpr double dear_traps = 0.1;

struct Profile {
  RunInfo run;
  std::uint64_t shots = 0;
  std::uint32_t rounds = 0;         // that the numbers rest on
  std::vector<PathEstimate> paths;  // most frequent first; of a recorded run none
  TrapCost trap_cost;
  double trap_share = 0;  // of the traps on the most frequent path, in its blocks and them
  Estimate total;         // T(end) without the cost of the traps on the path
  Estimate entry;  // T(first stop) without what stopping costs: transport, what runs before the first trap
  std::optional<Estimate> between = {};  // after the last trap of each command: an applet's answers
  // total - entry - between - lines: what was not measured, and what medians lose; may be negative
  Interval unattributed;
  // Times of this run are uncertain by this part of themselves, as the target's speed changed. Their
  // intervals hold it.
  double drift = 0;
  Hottest hottest_lines;
  Hottest hottest_functions;  // by themselves
  // These are of the most frequent path.
  std::vector<BlockEstimate> blocks;  // along it
  // Hottest first, behind them what has an upper end only, and last what was not measured.
  std::vector<LineEstimate> lines;
  std::vector<FunctionEstimate> functions;  // by exclusive time
  std::vector<LoopEstimate> loops;
  CostTree tree;
  // These are of all paths.
  std::vector<EdgeEstimate> edges;  // hottest first
  std::vector<UnreachedLine> unreached;
  std::vector<SourceDigest> sources;  // those of recorded runs may have no digest
  std::string language;
  std::optional<Recorded> recorded = {};
  std::vector<StoredInput> inputs;    // of the run
  std::vector<std::string> warnings;  // of the run, then of the estimates
  std::vector<Warning> noted;         // those of the run, with their advice apart
};

/// alpha: of each interval by itself. Looking at such intervals ended the rounds, which takes some of their
/// confidence: 0.03 inside delivers 95 %.
Profile estimate(const RunData& data, double alpha = engine::Precision{}.alpha);

/// The commands in the sums of a profile: several where a recording has an interval.
inline std::uint64_t commands_in(const Profile& profile) {
  return profile.recorded ? std::max(1U, profile.total.rounds) : 1;
}

/// The one word for what times of a profile are. Typical ones add up, and outliers do not move them; a mean
/// is in Averages.
std::string_view headline_of(const Profile& profile);

/// The measurement contradicts itself somewhere, or is of another command than the paths.
bool is_unreliable(const Profile& profile);

/// The rows of the store, for its views; see Store::replace_estimates.
std::vector<StoredEstimate> stored(const Profile& profile);

}  // namespace jcprof::annotator
