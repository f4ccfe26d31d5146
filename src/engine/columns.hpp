// SPDX-License-Identifier: Apache-2.0
// The stops that rounds are made of, with their times. Values only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "src/engine/times.hpp"

namespace jcprof::engine {

/// The stops that rounds are made of, with what is known of each: one entry a column of the table of times.
struct Columns {
  std::vector<std::size_t> stops = {};       // ascending
  std::vector<bool> open = {};               // part of the next round
  std::vector<std::uint32_t> attempts = {};  // rounds in which it was asked for
  std::vector<std::uint32_t> hits = {};      // rounds in which it was measured
  Times times{0};
};

/// Of these stops nothing else is known yet.
Columns columns_for(std::vector<std::size_t> stops);

void drop(Columns& columns, const std::set<std::size_t>& gone);

/// Opens a column and its neighbours: a difference is taken within a round.
void open_near(std::vector<bool>& open, std::size_t c);

/// Adds stops, ascending, of which nothing is known yet. They and their neighbours are open.
void add(Columns& columns, const std::vector<std::size_t>& stops);

/// The blocks between stops `after` that lie within these of those between stops `before`, or hold them.
std::vector<std::size_t> blocks_between(const std::vector<std::size_t>& before,
                                        const std::vector<std::size_t>& after,
                                        const std::vector<std::size_t>& blocks);

/// What `groups` says of each block, for the blocks between these stops. A segment of several blocks is of no
/// group.
std::vector<std::uint32_t> groups_of(const std::vector<std::size_t>& stops,
                                     const std::vector<std::uint32_t>& groups);

/// What `edges` says of each block, and 0 for a segment of several.
std::vector<std::uint32_t> edges_of(const std::vector<std::size_t>& stops,
                                    const std::vector<std::uint32_t>& edges);

/// What `alone` says of the first block between these stops.
std::vector<bool> alone_of(const std::vector<std::size_t>& stops, const std::vector<bool>& alone);

}  // namespace jcprof::engine
