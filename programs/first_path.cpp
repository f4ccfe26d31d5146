// SPDX-License-Identifier: Apache-2.0
#include "programs/first_path.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/inputs.hpp"
#include "harness/survey.hpp"
#include "harness/survey_words.hpp"
#include "harness/transports.hpp"
#include "programs/refine.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

// At most so many events of a path that was cut are at statements: they tell the lines of functions that are
// passed seldom.
constexpr double statements_aimed_at = 1'000;
// One run tells that a command takes longer than what is too short.
constexpr double surely_long_ns = 20e6;
// A function that passes so few statements between two traps of its own is a helper.
constexpr double few_steps = 4;
// jcprof looks at so many parts of a path that is cut, each in a run of its own; at fewer if these take long.
constexpr double most_parts = 8;
constexpr double least_parts = 2;
constexpr double patience_for_parts_s = 20;
// A path too long to be measured takes far longer to record than a plain run. So does its every part, but
// they are few.
constexpr int patience_for_trace = 6;
constexpr std::uint32_t events_of_part = 32'768;
// A survey makes as many runs where shots carry no signature.
constexpr int agreements = 11;

bool is_of_function(TrapKind kind) {
  return kind == TrapKind::entry0 || kind == TrapKind::entry || kind == TrapKind::returns ||
         kind == TrapKind::exit;
}

std::vector<Traps> ways_of(const harness::TracedPath& path) {
  std::vector<Traps> ways;
  for (const harness::Variant& variant : path.variants) ways.push_back(harness::traps_of(variant.events));
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

/// The use of a function on a path.
struct FunctionUse {
  double passes = 0;    // of its entry and its ends
  double steps = 0;     // passes of its other traps
  bool is_leaf = true;  // it calls no function with traps

  bool is_helper() const { return steps <= few_steps * passes; }
};
using Uses = std::map<std::string, FunctionUse>;

/// The part may begin in the middle of calls.
void count(const Traps& part, const TrapMap& map, Uses& uses) {
  std::vector<std::string> calls;  // under way
  for (const TrapId id : part) {
    const Trap& trap = map.at(id);
    FunctionUse& use = uses[trap.function];
    ++(is_of_function(trap.kind) ? use.passes : use.steps);
    if (trap.kind == TrapKind::entry) {
      if (!calls.empty()) uses[calls.back()].is_leaf = false;
      calls.push_back(trap.function);
    } else if (trap.kind == TrapKind::returns || trap.kind == TrapKind::exit) {
      const auto call = std::ranges::find(calls.rbegin(), calls.rend(), trap.function);
      calls.erase(call == calls.rend() ? calls.begin() : std::prev(call.base()), calls.end());
    }
  }
}

/// On the whole path, as far as its parts stand for it. At functions alone steps are what they were per pass.
Uses uses_on(const PathLook& look, const TrapMap& map, const StepsPerPass& known) {
  Uses uses;
  double seen = 0;
  for (const Traps& part : look.parts) {
    count(part, map, uses);
    seen += static_cast<double>(part.size());
  }
  const double scale = static_cast<double>(look.path.length()) / std::max(seen, 1.0);
  for (auto& [function, use] : uses) {
    use.passes *= scale;
    use.steps *= scale;
    if (const auto before = known.find(function); before != known.end())
      use.steps = std::max(use.steps, before->second * use.passes);
  }
  return uses;
}

using Used = std::pair<std::string, FunctionUse>;

/// Helpers that call nothing come first, then other helpers; of them the most often passed. The rest follows
/// by the steps that a pass stands for: they hold the work.
bool goes_before(const Used& a, const Used& b) {
  const auto rank = [](const FunctionUse& use) { return !use.is_helper() ? 2 : use.is_leaf ? 0 : 1; };
  const FunctionUse& one = a.second;
  const FunctionUse& other = b.second;
  if (rank(one) != rank(other)) return rank(one) < rank(other);
  if (rank(one) < 2) return one.passes > other.passes;
  return one.steps * other.passes < other.steps * one.passes;
}

/// So that no more passes than `most` are left, where that can be.
std::vector<Used> functions_to_leave_out(const Uses& uses, const std::set<std::string>& entries,
                                         double most) {
  std::vector<Used> left_out;
  double passes = 0;
  for (const auto& [function, use] : uses) {
    passes += use.passes;
    if (!entries.contains(function) && use.passes > 0) left_out.emplace_back(function, use);
  }
  std::ranges::stable_sort(left_out, goes_before);
  auto end = left_out.begin();
  for (; end != left_out.end() && passes > most; ++end) passes -= end->second.passes;
  left_out.erase(end, left_out.end());
  // There may be room for some again: for those with most work.
  std::ranges::stable_sort(left_out, std::greater{}, [](const Used& one) { return one.second.steps; });
  std::erase_if(left_out, [&](const Used& one) {
    const bool fits = passes + one.second.passes <= most;
    if (fits) passes += one.second.passes;
    return fits;
  });
  return left_out;
}

/// Those that keep the traps at their statements. A function has all or none: the time of one that is left
/// out would count for whatever line of it was passed before.
std::set<std::string> functions_in_full(Uses uses, const std::set<std::string>& gone) {
  std::erase_if(uses, [&](const auto& use) { return gone.contains(use.first); });
  std::vector<Used> order(uses.begin(), uses.end());
  std::ranges::stable_sort(order, {}, [](const Used& one) { return one.second.steps; });
  std::set<std::string> full;
  double steps = 0;
  for (const auto& [function, use] : order) {
    steps += use.steps;
    if (steps > statements_aimed_at) break;
    full.insert(function);
  }
  return full;
}

std::vector<Traps> parts_of(harness::Transport& transport, std::uint32_t input,
                            const harness::TracedPath& path, double seconds_of_run) {
  const auto parts =
      static_cast<std::uint64_t>(std::clamp(patience_for_parts_s / seconds_of_run, least_parts, most_parts));
  std::vector<Traps> all;
  for (std::uint64_t i = 0; path.total && i < parts; ++i) {
    harness::TraceWindow window = transport.trace(input, i * *path.total / parts, events_of_part);
    if (window.end.outcome == Outcome::ended && !window.traps.empty()) all.push_back(std::move(window.traps));
  }
  if (all.empty()) all.push_back(harness::traps_of(path.events));
  return all;
}

std::set<std::string> entries_of(const TrapMap& map) {
  std::set<std::string> entries;
  for (const Trap& trap : map.traps)
    if (trap.kind == TrapKind::entry0) entries.insert(trap.function);
  return entries;
}

/// The path is cut.
void shorten(const PathLook& look, const TrapMap& map, Shortening& result) {
  const Uses uses = uses_on(look, map, result.steps);
  std::set<std::string> gone;
  for (const auto& [function, use] : functions_to_leave_out(uses, entries_of(map), events_aimed_at)) {
    result.left_out.push_back({.function = function, .calls = static_cast<std::uint64_t>(use.passes / 2)});
    gone.insert(function);
  }
  const std::set<std::string> full = functions_in_full(uses, gone);
  for (const Trap& trap : map.traps) {
    const bool is_used = uses.contains(trap.function) && !gone.contains(trap.function);
    if (is_used && !is_of_function(trap.kind) && trap.kind != TrapKind::marker &&
        !full.contains(trap.function))
      result.coarse.push_back(trap);
  }
  for (const auto& [function, use] : uses)
    if (use.passes > 0) result.steps[function] = use.steps / use.passes;
}

/// The target with its inputs.
struct Reached {
  std::unique_ptr<harness::Transport> transport;
  harness::Description target;
  std::uint32_t input = 0;  // the first one
};

Reached reach(const Project& project, const TrapMap& map, const fs::path& out, const std::string& uri) {
  Reached reached{.transport = harness::make_transport(project, map, uri, out)};
  reached.target = reached.transport->describe();
  reached.input = harness::give_inputs(project, project.measure.seed, *reached.transport).front().index;
  return reached;
}

double seconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

}  // namespace

PathLook look_at_path(const Project& project, const TrapMap& map, const fs::path& out,
                      const LookOptions& options) {
  Reached reached = reach(project, map, out, options.transport);
  auto begun = std::chrono::steady_clock::now();
  const Sample whole = harness::full_run(*reached.transport, reached.input);
  FirstContact contact{.shot_s = seconds_since(begun),
                       .threads = harness::warning_of_threads(map, whole.other_threads)};
  begun = std::chrono::steady_clock::now();
  Sample traced = reached.transport->trace(reached.input, 0, 1).end;
  const bool is_slow = traced.outcome == Outcome::timed_out;
  if (is_slow && options.is_patient) {
    // It may be too long. The first transport ends before the second begins: both start the same server.
    reached.transport.reset();
    Project patient = project;
    patient.session.timeout *= patience_for_trace;
    reached = reach(patient, map, out, options.transport);
    begun = std::chrono::steady_clock::now();
    traced = reached.transport->trace(reached.input, 0, 1).end;
  }
  PathLook untraceable{.path = {.state = harness::PathState::cut, .end = traced}, .contact = contact};
  if (traced.outcome == Outcome::timed_out) return untraceable;
  const double seconds_of_run = seconds_since(begun);
  // The first run starts the device and finds caches cold; the traced one is a little longer than a plain
  // one.
  contact.shot_s = std::min(contact.shot_s, seconds_of_run);
  harness::Transport& transport = *reached.transport;
  harness::PathMemory memory{.model = harness::PathModel(harness::roles_of(map))};
  PathLook look{.path = harness::trace_path(transport, reached.input, {.agreements_of_runs = 0}, memory),
                .contact = contact};
  if (look.path.state == harness::PathState::cut) {
    look.parts = parts_of(transport, reached.input, look.path, seconds_of_run);
    return look;
  }
  const std::chrono::duration<double> patience = project.session.timeout;
  if (is_slow && seconds_of_run > patience.count()) return untraceable;  // so it would be when it is measured
  if (options.depth == LookDepth::length) return look;
  look.path = harness::trace_path(transport, reached.input, {.agreements_of_runs = agreements}, memory);
  look.contact.events = look.path.events.size();
  // An agent's program has started already, and its clock may count something else.
  const bool is_timed = reached.target.transport == "exec" && reached.target.unit == ClockUnit::ns;
  if (!is_timed || look.path.events.empty()) return look;
  look.contact.whole_ns = look.contact.behind_ns = static_cast<double>(whole.ticks);
  look.contact = timed_at(look.path.events.front(), transport, reached.input, look.contact);
  return look;
}

FirstContact timed_at(Event first_event, harness::Transport& transport, std::uint32_t input,
                      FirstContact contact) {
  const std::optional<double> first = median_time(transport, {.stop = first_event, .input = input});
  if (!first) return contact;
  contact.behind_ns = contact.whole_ns - *first;
  if (contact.whole_ns > surely_long_ns && !is_hidden(contact)) return contact;
  // A little time behind the entry may be lost in the noise of one run.
  if (const std::optional<double> whole = median_time(transport, {.stop = {}, .input = input})) {
    contact.whole_ns = *whole;
    contact.behind_ns = *whole - *first;
  }
  return contact;
}

Shortening shortening(const PathLook& look, const TrapMap& map, TrapLevel level, StepsPerPass known) {
  const harness::TracedPath& path = look.path;
  Shortening result{.steps = std::move(known), .events = path.length()};
  if (path.variants.size() > 1)
    for (const TrapId trap : unsteady_traps(ways_of(path)))
      if (const Trap& one = map.at(trap); one.kind != TrapKind::entry0) result.unsteady.push_back(one);
  if (path.state != harness::PathState::cut) return result;
  if (path.events.empty())
    result.functions_only = level > TrapLevel::function;
  else
    shorten(look, map, result);
  return result;
}

PathLook steadied(PathLook look, const Shortening& shortening) {
  std::set<TrapId> gone;
  for (const Trap& trap : shortening.unsteady) gone.insert(trap.id);
  std::erase_if(look.path.events, [&](const Event& event) { return gone.contains(event.trap); });
  look.contact.events = look.path.events.size();
  return look;
}

bool is_needed(const Shortening& shortening) {
  return shortening.functions_only || !shortening.coarse.empty() || !shortening.left_out.empty() ||
         !shortening.unsteady.empty();
}

bool loses_functions(const Shortening& shortening) {
  return shortening.functions_only || !shortening.left_out.empty();
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
  if (shortening.functions_only)
    return "path: a traced run does not come to its end: traps stand at functions only\n";
  std::string text = fmt::format("path: {} events are too many to stop at", shortening.events);
  std::set<std::string> coarse;
  for (const Trap& trap : shortening.coarse) coarse.insert(trap.function);
  if (!coarse.empty())
    text += fmt::format(": no traps at the statements of {}", list_of({coarse.begin(), coarse.end()}));
  std::vector<std::string> gone;
  for (const LeftOutFunction& one : shortening.left_out) gone.push_back(in_words(one));
  if (!gone.empty())
    text += fmt::format("{} no traps at all in {}, whose time counts for their callers",
                        coarse.empty() ? ":" : ";", list_of(std::move(gone)));
  return text + "\n";
}

}  // namespace jcprof::cli
