// SPDX-License-Identifier: Apache-2.0
// Which line and which function each block of a path belongs to. A block runs from one event of the path to
// the next one, the last block to the end of the command. Pure: a trap map and a path in, indices out.
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
  std::uint32_t line = 0;      // index into lines
  std::uint32_t function = 0;  // index into functions
};

/// One call of a function: it and everything below it are the blocks [begin, end).
struct Invocation {
  std::uint32_t function = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  bool outermost = true;  // no other call of the same function is under way
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
  std::vector<UnreachedLine> unreached;   // no trap of the line was passed; in file order
};

/// Every trap of `path` must be in `map`.
Attribution attribute(const TrapMap& map, const std::vector<Event>& path);

}  // namespace jcprof::annotator
