// SPDX-License-Identifier: Apache-2.0
// Trap maps and paths of small programs for tests, written by hand.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "src/core/trap_map.hpp"

namespace jcprof::annotator {

/// Traps in file order, all in A.java; each takes ten bytes, and a statement all up to its last line.
class MapMaker {
 public:
  MapMaker& trap(TrapKind kind, const std::string& function, std::size_t line, std::size_t end_line = 0) {
    const auto id = static_cast<std::uint32_t>(map_.traps.size()) + 1;
    map_.traps.push_back({.id = TrapId{id},
                          .key = "k" + std::to_string(id),
                          .name = "TRAP_" + std::to_string(id),
                          .kind = kind,
                          .function = function,
                          .path = "A.java",
                          .line = line,
                          .column = 1,
                          .offset = std::size_t{10} * id,
                          .end_line = end_line == 0 ? line : end_line,
                          .end_offset = std::size_t{10} * id + 5});
    return *this;
  }
  /// The end of a body without braces: that of the statement with trap `body`.
  MapMaker& end_of(std::uint32_t body) {
    const Trap statement = map().at(TrapId{body});
    trap(TrapKind::after, statement.function, statement.end_line);
    map_.traps.back().offset = map_.traps.back().end_offset = statement.end_offset;
    return *this;
  }
  /// Of the trap that was made last.
  MapMaker& guards(std::uint32_t count) {
    map_.traps.back().guards = count;
    return *this;
  }
  /// "java" has triggers of several commands, and an answer behind the entry's return that is in no line.
  TrapMap map(const std::string& language = "c") const {
    TrapMap map = map_;
    map.language = language;
    for (Trap& trap : map.traps)
      for (const Trap& inner : map.traps)
        if (inner.function == trap.function && inner.offset > trap.offset && inner.line <= trap.end_line &&
            trap.end_line > trap.line)
          trap.end_offset = std::max(trap.end_offset, inner.end_offset);
    return map;
  }

 private:
  TrapMap map_;
};

/// 1 p(): 2 entry | 10 s; | 20 r = f(g()); | 30 }     f: 40 entry 41 return     g: 50 entry 51 return
inline TrapMap two_calls(const std::string& language = "c") {
  return MapMaker()
      .trap(TrapKind::entry0, "p", 1)
      .trap(TrapKind::entry, "p", 1)
      .trap(TrapKind::before, "p", 10)
      .trap(TrapKind::before, "p", 20)
      .trap(TrapKind::exit, "p", 30)
      .trap(TrapKind::entry, "f", 40)
      .trap(TrapKind::returns, "f", 41)
      .trap(TrapKind::entry, "g", 50)
      .trap(TrapKind::returns, "g", 51)
      .map(language);
}

/// Events from trap numbers, hits counted.
inline std::vector<Event> path_of(const std::vector<std::uint32_t>& traps) {
  std::map<std::uint32_t, std::uint32_t> hits;
  std::vector<Event> path;
  for (const std::uint32_t trap : traps) path.push_back({TrapId{trap}, ++hits[trap]});
  return path;
}

}  // namespace jcprof::annotator
