// SPDX-License-Identifier: Apache-2.0
// Which line takes how much memory, of the free memory along one command; and whether later commands go on
// taking it. Exact: nothing is averaged. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "annotator/text_table.hpp"
#include "src/core/free_memory.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::annotator {

/// Taken bytes; below 0 they were given back. A card that has more free memory than it can tell hides some.
struct MemoryUse {
  enum class Known : std::uint8_t { exactly, at_least, at_most, not_at_all };
  std::int64_t bytes = 0;
  Known known = Known::exactly;
  bool operator==(const MemoryUse&) const = default;
};
using MemoryUses = std::array<MemoryUse, memory_kinds.size()>;

struct MemoryLine {
  std::string path;
  std::size_t line = 0;
  std::string function;
  std::uint64_t hits = 0;  // how often its statement was passed
  MemoryUses used = {};
};

struct MemoryProfile {
  FreeMemory before = {};  // the command
  FreeMemory after = {};
  std::vector<MemoryLine> lines;  // that visibly take or give back any, in the order of files and lines
  MemoryUses unattributed = {};  // in front of the first trap, behind a command's last one or the last change
  MemoryUses total = {};         // of the command: the sum of these, where all are known
  std::vector<MemoryUses> later;  // of each later command, with the scripts around it
  bool is_cut = false;            // only the first changes were noted
};

/// Every trap of `path` must be in `map`. `later`: free memory after each of some later commands.
MemoryProfile memory_profile(const TrapMap& map, const std::vector<Event>& path, const MemoryLog& log,
                             std::span<const FreeMemory> later);

/// The bytes that each later command took at least and did not give back; nothing where it is no leak, or too
/// few commands tell.
std::optional<std::int64_t> leak(const MemoryProfile& profile, std::size_t kind);

/// "64", "-64", ">= 64", "?"; nothing for nothing.
std::string in_words(const MemoryUse& use);
/// ">= 32767" of the most that can be told.
std::string free_in_words(std::uint16_t free);

/// "// 8 bytes persistent, 64 bytes transient-deselect"
std::string memory_comment(const MemoryLine& line);
/// Warnings: leaks, and memory that the card cannot tell.
std::vector<std::string> memory_warnings(const MemoryProfile& profile);
/// Lines, totals and free memory as a table, then the warnings.
std::string memory_table(const MemoryProfile& profile, const TableStyle& style);

}  // namespace jcprof::annotator
