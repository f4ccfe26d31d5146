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

/// Empty where the path is short and steady, or no trap can go. A long path first loses the traps at
/// statements. Then it loses the functions that are passed most, until it is short enough. A path that varies
/// loses the traps that runs pass differently often, or in another order. Otherwise nothing behind the join
/// of two ways has a time, because stops do not say which way they came. Entries stay.
Shortening shortening(const harness::TracedPath& path, const TrapMap& map, TrapLevel level);

/// False where nothing is to be left out.
bool is_needed(const Shortening& shortening);

/// Tells a person what is left out and why.
std::string to_text(const Shortening& shortening);

}  // namespace jcprof::cli
