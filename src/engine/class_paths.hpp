// SPDX-License-Identifier: Apache-2.0
// Where the paths of inputs part, and whether their class decides there. A path is no measurement: it needs
// no statistics beyond the count of inputs. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/core/types.hpp"

namespace jcprof::engine {

/// The path that an input takes.
struct ClassPath {
  std::size_t input_class = 0;
  std::vector<TrapId> traps = {};
  bool is_whole = true;  // else its beginning
};

/// One direction behind a parting.
struct Way {
  TrapId next = run_to_end;         // the command ends there
  std::vector<std::size_t> inputs;  // that go it, of each class
};

struct Parting {
  std::size_t events = 0;      // that the paths share before it
  TrapId last = run_to_end;    // of these; run_to_end: there is none
  std::vector<Way> ways = {};  // at least two
  bool is_of_class = false;    // two classes share no way, or are proven to go them otherwise
};

/// Events with which all paths begin.
std::size_t shared_events(std::span<const ClassPath> paths);

/// Along the paths, from the first one on; ways that only inputs of one class go are not followed further.
/// Two classes are proven to differ if they share no way at the first parting, or if Fisher's exact test says
/// so of one way against the others, at 1e-3 over all partings. `classes`: their number.
std::vector<Parting> partings_of(std::span<const ClassPath> paths, std::size_t classes);

}  // namespace jcprof::engine
