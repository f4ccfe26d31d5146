// SPDX-License-Identifier: Apache-2.0
// Ways that a path may go on, by a model of it: how far these can be foretold, and which of them a signature
// is of. Asks nobody.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/path_model.hpp"
#include "src/core/path_signature.hpp"
#include "src/core/types.hpp"

namespace jcprof::harness {

/// How far the events behind a walk can be foretold.
struct Outlook {
  std::uint64_t events = 0;  // behind the walk
  double bits = 0;           // of doubt about them
};

/// Along the most likely way, for so many events at most, and as long as there is less doubt than `bits`.
/// Ends where nothing is known to follow. The walk is as before afterwards.
Outlook look_ahead(const PathModel& model, PathWalk& walk, std::uint64_t most_events, double bits);

/// A piece of a path: its length, and the path's digests before and behind it.
struct Piece {
  std::uint64_t events = 0;
  PathDigest before;
  PathDigest behind;
  std::uint64_t most_tried = 0;  // pieces: more of them tell nothing
};

struct Search {
  std::vector<std::vector<TrapId>> found;  // pieces that have the digest
  std::uint64_t tried = 0;                 // pieces of that length
  std::uint64_t of_signature = 0;          // of these, by the signature alone
};

/// Tries pieces, the likely ones first, until some have the signature or it has tried what it can.
Search search(const PathModel& model, PathWalk& walk, const Piece& piece);

}  // namespace jcprof::harness
