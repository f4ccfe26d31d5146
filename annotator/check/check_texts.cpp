// SPDX-License-Identifier: Apache-2.0
#include "annotator/check/check_texts.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "annotator/estimate/quantity.hpp"
#include "annotator/export/github.hpp"
#include "annotator/interval_json.hpp"
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
  return std::isfinite(half) ? fmt::format("{} % ±{:.1f}", value, 100 * half) : value + " %";
}

/// "41.2 ms ±0.3", "×4", "+2.1 % ±0.3"
std::string measured_text(const Checked& checked) {
  const Interval& measured = checked.measured;
  if (!std::isfinite(measured.value)) return "not known";
  switch (checked.budget.unit) {
    case BudgetUnit::hits:
      return fmt::format("×{:.0f}", measured.value);
    case BudgetUnit::share:
      return percentage(fmt::format("{:.1f}", 100 * measured.value), measured);
    case BudgetUnit::change:
      return percentage(fmt::format("{:+.1f}", 100 * measured.value), measured);
    default:
      const Quantity text = quantity(measured, clock_unit(checked.budget.unit));
      const bool is_exact = measured.low == measured.high;
      return is_exact || text.half_width == "?" ? text.value : text.value + " ±" + text.half_width;
  }
}

/// "PinApplet.verify(byte[]): 41.2 ms ±0.3", and why nothing is known.
std::string finding(const Checked& checked) {
  return fmt::format("{}: {}{}{}", plain_line(checked.subject), measured_text(checked),
                     checked.why.empty() ? "" : "; ", checked.why);
}

std::string xml_escaped(std::string_view text) {
  std::string result = markup_escaped(plain_line(text));
  replace_all(result, "\"", "&quot;");
  return result;
}

std::size_t count(const std::vector<Checked>& checked, Holding holding) {
  return static_cast<std::size_t>(std::ranges::count(checked, holding, &Checked::holding));
}

}  // namespace

std::string to_text(const CheckReport& report, const TableStyle& style) {
  const auto& [run, unsorted, warnings] = report;
  const std::vector<Checked> checked = worst_first(unsorted);
  std::vector<Row> rows;
  for (const Checked& one : checked)
    rows.push_back({std::string(name_of(one.holding)), plain_line(one.budget.text), measured_text(one),
                    one.subject == one.budget.subject ? "" : plain_line(one.subject)});
  TableStyle all = style;
  all.rows = rows.size();
  std::string text =
      table({{"", Align::left}, {"budget", Align::left}, {"measured"}, {"of", Align::left}}, rows, all);
  for (const Checked& one : checked)
    if (!one.why.empty()) text += fmt::format("{}: {}\n", plain_line(one.subject), one.why);
  for (const std::string& warning : warnings)
    text += painted("warning:", yellow, style) + " " + plain_line(warning) + "\n";
  return text + fmt::format("{} on {}{}: {} broken, {} unresolved, {} held\n", plain_line(run.project),
                            plain_line(run.device), run.simulated ? " (SIMULATED)" : "",
                            count(checked, Holding::broken), count(checked, Holding::unresolved),
                            count(checked, Holding::held));
}

std::string to_json(const CheckReport& report) {
  const auto& [run, checked, warnings] = report;
  Json budgets = Json::array();
  for (const Checked& one : worst_first(checked)) {
    Json item{{"budget", one.budget.text}, {"subject", one.subject}};
    if (one.line > 0) item.update({{"path", one.path}, {"line", one.line}});
    item["verdict"] = name_of(one.holding);
    item["measured"] = {{"value", finite_json(one.measured.value)},
                        {"low", finite_json(one.measured.low)},
                        {"high", finite_json(one.measured.high)}};
    item["limit"] = one.budget.limit;
    item["unit"] = name_of(one.budget.unit);
    if (!one.why.empty()) item["why"] = one.why;
    budgets.push_back(std::move(item));
  }
  const Json json{{"format", "jcprof-check"},      {"version", 1},
                  {"project", run.project},        {"device", run.device},
                  {"started", run.started},        {"verdict", name_of(holding_of(checked))},
                  {"budgets", std::move(budgets)}, {"warnings", warnings}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_junit(const CheckReport& report) {
  const auto& [run, checked, warnings] = report;
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

}  // namespace jcprof::annotator
