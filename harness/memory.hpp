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

struct MemoryRun {
  std::vector<Event> path;        // of the first command after the start
  MemoryLog log;                  // the same command's
  std::vector<FreeMemory> after;  // each later command; fewer where one was answered otherwise
};

/// The first input is measured. Where the card has no room for the path, and later commands take another one
/// or are answered otherwise, path and log are the beginning. No command is sent again: it may try a PIN.
/// UserError where the target does not tell its free memory, has no room to keep it, or is lost.
MemoryRun measure_memory(const TrapMap& map, Transport& transport, const std::vector<StoredInput>& inputs);

}  // namespace jcprof::harness
