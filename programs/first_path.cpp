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

// Of a path that had to be cut. Zoom finds the hot part of such a one in some minutes.
constexpr double events_aimed_at = 50'000;
constexpr std::size_t most_shown = 6;

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

}  // namespace

harness::TracedPath look_at_path(const Project& project, const TrapMap& map, const fs::path& out) {
  const std::unique_ptr<harness::Transport> transport = harness::make_transport(project, map, "", out);
  transport->describe();
  const std::vector<StoredInput> inputs =
      harness::make_inputs(project.inputs, {.root = project.root, .seed = project.measure.seed});
  std::vector<Bytes> bytes;
  for (const StoredInput& input : inputs) bytes.push_back(input.bytes);
  transport->set_inputs(std::move(bytes));
  return harness::trace_path(*transport, inputs.front().index, {.attempts = 1, .agreements_of_runs = 0});
}

Shortening shortening(const harness::TracedPath& path, const TrapMap& map, TrapLevel level) {
  Shortening result{
      .functions_only = false, .exclude = {}, .events = path.total.value_or(path.events.size())};
  if (path.state != harness::PathState::cut || path.events.empty()) return result;
  result.functions_only = level > TrapLevel::function;
  std::set<std::string> entries;
  for (const Trap& trap : map.traps)
    if (trap.kind == TrapKind::entry0) entries.insert(trap.function);
  const auto passes = passes_of(path, map, result.functions_only);
  std::size_t seen = 0;
  for (const auto& [function, count] : passes) seen += count;
  // What was not traced is taken to be like what was.
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
  return shortening.functions_only || !shortening.exclude.empty();
}

std::string to_text(const Shortening& shortening) {
  std::vector<std::string> named = shortening.exclude;
  if (named.size() > most_shown) {
    const std::size_t others = named.size() - most_shown;
    named.resize(most_shown);
    named.push_back(fmt::format("{} more", others));
  }
  const std::string why = shortening.events == 0
                              ? "a traced run does not come to its end"
                              : fmt::format("{} events are too many to stop at", shortening.events);
  return fmt::format("path: {}: traps stand {}{}; what is left out counts for its callers\n", why,
                     shortening.functions_only ? "at functions only" : "as before",
                     named.empty() ? "" : fmt::format(", without {}", fmt::join(named, ", ")));
}

}  // namespace jcprof::cli
