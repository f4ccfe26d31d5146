// SPDX-License-Identifier: Apache-2.0
// Trap maps and paths of small programs for tests, written by hand.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "src/core/trap_map.hpp"

namespace jcprof::annotator {

/// Traps in file order; the offset follows the order, all in A.java.
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
                          .offset = 10 * id,
                          .end_line = end_line == 0 ? line : end_line});
    return *this;
  }
  TrapMap map() const {
    TrapMap map = map_;
    map.language = "java";
    return map;
  }

 private:
  TrapMap map_;
};

/// Events from trap numbers, hits counted.
inline std::vector<Event> path_of(const std::vector<std::uint32_t>& traps) {
  std::map<std::uint32_t, std::uint32_t> hits;
  std::vector<Event> path;
  for (const std::uint32_t trap : traps) path.push_back({TrapId{trap}, ++hits[trap]});
  return path;
}

}  // namespace jcprof::annotator
