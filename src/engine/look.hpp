// SPDX-License-Identifier: Apache-2.0
// From rounds of times to blocks with intervals: twins folded where that helps, the gain of each round taken
// out, then medians (or means where the clock is coarse). Pure; docs/measurement.md explains each step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/engine/statistics.hpp"
#include "src/engine/times.hpp"

namespace jcprof::engine {

/// The clock that reads the times.
struct Clock {
  Method method = Method::fine;
  double tick = 0;  // coarse: of the clock, or of the grid on which the answers come
};

/// d by block and round, comparable between rounds.
struct Differences {
  std::vector<std::vector<double>> blocks;  // each by round, or missing
  std::vector<double> entry;                // T at the first stop, by round, or missing
  std::vector<double> total;                // T at the last stop
  std::vector<double> gains;                // of each round; 1 where it was not taken out
  bool folded = false;                      // rounds are means of twins
  double trend = 0;                         // of the whole command (trend.hpp); 0: none was seen
  double sigma = 0;                         // pooled robust standard deviation of the differences
  double sd = 0;                            // pooled plain one, coarse only
};

/// Rounds 2n and 2n+1 of `times` are twins.
/// A gain is a line through the stops of a round: through fewer than this it would fit the noise.
inline constexpr std::size_t fewest_stops_for_gain = 4;

Differences differences(const Times& times, const Clock& clock);

/// The deviation of the middle of all differences, where that is narrower than `sigma`: extras that come and
/// go widen the whole, but not its middle.
double sigma_of_middle(const std::vector<std::vector<double>>& blocks, double sigma);

/// The interval for a sum of `terms` blocks, from its values in each round where it is known.
Interval interval_of(const std::vector<double>& values, const Differences& all, const Clock& clock,
                     double alpha, std::size_t terms = 1);

struct BlockLook {
  Interval ticks;
  Interval share;            // of the sum of all blocks
  bool settled = false;      // known as well as was asked for
  bool open = true;          // wants more rounds: it is not settled, or one of its group is not
  Hot hot = Hot::undecided;  // its share is at least Precision::hot
};

struct Look {
  std::vector<BlockLook> blocks;
  double whole = 0;  // the sum of the blocks' values: what shares are of
  bool folded = false;
  double sigma = 0;         // of the middle of one block's differences, pooled
  double drift = 0;         // largest |gain - 1| of the last tenth of the rounds
  std::size_t settled = 0;  // blocks
  bool is_bimodal = false;  // readings of one stop come in two heaps
};

/// How good is good enough. Shares are fractions of 1.
struct Precision {
  double absolute = 0.005;  // half width
  double relative = 0.05;   // or this part of the share, whichever is larger
  // Intervals are looked at many times, and the best look ends the measurement: this inside delivers 95 %.
  double alpha = 0.03;
  double hot = 0.01;  // share from which a block is called hot
};

/// Says whether a block's share is at least `precision.hot`, right for all of `blocks` blocks in 95 % of all
/// runs, however often it is looked at.
Hot hotness(const std::vector<double>& values, const Differences& all, const Clock& clock,
            const Precision& precision, double whole);

/// `groups` names for each block what it is summed into (a line): a sum is of the rounds that all its blocks
/// have, so they go on together. Empty: each block stands for itself.
Look look(const Times& times, const Clock& clock, const Precision& precision,
          std::span<const std::uint32_t> groups = {});

/// True when the clock's tick hides the noise, so that medians are steps: tick > sigma / 2, and it matters:
/// tick > absolute * whole / 2.
bool is_coarse(double tick, const Look& look, const Precision& precision);

}  // namespace jcprof::engine
