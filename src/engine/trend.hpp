// SPDX-License-Identifier: Apache-2.0
// Does the command get faster or slower while it is measured? Gains take that out where all of it does so.
// Where only some blocks do, a median over rounds is their cost at no moment in particular, and shares of the
// others move with them. Pure.
#pragma once

#include <span>

namespace jcprof::engine {

/// `of_rounds`: the time from the first stop to the end of the command by round, in ticks, or missing.
/// Returns how much it changed from the first third of the rounds to the last one, as a part of what it was:
/// medians. 0 where that is less than 2 %, where two levels lie nearer to the values than a line, where the
/// rank correlation with the round (Spearman 1904, Student's t) is no more than chance brings about in one
/// table of 1000, and in fewer than ten rounds.
double trend_of(std::span<const double> of_rounds);

}  // namespace jcprof::engine
