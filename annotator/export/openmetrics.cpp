// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/exports.hpp"

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

/// What a family has one sample of.
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

class OpenMetrics {
 public:
  explicit OpenMetrics(const RunInfo& run) : run_(run) {
    common_ = label("project", run.project) + "," + label("device", run.device);
    if (run.unit != ClockUnit::ns) {
      unit_ = name_of(run.unit);
      per_tick_ = 1;
    }
  }

  void add_run() {
    const Labels labels =
        fmt::format("{},{},{},{}", label("tool", run_.tool), label("transport", run_.transport),
                    label("unit", name_of(run_.unit)), label("simulated", run_.simulated ? "true" : "false"));
    family("jcprof_run_start_time", "seconds", "When the run began, since 1970.",
           {{labels, static_cast<double>(milliseconds_of(run_.started)) / 1000}});
  }

  /// Of a bound only the upper end is a sample, of what is unreliable or not measured nothing.
  void add_costs(const std::string& name, const std::string& what, const std::vector<Metric>& metrics) {
    add_intervals(name, what, {&Estimate::ticks, unit_, per_tick_}, metrics);
    add_intervals(name + "_share", what + ", as a part of all measured blocks",
                  {&Estimate::share, "ratio", 1}, metrics);
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
    family(name + "_low", shown.unit, what + ": lower end of the 95 % interval.", lows);
    family(name + "_high", shown.unit, what + ": upper end of the 95 % interval, or an upper bound.", highs);
  }

  void family(const std::string& name, std::string_view unit, std::string_view help, const Samples& samples) {
    const std::string full = unit.empty() ? name : fmt::format("{}_{}", name, unit);
    std::string lines;
    std::map<Labels, int> seen;
    for (const auto& [labels, value] : samples) {
      if (!std::isfinite(value)) continue;
      // Functions of one name and place, in several modules, would be one series.
      const int copy = ++seen[labels];
      lines += fmt::format("{}{{{}{}{}{}}} {}\n", full, common_, labels.empty() ? "" : ",", labels,
                           copy > 1 ? fmt::format(",copy=\"{}\"", copy) : "", value);
    }
    if (lines.empty()) return;
    text_ += fmt::format("# TYPE {} gauge\n", full);
    if (!unit.empty()) text_ += fmt::format("# UNIT {} {}\n", full, unit);
    text_ += fmt::format("# HELP {} {}\n{}", full, help, lines);
  }

  const RunInfo& run_;
  Labels common_;
  std::string unit_ = "seconds";
  double per_tick_ = 1e-9;
  std::string text_;
};

}  // namespace

std::string to_openmetrics(const Profile& profile) {
  OpenMetrics metrics(profile.run);
  metrics.add_run();
  metrics.add_costs("jcprof_total", "Time of the command", {{"", &profile.total, 0}});
  std::vector<Metric> lines;
  for (const LineEstimate& line : profile.lines)
    lines.push_back({fmt::format("{},{},{}", label("path", line.path),
                                 label("line", std::to_string(line.line)), label("function", line.function)),
                     &line.cost, line.hits});
  metrics.add_costs("jcprof_line", "Time of a line", lines);
  metrics.add_counts("jcprof_line_hits", "Passes of a line.", lines);
  std::vector<Metric> own, all;
  for (const FunctionEstimate& function : profile.functions) {
    const Labels labels =
        fmt::format("{},{},{}", label("function", function.function), label("path", function.path),
                    label("line", std::to_string(function.line)));
    own.push_back({labels, &function.exclusive, function.calls});
    all.push_back({labels, &function.inclusive, function.calls});
  }
  metrics.add_costs("jcprof_function_own", "Time of a function without the functions that it calls", own);
  metrics.add_costs("jcprof_function", "Time of a function with the functions that it calls", all);
  metrics.add_counts("jcprof_function_calls", "Calls of a function.", own);
  return std::move(metrics).text();
}

}  // namespace jcprof::annotator
