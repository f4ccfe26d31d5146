// SPDX-License-Identifier: Apache-2.0
// Tells which line, function and loops each block of a path belongs to. A block runs from one event of the
// path to the next one, the last block to the end of the command. Behind the return of an applet's entry, and
// up to the next command of a trigger, runs no code of the applet's: that block belongs to nobody. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/core/trap_map.hpp"
#include "src/core/types.hpp"

namespace jcprof::annotator {

/// A source line that owns at least one block.
struct OwnedLine {
  std::string path;
  std::size_t line = 0;
  std::string function;    // of the first block that it owned
  std::uint64_t hits = 0;  // how often its statement was passed
};

struct PassedFunction {
  std::string name;
  std::string path;
  std::size_t line = 0;  // of its first trap
  std::uint64_t calls = 0;
};

struct Block {
  static constexpr std::uint32_t nobody = ~0U;

  std::uint32_t line = 0;      // index into lines
  std::uint32_t function = 0;  // index into functions

  /// It lies behind the last trap of a command: its line and its function are nobody's.
  bool is_between() const { return line == nobody; }
};

/// One call of a function, with everything below it: the blocks [begin, end).
struct Invocation {
  std::uint32_t function = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  bool outermost = true;  // no other call of the same function is under way
};

struct PassedLoop {
  std::string path;
  std::size_t line = 0;  // of the loop's statement
  std::string function;
  std::uint64_t entries = 0;  // how often the loop was begun and made a pass
  std::uint64_t passes = 0;   // through its body, of all entries
};

/// A loop from its begin to its end, calls in it included: the blocks [begin, end).
struct LoopRun {
  std::uint32_t loop = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  bool outermost = true;  // the same loop is not under way in a call further out
};

/// The calls and guards that an exception thrown at an event leaves on its way out of the command, as far as
/// traps show them.
struct Unwinding {
  std::uint32_t frames = 0;  // of functions, the entry's not counted
  std::uint32_t guards = 0;
};

struct UnreachedLine {
  std::string path;
  std::size_t line = 0;
  std::string function;
  bool operator==(const UnreachedLine&) const = default;
};

struct Attribution {
  std::vector<OwnedLine> lines;           // in the order in which they first own a block
  std::vector<PassedFunction> functions;  // in the order in which they are first entered
  std::vector<Block> blocks;              // one for each event of the path
  std::vector<Invocation> invocations;    // in the order of their begin
  std::vector<PassedLoop> loops;          // in the order of their first pass
  std::vector<LoopRun> loop_runs;         // in the order of their first pass
  std::vector<Unwinding> unwinding;       // one for each event of the path
  std::vector<UnreachedLine> unreached;   // no trap of the line was passed; in file order
};

/// Every trap of `path` must be in `map`.
Attribution attribute(const TrapMap& map, const std::vector<Event>& path);

}  // namespace jcprof::annotator
