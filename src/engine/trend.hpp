// SPDX-License-Identifier: Apache-2.0
// Does the command get faster or slower while it is measured? Gains take out a change of the whole command.
// If only some blocks change, their medians fit no moment of the run, and the shares of all others move.
// Pure.
#pragma once

#include <span>

namespace jcprof::engine {

/// `of_rounds`: the time from the first stop to the end of the command by round, in ticks, or missing.
/// Returns its change from the median of the first third of the rounds to that of the last, as a part of the
/// first. 0:
/// - fewer than ten rounds, or less than 2 %
/// - chance brings about as much correlation with the round in one table of 1000 (ranks: Spearman 1904,
/// Student's t)
/// - two levels lie nearer to the values than a line
double trend_of(std::span<const double> of_rounds);

}  // namespace jcprof::engine
