// SPDX-License-Identifier: Apache-2.0
// The engine's yes-and-no answers: which blocks of a long path are hot, and whether a block is called hot
// that is not.
#pragma once

#include <cstdint>

#include "bench/bars.hpp"

namespace jcprof::bench {

/// Zoom on paths of a thousand blocks: what it finds, with how many shots.
void check_zoom(std::uint64_t seeds, Bars& bars);

/// Calls about a block that lies at the threshold itself, looked at all the time.
void check_hot_calls(std::uint64_t seeds, Bars& bars);

}  // namespace jcprof::bench
