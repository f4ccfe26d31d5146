// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/trap_table.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace jcprof::annotator {

namespace {

/// Finds the innermost statement round each trap. At the end of a body without braces several end at once.
void find_holders(std::vector<TrapPlace>& traps) {
  std::vector<TrapPlace*> places;
  for (TrapPlace& trap : traps) places.push_back(&trap);
  std::ranges::sort(places, [](const TrapPlace* a, const TrapPlace* b) {
    return std::tie(a->file, a->offset, b->end_offset) < std::tie(b->file, b->offset, a->end_offset);
  });
  std::vector<const TrapPlace*> open;
  for (TrapPlace* trap : places) {
    while (!open.empty() && (open.back()->file != trap->file || open.back()->end_offset <= trap->offset))
      open.pop_back();
    if (trap->offset < trap->end_offset) {
      const auto held = std::find_if(open.rbegin(), open.rend(), [&](const TrapPlace* one) {
        return one->function == trap->function && trap->is_inside(*one);
      });
      if (held != open.rend()) trap->holder = (*held)->offset;
    }
    if (trap->is_statement()) open.push_back(trap);
  }
}

}  // namespace

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
                           .end_offset = trap.end_offset,
                           .has_finally = map.language == "java",
                           .has_commands = map.language == "java"});
    if (functions.size() > table.functions.size()) table.functions.push_back(place);
    if (lines.size() > table.lines.size()) table.lines.push_back(place);
    if (trap.kind == TrapKind::exit || trap.kind == TrapKind::returns)
      table.functions[table.traps.back().function].shows_end = true;
  }
  find_holders(table.traps);
  return table;
}

std::vector<std::uint64_t> hits_of_lines(const TrapTable& table, std::span<const std::uint64_t> passed) {
  std::vector<std::uint64_t> any(table.lines.size());
  std::vector<std::uint64_t> statements(table.lines.size());
  for (std::size_t i = 0; i < passed.size(); ++i) {
    const TrapPlace& trap = table.traps[i];
    any[trap.line] = std::max(any[trap.line], passed[i]);
    if (trap.is_statement()) statements[trap.line] = std::max(statements[trap.line], passed[i]);
  }
  for (std::size_t line = 0; line < any.size(); ++line)
    if (statements[line] > 0) any[line] = statements[line];
  return any;
}

}  // namespace jcprof::annotator
