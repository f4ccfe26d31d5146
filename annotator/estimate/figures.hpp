// SPDX-License-Identifier: Apache-2.0
// What a measurement has to find out: the lines and functions of a path, made of its times as estimates make
// them, so that a run ends by the numbers that people will read. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "src/core/trap_map.hpp"
#include "src/core/types.hpp"
#include "src/engine/settlement.hpp"

namespace jcprof::annotator {

/// Of a path that is measured at `positions`, ascending, the end last: the engine's stop n is positions[n].
/// Figures are the path's lines, its functions by themselves where these have several lines, and what runs
/// between commands. What traps cost is not taken off: it moves no half width.
engine::FigureSource figures_of(const TrapMap& map, const std::vector<Event>& path,
                                std::vector<std::size_t> positions);

}  // namespace jcprof::annotator
