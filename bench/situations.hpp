// SPDX-License-Identifier: Apache-2.0
// Devices that break what measuring takes for granted: do intervals hold, or does the run say that they do
// not?
#pragma once

#include <cstdint>
#include <string_view>

#include "bench/bars.hpp"

namespace jcprof::bench {

/// Prints a table. `only`: of that situation; empty: of all.
void check_situations(std::uint64_t seeds, std::string_view only, Bars& bars);

}  // namespace jcprof::bench
