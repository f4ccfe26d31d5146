// SPDX-License-Identifier: Apache-2.0
#include "programs/refine.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jcprof::cli {
namespace {

/// A second run takes as long as the first: by itself it is made where half of the passes go.
constexpr double worth_a_run = 0.5;
constexpr std::size_t most_named = 6;
// A share of all events of a recording. Rarer functions hide nothing, nor do few events.
constexpr double worth_leaving_out = 0.005;
constexpr std::uint64_t few_events = 100'000;
constexpr double much_shorter = 0.75;  // own cost is known to a quarter
constexpr double many_lost = 0.01;
// Recording that takes half of the command's time hides none of its hot functions.
constexpr double worth_recording = 0.5;

using FunctionNames = std::set<std::string>;

FunctionNames hot_functions(const annotator::Profile& profile) {
  FunctionNames hot;
  for (const annotator::FunctionEstimate& function : profile.functions)
    if (function.exclusive.share.high >= profile.run.hot) hot.insert(function.function);
  // Functions are those of the most frequent path; what other paths enter is known by its edges only.
  FunctionNames usual;
  for (const annotator::FunctionEstimate& function : profile.functions) usual.insert(function.function);
  std::map<std::string, double> elsewhere;
  for (const annotator::EdgeEstimate& edge : profile.edges)
    if (!usual.contains(edge.function)) elsewhere[edge.function] += edge.cost.share.high;
  for (const auto& [function, share] : elsewhere)
    if (share >= profile.run.hot) hot.insert(function);
  return hot;
}

/// Functions with traps of the scope's own. An entry has its first two, and a marker stands, whatever is
/// asked for: to include a function for them would widen the scope.
FunctionNames chosen_functions(const TrapMap& map) {
  FunctionNames entries;
  for (const Trap& trap : map.traps)
    if (trap.kind == TrapKind::entry0) entries.insert(trap.function);
  FunctionNames chosen;
  for (const Trap& trap : map.traps) {
    const bool always = trap.kind == TrapKind::entry0 || trap.kind == TrapKind::marker ||
                        (trap.kind == TrapKind::entry && entries.contains(trap.function));
    if (!always) chosen.insert(trap.function);
  }
  return chosen;
}

FunctionNames to_keep(const FirstRun& first) {
  FunctionNames keep = hot_functions(first.profile);
  for (const Trap& trap : first.map.traps)
    if (trap.kind == TrapKind::entry0) keep.insert(trap.function);
  return keep;
}

double passes_outside(const FunctionNames& kept, const annotator::Profile& profile) {
  std::uint64_t all = 0;
  std::uint64_t outside = 0;
  for (const annotator::BlockEstimate& block : profile.blocks) {
    all += block.passed;
    if (!kept.contains(block.function)) outside += block.passed;
  }
  return all == 0 ? 0 : static_cast<double>(outside) / static_cast<double>(all);
}

bool is_needed(const FirstRun& first, double passes) {
  if (first.scope == FirstScope::functions_only) return true;
  return first.profile.trap_share > annotator::dear_traps && passes >= worth_a_run;
}

double own_cost(const annotator::RecordedRun& recorded) {
  double cost = 0;
  for (const StoredThread& thread : recorded.recording.threads) cost += thread.overhead;
  return cost;
}

/// Time in which a thread waits is no part of what is recorded.
double processor_time(const annotator::RecordedRun& recorded) {
  double time = 0;
  for (const StoredThread& thread : recorded.recording.threads) time += thread.recorded;
  return time;
}

double part_lost(const annotator::RecordedRun& recorded) {
  const auto lost = static_cast<double>(recorded.lost);
  return lost / (lost + static_cast<double>(recorded.events));
}

}  // namespace

std::string list_of(std::vector<std::string> names) {
  if (names.size() > most_named) {
    const std::size_t others = names.size() - most_named;
    names.resize(most_named);
    names.push_back(fmt::format("{} more", others));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

bool is_hidden_by_recording(const annotator::RecordedRun& recorded) {
  if (recorded.events < few_events) return false;
  return part_lost(recorded) > many_lost || own_cost(recorded) > processor_time(recorded);
}

std::vector<std::string> not_worth_recording(const annotator::RecordedRun& recorded) {
  if (!is_hidden_by_recording(recorded)) return {};
  const auto events = static_cast<double>(recorded.events);
  const double cost_of_event = own_cost(recorded) / events;
  std::vector<StoredEstimate> functions;
  for (const StoredEstimate& row : recorded.estimates) {
    const auto calls = static_cast<double>(row.hits);
    const bool is_hidden = row.scope == EstimateScope::function && !row.resolved;
    // Not the upper bound: noise of the runs, which raises it, makes no call longer.
    const bool is_short = row.ticks < much_shorter * calls * cost_of_event;
    if (is_hidden && 2 * calls > worth_leaving_out * events && is_short) functions.push_back(row);
  }
  std::ranges::stable_sort(functions, std::ranges::greater{}, &StoredEstimate::hits);
  const double bearable =
      std::min(1 - part_lost(recorded), worth_recording * processor_time(recorded) / own_cost(recorded));
  std::vector<std::string> names;
  double left = events;
  for (const StoredEstimate& row : functions) {
    if (left <= bearable * events) break;
    names.push_back(row.function);
    left -= 2 * static_cast<double>(row.hits);
  }
  return names;
}

std::set<std::string> callers_of(const std::set<std::string>& left_out,
                                 const annotator::RecordedRun& recorded) {
  // By call: the name of the nearest call that stays; empty for a thread.
  std::map<std::uint32_t, std::string> stays{{0, ""}};
  std::set<std::string> callers;
  for (const StoredCall& call : recorded.recording.calls) {  // parents first
    const std::string& name = recorded.recording.symbols.at(call.symbol).name;
    const std::string& above = stays.at(call.parent);
    if (left_out.contains(name) && !above.empty()) callers.insert(above);
    stays.emplace(call.id, left_out.contains(name) ? above : name);
  }
  return callers;
}

std::string pattern_of(std::string function) {
  std::ranges::replace_if(function, [](char c) { return c == '[' || c == ']'; }, '?');
  return function;
}

std::optional<Refinement> refinement(const FirstRun& first, RefineWish wish) {
  const annotator::Profile& profile = first.profile;
  if (wish == RefineWish::never || profile.blocks.empty()) return std::nullopt;
  const FunctionNames keep = to_keep(first);
  const FunctionNames chosen = chosen_functions(first.map);
  Refinement result{.scope = first.asked, .passes = passes_outside(keep, profile), .hot = profile.run.hot};
  std::ranges::set_intersection(chosen, keep, std::back_inserter(result.kept));
  std::ranges::set_difference(chosen, keep, std::back_inserter(result.unknown));
  for (const annotator::FunctionEstimate& function : profile.functions)
    if (std::erase(result.unknown, function.function) > 0)
      result.left_out.push_back({.function = function.function, .share = function.exclusive.share.value});
  if (result.left_out.empty() && result.unknown.empty()) return std::nullopt;
  if (wish == RefineWish::when_needed && !is_needed(first, result.passes)) return std::nullopt;
  result.scope.include.clear();
  for (const std::string& function : result.kept) result.scope.include.push_back(pattern_of(function));
  return result;
}

std::string to_text(const Refinement& refinement) {
  std::vector<std::string> passed;
  double share = 0;
  for (const LeftOut& function : refinement.left_out) {
    passed.push_back(fmt::format("{} ({:.2g} %)", function.function, 100 * function.share));
    share += function.share;
  }
  std::string text =
      fmt::format("refine: traps stay in {}\n",
                  refinement.kept.empty() ? "the entry's first lines" : list_of(refinement.kept));
  if (!passed.empty())
    text += fmt::format(
        "refine: these functions get no traps, because none takes {:.2g} %: {}; together {:.2g} % of the "
        "time and {:.0f} % of the passes\n",
        100 * refinement.hot, list_of(passed), 100 * share, 100 * refinement.passes);
  if (!refinement.unknown.empty())
    text += fmt::format("refine: these functions get no traps, because the command does not reach them: {}\n",
                        list_of(refinement.unknown));
  return text;
}

}  // namespace jcprof::cli
