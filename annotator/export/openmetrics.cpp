// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/exports.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "annotator/estimate/measured_path.hpp"
#include "annotator/started.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

using Labels = std::string;  // `path="A.java",line="12"`

std::string label(std::string_view name, std::string_view value) {
  std::string text = plain_line(value);
  replace_all(text, "\\", "\\\\");
  replace_all(text, "\"", "\\\"");
  return fmt::format("{}=\"{}\"", name, text);
}

/// An item, which has one sample in each family.
struct Metric {
  Labels labels;
  const Estimate* cost;
  std::uint64_t count;  // of passes or calls
};

/// The part of a cost that a family shows.
struct Shown {
  Interval Estimate::* part;
  std::string_view unit;
  double factor;
};

/// Namesakes of one place would be one series: all families call the same one `copy="2"`. Their order is that
/// of their counts, which are the same in each run of an input.
void tell_apart(std::vector<Metric>& metrics) {
  std::vector<Metric*> order;
  for (Metric& metric : metrics) order.push_back(&metric);
  std::ranges::stable_sort(order, {}, &Metric::count);
  std::map<Labels, int> seen;
  for (Metric* const metric : order)
    if (const int copy = ++seen[metric->labels]; copy > 1)
      metric->labels += fmt::format(",copy=\"{}\"", copy);
}

class OpenMetrics {
 public:
  explicit OpenMetrics(const Profile& profile) : run_(profile.run) {
    common_ = fmt::format("{},{},{}", label("project", run_.project), label("device", run_.device),
                          label("simulated", run_.simulated ? "true" : "false"));
    if (run_.unit != ClockUnit::ns) {
      unit_ = name_of(run_.unit);
      per_tick_ = 1;
      cost_ = "Cost";
    }
    // A recording's interval says something else (docs/formats.md), or nothing.
    if (profile.recorded) interval_ = "interval";
  }

  void add_run() {
    const std::int64_t began = milliseconds_of(run_.started);
    if (began == 0) return;
    const Labels labels = fmt::format("{},{},{}", label("tool", run_.tool),
                                      label("transport", run_.transport), label("unit", name_of(run_.unit)));
    family("jcprof_run_start_time", "seconds", "When the run began, since 1970.",
           {{labels, static_cast<double>(began) / 1000}});
  }

  /// A bound has only its upper end; what is unreliable or not measured has nothing. `what` has the cost.
  void add_costs(const std::string& name, const std::string& what, const std::vector<Metric>& metrics) {
    add_intervals(name, cost_of(what), {&Estimate::ticks, unit_, per_tick_}, metrics);
  }

  void add_shares(const std::string& name, const std::string& what, const std::vector<Metric>& metrics) {
    add_intervals(name + "_share", cost_of(what) + ", as a part of all measured blocks",
                  {&Estimate::share, "ratio", 1}, metrics);
  }

  void add_unattributed(const Interval& ticks) {
    const std::string name = "jcprof_unattributed",
                      what = cost_ + " that neither a line nor another part has";
    family(name, unit_, what + ".", {{"", per_tick_ * ticks.value}});
    family(name + "_low", unit_, fmt::format("{}: lower end of the {}.", what, interval_),
           {{"", per_tick_ * ticks.low}});
    family(name + "_high", unit_, fmt::format("{}: upper end of the {}.", what, interval_),
           {{"", per_tick_ * ticks.high}});
  }

  void add_counts(const std::string& name, const std::string& what, const std::vector<Metric>& metrics) {
    Samples samples;
    for (const Metric& metric : metrics)
      samples.emplace_back(metric.labels, static_cast<double>(metric.count));
    family(name, "", what, samples);
  }

  std::string text() && { return std::move(text_) + "# EOF\n"; }

 private:
  using Samples = std::vector<std::pair<Labels, double>>;

  std::string cost_of(const std::string& what) const { return fmt::format("{} of {}", cost_, what); }

  void add_intervals(const std::string& name, const std::string& what, const Shown& shown,
                     const std::vector<Metric>& metrics) {
    Samples values, lows, highs;
    for (const Metric& metric : metrics) {
      if (!was_measured(*metric.cost) || metric.cost->unreliable) continue;
      const Interval known = shown_part(*metric.cost, shown.part);
      highs.emplace_back(metric.labels, shown.factor * known.high);
      if (is_bound(*metric.cost)) continue;
      values.emplace_back(metric.labels, shown.factor * known.value);
      lows.emplace_back(metric.labels, shown.factor * known.low);
    }
    family(name, shown.unit, what + ".", values);
    family(name + "_low", shown.unit, fmt::format("{}: lower end of the {}.", what, interval_), lows);
    family(name + "_high", shown.unit,
           fmt::format("{}: upper end of the {}, or an upper bound.", what, interval_), highs);
  }

  void family(const std::string& name, std::string_view unit, std::string_view help, const Samples& samples) {
    const std::string full = unit.empty() ? name : fmt::format("{}_{}", name, unit);
    std::string lines;
    for (const auto& [labels, value] : samples)
      if (std::isfinite(value))
        lines += fmt::format("{}{{{}{}{}}} {}\n", full, common_, labels.empty() ? "" : ",", labels, value);
    if (lines.empty()) return;
    text_ += fmt::format("# TYPE {} gauge\n", full);
    if (!unit.empty()) text_ += fmt::format("# UNIT {} {}\n", full, unit);
    text_ += fmt::format("# HELP {} {}\n{}", full, help, lines);
  }

  const RunInfo& run_;
  Labels common_;
  std::string unit_ = "seconds";
  double per_tick_ = 1e-9;
  std::string cost_ = "Time";
  std::string interval_ = "95 % interval";
  std::string text_;
};

}  // namespace

std::string to_openmetrics(const Profile& profile) {
  OpenMetrics metrics(profile);
  metrics.add_run();
  metrics.add_costs("jcprof_total", "the command", {{"", &profile.total, 0}});
  if (!profile.recorded)
    metrics.add_costs("jcprof_entry", "the way to the first trap", {{"", &profile.entry, 0}});
  if (profile.between)
    metrics.add_costs("jcprof_between", "the way behind the last trap of each command",
                      {{"", &*profile.between, 0}});
  metrics.add_unattributed(profile.unattributed);
  std::vector<Metric> lines;
  for (const LineEstimate& line : profile.lines)
    lines.push_back({fmt::format("{},{},{}", label("path", line.path),
                                 label("line", std::to_string(line.line)), label("function", line.function)),
                     &line.cost, line.hits});
  tell_apart(lines);
  metrics.add_costs("jcprof_line", "a line", lines);
  metrics.add_shares("jcprof_line", "a line", lines);
  metrics.add_counts("jcprof_line_hits", "Passes of a line.", lines);
  std::vector<Metric> all;
  for (const FunctionEstimate& function : profile.functions)
    all.push_back({fmt::format("{},{},{}", label("function", function.function), label("path", function.path),
                               label("line", std::to_string(function.line))),
                   &function.inclusive, function.calls});
  tell_apart(all);
  std::vector<Metric> own = all;
  for (std::size_t i = 0; i < own.size(); ++i) own[i].cost = &profile.functions[i].exclusive;
  const std::string without = "a function without the functions that it calls";
  metrics.add_costs("jcprof_function_own", without, own);
  metrics.add_shares("jcprof_function_own", without, own);
  metrics.add_costs("jcprof_function", "a function with the functions that it calls", all);
  metrics.add_shares("jcprof_function", "a function with the functions that it calls", all);
  metrics.add_counts("jcprof_function_calls", "Calls of a function.", all);
  return std::move(metrics).text();
}

}  // namespace jcprof::annotator
