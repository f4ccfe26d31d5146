// SPDX-License-Identifier: Apache-2.0
#include "annotator/tables.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "annotator/estimate/quantity.hpp"
#include "annotator/text_table.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

std::string each_pass(const LoopEstimate& loop, ClockUnit unit) {
  Estimate pass = loop.cost;
  for (double* ticks : {&pass.ticks.value, &pass.ticks.low, &pass.ticks.high})
    *ticks /= static_cast<double>(loop.passes);
  return cost_cells(pass, unit).value;
}

/// The rest of a sum: less than 0 where noise makes the parts too large. Sums are exact to the rounding of a
/// double, which is no time.
std::string signed_quantity(const Interval& ticks, ClockUnit unit) {
  const auto rounded = [](double value) { return std::round(value * 1e3) / 1e3; };
  const Interval rest{rounded(ticks.value), rounded(ticks.low), rounded(ticks.high)};
  const bool is_negative = rest.value < 0;
  const Quantity shown = quantity(is_negative ? Interval{-rest.value, -rest.high, -rest.low} : rest, unit);
  return fmt::format("{}{} ±{}", is_negative ? "-" : "", shown.value, shown.half_width);
}

/// Three digits, or fewer where own cost leaves more open.
std::string single_quantity(const Interval& ticks, ClockUnit unit) {
  constexpr double least = 0.005;
  if (ticks.high == 0) return fmt::format("0 {}", scale_for(0, unit).name);
  const double half = std::max(engine::half_width(ticks), least * ticks.value);
  return quantity({ticks.value, ticks.value - half, ticks.value + half}, unit).value;
}

/// Other tools may not tell how many events they saw.
std::string recorded_extent(const Recorded& recorded) {
  if (recorded.events == 0) return "functions";
  std::string text = fmt::format("{} events of {} thread{}", recorded.events, recorded.threads,
                                 recorded.threads == 1 ? "" : "s");
  if (recorded.lost > 0) text += fmt::format(", {} more lost", recorded.lost);
  return text;
}

std::string left_out(std::size_t count, const TableStyle& style) {
  return count > style.rows ? fmt::format("… and {} more\n", count - style.rows) : "";
}

/// The first of many say little, so they are named where they are few.
template <class TextOf>
std::string names_of(const Hottest& hottest, const TextOf& text_of) {
  constexpr std::size_t most_named = 3;
  const std::size_t count = hottest.among.size();
  if (count > 2 * most_named) return fmt::format("one of {}", count);
  const std::size_t named = count == most_named + 1 ? count : std::min(most_named, count);
  std::string text;
  for (std::size_t i = 0; i < named; ++i)
    text += (i == 0 ? "" : i + 1 == count ? " or " : ", ") + text_of(hottest.among[i]);
  return count > named ? text + fmt::format(" or one of {} more", count - named) : text;
}

template <class TextOf>
std::string hottest_of(std::string_view kind, const Hottest& hottest, const TextOf& text_of) {
  constexpr double most_sure = 0.99;  // tails of noise are not known well enough for more
  if (hottest.among.empty()) return "";
  const bool is_over = hottest.confidence > most_sure;
  return fmt::format("hottest {}: {} ({}{:.0f} % sure)\n", kind, names_of(hottest, text_of),
                     is_over ? "over " : "",
                     std::floor(100 * std::min(most_sure, hottest.confidence) + 1e-9));
}

/// "21 ms ±2" where that is another time than the typical one; else empty.
std::string mean_where_it_differs(const Estimate& estimate, ClockUnit unit) {
  if (!estimate.averages || !estimate.averages->differs) return "";
  const Quantity mean = quantity(estimate.averages->mean, unit);
  return fmt::format("{} ±{}", mean.value, mean.half_width);
}

/// The first of `items`, a row each, and how many more there are; empty without any.
template <class Item, class RowOf>
std::string first_of(const std::vector<Item>& items, const std::vector<Column>& columns,
                     const TableStyle& style, const RowOf& row_of) {
  if (items.empty()) return "";
  std::vector<Row> rows;
  for (const Item& item : items | std::views::take(style.rows)) rows.push_back(row_of(item));
  // A recording of one run has no intervals.
  std::vector<Column> shown = columns;
  for (std::size_t c = columns.size(); c-- > 0;) {
    if (columns[c].title != "±" || !std::ranges::all_of(rows, [&](const Row& row) { return row[c].empty(); }))
      continue;
    shown.erase(shown.begin() + static_cast<std::ptrdiff_t>(c));
    for (Row& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
  }
  return table(shown, std::move(rows), style) + left_out(items.size(), style);
}

std::string place_of(const FunctionEstimate& function) {
  return function.path.empty() ? "" : fmt::format("{}:{}", plain_line(function.path), function.line);
}

/// ", imported from words.cg of callgrind-3.19.0"; else empty.
std::string origin_text(const RunInfo& run) {
  if (!is_imported(run)) return "";
  return fmt::format(", imported from {} of {}", plain_line(run.transport.substr(import_prefix.size())),
                     plain_line(run.agent));
}

/// A first-time reader asks what "<" is; empty without a bound in the tables.
std::string bound_text(const Profile& profile) {
  if (std::ranges::none_of(profile.lines, is_bound, &LineEstimate::cost) &&
      std::ranges::none_of(profile.functions, is_bound, &FunctionEstimate::exclusive))
    return "";
  return profile.recorded ? "< is an upper bound: the cost of recording hides the time\n"
                          : "< is an upper bound: the noise hides the time; more rounds lower the bound\n";
}

}  // namespace

std::string no_value(const Estimate& estimate) {
  return estimate.unreliable ? "unreliable" : not_measured(estimate.of_one_run ? 0 : estimate.rounds);
}

CostCells cost_cells(const Estimate& estimate, ClockUnit unit) {
  const Interval& ticks = estimate.ticks;
  if (!was_measured(estimate)) return {no_value(estimate), "", "?"};
  if (is_bound(estimate))
    return {"< " + upper_bound(ticks.high, unit), "", "< " + percent(estimate.share.high)};
  if (is_single(estimate)) return {single_quantity(ticks, unit), "", percent(estimate.share.value)};
  const Quantity cost = quantity(ticks, unit);
  return {cost.value, "±" + cost.half_width, percent(estimate.share.value)};
}

std::string times_text(std::uint64_t times) {
  return times == 0 ? "" : fmt::format("×{}", times);
}

std::string device_text(const RunInfo& run) {
  return run.device.empty() ? "an unknown device" : plain_line(run.device);
}

std::string extent(const Profile& profile) {
  std::string text = profile.recorded ? recorded_extent(*profile.recorded)
                                      : fmt::format("{} rounds, {} shots", profile.rounds, profile.shots);
  if (profile.paths.size() > 1) text += fmt::format(", {} paths", profile.paths.size());
  if (profile.run.state != RunState::complete) text += ", unfinished";
  return text;
}

std::string total_text(const Profile& profile) {
  const ClockUnit unit = profile.run.unit;
  const Quantity total = quantity(profile.total.ticks, unit);
  const bool has_few = profile.total.rounds > 0 && !was_measured(profile.total);
  if (profile.recorded && !was_measured(profile.total)) return "total " + no_value(profile.total);
  if (has_few) return "total " + not_measured(profile.total.rounds);
  if (is_single(profile.total)) return "total " + single_quantity(profile.total.ticks, unit);
  if (profile.recorded) return fmt::format("total {} ±{}", total.value, total.half_width);
  if (profile.total.rounds == 0)
    return profile.paths.size() > 1 ? "the time of a whole command on this path is not known"
                                    : "no command has run to its end yet";
  if (!was_measured(profile.entry)) return fmt::format("total {} ±{}", total.value, total.half_width);
  const std::string between =
      profile.between ? fmt::format(", {} after the last trap", cost_cells(*profile.between, unit).value)
                      : "";
  const std::string mean = mean_where_it_differs(profile.total, unit);
  const std::string whole = fmt::format("total {} ±{}{}, ", total.value, total.half_width,
                                        mean.empty() ? "" : fmt::format(" ({} on average)", mean));
  // Both are estimates: that of the part may be the larger one.
  if (profile.entry.ticks.value >= profile.total.ticks.value)
    return whole + "all of it before the first trap, as far as is known" + between;
  return whole + fmt::format("of it {} before the first trap{} and {} unattributed",
                             quantity(profile.entry.ticks, unit).value, between,
                             signed_quantity(profile.unattributed, unit));
}

std::string hottest_text(const Profile& profile, const ShownName& shown) {
  const auto place = [&](const HotPlace& hot) { return shown(fmt::format("{}:{}", hot.path, hot.line)); };
  const auto name = [&](const HotPlace& hot) { return shown(hot.function); };
  return hottest_of("line", profile.hottest_lines, place) +
         hottest_of("function", profile.hottest_functions, name);
}

std::string interval_text(const Profile& profile) {
  // The total of a few commands beside many of another kind is not known; most functions are.
  const auto is_known = [](const FunctionEstimate& function) { return function.exclusive.rounds > 1; };
  if (profile.total.of_one_run && std::ranges::none_of(profile.functions, is_known))
    return std::string(is_single(profile.total) ? single_interval : own_cost_interval);
  if (profile.recorded) return std::string(recorded_interval);
  if (profile.run.unit == ClockUnit::instructions) return "95 %";
  constexpr double least_drift = 0.001;  // less does not show
  const std::string drift = profile.drift < least_drift
                                ? ""
                                : fmt::format(", in which the speed varied by {}", percent(profile.drift));
  return fmt::format("95 % within this session{}; another session may be faster or slower as a whole", drift);
}

std::string header(const Profile& profile, const TableStyle& style) {
  const RunInfo& run = profile.run;
  std::string text = painted(plain_line(run.project), bold, style);
  if (!run.device.empty() || !is_imported(run)) text += " on " + device_text(run);
  if (!run.reader.empty())
    text += fmt::format(" in reader {}, {}", plain_line(run.reader), plain_line(run.protocol));
  if (run.simulated) text += ", " + painted("SIMULATED", yellow, style);
  text += origin_text(run);
  text += fmt::format(": {}\n{}\n", extent(profile), total_text(profile));
  if (!profile.lines.empty() || !profile.functions.empty())
    text += fmt::format("± is {}\n", interval_text(profile)) + bound_text(profile);
  return text + hottest_text(profile);
}

std::string cost_name(const Profile& profile) {
  if (!profile.recorded) return std::string(headline_of(profile));
  return profile.run.unit == ClockUnit::instructions ? "cost" : "time";
}

std::string cost_name(const Profile& profile, std::string_view of) {
  return profile.recorded ? fmt::format("{} {}", of, cost_name(profile))
                          : fmt::format("{} {}", cost_name(profile), of);
}

std::vector<LineEstimate> all_lines(const Profile& profile) {
  if (!profile.lines.empty()) return profile.lines;
  std::vector<LineEstimate> lines;
  for (const FunctionEstimate& function : profile.functions)
    lines.push_back({.path = function.path,
                     .line = function.line,
                     .function = function.function,
                     .hits = function.calls,
                     .cost = function.exclusive});
  return lines;
}

std::string line_table(const Profile& profile, const TableStyle& style) {
  const ClockUnit unit = profile.run.unit;
  const bool has_means =
      std::ranges::any_of(profile.lines | std::views::take(style.rows),
                          [&](const auto& l) { return !mean_where_it_differs(l.cost, unit).empty(); });
  std::vector<Column> columns{{cost_name(profile)}, {"±"}};
  if (has_means) columns.push_back({"on average"});
  for (const char* title : {"share", "hits"}) columns.push_back({title});
  for (const char* title : {"line", "function"}) columns.push_back({title, Align::left});
  return first_of(profile.lines, columns, style, [&](const LineEstimate& line) {
    const CostCells cost = cost_cells(line.cost, unit);
    Row row{cost.value, cost.half_width};
    if (has_means) row.push_back(mean_where_it_differs(line.cost, unit));
    for (std::string cell :
         {cost.share, times_text(line.hits), fmt::format("{}:{}", plain_line(line.path), line.line),
          plain_line(line.function)})
      row.push_back(std::move(cell));
    return row;
  });
}

std::string without_parameters(const std::string& name) {
  std::size_t at = name.rfind(')');
  std::size_t open = 0;  // parentheses
  for (; at < name.size(); --at) {
    if (name[at] == ')') ++open;
    if (name[at] == '(' && --open == 0) break;
  }
  const bool is_a_list = at < name.size() && at > 0 && !name.substr(0, at).ends_with("operator");
  return is_a_list ? name.substr(0, at) : name;
}

bool name_matches(const std::string& pattern, const std::string& function) {
  std::string glob;
  for (const char c : pattern)
    glob += c == '*' ? "**" : c == '[' || c == '?' ? fmt::format("[{}]", c) : std::string(1, c);
  return glob_matches(glob, function) || glob_matches(glob, without_parameters(function));
}

/// Recorded functions have single calls to tell of, and parameters in their names.
std::string function_table(const Profile& profile, const TableStyle& style) {
  const ClockUnit unit = profile.run.unit;
  const bool is_recorded = profile.recorded.has_value();
  std::vector<Column> columns{{cost_name(profile, "own")}, {"±"}, {"share"}, {"with calls"}};
  for (const char* title :
       is_recorded ? std::vector{"calls", "average", "most"} : std::vector{"share", "calls"})
    columns.push_back({title});
  columns.push_back({"function", Align::left});
  columns.push_back({"line", Align::left});
  return first_of(profile.functions, columns, style, [&](const FunctionEstimate& function) {
    const CostCells own = cost_cells(function.exclusive, unit);
    const CostCells all = cost_cells(function.inclusive, unit);
    Row row{own.value, own.half_width, own.share, all.value};
    if (!is_recorded) row.push_back(all.share);
    row.push_back(times_text(function.calls));
    if (is_recorded) {
      row.push_back(function.spread ? each(function.spread->average, unit) : "");
      row.push_back(function.spread ? each(function.spread->most, unit) : "");
    }
    row.push_back(plain_line(is_recorded ? without_parameters(function.function) : function.function));
    row.push_back(place_of(function));
    return row;
  });
}

/// The functions in which threads waited, or lost their processor; empty where they hardly did.
std::string away_table(const Profile& profile, const TableStyle& style) {
  constexpr double worth_telling = 0.01;
  const auto time_away = [](const FunctionEstimate& function) { return function.away.value_or(0); };
  double all = profile.total.ticks.value;
  for (const FunctionEstimate& function : profile.functions) all += time_away(function);
  std::vector<FunctionEstimate> functions;
  std::ranges::copy_if(profile.functions, std::back_inserter(functions),
                       [&](const FunctionEstimate& function) {
                         return time_away(function) > 0 && time_away(function) >= worth_telling * all;
                       });
  std::ranges::stable_sort(functions, std::ranges::greater{}, time_away);
  const ClockUnit unit = profile.run.unit;
  return first_of(functions,
                  {{"away"}, {"calls"}, {"a call"}, {"function", Align::left}, {"line", Align::left}}, style,
                  [&](const FunctionEstimate& function) {
                    const double away = time_away(function);
                    return Row{each(away, unit), fmt::format("×{}", function.calls),
                               each(away / static_cast<double>(function.calls), unit),
                               plain_line(without_parameters(function.function)), place_of(function)};
                  });
}

std::string loop_table(const Profile& profile, const TableStyle& style) {
  return first_of(profile.loops,
                  {{cost_name(profile, "loop")},
                   {"±"},
                   {"share"},
                   {"begun"},
                   {"passes"},
                   {"a pass"},
                   {"line", Align::left},
                   {"function", Align::left}},
                  style, [&](const LoopEstimate& loop) {
                    const CostCells cost = cost_cells(loop.cost, profile.run.unit);
                    return Row{cost.value,
                               cost.half_width,
                               cost.share,
                               fmt::format("×{}", loop.entries),
                               fmt::format("×{}", loop.passes),
                               each_pass(loop, profile.run.unit),
                               fmt::format("{}:{}", plain_line(loop.path), loop.line),
                               plain_line(loop.function)};
                  });
}

std::string warning_list(const Profile& profile, const TableStyle& style) {
  std::string text;
  for (const std::string& warning : profile.warnings)
    text += painted("warning:", yellow, style) + " " + plain_line(warning) + "\n";
  return text;
}

std::string tables(const Profile& profile, const TableStyle& style) {
  std::string text = header(profile, style);
  for (const std::string& part :
       {line_table(profile, style), function_table(profile, style), away_table(profile, style),
        loop_table(profile, style), warning_list(profile, style)})
    if (!part.empty()) text += "\n" + part;
  return text;
}

}  // namespace jcprof::annotator
