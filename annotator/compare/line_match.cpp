// SPDX-License-Identifier: Apache-2.0
#include "annotator/compare/line_match.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace jcprof::annotator {
namespace {

// A function of so many lines squared is aligned in a moment; of larger ones keys alone tell.
constexpr std::size_t most_pairs = std::size_t{1} << 24U;

struct TrappedLine {
  std::size_t index = 0;  // of the line
  std::vector<const Trap*> traps;
};
using TrappedFunctions =
    std::map<std::pair<std::string, std::string>, std::vector<TrappedLine>>;  // path, name

/// In the order of the text.
TrappedFunctions functions_of(const MappedLines& mapped) {
  std::map<std::pair<std::string, std::size_t>, std::vector<const Trap*>> traps;
  for (const Trap& trap : mapped.map.traps) traps[{trap.path, trap.line}].push_back(&trap);
  TrappedFunctions functions;
  for (std::size_t i = 0; i < mapped.lines.size(); ++i) {
    const LineEstimate& line = mapped.lines[i];
    const auto found = traps.find({line.path, line.line});
    functions[{line.path, line.function}].push_back(
        {i, found == traps.end() ? std::vector<const Trap*>() : found->second});
  }
  for (auto& [name, lines] : functions)
    std::ranges::sort(lines, {}, [&](const TrappedLine& line) { return mapped.lines[line.index].line; });
  return functions;
}

bool have_a_key_in_common(const TrappedLine& a, const TrappedLine& b) {
  return std::ranges::any_of(a.traps, [&](const Trap* trap) {
    return std::ranges::any_of(b.traps, [&](const Trap* other) { return other->key == trap->key; });
  });
}

/// How sure it is that they are the same. Keys outweigh what all other lines of a function look like.
std::uint32_t likeness(const TrappedLine& a, const TrappedLine& b) {
  constexpr std::uint32_t same_key = 1U << 16U;
  constexpr std::uint32_t same_look = 4;
  constexpr std::uint32_t same_kinds = 1;
  if (have_a_key_in_common(a, b)) return same_key;
  const auto kinds = [](const Trap* trap) { return std::pair{trap->kind, trap->column}; };
  const auto look = [](const Trap* trap) {
    return std::tuple{trap->kind, trap->column, trap->end_offset - trap->offset};
  };
  if (a.traps.empty() || !std::ranges::equal(a.traps, b.traps, {}, kinds, kinds)) return 0;
  return std::ranges::equal(a.traps, b.traps, {}, look, look) ? same_look : same_kinds;
}

/// The alignment of highest likeness (Needleman & Wunsch 1970), gaps cost nothing.
template <class Sink>
void align(const std::vector<TrappedLine>& before, const std::vector<TrappedLine>& after, const Sink& sink) {
  const std::size_t width = after.size() + 1;
  std::vector<std::uint32_t> all((before.size() + 1) * width);
  // The likeness of the lines that follow, by line before and line after.
  const auto best = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return all[i * width + j]; };
  for (std::size_t i = before.size(); i-- > 0;)
    for (std::size_t j = after.size(); j-- > 0;)
      best(i, j) =
          std::max({best(i + 1, j), best(i, j + 1), likeness(before[i], after[j]) + best(i + 1, j + 1)});
  for (std::size_t i = 0, j = 0; i < before.size() && j < after.size();) {
    const std::uint32_t alike = likeness(before[i], after[j]);
    if (alike > 0 && best(i, j) == alike + best(i + 1, j + 1))
      sink(before[i++].index, after[j++].index);
    else
      ++(best(i, j) == best(i + 1, j) ? i : j);
  }
}

template <class Sink>
void match_by_keys(const std::vector<TrappedLine>& before, const std::vector<TrappedLine>& after,
                   const Sink& sink) {
  std::map<std::string, std::size_t> place;  // in `before`, by key
  for (std::size_t i = 0; i < before.size(); ++i)
    for (const Trap* trap : before[i].traps) place.emplace(trap->key, i);
  std::vector<bool> taken(before.size());
  for (const TrappedLine& line : after)
    for (const Trap* trap : line.traps) {
      const auto found = place.find(trap->key);
      if (found == place.end() || taken[found->second]) continue;
      taken[found->second] = true;
      sink(before[found->second].index, line.index);
      break;
    }
}

/// By path: the source is the same, byte for byte.
std::map<std::string, bool> unchanged_sources(const TrapMap& before, const TrapMap& after) {
  std::map<std::string, bool> result;
  for (const SourceDigest& source : after.sources)
    result[source.path] = !source.sha256.empty() && std::ranges::count(before.sources, source) > 0;
  return result;
}

}  // namespace

std::vector<std::optional<std::size_t>> match_lines(const MappedLines& before, const MappedLines& after) {
  std::vector<std::optional<std::size_t>> result(after.lines.size());
  std::vector<bool> taken(before.lines.size());
  const auto match = [&](std::size_t old, std::size_t now) {
    result[now] = old;
    taken[old] = true;
  };
  const TrappedFunctions functions = functions_of(before);
  for (const auto& [name, lines] : functions_of(after)) {
    const auto old = functions.find(name);
    if (old == functions.end()) continue;
    if (old->second.size() * lines.size() > most_pairs)
      match_by_keys(old->second, lines, match);
    else
      align(old->second, lines, match);
  }
  // A line without a trap to know it by stays where it is in a source that is the same.
  const std::map<std::string, bool> unchanged = unchanged_sources(before.map, after.map);
  std::map<std::pair<std::string, std::size_t>, std::size_t> left;
  for (std::size_t i = 0; i < before.lines.size(); ++i)
    if (!taken[i]) left.emplace(std::pair{before.lines[i].path, before.lines[i].line}, i);
  for (std::size_t i = 0; i < after.lines.size(); ++i) {
    const auto source = unchanged.find(after.lines[i].path);
    if (result[i] || source == unchanged.end() || !source->second) continue;
    if (const auto found = left.find({after.lines[i].path, after.lines[i].line}); found != left.end())
      result[i] = found->second;
  }
  return result;
}

}  // namespace jcprof::annotator
