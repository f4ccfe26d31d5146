// SPDX-License-Identifier: Apache-2.0
#include "annotator/compare/difference_texts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <ranges>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "annotator/estimate/quantity.hpp"
#include "annotator/export/github.hpp"
#include "annotator/export/markdown.hpp"
#include "annotator/interval_json.hpp"
#include "annotator/tables.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

using Changes = std::vector<Change>;
using Json = nlohmann::ordered_json;

std::string cost_text(const std::optional<Estimate>& cost, ClockUnit unit) {
  return cost ? cost_cells(*cost, unit).value : "";
}

/// "+14.2 %" and "±2.1"; nothing where too little is known for a percentage.
std::pair<std::string, std::string> relative_of(const Change& change) {
  constexpr double widest = 1;
  const Interval& relative = change.relative;
  if (!(engine::half_width(relative) <= widest)) return {};
  const int digits = std::abs(relative.value) < 0.01 && engine::half_width(relative) < 0.01 ? 2 : 1;
  return {fmt::format("{:+.{}f} %", 100 * relative.value, digits),
          engine::half_width(relative) == 0
              ? ""
              : fmt::format("±{:.{}f}", 100 * engine::half_width(relative), digits)};
}

std::string hits_of(const Change& change) {
  const auto count = [](const std::optional<std::uint64_t>& hits) { return hits ? times_text(*hits) : ""; };
  if (change.hits_before == change.hits_after || !change.hits_after) return count(change.hits_before);
  if (!change.hits_before) return count(change.hits_after);
  return fmt::format("{} → {}", count(change.hits_before), count(change.hits_after));
}

/// A way to resolve it: "3.2 × the shots".
std::string remedy_of(const Change& change) {
  constexpr double most = 1000;
  if (!change.shots_factor) return change.verdict == Verdict::unresolved ? "not measured" : "";
  if (*change.shots_factor == 0 || *change.shots_factor > most) return "more sessions";
  return fmt::format("{:.{}f} × the shots", *change.shots_factor, *change.shots_factor < 10 ? 1 : 0);
}

std::string place_text(const Change& change) {
  return change.path.empty() ? "" : fmt::format("{}:{}", change.path, change.line);
}

/// Tables list the others. They only count unchanged items, and items with two upper bounds.
bool is_worth_a_row(const Change& change) {
  return change.verdict != Verdict::same && !is_below_resolution(change);
}

std::map<Verdict, std::size_t> verdict_counts(const Changes& changes) {
  std::map<Verdict, std::size_t> counts;
  for (const Change& change : changes) ++counts[change.verdict];
  return counts;
}

/// "2 slower, 1 new, 14 same"
std::string summary(const Changes& changes) {
  std::string text;
  for (const auto& [verdict, count] : verdict_counts(changes))
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(verdict));
  return text;
}

std::string sessions(std::size_t count) {
  return fmt::format("{} session{}", count, count == 1 ? "" : "s");
}

std::string heading(const Comparison& comparison) {
  const RunInfo& run = comparison.run_after;
  const std::string device = device_text(run);
  return fmt::format("{} on {}{}: {} before, {} after", plain_line(run.project), device,
                     run.simulated ? ", SIMULATED" : "", sessions(comparison.sessions_before),
                     sessions(comparison.sessions_after));
}

/// "total 2.8 ms → 3.1 ms: slower by 10.7 % ±2.9"
std::string total_line(const Comparison& comparison) {
  const Change& whole = comparison.whole;
  const ClockUnit unit = comparison.run_after.unit;
  const auto [relative, half] = relative_of(whole);
  return fmt::format(
      "total {} → {}: {}{}", cost_text(whole.before, unit), cost_text(whole.after, unit),
      name_of(whole.verdict),
      relative.empty() ? "" : fmt::format(", {}{}{}", relative, half.empty() ? "" : " ", half));
}

/// Empty where sessions explain next to nothing.
std::string speed_line(const Comparison& comparison) {
  constexpr double least = 0.001;
  if (std::abs(comparison.speed - 1) < least) return "";
  return fmt::format(
      "most lines took ×{:.3f} as long; ×{:.3f} of it may be the speed of the sessions and is taken out",
      comparison.ratio.value, comparison.speed);
}

std::string colour_of(Verdict verdict) {
  constexpr std::string_view red = "\x1b[31m";
  constexpr std::string_view green = "\x1b[32m";
  if (verdict == Verdict::slower) return std::string(red);
  return verdict == Verdict::faster ? std::string(green) : "";
}

/// The cells that each table begins with: verdict, before, after, change, ±, hits.
Row first_cells(const Change& change, ClockUnit unit) {
  const auto [relative, half] = relative_of(change);
  return {std::string(name_of(change.verdict)),
          cost_text(change.before, unit),
          cost_text(change.after, unit),
          relative,
          half,
          hits_of(change)};
}

std::string changes_table(const Changes& changes, bool are_lines, ClockUnit unit, const TableStyle& style) {
  if (changes.empty()) return "";
  std::vector<Row> rows;
  for (const Change& change : changes | std::views::filter(is_worth_a_row) | std::views::take(style.rows)) {
    Row row = first_cells(change, unit);
    const std::string place = plain_line(place_text(change));
    const std::string function = plain_line(without_parameters(change.function));
    row.push_back(are_lines ? place : function);
    row.push_back(are_lines ? function : place);
    row.push_back(remedy_of(change));
    rows.push_back(std::move(row));
  }
  std::string text = fmt::format("{}: {}\n", are_lines ? "lines" : "functions", summary(changes));
  if (rows.empty()) return text;
  const auto shown = static_cast<std::size_t>(std::ranges::count_if(changes, is_worth_a_row));
  const std::array<const char*, 2> names =
      are_lines ? std::array{"line", "function"} : std::array{"function", "line"};
  text += table({{"verdict", Align::left},
                 {"before"},
                 {"after"},
                 {"change"},
                 {"±"},
                 {are_lines ? "hits" : "calls"},
                 {names[0], Align::left},
                 {names[1], Align::left},
                 {"to resolve it"}},
                rows, style);
  if (shown > rows.size()) text += fmt::format("… and {} more\n", shown - rows.size());
  return text;
}

/// A hundred rows of such names stay below 60 KB, also where each byte is written in its number.
std::string cut(const std::string& name) {
  constexpr std::size_t most = 50;
  return name.size() <= most ? name : "…" + name.substr(name.size() - most);
}

std::string markdown_table(const Changes& changes, bool are_lines, ClockUnit unit) {
  constexpr std::size_t most_rows = 40;
  if (changes.empty()) return "";
  std::string text = fmt::format("\n**{}**: {}\n", are_lines ? "Lines" : "Functions", summary(changes));
  std::size_t count = 0;
  for (const Change& change : changes | std::views::filter(is_worth_a_row)) {
    if (++count > most_rows) continue;
    if (count == 1)
      text += fmt::format(
          "\n| verdict | before | after | change | ± | {} | line | function |\n"
          "|---|--:|--:|--:|--:|--:|---|---|\n",
          are_lines ? "hits" : "calls");
    const std::string place = place_text(change);
    Row row = first_cells(change, unit);
    row.push_back(place.empty() ? "" : markdown_code(cut(place)));
    row.push_back(markdown_code(cut(without_parameters(change.function))));
    text += fmt::format("| {} |\n", fmt::join(row, " | "));
  }
  if (count > most_rows) text += fmt::format("\n… and {} more\n", count - most_rows);
  return text;
}

Json json_of(const Change& change) {
  const auto cost = [](const std::optional<Estimate>& estimate) {
    return estimate ? known_interval_json(*estimate, &Estimate::ticks) : Json();
  };
  const auto number = [](const auto& value) { return value ? Json(*value) : Json(); };
  return {{"path", change.path},
          {"line", change.line},
          {"line_before", change.line_before == 0 ? Json() : Json(change.line_before)},
          {"function", change.function},
          {"hits_before", number(change.hits_before)},
          {"hits_after", number(change.hits_after)},
          {"before", cost(change.before)},
          {"after", cost(change.after)},
          {"difference", known_interval_json(change.difference)},
          {"relative", known_interval_json(change.relative)},
          {"verdict", name_of(change.verdict)},
          {"shots_factor", number(change.shots_factor)}};
}

Json json_of(const Changes& changes) {
  Json list = Json::array();
  for (const Change& change : changes) list.push_back(json_of(change));
  return list;
}

Json json_of(const RunInfo& run, std::size_t sessions) {
  return {
      {"started", run.started}, {"device", run.device}, {"sessions", sessions}, {"build", run.trap_digest}};
}

}  // namespace

std::string to_text(const Comparison& comparison, const TableStyle& style) {
  const ClockUnit unit = comparison.run_after.unit;
  std::string text = painted(heading(comparison), bold, style) + "\n";
  text += painted(total_line(comparison), colour_of(comparison.whole.verdict), style) + "\n";
  if (const std::string speed = speed_line(comparison); !speed.empty()) text += speed + "\n";
  for (const std::string& part : {changes_table(comparison.lines, true, unit, style),
                                  changes_table(comparison.functions, false, unit, style)})
    if (!part.empty()) text += "\n" + part;
  for (const std::string& warning : comparison.warnings)
    text += painted("warning:", yellow, style) + " " + plain_line(warning) + "\n";
  return text;
}

std::string to_markdown(const Comparison& comparison) {
  const ClockUnit unit = comparison.run_after.unit;
  const RunInfo& run = comparison.run_after;
  std::string text = fmt::format(
      "### {} on {}{}: {}\n\n{}; {} before, {} after. {}\n", markdown_code(run.project),
      run.device.empty() ? "an unknown device" : markdown_code(run.device),
      run.simulated ? ", **SIMULATED**" : "", name_of(verdict_of(comparison)), total_line(comparison),
      sessions(comparison.sessions_before), sessions(comparison.sessions_after), speed_line(comparison));
  text += markdown_table(comparison.lines, true, unit) + markdown_table(comparison.functions, false, unit);
  for (const std::string& warning : comparison.warnings) text += fmt::format("\n> {}\n", plain_line(warning));
  return text;
}

std::string to_json(const Comparison& comparison) {
  const Json all{{"format", "jcprof-diff"},
                 {"version", 1},
                 {"project", comparison.run_after.project},
                 {"unit", name_of(comparison.run_after.unit)},
                 {"verdict", name_of(verdict_of(comparison))},
                 {"before", json_of(comparison.run_before, comparison.sessions_before)},
                 {"after", json_of(comparison.run_after, comparison.sessions_after)},
                 {"ratio", known_interval_json(comparison.ratio)},
                 {"speed", comparison.speed},
                 {"total", json_of(comparison.whole)},
                 {"lines", json_of(comparison.lines)},
                 {"functions", json_of(comparison.functions)},
                 {"warnings", comparison.warnings}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_github(const Comparison& comparison) {
  const ClockUnit unit = comparison.run_after.unit;
  const auto command = [](const Change& change, const std::string& text) {
    return github_command(change.verdict == Verdict::slower ? "error" : "notice", change.path, change.line,
                          name_of(change.verdict), text);
  };
  std::string text = command(comparison.whole, heading(comparison) + ": " + total_line(comparison));
  // Recordings of hooks have no lines. GitHub shows ten annotations of a step.
  constexpr std::size_t most = 9;
  std::size_t count = 0;
  for (const Change& change : comparison.lines.empty() ? comparison.functions : comparison.lines) {
    if (change.verdict != Verdict::slower && change.verdict != Verdict::faster) continue;
    if (++count > most) break;
    const auto [relative, half] = relative_of(change);
    const std::string size = relative.empty() ? "" : fmt::format(", {} {}", relative, half);
    text += command(change, fmt::format("{} → {}{} in {}", cost_text(change.before, unit),
                                        cost_text(change.after, unit), size, plain_line(change.function)));
  }
  return text;
}

}  // namespace jcprof::annotator
