// SPDX-License-Identifier: Apache-2.0
#include "annotator/check/check_texts.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "annotator/estimate/quantity.hpp"
#include "annotator/export/github.hpp"
#include "annotator/interval_json.hpp"
#include "annotator/tables.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

using Json = nlohmann::ordered_json;

std::vector<Checked> worst_first(std::vector<Checked> checked) {
  std::ranges::stable_sort(checked, {}, &Checked::holding);
  return checked;
}

ClockUnit clock_unit(BudgetUnit unit) {
  if (unit == BudgetUnit::cycles) return ClockUnit::cycles;
  return unit == BudgetUnit::instructions ? ClockUnit::instructions : ClockUnit::ns;
}

/// `value`: that of `part`, in words.
std::string percentage(const std::string& value, const Interval& part) {
  const double half = engine::half_width(part);
  return std::isfinite(half) && half > 0 ? fmt::format("{} % ±{:.1f}", value, 100 * half) : value + " %";
}

/// "PinApplet.verify(byte[]): 41.2 ms ±0.3", and why nothing is known.
std::string finding(const Checked& checked) {
  const std::string device = checked.device.empty() ? "" : fmt::format(" on {}", checked.device);
  return fmt::format("{}{}: {}{}{}", plain_line(checked.subject), device,
                     measured_text(checked.measured, checked.budget.unit), checked.why.empty() ? "" : "; ",
                     plain_line(checked.why));
}

std::string xml_escaped(std::string_view text) {
  std::string result = markup_escaped(plain_line(text));
  replace_all(result, "\"", "&quot;");
  return result;
}

std::size_t count(const std::vector<Checked>& checked, Holding holding) {
  return static_cast<std::size_t>(std::ranges::count(checked, holding, &Checked::holding));
}

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Stays when the limit changes: "own PinApplet.verify(byte[])".
std::string name_of_subject(const Checked& checked) {
  return (checked.budget.is_own ? "own " : "") + plain_line(checked.subject);
}

bool are_of_one_subject(const Checked& a, const Checked& b) {
  return a.subject == b.subject && a.path == b.path && a.budget.is_own == b.budget.is_own;
}

Json sarif_rules() {
  constexpr const char* help =
      "A budget is a limit of what a line, a function or the command may take. `jcprof check` compares it "
      "with a 95 % interval.";
  return Json::array(
      {sarif::rule({.id = "JC1003",
                    .name = "BudgetBroken",
                    .words = "A budget is broken.",
                    .more = "The whole interval of what was measured lies above the limit.",
                    .help = help,
                    .level = "error"}),
       sarif::rule({.id = "JC1004",
                    .name = "BudgetUnresolved",
                    .words = "A budget is neither held nor broken with certainty.",
                    .more = "The limit lies within the interval, or the interval is not known.",
                    .help = help})});
}

Json sarif_result(const Checked& checked, const sarif::Place& entry) {
  const bool is_broken = checked.holding == Holding::broken;
  const sarif::Place place{
      .function = checked.is_function ? checked.subject : "", .path = checked.path, .line = checked.line};
  return {{"ruleId", is_broken ? "JC1003" : "JC1004"},
          {"ruleIndex", is_broken ? 0 : 1},
          {"level", is_broken ? "error" : "warning"},
          {"message", sarif::message(fmt::format("{}; {}", checked.budget.text, finding(checked)))},
          {"locations", Json::array({sarif::location(place, entry)})},
          {"partialFingerprints",
           {{"jcprofBudget/v1", fmt::format("{} in {}, {}", name_of_subject(checked),
                                            plain_line(checked.path), name_of(checked.budget.unit))}}},
          {"properties",
           {{"measured", interval_json(checked.measured)},
            {"limit", checked.budget.limit},
            {"unit", name_of(checked.budget.unit)}}}};
}

}  // namespace

std::string measured_text(const Interval& measured, BudgetUnit unit) {
  if (!std::isfinite(measured.value)) return "not known";
  switch (unit) {
    case BudgetUnit::hits:
      return fmt::format("×{:.0f}", measured.value);
    case BudgetUnit::share:
      return percentage(fmt::format("{:.1f}", 100 * measured.value), measured);
    case BudgetUnit::change:
      return percentage(fmt::format("{:+.1f}", 100 * measured.value), measured);
    default:
      if (measured.low <= 0 && measured.high > std::max(0.0, measured.low) && std::isfinite(measured.high))
        return "< " + upper_bound(measured.high, clock_unit(unit));
      const Quantity text = quantity(measured, clock_unit(unit));
      const bool is_exact = measured.low == measured.high;
      return is_exact || text.half_width == "?" ? text.value : text.value + " ±" + text.half_width;
  }
}

std::vector<Series> series_of(const std::vector<Checked>& checked) {
  std::vector<Series> series;
  for (const Checked& one : checked) {
    // A history shows changes by itself.
    if (!std::isfinite(one.measured.value) || one.budget.unit == BudgetUnit::change) continue;
    const bool is_known = std::ranges::any_of(series, [&](const Series& other) {
      return are_of_one_subject(*other.checked, one) && other.checked->budget.unit == one.budget.unit;
    });
    if (is_known) continue;
    const bool has_namesake = std::ranges::any_of(checked, [&](const Checked& other) {
      return other.subject == one.subject && other.path != one.path;
    });
    const bool is_part = one.budget.unit == BudgetUnit::share;
    const double factor = is_part ? 100 : 1;
    series.push_back(
        {.name = name_of_subject(one) + (has_namesake ? fmt::format(" in {}", plain_line(one.path)) : ""),
         .unit = is_part ? "%" : std::string(name_of(one.budget.unit)),
         .measured = {factor * one.measured.value, factor * one.measured.low, factor * one.measured.high},
         .checked = &one});
  }
  return series;
}

std::string to_text(const CheckReport& report, const TableStyle& style) {
  const RunInfo& run = report.run;
  const std::vector<Checked> checked = worst_first(report.checked);
  std::vector<Row> rows;
  for (const Checked& one : checked)
    rows.push_back({std::string(name_of(one.holding)), plain_line(one.budget.text),
                    measured_text(one.measured, one.budget.unit),
                    one.subject == one.budget.subject ? "" : plain_line(one.subject), one.device});
  const bool is_fleet = std::ranges::any_of(checked, [](const Checked& one) { return !one.device.empty(); });
  std::vector<Column> columns{
      {"", Align::left}, {"budget", Align::left}, {"measured"}, {"of", Align::left}, {"on", Align::left}};
  if (!is_fleet) {
    columns.pop_back();
    for (Row& row : rows) row.pop_back();
  }
  TableStyle all = style;
  all.rows = rows.size();
  std::string text = table(columns, rows, all);
  for (const Checked& one : checked)
    if (!one.why.empty())
      text += fmt::format("{}{}: {}\n", plain_line(one.subject),
                          one.device.empty() ? "" : fmt::format(" on {}", one.device), plain_line(one.why));
  for (const std::string& warning : report.warnings)
    text += painted("warning:", yellow, style) + " " + plain_line(warning) + "\n";
  return text + fmt::format("{} on {}{}: {} broken, {} unresolved, {} held\n", plain_line(run.project),
                            device_text(run), run.simulated ? " (SIMULATED)" : "",
                            count(checked, Holding::broken), count(checked, Holding::unresolved),
                            count(checked, Holding::held));
}

std::string to_json(const CheckReport& report) {
  const auto& [run, entry, checked, warnings] = report;
  Json budgets = Json::array();
  for (const Checked& one : worst_first(checked)) {
    Json item{{"budget", one.budget.text}, {"subject", one.subject}};
    if (one.line > 0) item.update({{"path", one.path}, {"line", one.line}});
    item["verdict"] = name_of(one.holding);
    item["measured"] = interval_json(one.measured);
    item["limit"] = one.budget.limit;
    item["unit"] = name_of(one.budget.unit);
    if (!one.device.empty()) item["device"] = one.device;
    if (!one.why.empty()) item["why"] = one.why;
    budgets.push_back(std::move(item));
  }
  const Json json{{"format", "jcprof-check"},      {"version", 1},
                  {"project", run.project},        {"device", run.device},
                  {"started", run.started},        {"verdict", name_of(holding_of(checked))},
                  {"budgets", std::move(budgets)}, {"warnings", warnings}};
  return dumped(json);
}

std::string to_junit(const CheckReport& report) {
  const auto& [run, entry, checked, warnings] = report;
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "  <testsuite name=\"jcprof check {}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" timestamp=\"{}\">\n",
      xml_escaped(run.project), checked.size(), count(checked, Holding::broken),
      count(checked, Holding::unresolved), xml_escaped(run.started));
  for (const Checked& one : worst_first(checked)) {
    const std::string place =
        one.line == 0 ? "" : fmt::format(" file=\"{}\" line=\"{}\"", xml_escaped(one.path), one.line);
    text += fmt::format(
        "    <testcase classname=\"{}\" name=\"{}\"{}", xml_escaped(run.project),
        xml_escaped(one.subject == one.budget.subject ? one.budget.text
                                                      : fmt::format("{} ({})", one.budget.text, one.subject)),
        place);
    const char* element = one.holding == Holding::broken ? "failure" : "error";
    text += one.holding == Holding::held
                ? "/>\n"
                : fmt::format(">\n      <{} type=\"{}\" message=\"{}\"/>\n    </testcase>\n", element,
                              name_of(one.holding), xml_escaped(finding(one)));
  }
  return text + "  </testsuite>\n</testsuites>\n";
}

std::string to_github(const CheckReport& report) {
  std::string text;
  for (const Checked& one : worst_first(report.checked)) {
    if (one.holding == Holding::held) continue;
    text += github_command(one.holding == Holding::broken ? "error" : "warning", one.path, one.line,
                           fmt::format("budget {}", name_of(one.holding)),
                           fmt::format("{}; {}", plain_line(one.budget.text), finding(one)));
  }
  return text;
}

std::string to_sarif(const CheckReport& report) {
  Json results = Json::array();
  for (const Checked& one : worst_first(report.checked))
    if (one.holding != Holding::held) results.push_back(sarif_result(one, report.entry));
  Json run = sarif::begin_run(sarif_rules(), {.started = report.run.started, .warnings = report.warnings});
  run["results"] = std::move(results);
  run["columnKind"] = "utf16CodeUnits";
  return sarif::document(run);
}

std::string to_bencher(const CheckReport& report) {
  Json json = Json::object();
  for (const Series& series : series_of(report.checked)) {
    // Bencher's own measure of time is in nanoseconds.
    const BudgetUnit unit = series.checked->budget.unit;
    const std::string measure = unit == BudgetUnit::ns ? "latency" : std::string(name_of(unit));
    Json& values = json[series.name][measure];
    values["value"] = series.measured.value;
    if (std::isfinite(series.measured.low)) values["lower_value"] = series.measured.low;
    if (std::isfinite(series.measured.high)) values["upper_value"] = series.measured.high;
  }
  return dumped(json);
}

std::string to_action_benchmark(const CheckReport& report) {
  Json json = Json::array();
  for (const Series& series : series_of(report.checked)) {
    // Values of one name are of one series there, whatever their unit.
    const BudgetUnit unit = series.checked->budget.unit;
    const std::string name =
        unit == BudgetUnit::ns ? series.name : fmt::format("{}, {}", series.name, name_of(unit));
    Json item{{"name", name}, {"unit", series.unit}, {"value", series.measured.value}};
    const double half = engine::half_width(series.measured);
    if (std::isfinite(half)) item["range"] = fmt::format("±{:.3g}", half);
    item["extra"] =
        fmt::format("{}: {}", plain_line(series.checked->budget.text), name_of(series.checked->holding));
    json.push_back(std::move(item));
  }
  return dumped(json);
}

}  // namespace jcprof::annotator
