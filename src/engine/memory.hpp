// SPDX-License-Identifier: Apache-2.0
// Does what a command takes depend on the command before it? In path order the one before is always a
// neighbour on the path, so that differences of neighbours hold what it leaves behind. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <span>

#include "src/engine/times.hpp"

namespace jcprof::engine {

/// Twins are compared at each stop: in a round the command before is the stop in front of it on the path, in
/// its twin the one behind it. At the two ends it is the same in both, so these are left out, unless rounds
/// are prepared with whole commands: then the one before that matters. `times`: rounds in path order, 2n and
/// 2n + 1 twins. Where they differ, half of that is the most by which it moves the blocks beside, in ticks;
/// 0: by no more than chance brings about in one table of 3000.
double moved_by_the_one_before(const Times& times, bool is_prepared = false);

/// A stop of a prepared round, with so many whole commands before it.
struct PreparedReading {
  std::size_t wholes = 0;
  double ticks = 0;
};

/// By how much longer stops take with fewer whole commands before them, on average over those whose twins
/// differ in that; missing where none do. By stop.
double mean_longer_behind_fewer(const std::map<std::size_t, PreparedReading>& first,
                                const std::map<std::size_t, PreparedReading>& second);

/// Behind one whole command the target may still know the stop before that; behind two it knows whole
/// commands alone. By pair of twins: mean_longer_behind_fewer(). Returns half of what they differ by in
/// ticks; 0: by no more than chance brings about in one table of 3000.
double moved_by_the_one_before_wholes(std::span<const double> longer);

/// A stop that one round has twice: from the other end of the path, and from a neighbour.
struct FarTwin {
  std::size_t stop = 0;
  bool is_behind_end = false;  // else behind the first stop
  double longer = 0;           // ticks, than from the neighbour
};

/// The one before may leave a part of its own time behind. Neighbours on a path take about as long, so that
/// twins hardly tell: far twins do, by all of it. (Caches may be cold after any command that was far off, and
/// far twins then differ though neighbours leave them alike: no more counts than twins allow.) `stops`: of
/// the columns. Returns that part of the whole in ticks; 0 where it is less than a fifth of `relative`, or no
/// more than chance brings about in one table of 3000.
double moved_along_the_path(const Times& times, std::span<const std::size_t> stops,
                            std::span<const FarTwin> far, double relative);

}  // namespace jcprof::engine
