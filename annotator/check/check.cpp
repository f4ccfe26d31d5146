// SPDX-License-Identifier: Apache-2.0
#include "annotator/check/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "annotator/tables.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

constexpr Interval nothing{0, 0, 0};
constexpr Interval unknown{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::quiet_NaN()};
constexpr std::string_view total = "total";

/// A function, a line or the whole command, as the profile has it.
struct Subject {
  std::string name;
  std::string path = {};
  std::size_t line = 0;
  bool is_line = false;
  bool is_unreached = false;  // no path passes it
  const Estimate* cost = nullptr;
  std::uint64_t hits = 0;
};

struct FileLine {
  std::string_view path;
  std::size_t line = 0;
};

std::optional<FileLine> file_line(std::string_view subject) {
  const std::size_t colon = subject.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto line = whole_number<std::size_t>(subject.substr(colon + 1));
  if (!line) return std::nullopt;
  return FileLine{.path = subject.substr(0, colon), .line = *line};
}

[[noreturn]] void refuse(const Budget& budget, const std::string& why, const std::string& hint) {
  throw UserError(Fault{.message = fmt::format("budget \"{}\": {}", budget.text, why), .hint = hint});
}

/// FILE and line of those that no path passes.
using UnreachedPlaces = std::set<std::pair<std::string_view, std::size_t>>;

UnreachedPlaces unreached_in(const Profile& profile) {
  UnreachedPlaces places;
  for (const UnreachedLine& line : profile.unreached) places.emplace(line.path, line.line);
  return places;
}

/// A subject without a cost.
Subject without_cost(const std::string& name, const Trap& trap, bool is_unreached) {
  return {.name = name, .path = trap.path, .line = trap.line, .is_unreached = is_unreached};
}

std::vector<Subject> lines_of(const FileLine& at, const Compared& session) {
  std::vector<Subject> found;
  for (const LineEstimate& line : session.profile.lines)
    if (line.line == at.line && is_end_of_path(at.path, line.path))
      found.push_back({.name = fmt::format("{}:{}", line.path, line.line),
                       .path = line.path,
                       .line = line.line,
                       .is_line = true,
                       .cost = &line.cost,
                       .hits = line.hits});
  if (!found.empty()) return found;
  const auto trap = std::ranges::find_if(
      session.map.traps, [&](const Trap& t) { return t.line == at.line && is_end_of_path(at.path, t.path); });
  if (trap == session.map.traps.end()) return {};
  found.push_back(without_cost(fmt::format("{}:{}", trap->path, trap->line), *trap,
                               unreached_in(session.profile).contains({trap->path, trap->line})));
  found.back().is_line = true;
  return found;
}

/// A pattern may match several functions.
std::vector<Subject> functions_of(const Budget& budget, const Compared& session) {
  std::vector<Subject> found;
  std::set<std::string> names;
  for (const FunctionEstimate& function : session.profile.functions) {
    if (!name_matches(budget.subject, function.function)) continue;
    names.insert(function.function);
    found.push_back({.name = function.function,
                     .path = function.path,
                     .line = function.line,
                     .cost = budget.is_own ? &function.exclusive : &function.inclusive,
                     .hits = function.calls});
  }
  const UnreachedPlaces unreached = unreached_in(session.profile);
  std::set<std::string_view> reached;
  for (const Trap& trap : session.map.traps)
    if (!unreached.contains({trap.path, trap.line})) reached.insert(trap.function);
  for (const Trap& trap : session.map.traps)
    if (name_matches(budget.subject, trap.function) && names.insert(trap.function).second)
      found.push_back(without_cost(trap.function, trap, !reached.contains(trap.function)));
  return found;
}

[[noreturn]] void refuse_unknown(const Budget& budget, const Compared& session) {
  std::set<std::string> names;
  for (const FunctionEstimate& function : session.profile.functions) names.insert(function.function);
  for (const Trap& trap : session.map.traps) names.insert(trap.function);
  const std::string near = did_you_mean(budget.subject, std::vector(names.begin(), names.end()));
  refuse(budget, fmt::format("no function with traps is called {}", budget.subject),
         near.empty()
             ? "`jcprof annotate` lists the functions; \"profile\" in jcprof.json says which have traps"
             : near);
}

std::vector<Subject> subjects_of(const Budget& budget, const Compared& session) {
  const auto marker = std::ranges::find(session.map.traps, budget.subject, &Trap::name);
  const std::optional<FileLine> at = marker != session.map.traps.end()
                                         ? std::optional(FileLine{marker->path, marker->line})
                                         : file_line(budget.subject);
  const bool is_total = budget.subject == total;
  if (budget.is_own && (is_total || at))
    refuse(budget, "only functions have a time of their own", "leave out \"own\"");
  if (is_total && (budget.unit == BudgetUnit::share || budget.unit == BudgetUnit::hits))
    refuse(budget, "shares are parts of the whole command, which runs once", "give \"total\" a time");
  if (is_total) return {{.name = std::string(total), .cost = &session.profile.total, .hits = 1}};
  std::vector<Subject> found = at ? lines_of(*at, session) : functions_of(budget, session);
  if (found.empty() && at)
    refuse(budget, fmt::format("no trap stands in {}", budget.subject),
           "`jcprof annotate` shows the lines with their numbers");
  if (found.empty()) refuse_unknown(budget, session);
  return found;
}

Holding judged(const Interval& measured, double limit) {
  if (measured.low > limit) return Holding::broken;
  return measured.high <= limit ? Holding::held : Holding::unresolved;
}

/// Ticks of the profile in the unit of the budget; 1 where the budget is not of a time.
double factor_of(const Budget& budget, const RunInfo& run) {
  constexpr double ns_a_second = 1e9;
  if (budget.unit > BudgetUnit::instructions) return 1;
  if (budget.unit == BudgetUnit::ns && run.unit == ClockUnit::ns) return 1;
  if (budget.unit == BudgetUnit::ns && run.unit == ClockUnit::cycles && run.hz > 0)
    return ns_a_second / run.hz;
  if (budget.unit == BudgetUnit::cycles && run.unit == ClockUnit::cycles) return 1;
  if (budget.unit == BudgetUnit::instructions && run.unit == ClockUnit::instructions) return 1;
  refuse(budget, fmt::format("the profile is in {}", name_of(run.unit)),
         "write the limit in the unit of the profile, or measure with the clock of the budget");
}

/// Why the interval of a cost says nothing; empty where it does.
std::string why_unknown(const Estimate& cost, const RunInfo& run) {
  if (cost.unreliable) return "the measurements contradict each other there";
  const bool is_count = is_imported(run) && run.unit == ClockUnit::instructions;
  if (cost.of_one_run && !is_count) return "one recorded run does not tell how far another would be from it";
  if (!was_measured(cost)) return "it was not measured";
  return "";
}

/// Why the profile shows only a part of what the command does; empty where it shows all.
std::string why_partial(const Profile& profile) {
  if (profile.paths.size() > 1)
    return "the command takes several paths, and only the most frequent one is shown";
  if (std::ranges::any_of(profile.noted, [](const Warning& w) { return w.kind == WarningKind::path_cut; }))
    return "the path was cut";
  if (profile.recorded && profile.recorded->lost > 0) return "the recording lost events";
  return "";
}

/// A recording without an interval does not tell how many commands it holds. One call from outside is one
/// command. Other tools profile one run.
bool is_of_several(const Profile& profile) {
  if (is_imported(profile.run)) return false;
  std::uint64_t calls = 0;
  for (const CostNode& node : profile.tree.nodes)
    if (node.parent != CostNode::none &&
        profile.tree.functions[profile.tree.nodes[node.parent].function].is_thread)
      calls += node.calls;
  return profile.recorded && profile.total.rounds <= 1 && calls > 1;
}

/// Nothing is known: of a value neither, where it would say nothing.
void leave_open(Checked& checked, std::string why, double value = std::numeric_limits<double>::quiet_NaN()) {
  checked.measured = {value, unknown.low, unknown.high};
  checked.why = std::move(why);
  checked.holding = Holding::unresolved;
}

/// `factor`: see factor_of.
void judge_cost(Checked& checked, const Subject& subject, const Profile& profile, double factor) {
  const Estimate& cost = *subject.cost;
  const bool is_share = checked.budget.unit == BudgetUnit::share;
  const Interval& part = is_share ? cost.share : cost.ticks;
  const double each = is_share ? 1 : factor / static_cast<double>(commands_in(profile));
  if (const std::string why = why_unknown(cost, profile.run); !why.empty())
    return leave_open(
        checked, why,
        cost.of_one_run && was_measured(cost) && !is_bound(cost) ? each * part.value : unknown.value);
  checked.measured = {each * part.value, each * part.low, each * part.high};
  checked.holding = judged(checked.measured, checked.budget.limit);
}

void judge_hits(Checked& checked, const Subject& subject, const Profile& profile) {
  const double hits = static_cast<double>(subject.hits) / static_cast<double>(commands_in(profile));
  if (is_of_several(profile))
    return leave_open(checked, "the recording does not tell of how many commands it is", hits);
  if (subject.hits == 0 && profile.recorded) return leave_open(checked, "nobody counted how often it runs");
  checked.measured = {hits, hits, hits};
  checked.holding = judged(checked.measured, checked.budget.limit);
}

void judge_change(Checked& checked, const Change* change, const RunInfo& run) {
  if (change == nullptr) return leave_open(checked, "the comparison does not have it");
  if (!change->before) return leave_open(checked, "it is new: the baseline does not have it");
  for (const std::optional<Estimate>& cost : {change->before, change->after})
    if (const std::string why = cost ? why_unknown(*cost, run) : "it is gone"; !why.empty())
      return leave_open(checked, why);
  if (!std::isfinite(engine::half_width(change->relative)))
    return leave_open(checked, "too little is known of it");
  checked.measured = change->relative;
  checked.holding = judged(checked.measured, checked.budget.limit);
  if (checked.holding == Holding::unresolved && checked.budget.subject == total &&
      change->shots_factor == 0.0)
    checked.why = "sessions differ as much: only more sessions tell";
}

/// Nothing for a budget that is not of a change.
const Change* change_of(const Budget& budget, const Subject& subject, const Comparison* comparison) {
  if (budget.unit != BudgetUnit::change) return nullptr;
  if (comparison == nullptr)
    refuse(budget, "there is nothing to compare with", "name the baseline: --against BASE");
  if (budget.subject == total) return &comparison->whole;
  if (!subject.is_line && !budget.is_own)
    refuse(budget, "the change of a function is known without the calls out of it",
           fmt::format("write \"own {}\"", budget.text));
  const std::vector<Change>& changes = subject.is_line ? comparison->lines : comparison->functions;
  const auto found = std::ranges::find_if(changes, [&](const Change& change) {
    if (change.verdict == Verdict::gone || change.path != subject.path) return false;
    return subject.is_line ? change.line == subject.line : change.function == subject.name;
  });
  return found == changes.end() ? nullptr : &*found;
}

void judge(Checked& checked, const Subject& subject, const Compared& session, const Comparison* comparison) {
  const Budget& budget = checked.budget;
  const Change* change = change_of(budget, subject, comparison);
  const double factor = factor_of(budget, session.profile.run);
  if (subject.is_unreached) {
    checked.measured = nothing;
    checked.holding = Holding::held;
  } else if (const std::string why = why_partial(session.profile); !why.empty()) {
    leave_open(checked, why);
  } else if (budget.unit == BudgetUnit::change) {
    judge_change(checked, change, session.profile.run);
  } else if (subject.cost == nullptr) {
    leave_open(checked, "its time counts for other lines");
  } else if (budget.unit == BudgetUnit::hits) {
    judge_hits(checked, subject, session.profile);
  } else {
    judge_cost(checked, subject, session.profile, factor);
  }
}

}  // namespace

std::string_view name_of(Holding holding) {
  constexpr std::array<std::string_view, 3> names{"broken", "unresolved", "held"};
  return names.at(static_cast<std::size_t>(holding));
}

std::vector<Checked> check_budgets(const std::vector<Budget>& budgets, const Compared& session,
                                   const Comparison* comparison) {
  std::vector<Checked> checked;
  for (const Budget& budget : budgets)
    for (const Subject& subject : subjects_of(budget, session)) {
      Checked& one = checked.emplace_back(Checked{.budget = budget,
                                                  .subject = subject.name,
                                                  .is_function = !subject.is_line && budget.subject != total,
                                                  .path = subject.path,
                                                  .line = subject.line});
      judge(one, subject, session, comparison);
    }
  return checked;
}

std::vector<Checked> check_regressions(const Comparison& comparison, double most) {
  const auto regression = [&](const std::string& subject, const Change& change, bool is_function) {
    Checked checked{
        .budget = {.text = fmt::format("{}{} <= +{:.4g}%", is_function ? "own " : "", subject, 100 * most),
                   .subject = subject,
                   .is_own = is_function,
                   .unit = BudgetUnit::change,
                   .limit = most},
        .subject = subject,
        .is_function = is_function,
        .path = change.path,
        .line = change.line};
    judge_change(checked, &change, comparison.run_after);
    return checked;
  };
  std::vector<Checked> checked{regression(std::string(total), comparison.whole, false)};
  const auto add_slower = [&](const std::vector<Change>& changes, bool are_functions) {
    for (const Change& change : changes)
      if (change.verdict == Verdict::slower && change.relative.low > most)
        checked.push_back(
            regression(are_functions ? change.function : fmt::format("{}:{}", change.path, change.line),
                       change, are_functions));
  };
  add_slower(comparison.lines, false);
  add_slower(comparison.functions, true);
  return checked;
}

std::vector<Checked> worst_of(const std::vector<std::vector<Checked>>& sessions, std::size_t spared) {
  const auto is_worse = [](const Checked& a, const Checked& b) {
    // An end that is not known may be anywhere.
    const auto high_of = [](const Checked& one) {
      return std::isnan(one.measured.high) ? std::numeric_limits<double>::infinity() : one.measured.high;
    };
    return a.holding != b.holding ? a.holding < b.holding : high_of(a) > high_of(b);
  };
  std::vector<std::vector<Checked>> budgets;  // each with its sessions
  for (const std::vector<Checked>& session : sessions)
    for (const Checked& checked : session) {
      const auto known = std::ranges::find_if(budgets, [&](const std::vector<Checked>& others) {
        const Checked& other = others.front();
        return other.budget.text == checked.budget.text && other.subject == checked.subject &&
               other.path == checked.path;
      });
      (known == budgets.end() ? budgets.emplace_back() : *known).push_back(checked);
    }
  std::vector<Checked> worst;
  for (std::vector<Checked>& of_budget : budgets) {
    std::ranges::stable_sort(of_budget, is_worse);
    worst.push_back(of_budget[std::min(spared, of_budget.size() - 1)]);
  }
  return worst;
}

std::vector<Checked> unresolved_on(const std::string& device, const std::string& why,
                                   std::vector<Checked> checked) {
  for (Checked& one : checked) {
    leave_open(one, why);
    one.device = device;
  }
  return checked;
}

Holding holding_of(const std::vector<Checked>& checked) {
  Holding worst = Holding::held;
  for (const Checked& one : checked) worst = std::min(worst, one.holding);
  return worst;
}

}  // namespace jcprof::annotator
