// SPDX-License-Identifier: Apache-2.0
// Which events of a path are measured, in which order a round takes them, and when rounds are looked at. Pure
// functions of path, seed and round number, so that a run that is resumed keeps its order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/core/types.hpp"

namespace jcprof::engine {

/// Hits of one trap that are measured: all up to this many, else the first 2, the last 2 and a random 12
/// between.
inline constexpr std::size_t most_hits = 16;

/// Indices into `path`, ascending, and path.size() for the end. The first event and the end are always there,
/// and behind each measured hit of a sampled trap the position after it, so that the block is measured whole.
std::vector<std::size_t> choose_positions(std::span<const Event> path, std::uint64_t seed);

/// The order in which round `round` (from 0) takes `count` stops. Rounds 2n and 2n+1 are twins: ascending
/// from a random start with wrap-around, then the exact reverse. Linear drift cancels, neighbours stay close
/// in time, and nothing that recurs every so many executions can lock on to a stop (run orders: Cox 1951).
std::vector<std::size_t> round_order(std::size_t count, std::uint64_t seed, std::uint32_t round);

/// Rounds are looked at after so many, and then a quarter more each time, always in whole pairs of twins.
inline constexpr std::uint32_t first_look = 10;
std::uint32_t look_after(std::uint32_t rounds);

}  // namespace jcprof::engine
