// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/trap_table.hpp"

#include <map>
#include <utility>

namespace jcprof::annotator {

TrapTable table_of(const TrapMap& map) {
  TrapTable table;
  std::map<std::string, std::uint32_t, std::less<>> files;
  std::map<std::string, std::uint32_t, std::less<>> functions;
  std::map<std::pair<std::string, std::size_t>, std::uint32_t> lines;
  const auto number_in = [](auto& numbers, const auto& key) {
    return numbers.try_emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second;
  };
  for (const Trap& trap : map.traps) {
    const TrapTable::Place place{.function = trap.function, .path = trap.path, .line = trap.line};
    table.traps.push_back({.kind = trap.kind,
                           .function = number_in(functions, trap.function),
                           .line = number_in(lines, std::pair(trap.path, trap.line)),
                           .file = number_in(files, trap.path),
                           .guards = static_cast<std::uint32_t>(trap.guards),
                           .offset = trap.offset,
                           .end_offset = trap.end_offset});
    if (functions.size() > table.functions.size()) table.functions.push_back(place);
    if (lines.size() > table.lines.size()) table.lines.push_back(place);
  }
  return table;
}

}  // namespace jcprof::annotator
