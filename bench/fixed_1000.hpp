// SPDX-License-Identifier: Apache-2.0
// What the closest tool does (JCProfilerNext): a fixed number of rounds, traps in program order, differences
// to the trap before in the same round, values beyond 3 standard deviations cut once, mean. No warm-up, no
// interval, no rule when to stop.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tests/support/trial.hpp"

namespace jcprof::bench {

/// How good the rival's blocks are after some rounds.
struct Prefix {
  std::size_t rounds = 0;
  std::vector<test::Tally> tallies;  // one a precision; it has no intervals that could cover
};

/// After growing numbers of rounds of one long run, rounds_of_fixed_1000 among them.
std::vector<Prefix> fixed_rounds(const test::Experiment& experiment,
                                 std::span<const engine::Precision> precisions);

}  // namespace jcprof::bench
