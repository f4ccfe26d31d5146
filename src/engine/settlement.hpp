// SPDX-License-Identifier: Apache-2.0
// Whether the numbers that people read, of lines and functions, are known as well as was asked for, and how
// many rounds they take else. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "src/engine/fit.hpp"
#include "src/engine/look.hpp"

namespace jcprof::engine {

/// A number that people read: a line, a function by itself.
struct Figure {
  std::string name = {};  // "src/A.java:12"
  std::vector<BlockRange> ranges =
      {};  // that it is the sum of, ascending; indices of blocks of the table of times
  // Half width, in ticks, by which it is not known how blocks that were measured as one share their time; and
  // the blocks, measured alone, that tell.
  double doubt = 0;
  std::vector<std::size_t> told_by = {};
  double noise =
      missing;         // half width, in ticks, where that is known better than by the table of times alone
  double lasting = 0;  // half width, in ticks, that no number of rounds shrinks
  double least_lasting = 0;  // of it, if a stop costs the least that its calibration allows
  // Half width, in ticks, by which passes differ of which only some were measured; for each of their edges a
  // block that is a pass of it; and those of these edges, as Settings number them, of which more passes can
  // be measured. The engine fills in the last ones.
  double passes = 0;
  std::vector<std::size_t> passes_of = {};
  std::vector<std::uint32_t> edges_with_more = {};
  // By block: the figure moves by so many ticks when the block's time moves by one. Empty: as `ranges` say.
  std::vector<double> factors = {};
};

/// Makes the figures of a table of times at these stops, which count as the engine's do.
using FigureSource = std::function<std::vector<Figure>(const Times& times, std::span<const std::size_t> stops,
                                                       const Clock& clock)>;

struct FigureLook {
  std::string name = {};
  double share = 0;    // of the sum of all blocks
  double half = 0;     // half width of the share
  double lasting = 0;  // of it, what no number of rounds shrinks, nor more passes that could be measured
  bool settled = false;
  bool open = true;  // wants more rounds
  // The cost of stops may differ by more than the figure, and by more than the precision asked for.
  bool hidden_by_stops = false;
  // Most of what is allowed goes to the doubt about a stop's cost, and less if that is as low as it can be.
  bool wants_calibration = false;
  // Until it is settled, as half widths shrink with the root of the rounds; infinite where none are enough.
  double rounds_left = 0;
  double shots_left = 0;                 // that these rounds take, if nothing else is measured
  std::vector<std::size_t> wanted = {};  // blocks that have to be measured for it
  double more_passes = 1;                // times as many passes of these edges are to join at once
  std::vector<std::uint32_t> edges_with_more = {};
};

struct Goal {
  Precision precision = {};
  double overhead = 0;  // ticks that a shot takes beside the time to its stop
};

/// Times are those of `look`. A figure that is not settled stays open. If its lasting part alone is too
/// large, it closes as soon as noise is below half of that part. Where blocks tell of each other, as passes
/// of a loop do, those are wanted that tell most for the time of their shots.
std::vector<FigureLook> settle(std::vector<Figure> figures, const Times& times, const Clock& clock,
                               const Look& look, const Goal& goal);

/// Those that neither more passes nor `most_rounds` more rounds settle are open no longer, where all wanted
/// blocks are settled.
void leave_out_of_reach(std::span<FigureLook> figures, const Look& look, double most_rounds);

/// The stops at which rounds measure the open ones.
std::vector<bool> stops_of_open(std::span<const FigureLook> figures, std::size_t stops);

/// Until all that are open are settled, or `most_rounds` are made.
double shots_left(std::span<const FigureLook> figures, std::size_t stops, double most_rounds);

}  // namespace jcprof::engine
