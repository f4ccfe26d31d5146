// SPDX-License-Identifier: Apache-2.0
// Which events of a path are measured, in which order a round takes them, and when rounds are looked at. Pure
// functions of path, seed and round number, so that a run that is resumed keeps its order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "src/core/types.hpp"

namespace jcprof::engine {

/// Passes of one edge (trap to next trap) that are measured; all where it has no more of them.
inline constexpr std::size_t most_passes = 16;

/// How often the edge that begins at each position is passed on the whole path.
std::vector<std::size_t> edge_passes(std::span<const Event> path);

/// The same as most_passes, and more under an exact clock: one that repeats itself needs few rounds, so that
/// all passes are measured up to some thousand stops.
std::size_t measured_passes(std::span<const Event> path, bool exact);

/// Indices into `path`, ascending, and path.size() for the end. The first event and the end are always there.
/// The passes of an edge with more than `most` are divided into equal parts, half of `most`, and as many that
/// grow from the first pass on, so that early passes are drawn more densely. One pass of each part is drawn
/// at random, and measured with the event behind it.
std::vector<std::size_t> choose_positions(std::span<const Event> path, std::uint64_t seed,
                                          std::size_t most = most_passes);

/// Samples of the passes of one edge, at most.
inline constexpr std::uint32_t most_samples_of_edge = 16;

/// So many samples of `most` passes may be drawn: as many as can be estimated together.
std::uint32_t most_samples(std::span<const Event> path, std::size_t most = most_passes);

/// The same positions (sample 0), and those of further samples, which draw one pass of each of `most` equal
/// parts. By position: the first sample that has it.
std::map<std::size_t, std::uint32_t> sample_positions(std::span<const Event> path, std::uint64_t seed,
                                                      std::size_t most, std::uint32_t samples);

/// The order in which round `round` (from 0) takes `count` stops. Rounds 2n and 2n+1 are twins: ascending
/// from a random start with wrap-around, then the exact reverse. Linear drift cancels, neighbours stay close
/// in time, and nothing that recurs every so many executions can lock on to a stop (run orders: Cox 1951).
std::vector<std::size_t> round_order(std::size_t count, std::uint64_t seed, std::uint32_t round);

/// How many whole commands come before each stop of a prepared round, in its order: one or two, at random, so
/// that nothing that recurs every so many commands always meets a stop. A twin goes back over the same
/// commands, with two ahead of them: of what recurs with every second one, each stop meets both.
inline constexpr double wholes_a_stop = 1.5;
std::vector<std::size_t> wholes_ahead(std::size_t count, std::uint64_t seed, std::uint32_t round);

/// Rounds are looked at after so many, and then a quarter more each time, always in whole pairs of twins.
inline constexpr std::uint32_t first_look = 10;
std::uint32_t look_after(std::uint32_t rounds);

}  // namespace jcprof::engine
