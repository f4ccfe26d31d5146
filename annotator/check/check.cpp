// SPDX-License-Identifier: Apache-2.0
#include "annotator/check/check.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>

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
  const Estimate* cost = nullptr;  // of what the command did not reach none
  std::uint64_t hits = 0;
};

struct FileLine {
  std::string_view path;
  std::size_t line = 0;
};

std::optional<FileLine> file_line(std::string_view subject) {
  const std::size_t colon = subject.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view digits = subject.substr(colon + 1);
  FileLine result{.path = subject.substr(0, colon)};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), result.line);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size();
  return is_number ? std::optional(result) : std::nullopt;
}

/// "src/Pin.java" is that of "Pin.java" too.
bool is_file(const std::string& path, std::string_view wanted) {
  return path == wanted || path.ends_with("/" + std::string(wanted));
}

bool is_function(const std::string& function, const std::string& pattern) {
  return glob_matches(pattern, function) || glob_matches(pattern, without_parameters(function));
}

[[noreturn]] void refuse(const Budget& budget, const std::string& why, const std::string& hint) {
  throw UserError(Fault{.message = fmt::format("budget \"{}\": {}", budget.text, why), .hint = hint});
}

std::vector<Subject> lines_of(const FileLine& at, const Compared& session) {
  std::vector<Subject> found;
  for (const LineEstimate& line : session.profile.lines)
    if (line.line == at.line && is_file(line.path, at.path))
      found.push_back(
          {fmt::format("{}:{}", line.path, line.line), line.path, line.line, &line.cost, line.hits});
  if (!found.empty()) return found;
  const auto trap = std::ranges::find_if(
      session.map.traps, [&](const Trap& t) { return t.line == at.line && is_file(t.path, at.path); });
  if (trap != session.map.traps.end())
    found.push_back({fmt::format("{}:{}", trap->path, trap->line), trap->path, trap->line});
  return found;
}

/// Of overloads, or of all that a glob matches.
std::vector<Subject> functions_of(const Budget& budget, const Compared& session) {
  std::vector<Subject> found;
  std::set<std::string> names;
  for (const FunctionEstimate& function : session.profile.functions) {
    if (!is_function(function.function, budget.subject)) continue;
    names.insert(function.function);
    found.push_back({function.function, function.path, function.line,
                     budget.is_own ? &function.exclusive : &function.inclusive, function.calls});
  }
  for (const Trap& trap : session.map.traps)
    if (is_function(trap.function, budget.subject) && names.insert(trap.function).second)
      found.push_back({trap.function, trap.path, trap.line});
  return found;
}

std::vector<Subject> subjects_of(const Budget& budget, const Compared& session) {
  if (budget.subject == total) return {{std::string(total), "", 0, &session.profile.total, 1}};
  const auto marker = std::ranges::find(session.map.traps, budget.subject, &Trap::name);
  const std::optional<FileLine> at = marker != session.map.traps.end()
                                         ? std::optional(FileLine{marker->path, marker->line})
                                         : file_line(budget.subject);
  std::vector<Subject> found = at ? lines_of(*at, session) : functions_of(budget, session);
  if (!found.empty()) return found;
  if (at)
    refuse(budget, fmt::format("no trap stands in {}", budget.subject),
           "`jcprof annotate` shows the lines with their numbers");
  std::vector<std::string> names;
  for (const FunctionEstimate& function : session.profile.functions) names.push_back(function.function);
  const std::string near = did_you_mean(budget.subject, names);
  refuse(budget, fmt::format("the program has no function {}", budget.subject),
         near.empty() ? "`jcprof annotate` lists the functions" : near);
}

Holding judged(const Interval& measured, double limit) {
  if (measured.low > limit) return Holding::broken;
  return measured.high <= limit ? Holding::held : Holding::unresolved;
}

/// Ticks of the profile in the unit of the budget.
double factor_of(const Budget& budget, const RunInfo& run) {
  constexpr double ns_a_second = 1e9;
  if (budget.unit == BudgetUnit::ns && run.unit == ClockUnit::ns) return 1;
  if (budget.unit == BudgetUnit::ns && run.unit == ClockUnit::cycles && run.hz > 0)
    return ns_a_second / run.hz;
  if (budget.unit == BudgetUnit::cycles && run.unit == ClockUnit::cycles) return 1;
  if (budget.unit == BudgetUnit::instructions && run.unit == ClockUnit::instructions) return 1;
  refuse(budget, fmt::format("the profile is in {}", name_of(run.unit)),
         "write the limit in the unit of the profile, or measure with the clock of the budget");
}

/// Why the interval of a cost says nothing; empty where it does.
std::string why_unknown(const Estimate& cost) {
  if (cost.unreliable) return "what was measured contradicts itself there";
  if (cost.of_one_run) return "one recorded run does not tell how far another would be from it";
  if (!was_measured(cost)) return "it was not measured";
  return "";
}

/// Sets what was measured, and how the budget holds.
void judge_cost(Checked& checked, const Subject& subject, const RunInfo& run) {
  const bool is_share = checked.budget.unit == BudgetUnit::share;
  const double factor = is_share ? 1 : factor_of(checked.budget, run);
  checked.measured = nothing;
  if (subject.cost != nullptr) {
    checked.why = why_unknown(*subject.cost);
    const Interval& cost = is_share ? subject.cost->share : subject.cost->ticks;
    checked.measured = {factor * cost.value, factor * cost.low, factor * cost.high};
  }
  if (!checked.why.empty()) checked.measured = {checked.measured.value, unknown.low, unknown.high};
  checked.holding = judged(checked.measured, checked.budget.limit);
}

void judge_hits(Checked& checked, const Subject& subject, const Profile& profile) {
  const auto hits = static_cast<double>(subject.hits);
  checked.measured = {hits, hits, hits};
  if (profile.paths.size() > 1) {
    checked.measured = {hits, unknown.low, unknown.high};
    checked.why = "the command takes several paths, and hits are those of the most frequent one";
  }
  checked.holding = judged(checked.measured, checked.budget.limit);
}

void judge_change(Checked& checked, const Change* change) {
  checked.measured = unknown;
  if (change == nullptr || change->verdict == Verdict::appeared)
    checked.why = "the baseline does not have it";
  else
    checked.measured = change->relative;
  checked.holding = judged(checked.measured, checked.budget.limit);
}

const Change* change_of(const Budget& budget, const Subject& subject, const Comparison& comparison) {
  if (budget.subject == total) return &comparison.whole;
  const bool is_line = subject.name == fmt::format("{}:{}", subject.path, subject.line);
  if (!is_line && !budget.is_own)
    refuse(budget, "the change of a function is known without the calls out of it",
           fmt::format("write \"own {}\"", budget.text));
  const std::vector<Change>& changes = is_line ? comparison.lines : comparison.functions;
  const auto found = std::ranges::find_if(changes, [&](const Change& change) {
    return is_line ? change.path == subject.path && change.line == subject.line
                   : change.function == subject.name && change.path == subject.path;
  });
  return found == changes.end() ? nullptr : &*found;
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
      Checked& one = checked.emplace_back(
          Checked{.budget = budget, .subject = subject.name, .path = subject.path, .line = subject.line});
      if (budget.unit == BudgetUnit::hits) {
        judge_hits(one, subject, session.profile);
      } else if (budget.unit == BudgetUnit::change) {
        if (comparison == nullptr)
          refuse(budget, "there is nothing to compare with", "name the baseline: --against BASE");
        judge_change(one, change_of(budget, subject, *comparison));
      } else {
        judge_cost(one, subject, session.profile.run);
      }
    }
  return checked;
}

std::vector<Checked> check_regressions(const Comparison& comparison, double most) {
  const auto regression = [&](const std::string& subject, const Change& change) {
    Checked checked{.budget = {.text = fmt::format("{} <= +{:.4g}%", subject, 100 * most),
                               .subject = subject,
                               .unit = BudgetUnit::change,
                               .limit = most},
                    .subject = subject,
                    .path = change.path,
                    .line = change.line};
    judge_change(checked, &change);
    return checked;
  };
  std::vector<Checked> checked{regression(std::string(total), comparison.whole)};
  const auto add_slower = [&](const std::vector<Change>& changes, const auto& name) {
    for (const Change& change : changes)
      if (change.verdict == Verdict::slower && change.relative.low > most)
        checked.push_back(regression(name(change), change));
  };
  add_slower(comparison.lines, [](const Change& c) { return fmt::format("{}:{}", c.path, c.line); });
  add_slower(comparison.functions, [](const Change& c) { return "own " + c.function; });
  return checked;
}

std::vector<Checked> worst_of(const std::vector<std::vector<Checked>>& sessions) {
  std::vector<Checked> worst;
  for (const std::vector<Checked>& session : sessions)
    for (const Checked& checked : session) {
      const auto known = std::ranges::find_if(worst, [&](const Checked& other) {
        return other.budget.text == checked.budget.text && other.subject == checked.subject;
      });
      if (known == worst.end())
        worst.push_back(checked);
      else if (checked.holding < known->holding)
        *known = checked;
    }
  return worst;
}

Holding holding_of(const std::vector<Checked>& checked) {
  Holding worst = Holding::held;
  for (const Checked& one : checked) worst = std::min(worst, one.holding);
  return worst;
}

}  // namespace jcprof::annotator
