// SPDX-License-Identifier: Apache-2.0
// The lines and functions of two sides of a comparison, and which of them are the same. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

/// One session.
struct Compared {
  const Profile& profile;
  const TrapMap& map;  // of its build
};

/// A line or function of one side, over its sessions.
struct Entry {
  std::string path;
  std::size_t line = 0;
  std::string function;
  std::uint64_t hits = 0;
  std::vector<Estimate> costs;  // of each session
};
using Entries = std::vector<Entry>;

/// The entries of the first session, in its order. Sessions of one build have the same lines. An entry that a
/// later session lacks has a cost that was not measured there.
Entries line_entries(const std::vector<Compared>& side);
Entries function_entries(const std::vector<Compared>& side);

/// An entry of the first side, one of the second side, or the same of both.
struct Pair {
  const Entry* before = nullptr;
  const Entry* after = nullptr;
};

/// By the traps of the first sessions (line_match.hpp). Imported recordings have only lines of both.
std::vector<Pair> pairs_of_lines(const Compared& before, const Entries& old, const Compared& after,
                                 const Entries& young);
/// By name. Functions of one name differ by their files, then by their order in the text.
std::vector<Pair> pairs_of_functions(const Entries& before, const Entries& after);

}  // namespace jcprof::annotator
