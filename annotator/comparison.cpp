// SPDX-License-Identifier: Apache-2.0
#include "annotator/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "annotator/line_match.hpp"
#include "src/core/error.hpp"

namespace jcprof::annotator {
namespace {

// Intervals of a profile deliver 95 %.
constexpr double deviations_95 = 1.959964;
constexpr double deviations_90 = 1.644854;
// Another session alone may bring as much. Instructions are counted the same in each.
constexpr double tolerance_of_sessions = 0.03;
constexpr double tolerance_of_counts = 0.02;
constexpr double least_share = 0.0025;  // of the whole, that is worth a word
constexpr double false_discoveries = 0.05;
// Fewer lines may all be those that were changed.
constexpr std::size_t fewest_for_speed = 5;
// A larger difference is no session's gain but a change of everything.
constexpr double largest_gain = 0.1;

/// An end that was kept from falling below 0 hides its width: it is taken to be as wide as the other side.
double width_below(const Interval& ticks) {
  return ticks.low > 0 ? ticks.value - ticks.low
                       : std::max(ticks.value - ticks.low, ticks.high - ticks.value);
}

Interval divided(Interval ticks, double by) {
  return {ticks.value / by, ticks.low / by, ticks.high / by};
}

Interval difference_of(const Interval& before, const Interval& after) {
  const double value = after.value - before.value;
  return {value, value - std::hypot(width_below(after), before.high - before.value),
          value + std::hypot(after.high - after.value, width_below(before))};
}

/// The chance that noise alone makes a difference as large.
double chance(const Interval& difference) {
  const double toward_nothing =
      difference.value > 0 ? difference.value - difference.low : difference.high - difference.value;
  if (!std::isfinite(toward_nothing) || difference.value == 0) return 1;
  if (toward_nothing <= 0) return 0;
  return std::erfc(std::abs(difference.value) / toward_nothing * deviations_95 / std::sqrt(2.0));
}

/// The largest chance that counts as a discovery (Benjamini & Hochberg 1995); below 0: none does.
double chance_to_count(std::vector<double> chances) {
  std::ranges::sort(chances);
  for (std::size_t i = chances.size(); i-- > 0;)
    if (chances[i] <= false_discoveries * static_cast<double>(i + 1) / static_cast<double>(chances.size()))
      return chances[i];
  return -1;
}

struct Scales {
  double speed = 1;
  double whole = 0;  // of the first session
  double tolerance = tolerance_of_sessions;
};

/// Before the verdict.
void measure(Change& change, const Scales& scales) {
  // Speed is taken out of differences as a whole, and stops at the same traps cost the same.
  const auto comparable = [](const std::optional<Estimate>& cost) {
    return cost ? cost->comparable.value_or(cost->ticks) : Interval{0, 0, 0};
  };
  const Interval before = comparable(change.before);
  const Interval after = divided(comparable(change.after), scales.speed);
  // A line that was not measured counts as no difference: nothing is known of it.
  if (!std::isfinite(before.high) || !std::isfinite(after.high)) {
    change.difference = {};
    return;
  }
  change.difference = difference_of(before, after);
  if (change.before && change.after && before.value > 0)
    change.relative = divided(change.difference, before.value);
}

Verdict verdict_of(const Change& change, const Scales& scales, double count_from) {
  if (!change.before) return Verdict::appeared;
  if (!change.after) return Verdict::gone;
  const Interval& difference = change.difference;
  const double margin = std::max(scales.tolerance * change.before->ticks.value, least_share * scales.whole);
  if (chance(difference) <= count_from && std::abs(difference.value) > margin)
    return difference.value > 0 ? Verdict::slower : Verdict::faster;
  constexpr double narrower = deviations_90 / deviations_95;
  const bool lies_inside = difference.value - narrower * (difference.value - difference.low) >= -margin &&
                           difference.value + narrower * (difference.high - difference.value) <= margin;
  return lies_inside ? Verdict::same : Verdict::unresolved;
}

void judge(std::vector<Change>& changes, const Scales& scales) {
  std::vector<double> chances;
  for (Change& change : changes) {
    measure(change, scales);
    if (change.before && change.after) chances.push_back(chance(change.difference));
  }
  const double count_from = chance_to_count(chances);
  for (Change& change : changes) change.verdict = verdict_of(change, scales, count_from);
  std::ranges::stable_sort(changes, [](const Change& a, const Change& b) {
    const double size_a = std::abs(a.difference.value);
    const double size_b = std::abs(b.difference.value);
    return std::tie(size_b, a.path, a.line) < std::tie(size_a, b.path, b.line);
  });
}

std::vector<Change> changed_lines(const Compared& before, const Compared& after) {
  const std::vector<LineEstimate>& old = before.profile.lines;
  const auto matches = match_lines({old, before.map}, {after.profile.lines, after.map});
  std::vector<Change> changes;
  std::vector<bool> is_there(old.size());
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const LineEstimate& line = after.profile.lines[i];
    Change& change = changes.emplace_back(
        Change{.path = line.path, .line = line.line, .function = line.function, .after = line.cost});
    if (!matches[i]) continue;
    is_there[*matches[i]] = true;
    change.line_before = old[*matches[i]].line;
    change.before = old[*matches[i]].cost;
  }
  for (std::size_t i = 0; i < old.size(); ++i)
    if (!is_there[i])
      changes.push_back({.path = old[i].path,
                         .line = old[i].line,
                         .line_before = old[i].line,
                         .function = old[i].function,
                         .before = old[i].cost});
  return changes;
}

using Functions = std::vector<const FunctionEstimate*>;

struct FunctionPair {
  const FunctionEstimate* before = nullptr;
  const FunctionEstimate* after = nullptr;
};

Functions in_order_of_text(const std::vector<FunctionEstimate>& functions) {
  Functions sorted;
  for (const FunctionEstimate& function : functions) sorted.push_back(&function);
  std::ranges::stable_sort(sorted, [](const auto* a, const auto* b) {
    return std::tie(a->path, a->line) < std::tie(b->path, b->line);
  });
  return sorted;
}

/// Moves functions with the same key out of both into `pairs`, several of one key in their order.
template <class KeyOf>
void pair_up(Functions& before, Functions& after, const KeyOf& key_of, std::vector<FunctionPair>& pairs) {
  std::multimap<std::pair<std::string, std::string>, const FunctionEstimate*> waiting;
  for (const FunctionEstimate* function : before) waiting.emplace(key_of(*function), function);
  Functions alone;
  for (const FunctionEstimate* function : after) {
    const auto first = waiting.lower_bound(key_of(*function));
    if (first == waiting.end() || first->first != key_of(*function)) {
      alone.push_back(function);
      continue;
    }
    pairs.push_back({first->second, function});
    waiting.erase(first);
  }
  after = std::move(alone);
  before.clear();
  for (const auto& [key, function] : waiting) before.push_back(function);
}

/// Functions of one name are told apart by their files, then by their order in the text.
std::vector<Change> changed_functions(const Profile& before, const Profile& after) {
  Functions old = in_order_of_text(before.functions);
  Functions young = in_order_of_text(after.functions);
  std::vector<FunctionPair> pairs;
  pair_up(old, young, [](const FunctionEstimate& f) { return std::pair(f.function, f.path); }, pairs);
  // The rest may have moved to another file.
  pair_up(old, young, [](const FunctionEstimate& f) { return std::pair(f.function, std::string()); }, pairs);
  for (const FunctionEstimate* function : old) pairs.push_back({.before = function});
  for (const FunctionEstimate* function : young) pairs.push_back({.after = function});
  std::vector<Change> changes;
  for (const FunctionPair& pair : pairs) {
    const FunctionEstimate& newest = pair.after != nullptr ? *pair.after : *pair.before;
    Change& change =
        changes.emplace_back(Change{.path = newest.path, .line = newest.line, .function = newest.function});
    if (pair.before != nullptr) change.line_before = pair.before->line;
    if (pair.before != nullptr) change.before = pair.before->exclusive;
    if (pair.after != nullptr) change.after = pair.after->exclusive;
  }
  return changes;
}

std::vector<double> ratios_of(const std::vector<Change>& changes) {
  std::vector<double> ratios;
  for (const Change& change : changes)
    if (change.before && change.after && change.before->resolved && change.after->resolved)
      ratios.push_back(change.after->ticks.value / change.before->ticks.value);
  return ratios;
}

double whole_of(const Profile& profile) {
  double whole = 0;
  for (const FunctionEstimate& function : profile.functions) whole += function.exclusive.ticks.value;
  return whole;
}

/// 1 where it cannot be known, or is none.
double speed_of(const std::vector<Change>& changes, ClockUnit unit, std::vector<std::string>& warnings) {
  if (unit == ClockUnit::instructions) return 1;
  const std::vector<double> ratios = ratios_of(changes);
  if (ratios.size() < fewest_for_speed) {
    warnings.push_back(
        fmt::format("too few lines or functions are resolved in both profiles ({}), so jcprof cannot correct "
                    "for a faster or slower session: differences are as measured",
                    ratios.size()));
    return 1;
  }
  const double ratio = engine::median(ratios);
  if (std::abs(ratio - 1) <= largest_gain) return ratio;
  warnings.push_back(
      fmt::format("most lines or functions take {:.2f} times as long as before. Sessions differ by less, so "
                  "this counts as a change",
                  ratio));
  return 1;
}

void check_comparable(const Profile& before, const Profile& after) {
  const auto refuse = [](std::string message, std::string hint) {
    throw UserError(Fault{.message = std::move(message), .hint = std::move(hint)});
  };
  if (before.run.project != after.run.project)
    refuse(fmt::format("the profiles belong to different projects: \"{}\" and \"{}\"", before.run.project,
                       after.run.project),
           "--against takes an older profile of the same project");
  if (before.recorded.has_value() != after.recorded.has_value())
    refuse("one profile is a measurement, the other one a recording",
           "compare two measurements, or two recordings");
  if (before.run.unit != after.run.unit)
    refuse(fmt::format("the profiles have different units: {} and {}", name_of(before.run.unit),
                       name_of(after.run.unit)),
           "measure both with the same transport and clock");
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::slower:
      return "slower";
    case Verdict::faster:
      return "faster";
    case Verdict::same:
      return "same";
    case Verdict::unresolved:
      return "unresolved";
    case Verdict::appeared:
      return "new";
    case Verdict::gone:
      return "gone";
  }
  return "";
}

Comparison compare(const Compared& before, const Compared& after) {
  check_comparable(before.profile, after.profile);
  const ClockUnit unit = after.profile.run.unit;
  Comparison result{.lines = changed_lines(before, after),
                    .functions = changed_functions(before.profile, after.profile)};
  Scales scales{.whole = whole_of(before.profile)};
  scales.speed = result.speed =
      speed_of(result.lines.empty() ? result.functions : result.lines, unit, result.warnings);
  if (unit == ClockUnit::instructions)
    scales.tolerance = tolerance_of_counts;
  else
    result.warnings.push_back(
        fmt::format("each profile holds one session, so differences below {:.0f} % are not judged",
                    100 * tolerance_of_sessions));
  if (after.profile.recorded && std::min(before.profile.total.rounds, after.profile.total.rounds) < 2)
    result.warnings.push_back(
        "each recording is one run, and runs vary by an unknown amount: a change may be no more than that");
  if (before.profile.paths.size() > 1 || after.profile.paths.size() > 1)
    result.warnings.push_back(
        "the command takes several paths: each profile shows its own most frequent path, and the two may "
        "differ");
  judge(result.lines, scales);
  judge(result.functions, scales);
  return result;
}

}  // namespace jcprof::annotator
