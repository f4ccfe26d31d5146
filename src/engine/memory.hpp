// SPDX-License-Identifier: Apache-2.0
// Does what a command takes depend on the command before it? In path order the one before is always a
// neighbour on the path, so that differences of neighbours hold what it leaves behind. Pure.
#pragma once

#include "src/engine/times.hpp"

namespace jcprof::engine {

/// Twins are compared at each stop: in a round the command before is the stop in front of it on the path, in
/// its twin the one behind it. At the two ends it is the same in both, so these are left out, unless rounds
/// are prepared with whole commands: then the one before that matters. `times`: rounds in path order, 2n and
/// 2n + 1 twins. Where they differ, half of that is the most by which it moves the blocks beside, in ticks;
/// 0: by no more than chance brings about in one table of 3000.
double moved_by_the_one_before(const Times& times, bool is_prepared = false);

}  // namespace jcprof::engine
