// SPDX-License-Identifier: Apache-2.0
// Does a transport answer only at the ticks of a grid (USB frames of 1 ms, a polling timer of 15.6 ms)? Then
// differences are multiples of it, and medians are steps. Pure.
#pragma once

#include <span>

namespace jcprof::engine {

/// One answer: the time from the end of the previous exchange to it is pause + time, plus what is always the
/// same.
struct PausedReading {
  double time = 0;   // of the shot
  double pause = 0;  // before it, drawn uniformly in [0, longest_pause)
};

struct GridSearch {
  double longest_pause = 0;
  double finest = 0;   // period below which a grid does not matter
  double longest = 0;  // period
};

/// The period of the grid, in the unit of the readings, or 0 for none: the longest of the highest peaks of
/// the periodogram of pause + time (Schuster 1898). Pauses are drawn, which makes it a randomisation test
/// (Fisher 1935), at a thousandth. Readings without a pause are left out. Where all came at one step, no peak
/// tells the period: then it is pause + time, which is whole periods, and pauses of that length smooth as
/// well.
double find_grid(std::span<const PausedReading> readings, const GridSearch& search);

/// pause + time where no pause was long enough to move an answer to the next step; else 0.
double step_of_all(std::span<const PausedReading> readings, double longest_pause);

}  // namespace jcprof::engine
