// SPDX-License-Identifier: Apache-2.0
// The lines and functions of a path, which a measurement has to find out. They are made of its times as
// estimates are, so that a run ends by the numbers that people will read. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "annotator/estimate/trap_cost.hpp"
#include "src/core/trap_map.hpp"
#include "src/core/types.hpp"
#include "src/engine/settlement.hpp"

namespace jcprof::annotator {

/// The path is measured at `positions`, ascending, the end last: the engine's stop n is positions[n]. Figures
/// are the path's lines, its functions by themselves where these have several lines, and the time between
/// commands. The costs of traps stay in, since they move no half width. A stop costs more at one trap than at
/// another, and more rounds do not tell: `cost`, asked at each look, says how much a stop costs.
engine::FigureSource figures_of(
    const TrapMap& map, const std::vector<Event>& path, std::vector<std::size_t> positions,
    std::function<TrapCost()> cost = [] { return TrapCost{}; });

}  // namespace jcprof::annotator
