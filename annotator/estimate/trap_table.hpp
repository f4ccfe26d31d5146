// SPDX-License-Identifier: Apache-2.0
// A trap map with numbers in place of names: the function and the line of each trap.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "src/core/trap_map.hpp"

namespace jcprof::annotator {

inline constexpr std::uint64_t no_holder = std::numeric_limits<std::uint64_t>::max();

struct TrapPlace {
  TrapKind kind = TrapKind::before;
  std::uint32_t function = 0;  // index into functions
  std::uint32_t line = 0;      // index into lines
  std::uint32_t file = 0;
  std::uint32_t guards = 0;  // round it, in its function
  std::uint64_t offset = 0;
  std::uint64_t end_offset = 0;
  std::uint64_t holder = no_holder;  // begin of the innermost statement with a trap that it is inside of
  bool has_finally = false;          // the language has: a handler may run after a return
  bool has_commands = false;         // the language has: a trigger may consist of several

  /// The trap stands for a statement and has the statement's range.
  bool is_statement() const {
    return kind == TrapKind::before || kind == TrapKind::loop_body || kind == TrapKind::handler ||
           kind == TrapKind::returns;
  }
  bool is_inside(const TrapPlace& statement) const {
    return file == statement.file && statement.offset < offset && end_offset <= statement.end_offset;
  }
};

struct TrapTable {
  struct Place {
    std::string function;
    std::string path;
    std::size_t line = 0;
    bool shows_end = false;  // of a function: a trap stands at its end, or at a return
  };
  std::vector<TrapPlace> traps;  // by number - 1
  std::vector<Place> functions;  // at their first trap
  std::vector<Place> lines;
};

TrapTable table_of(const TrapMap& map);

/// The passes of each line's statement. `passed` has them by trap.
std::vector<std::uint64_t> hits_of_lines(const TrapTable& table, std::span<const std::uint64_t> passed);

}  // namespace jcprof::annotator
