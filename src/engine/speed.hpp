// SPDX-License-Identifier: Apache-2.0
// How fast the target ran from round to round, by the gains that were taken out of the rounds. Pure.
#pragma once

#include <span>

namespace jcprof::engine {

/// The part of itself by which a time of this run is uncertain, as the target ran faster and slower during
/// it: a half width of 95 %. `gains`: of each round, their median 1. It holds what a time takes on average
/// over the run, and nearly all of what it takes at any one moment. Single rounds tell their gains badly, so
/// windows of the run are compared, less what their noise makes them differ by (analysis of variance; Fisher
/// 1925). 0: the gains are all alike, or too few to tell.
double speed_doubt(std::span<const double> gains);

}  // namespace jcprof::engine
