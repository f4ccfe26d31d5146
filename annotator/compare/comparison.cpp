// SPDX-License-Identifier: Apache-2.0
#include "annotator/compare/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "annotator/compare/discoveries.hpp"
#include "annotator/compare/matching.hpp"
#include "src/core/error.hpp"

namespace jcprof::annotator {
namespace {

/// An end that was kept from falling below 0 hides its width: it is taken to be as wide as the other side.
double half_width_of(const Interval& ticks) {
  const double above = ticks.high - ticks.value;
  const double below = ticks.value - ticks.low;
  return ticks.low > 0 ? (above + below) / 2 : std::max(above, below);
}

/// The mean of several sessions, with the noise within them or the scatter between them, whichever is more.
/// Unknown where one of them is.
Estimate mean_of(const std::vector<Estimate>& costs) {
  if (costs.size() == 1) return costs.front();
  if (!std::ranges::all_of(costs, was_measured)) {
    const Estimate& fewest = std::ranges::min(costs, {}, &Estimate::rounds);
    return {.rounds = fewest.rounds, .unreliable = std::ranges::any_of(costs, &Estimate::unreliable)};
  }
  const auto sessions = static_cast<double>(costs.size());
  Estimate mean = costs.front();
  const auto mean_part = [&](Interval Estimate::* part) {
    std::vector<double> values;
    double squares = 0;
    for (const Estimate& cost : costs) {
      values.push_back((cost.*part).value);
      squares += std::pow(half_width_of(cost.*part) / sessions, 2);
    }
    const Interval by_sessions = engine::mean_interval(values, 0.05, 0);
    const double half = std::max(std::sqrt(squares), engine::half_width(by_sessions));
    return Interval{by_sessions.value, std::max(0.0, by_sessions.value - half), by_sessions.value + half};
  };
  mean.ticks = mean_part(&Estimate::ticks);
  mean.share = mean_part(&Estimate::share);
  mean.comparable.reset();
  mean.averages.reset();
  mean.of_one_run = false;
  mean.share.high = std::min(1.0, mean.share.high);
  mean.resolved = std::ranges::all_of(costs, &Estimate::resolved) && mean.ticks.low > 0;
  mean.unreliable = std::ranges::any_of(costs, &Estimate::unreliable);
  for (const Estimate& cost : costs) mean.rounds = std::min(mean.rounds, cost.rounds);
  return mean;
}

Item item_of(const std::vector<Estimate>& before, const std::vector<Estimate>& after) {
  Item item;
  for (const Estimate& cost : before) item.before.push_back(reading_of(cost));
  for (const Estimate& cost : after) item.after.push_back(reading_of(cost));
  return item;
}

/// Makes the chances weighted ones. A line that takes more of the time needs less proof; one that takes none
/// has not changed.
std::vector<double> weigh(std::vector<Difference>& differences) {
  std::vector<double> sizes;
  // The mean of both sides does not depend on their difference.
  for (const Difference& one : differences) sizes.push_back(one.before + one.ticks.value / 2);
  std::vector<double> weights = weights_of(sizes);
  for (std::size_t i = 0; i < weights.size(); ++i)
    differences[i].chance = weighted_chance(differences[i].chance, weights[i]);
  return weights;
}

Change change_of(const Pair& pair) {
  const Entry& newest = pair.after != nullptr ? *pair.after : *pair.before;
  Change change{.path = newest.path, .line = newest.line, .function = newest.function};
  if (pair.before != nullptr) {
    change.line_before = pair.before->line;
    change.hits_before = pair.before->hits;
    change.before = mean_of(pair.before->costs);
  }
  if (pair.after != nullptr) {
    change.hits_after = pair.after->hits;
    change.after = mean_of(pair.after->costs);
  }
  if (pair.before == nullptr) change.verdict = Verdict::appeared;
  if (pair.after == nullptr) change.verdict = Verdict::gone;
  return change;
}

/// How many times the shots make the deviation as small as `aim`; 0: none do.
double shots_factor_for(const Difference& difference, double aim) {
  const double noise = std::pow(difference.deviation, 2) - std::pow(difference.lasting, 2);
  const double room = std::pow(aim, 2) - std::pow(difference.lasting, 2);
  return room > 0 ? std::max(1.0, noise / room) : 0;
}

/// The size from which a difference counts.
struct Margins {
  double whole = 0;         // ticks of the first side
  double count_from = 0;    // a weighted chance that counts as a discovery; below 0: none does
  double count_next = 0;    // below it one more line would count
  bool are_counts = false;  // any difference of them is one

  /// For what took so many ticks before.
  double of(double before) const { return std::max(margin_relative * before, least_share * whole); }
};

/// The deviations of a difference that is proven four times in five, where its chance must be below `needed`.
double proof_of(const Difference& difference, double needed) {
  constexpr double power = 0.84;
  constexpr double least = 1e-9;
  return deviations_of(1 - std::clamp(needed, least, false_discoveries), difference.freedom) + power;
}

/// `weight`: that of weigh().
void judge(Change& change, const Difference& difference, double weight, const Margins& margins) {
  if (!std::isfinite(difference.ticks.high)) return;  // unresolved
  const double margin = margins.of(difference.before);
  const double size = std::abs(difference.ticks.value);
  const double narrow = deviations_of(0.9, difference.freedom);
  constexpr double rounding = 1e-9;
  const bool is_proven = difference.chance <= margins.count_from && size > rounding * difference.before;
  const bool lies_inside = size + narrow * difference.deviation <= margin;
  if (is_proven && (margins.are_counts || !lies_inside)) {
    change.verdict = difference.ticks.value > 0 ? Verdict::slower : Verdict::faster;
    return;
  }
  if (lies_inside) {
    change.verdict = Verdict::same;
    return;
  }
  // A change beyond the margin has to be proven, one within it to be bounded.
  const double aim = size > margin ? size / proof_of(difference, weight * margins.count_next)
                                   : std::max(margin - size, margin / 2) / narrow;
  change.shots_factor = shots_factor_for(difference, aim);
}

/// Ticks of the first side that a report shows for what has one side only.
Interval one_sided(const Change& change, double speed) {
  const Interval ticks = change.before ? change.before->ticks : change.after->ticks;
  if (change.after) return {ticks.value / speed, ticks.low / speed, ticks.high / speed};
  return {-ticks.value, -ticks.high, -ticks.low};
}

std::vector<Change> judged(const std::vector<Pair>& pairs, const SessionEffects& effects, Margins margins) {
  std::vector<Change> changes;
  std::vector<Difference> differences;  // of what both sides have, in its order
  for (const Pair& pair : pairs) {
    Change& change = changes.emplace_back(change_of(pair));
    if (pair.before == nullptr || pair.after == nullptr) {
      change.difference = one_sided(change, effects.speed);
      continue;
    }
    const Difference& difference =
        differences.emplace_back(difference_of(item_of(pair.before->costs, pair.after->costs), effects));
    change.difference = difference.ticks;
    if (const double before = difference.before; before > 0)
      change.relative = {difference.ticks.value / before, difference.ticks.low / before,
                         difference.ticks.high / before};
  }
  const std::vector<double> weights = weigh(differences);
  std::vector<double> chances;
  for (const Difference& difference : differences) chances.push_back(difference.chance);
  margins.count_from = chance_to_count(chances);
  const auto found = std::ranges::count_if(chances, [&](double c) { return c <= margins.count_from; });
  margins.count_next =
      false_discoveries * static_cast<double>(found + 1) / static_cast<double>(chances.size());
  std::size_t i = 0;
  for (Change& change : changes)
    if (change.before && change.after) {
      judge(change, differences[i], weights[i], margins);
      ++i;
    }
  std::ranges::stable_sort(changes, [](const Change& a, const Change& b) {
    const double size_a = std::abs(a.difference.value);
    const double size_b = std::abs(b.difference.value);
    return std::tie(a.verdict, size_b, a.path, a.line) < std::tie(b.verdict, size_a, b.path, b.line);
  });
  return changes;
}

double whole_of(const Profile& profile) {
  double whole = 0;
  for (const FunctionEstimate& function : profile.functions) whole += function.exclusive.ticks.value;
  return whole;
}

/// Those that both sides have, and know well in each session.
std::vector<Item> items_of(const std::vector<Pair>& pairs) {
  std::vector<Item> items;
  for (const Pair& pair : pairs) {
    if (pair.before == nullptr || pair.after == nullptr) continue;
    Item item = item_of(pair.before->costs, pair.after->costs);
    if (tells_speed(item)) items.push_back(std::move(item));
  }
  return items;
}

/// By the lines, or by the functions where more of them are known well, as in a recording without lines.
SessionEffects effects_between(const std::vector<Pair>& lines, const std::vector<Pair>& functions,
                               const Sessions& sessions) {
  const std::vector<Item> of_lines = items_of(lines);
  const std::vector<Item> of_functions = items_of(functions);
  return effects_of(of_lines.size() < of_functions.size() ? of_functions : of_lines, sessions);
}

void check_comparable(const Profile& before, const Profile& after) {
  const auto refuse = [](std::string message, std::string hint) {
    throw UserError(Fault{.message = std::move(message), .hint = std::move(hint)});
  };
  if (before.run.project != after.run.project)
    refuse(fmt::format("the profiles belong to different projects: \"{}\" and \"{}\"", before.run.project,
                       after.run.project),
           "compare profiles of the same project");
  if (before.recorded.has_value() != after.recorded.has_value())
    refuse("one profile is a measurement, the other one a recording",
           "compare two measurements, or two recordings");
  if (before.run.unit != after.run.unit)
    refuse(fmt::format("the profiles have different units: {} and {}", name_of(before.run.unit),
                       name_of(after.run.unit)),
           "measure both with the same transport and clock");
}

}  // namespace

void check_side(const std::vector<Compared>& side) {
  check(!side.empty(), "each side has a session");
  for (const Compared& session : side) {
    check_comparable(side.front().profile, session.profile);
    if (session.profile.run.trap_digest != side.front().profile.run.trap_digest)
      throw UserError(
          Fault{.message = fmt::format("the sessions of one side are of two builds: {} and {}",
                                       side.front().profile.run.started, session.profile.run.started),
                .hint = "each side holds sessions of one build"});
  }
}

namespace {

void warn(Comparison& result, const std::vector<Compared>& before, const std::vector<Compared>& after) {
  const Profile& profile = after.front().profile;
  const auto is_said_of_any = [&](auto&& is_so) {
    return std::ranges::any_of(before, is_so) || std::ranges::any_of(after, is_so);
  };
  if (profile.run.unit != ClockUnit::instructions && std::min(before.size(), after.size()) < 2)
    result.warnings.push_back(
        "one session on a side does not tell how much sessions differ: jcprof assumes 2 % in speed, and "
        "takes the rest from the scatter of the lines. Measure three sessions a side to know it");
  const auto is_one_run = [](const Compared& s) { return is_one_recorded_run(s.profile); };
  if (std::min(before.size(), after.size()) < 2 && is_said_of_any(is_one_run))
    result.warnings.emplace_back(warning_of_one_run);
  if (is_imported(profile.run) && result.lines.size() < profile.lines.size())
    result.warnings.push_back("lines are left out where jcprof does not know that the source is the same");
  if (is_said_of_any([](const Compared& s) { return s.profile.paths.size() > 1; }))
    result.warnings.push_back(
        "the command takes several paths: each profile shows its own most frequent path, and the two may "
        "differ");
}

/// Its measurements contradict each other, and leave no function with a value.
bool is_void(const Compared& session) {
  const std::vector<FunctionEstimate>& functions = session.profile.functions;
  return !functions.empty() && std::ranges::all_of(functions, [](const FunctionEstimate& function) {
    return function.exclusive.unreliable;
  });
}

/// A void session tells nothing, and would hide what the others tell. Without others it stays.
std::vector<Compared> sound(const std::vector<Compared>& side) {
  std::vector<Compared> sessions;
  std::ranges::copy_if(side, std::back_inserter(sessions), std::not_fn(is_void));
  return sessions.empty() ? side : sessions;
}

void warn_of_void(Comparison& result, std::size_t before, std::size_t after) {
  const auto warn_of = [&](std::size_t used, std::size_t all, const char* side) {
    if (used < all)
      result.warnings.push_back(fmt::format(
          "{} of {} sessions {} {} left out: the measurements in {} contradict each other", all - used, all,
          side, all - used == 1 ? "is" : "are", all - used == 1 ? "it" : "them"));
  };
  warn_of(result.sessions_before, before, "before");
  warn_of(result.sessions_after, after, "after");
}

/// The whole command as one more item.
Change change_of_whole(const std::vector<Compared>& before, const std::vector<Compared>& after,
                       const SessionEffects& effects, const Margins& margins) {
  const auto entry_of_side = [](const std::vector<Compared>& side) {
    Entry entry;
    for (const Compared& session : side) entry.costs.push_back(session.profile.total);
    return entry;
  };
  const Entry old = entry_of_side(before);
  const Entry young = entry_of_side(after);
  Change change = judged({{&old, &young}}, effects, margins).front();
  change.hits_before = change.hits_after = std::nullopt;
  // A change of everything that the speed of sessions may explain is no proof that nothing changed.
  const double ticks = change.before->ticks.value;
  const bool is_proven = change.verdict == Verdict::slower || change.verdict == Verdict::faster;
  if (!is_proven && std::abs(change.after->ticks.value - ticks) > margins.of(ticks)) {
    if (change.verdict == Verdict::same) change.shots_factor = 0;
    change.verdict = Verdict::unresolved;
    // All of the ratio may be a change, or none.
    const auto widen = [&](Interval& interval, double scale) {
      interval.low = std::min(interval.low, scale * (effects.ratio.low - 1));
      interval.high = std::max(interval.high, scale * (effects.ratio.high - 1));
    };
    widen(change.difference, ticks);
    widen(change.relative, 1);
  }
  return change;
}

}  // namespace

Reading reading_of(const Estimate& cost) {
  const Interval& ticks = cost.comparable.value_or(cost.ticks);
  // A recording of one run has no interval; its ends are what own cost leaves open.
  return {std::max(0.0, ticks.value), half_width_of(ticks) / engine::deviations_95};
}

bool is_one_recorded_run(const Profile& profile) {
  return profile.recorded && profile.total.rounds < 2;
}

std::string_view name_of(Verdict verdict) {
  constexpr std::array<std::string_view, 6> names{"slower", "faster", "new", "gone", "unresolved", "same"};
  return names.at(static_cast<std::size_t>(verdict));
}

Comparison compare(const std::vector<Compared>& all_before, const std::vector<Compared>& all_after) {
  check_side(all_before);
  check_side(all_after);
  const std::vector<Compared> before = sound(all_before);
  const std::vector<Compared> after = sound(all_after);
  check_comparable(before.front().profile, after.front().profile);
  const Entries old_lines = line_entries(before);
  const Entries lines = line_entries(after);
  const Entries old_functions = function_entries(before);
  const Entries functions = function_entries(after);
  const std::vector<Pair> line_pairs = pairs_of_lines(before.front(), old_lines, after.front(), lines);
  const std::vector<Pair> function_pairs = pairs_of_functions(old_functions, functions);
  const bool are_counts = after.front().profile.run.unit == ClockUnit::instructions;
  const SessionEffects effects = effects_between(
      line_pairs, function_pairs, {.before = before.size(), .after = after.size(), .agree = are_counts});
  const Margins margins{.whole = whole_of(before.front().profile), .are_counts = are_counts};
  Comparison result{.run_before = before.front().profile.run,
                    .run_after = after.front().profile.run,
                    .sessions_before = before.size(),
                    .sessions_after = after.size(),
                    .speed = effects.speed,
                    .ratio = effects.ratio,
                    .whole = change_of_whole(before, after, effects, margins),
                    .lines = judged(line_pairs, effects, margins),
                    .functions = judged(function_pairs, effects, margins)};
  warn(result, before, after);
  warn_of_void(result, all_before.size(), all_after.size());
  return result;
}

bool is_below_resolution(const Change& change) {
  const auto has_bound = [](const std::optional<Estimate>& cost) { return cost && is_bound(*cost); };
  return change.verdict == Verdict::unresolved && has_bound(change.before) && has_bound(change.after);
}

Verdict verdict_of(const Comparison& comparison) {
  std::set<Verdict> verdicts{comparison.whole.verdict};
  for (const auto* changes : {&comparison.lines, &comparison.functions})
    for (const Change& change : *changes)
      if (!is_below_resolution(change)) verdicts.insert(change.verdict);
  for (const Verdict verdict : {Verdict::slower, Verdict::unresolved, Verdict::faster})
    if (verdicts.contains(verdict)) return verdict;
  return Verdict::same;
}

}  // namespace jcprof::annotator
