// SPDX-License-Identifier: Apache-2.0
#include "programs/first_path.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/inputs.hpp"
#include "harness/transports.hpp"
#include "programs/refine.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

// A path that had to be cut is to have so many. Zoom finds its hot part in some minutes.
constexpr double events_aimed_at = 50'000;
// A survey makes as many runs where shots carry no signature.
constexpr int agreements = 11;

bool is_of_function(TrapKind kind) {
  return kind == TrapKind::entry0 || kind == TrapKind::entry || kind == TrapKind::returns ||
         kind == TrapKind::exit;
}

/// How often traps of each function are passed, the most often first; of those that only functions have,
/// where asked.
std::vector<std::pair<std::string, std::size_t>> passes_of(const harness::TracedPath& path,
                                                           const TrapMap& map, bool functions_only) {
  std::map<std::string, std::size_t> passes;
  for (const Event& event : path.events) {
    const Trap& trap = map.at(event.trap);
    if (!functions_only || is_of_function(trap.kind)) ++passes[trap.function];
  }
  std::vector<std::pair<std::string, std::size_t>> most(passes.begin(), passes.end());
  std::ranges::stable_sort(most, std::greater{}, &std::pair<std::string, std::size_t>::second);
  return most;
}

using Traps = std::vector<TrapId>;

std::vector<Traps> ways_of(const harness::TracedPath& path) {
  std::vector<Traps> ways;
  for (const harness::Variant& variant : path.variants) {
    Traps& way = ways.emplace_back();
    for (const Event& event : variant.events) way.push_back(event.trap);
  }
  return ways;
}

std::map<TrapId, std::size_t> counted(const Traps& way) {
  std::map<TrapId, std::size_t> passes;
  for (const TrapId trap : way) ++passes[trap];
  return passes;
}

/// Those that ways pass differently often.
std::set<TrapId> unequal(const std::vector<Traps>& ways) {
  const std::map<TrapId, std::size_t> first = counted(ways.front());
  std::set<TrapId> differing;
  for (const Traps& way : ways) {
    const std::map<TrapId, std::size_t> passes = counted(way);
    for (const auto* one : {&first, &passes})
      for (const auto& [trap, count] : *one) {
        const auto& other = one == &first ? passes : first;
        if (const auto found = other.find(trap); found == other.end() || found->second != count)
          differing.insert(trap);
      }
  }
  return differing;
}

/// The two that come first where a way leaves the first one; empty where all are equal.
std::set<TrapId> first_difference(const std::vector<Traps>& ways) {
  for (const Traps& way : ways) {
    const auto [ours, theirs] = std::ranges::mismatch(ways.front(), way);
    std::set<TrapId> different;
    if (ours != ways.front().end()) different.insert(*ours);
    if (theirs != way.end()) different.insert(*theirs);
    if (!different.empty()) return different;
  }
  return {};
}

/// Without these all ways are the same. Empty where half of all traps would go: such a path has no usual way.
std::set<TrapId> unsteady_traps(std::vector<Traps> ways) {
  std::set<TrapId> all;
  for (const Traps& way : ways) all.insert(way.begin(), way.end());
  std::set<TrapId> unsteady;
  std::set<TrapId> more = unequal(ways);
  if (more.empty()) more = first_difference(ways);
  for (; !more.empty(); more = first_difference(ways)) {
    unsteady.insert(more.begin(), more.end());
    if (2 * unsteady.size() > all.size()) return {};
    for (Traps& way : ways) std::erase_if(way, [&](TrapId trap) { return unsteady.contains(trap); });
  }
  return unsteady;
}

}  // namespace

harness::TracedPath look_at_path(const Project& project, const TrapMap& map, const fs::path& out) {
  const std::unique_ptr<harness::Transport> transport = harness::make_transport(project, map, "", out);
  transport->describe();
  const std::vector<StoredInput> inputs =
      harness::make_inputs(project.inputs, {.root = project.root, .seed = project.measure.seed});
  std::vector<Bytes> bytes;
  for (const StoredInput& input : inputs) bytes.push_back(input.bytes);
  transport->set_inputs(std::move(bytes));
  const std::uint32_t input = inputs.front().index;
  harness::TracedPath path = harness::trace_path(*transport, input, {.attempts = 1, .agreements_of_runs = 0});
  if (path.state == harness::PathState::cut) return path;
  return harness::trace_path(*transport, input, {.agreements_of_runs = agreements});
}

Shortening shortening(const harness::TracedPath& path, const TrapMap& map, TrapLevel level) {
  Shortening result{.functions_only = false,
                    .exclude = {},
                    .unsteady = {},
                    .events = path.total.value_or(path.events.size())};
  if (path.variants.size() > 1)
    for (const TrapId trap : unsteady_traps(ways_of(path)))
      if (const Trap& one = map.at(trap); one.kind != TrapKind::entry0) result.unsteady.push_back(one);
  if (path.state != harness::PathState::cut || path.events.empty()) return result;
  result.functions_only = level > TrapLevel::function;
  std::set<std::string> entries;
  for (const Trap& trap : map.traps)
    if (trap.kind == TrapKind::entry0) entries.insert(trap.function);
  const auto passes = passes_of(path, map, result.functions_only);
  std::size_t seen = 0;
  for (const auto& [function, count] : passes) seen += count;
  // The untraced rest counts like the traced part.
  const double scale = static_cast<double>(result.events) / static_cast<double>(path.events.size());
  for (const auto& [function, count] : passes) {
    if (scale * static_cast<double>(seen) <= events_aimed_at) break;
    if (entries.contains(function)) continue;
    result.exclude.push_back(pattern_of(function));
    seen -= count;
  }
  return result;
}

bool is_needed(const Shortening& shortening) {
  return shortening.functions_only || !shortening.exclude.empty() || !shortening.unsteady.empty();
}

std::string to_text(const Shortening& shortening) {
  if (!shortening.unsteady.empty()) {
    std::set<std::string> places;
    for (const Trap& trap : shortening.unsteady) places.insert(fmt::format("{}:{}", trap.path, trap.line));
    return fmt::format(
        "path: runs differ. Traps that some runs skip are left out ({}). Their time counts for the line "
        "before.\n",
        list_of({places.begin(), places.end()}));
  }
  const std::string why = shortening.events == 0
                              ? "a traced run does not come to its end"
                              : fmt::format("{} events are too many to stop at", shortening.events);
  return fmt::format("path: {}: traps stand {}{}; what is left out counts for its callers\n", why,
                     shortening.functions_only ? "at functions only" : "as before",
                     shortening.exclude.empty() ? "" : ", without " + list_of(shortening.exclude));
}

}  // namespace jcprof::cli
