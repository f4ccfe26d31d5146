// SPDX-License-Identifier: Apache-2.0
// The free memory of a card, as JCSystem.getAvailableMemory tells it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace jcprof {

/// Bytes, numbered as JCSystem.MEMORY_TYPE_… is.
using FreeMemory = std::array<std::uint16_t, 3>;
inline constexpr std::array<std::string_view, 3> memory_kinds{"persistent", "transient-reset",
                                                              "transient-deselect"};
/// The most that a card can tell: so much or more.
inline constexpr std::uint16_t most_free_told = 32767;

/// Commands behind the first one: enough to tell a leak from memory that is made once.
inline constexpr std::size_t later_commands = 3;

/// Another amount than at the event before, or at the begin of the command.
struct MemoryChange {
  std::uint64_t event = 0;  // counts from 0
  FreeMemory free = {};
  bool operator==(const MemoryChange&) const = default;
};

/// The free memory along one run of a command.
struct MemoryLog {
  FreeMemory before = {};
  FreeMemory after = {};
  std::vector<MemoryChange> changes;  // in their order
  bool is_cut = false;                // there may be more changes than these, behind them
};

}  // namespace jcprof
