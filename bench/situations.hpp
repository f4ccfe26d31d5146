// SPDX-License-Identifier: Apache-2.0
// Devices that break what measuring takes for granted: do intervals hold, or does the run say that they do
// not?
#pragma once

#include <cstdint>
#include <string_view>

#include "bench/bars.hpp"

namespace jcprof::bench {

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t count = 10;
};

/// Prints a table. `only`: of that situation; empty: of all.
void check_situations(const Seeds& seeds, std::string_view only, Bars& bars);

}  // namespace jcprof::bench
