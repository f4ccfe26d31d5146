// SPDX-License-Identifier: Apache-2.0
// Runs that end by lines and functions beside runs that end by blocks: what they cost, and how well lines are
// known.
#pragma once

#include <cstdint>

#include "bench/bars.hpp"

namespace jcprof::bench {

/// On the nine devices, for code in a row and for lines of several blocks far apart.
void check_lines(std::uint64_t seeds, Bars& bars);

}  // namespace jcprof::bench
