// SPDX-License-Identifier: Apache-2.0
// The path of a command that was built with traps, before it is measured: where it is too long for that, what
// traps are better left out. Pure, but for look_at_path().
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/path.hpp"
#include "src/core/project.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::cli {

/// One run of the command in the tree, as far as it was traced; where it is not cut, with what further runs
/// take.
harness::TracedPath look_at_path(const Project& project, const TrapMap& map,
                                 const std::filesystem::path& out);

struct Shortening {
  bool functions_only = false;
  std::vector<std::string> exclude;  // patterns of further functions, the most often passed first
  std::vector<Trap> unsteady;        // further traps, which make the path vary
  std::uint64_t events = 0;          // of the path as it is
};

/// Nothing where the path is short enough to be measured and steady, or none of its traps can go. Of one that
/// is too long a statement's traps go first, then all of functions that are passed so often that it stays too
/// long. Of one that varies the traps go that not all runs pass as often, or in the same order: what lies
/// behind a join of two ways has no time where stops do not say which of them they came. Entries stay.
Shortening shortening(const harness::TracedPath& path, const TrapMap& map, TrapLevel level);

/// False where nothing is to be left out.
bool is_needed(const Shortening& shortening);

/// Tells a person what is left out and why.
std::string to_text(const Shortening& shortening);

}  // namespace jcprof::cli
