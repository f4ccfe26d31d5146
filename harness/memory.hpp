// SPDX-License-Identifier: Apache-2.0
// Memory mode: the free memory at each event of one command, and after each of a few more. Times nothing and
// stores nothing.
#pragma once

#include <vector>

#include "harness/transport.hpp"
#include "src/core/free_memory.hpp"
#include "src/core/store.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::harness {

/// Commands behind the first one: enough to tell a leak from memory that is made once.
inline constexpr int later_commands = 3;

struct MemoryRun {
  std::vector<Event> path;        // of the first command after the start
  MemoryLog log;                  // the same command's
  std::vector<FreeMemory> after;  // each later command; fewer where one failed
};

/// The first input is measured. Where the card has no room for the path, and later commands take another one,
/// path and log are the beginning. UserError where the target does not tell its free memory, or has no room
/// to keep it.
MemoryRun measure_memory(const TrapMap& map, Transport& transport, const std::vector<StoredInput>& inputs);

}  // namespace jcprof::harness
