// SPDX-License-Identifier: Apache-2.0
#include "annotator/check/history_texts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "annotator/check/check_texts.hpp"
#include "annotator/interval_json.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

using Json = nlohmann::ordered_json;

std::string value_text(const Interval& measured, const std::string& unit) {
  if (unit == "%")
    return measured_text({measured.value / 100, measured.low / 100, measured.high / 100}, BudgetUnit::share);
  for (const BudgetUnit known :
       {BudgetUnit::ns, BudgetUnit::cycles, BudgetUnit::instructions, BudgetUnit::hits})
    if (unit == name_of(known)) return measured_text(measured, known);
  return fmt::format("{:.4g} {}", measured.value, plain_line(unit));
}

std::string change_text(const LevelChange& change) {
  if (std::isnan(change.change.value)) return "from 0";
  const std::string text = measured_text(change.change, BudgetUnit::change);
  const bool is_exact = change.change.low == change.change.high;
  return is_exact ? text.substr(0, text.find(" ±")) : text;
}

/// A text for each entry, which is empty where nothing changes.
std::vector<std::string> change_texts(const HistorySeries& series) {
  std::vector<std::string> texts(series.points.size());
  for (const LevelChange& change : series.changes) texts[change.entry] = change_text(change);
  return texts;
}

std::string place_of(const HistorySeries& series) {
  return fmt::format("{} on {}{}", plain_line(series.project), plain_line(series.device),
                     series.simulated ? " (SIMULATED)" : "");
}

std::string scatter_text(const HistorySeries& series) {
  return series.scatter == 0
             ? ""
             : fmt::format("entries differ by {:.1f} % beyond their intervals", 100 * series.scatter);
}

std::string series_text(const HistorySeries& series, const TableStyle& style) {
  const std::vector<std::string> changes = change_texts(series);
  std::vector<Row> rows;
  for (std::size_t i = series.points.size(); i-- > 0;) {
    const HistoryPoint& point = series.points[i];
    if (series.points.size() - i > style.rows && changes[i].empty()) continue;
    rows.push_back({plain_line(point.started), plain_line(point.label),
                    value_text(point.measured, series.unit), changes[i]});
  }
  const std::string scatter = scatter_text(series);
  const std::size_t left_out = series.points.size() - rows.size();
  return painted(fmt::format("{} of {}", plain_line(series.subject), place_of(series)), bold, style) +
         (scatter.empty() ? "" : ": " + scatter) + "\n" +
         table({{"when", Align::left}, {"label", Align::left}, {"measured"}, {"change"}}, rows, style) +
         (left_out == 0 ? "" : fmt::format("{} older entries of the same levels\n", left_out));
}

// ---- the page

std::string markup(std::string_view text) {
  return markup_escaped(plain_line(text));
}

constexpr const char* page_head = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>History of timing</title>
<style>
:root { color-scheme: light dark; --muted: light-dark(#57606a, #9ba6b2); --rule: light-dark(#d8dee4, #343b44);
  --accent: light-dark(#0b5cad, #79bdff); --change: light-dark(#b05c0b, #ffca8a); }
body { font: 15px/1.4 system-ui, sans-serif; max-width: 62em; margin: 1em auto; padding: 0 1em;
  background: light-dark(#fff, #15181c); color: light-dark(#1b1f24, #e3e8ee); }
h2 { margin: 1.5em 0 0; } p { color: var(--muted); margin: 0; }
svg { width: 100%; height: auto; font-size: 12px; fill: currentColor; }
.rule { stroke: var(--rule); } .interval { stroke: var(--accent); } circle { fill: var(--accent); }
.level { stroke: var(--muted); stroke-width: 2; } .change { stroke: var(--change); stroke-dasharray: 4 3; }
text.named { fill: var(--change); }
table { border-collapse: collapse; } td, th { padding: 1px 12px 1px 0; text-align: left; }
td:nth-child(n+3), th:nth-child(n+3) { text-align: right; font-variant-numeric: tabular-nums; }
</style>
</head>
<body>
<h1>History of timing</h1>
)";

constexpr double plot_width = 900;
constexpr double plot_height = 250;
constexpr double plot_left = 90;
constexpr double plot_top = 22;      // room for the words at changes
constexpr double plot_bottom = 230;  // days stand below

/// Where things stand in the plot of a series.
struct Plot {
  const HistorySeries& series;
  double low = 0;
  double high = 0;

  explicit Plot(const HistorySeries& shown) : series(shown) {
    low = high = series.points.front().measured.value;
    for (const HistoryPoint& point : series.points)
      for (const double end : {point.measured.value, point.measured.low, point.measured.high})
        if (std::isfinite(end)) {
          low = std::min(low, end);
          high = std::max(high, end);
        }
    // Less could not be divided by rules.
    const bool is_flat = high - low <= 1e-6 * std::abs(low);
    const double room = is_flat ? std::max(1.0, 0.05 * std::abs(low)) : 0.05 * (high - low);
    low -= room;
    high += room;
  }

  /// The left edge of the strip of an entry; its middle with half an entry more.
  double x(double entry) const {
    return plot_left + (plot_width - plot_left) * entry / static_cast<double>(series.points.size());
  }
  double y(double value) const {
    return plot_bottom - (plot_bottom - plot_top) * (value - low) / (high - low);
  }
};

/// 1, 2 or 5 times a power of ten, so that there are two to six lines; whole numbers of hits.
double step_of(const Plot& plot) {
  const double least = (plot.high - plot.low) / 5;
  const double power = std::pow(10, std::floor(std::log10(least)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * power >= least) step = factor * power;
  return plot.series.unit == name_of(BudgetUnit::hits) ? std::max(1.0, step) : step;
}

std::string rules(const Plot& plot) {
  const double step = step_of(plot);
  std::string text;
  for (double value = std::ceil(plot.low / step) * step; value <= plot.high; value += step) {
    std::string name = value_text({value, value - step / 2, value + step / 2}, plot.series.unit);
    name = name.substr(0, name.find(" ±"));
    text += fmt::format(
        "<line class=\"rule\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
        "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
        plot_left, plot_width, plot.y(value), plot_left - 6, plot.y(value) + 4, markup(name));
  }
  return text;
}

std::string levels(const Plot& plot) {
  const std::vector<LevelChange>& changes = plot.series.changes;
  std::string text;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const double x = plot.x(static_cast<double>(changes[i].entry));
    const double end =
        i + 1 < changes.size() ? plot.x(static_cast<double>(changes[i + 1].entry)) : plot_width;
    const auto level = [&](double from, double to, double value) {
      return fmt::format("<line class=\"level\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>",
                         from, to, plot.y(value), plot.y(value));
    };
    if (i == 0) text += level(plot_left, x, changes[i].before);
    text += level(x, end, changes[i].after);
    text += fmt::format(
        "<line class=\"change\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>"
        "<text class=\"named\" x=\"{0:.1f}\" y=\"14\" text-anchor=\"middle\">{3}</text>\n",
        x, plot_top - 4, plot_bottom, markup(change_text(changes[i])));
  }
  return text;
}

std::string points(const Plot& plot) {
  std::string text;
  for (std::size_t i = 0; i < plot.series.points.size(); ++i) {
    const auto& [started, label, build, measured] = plot.series.points[i];
    const double x = plot.x(static_cast<double>(i) + 0.5);
    if (std::isfinite(measured.low) && std::isfinite(measured.high))
      text += fmt::format(
          "<line class=\"interval\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>", x,
          plot.y(measured.low), plot.y(measured.high));
    text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"><title>{} {}: {}</title></circle>\n", x,
                        plot.y(measured.value), markup(started), markup(label),
                        markup(value_text(measured, plot.series.unit)));
  }
  return text;
}

/// The days of the first and the last entry.
std::string days(const Plot& plot) {
  const auto day = [&](double x, const char* anchor, const HistoryPoint& point) {
    return fmt::format("<text x=\"{}\" y=\"246\" text-anchor=\"{}\">{}</text>\n", x, anchor,
                       markup(std::string_view(point.started).substr(0, 10)));
  };
  return day(plot_left, "start", plot.series.points.front()) +
         day(plot_width, "end", plot.series.points.back());
}

std::string rows(const HistorySeries& series) {
  const std::vector<std::string> changes = change_texts(series);
  std::string text;
  for (std::size_t i = series.points.size(); i-- > 0;) {
    const HistoryPoint& point = series.points[i];
    text +=
        fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", markup(point.started),
                    markup(point.label), markup(value_text(point.measured, series.unit)), markup(changes[i]));
  }
  return text;
}

std::string section(const HistorySeries& series) {
  const Plot plot(series);
  const std::string scatter = scatter_text(series);
  return fmt::format(
      "<h2>{}</h2>\n<p>{}{}</p>\n<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"the table below as a "
      "plot\">\n{}{}{}{}</svg>\n<details><summary>{} entries</summary><table><tr><th>when</th><th>label</th>"
      "<th>measured</th><th>change</th></tr>\n{}</table></details>\n",
      markup(series.subject), markup(place_of(series)), scatter.empty() ? "" : "; " + scatter, plot_width,
      plot_height, rules(plot), levels(plot), points(plot), days(plot), series.points.size(), rows(series));
}

}  // namespace

std::string to_text(const std::vector<HistorySeries>& all, const TableStyle& style) {
  std::string text;
  for (const HistorySeries& series : all) text += (text.empty() ? "" : "\n") + series_text(series, style);
  return all.empty() ? "no entries\n" : text;
}

std::string to_json(const std::vector<HistorySeries>& all) {
  Json list = Json::array();
  for (const HistorySeries& series : all) {
    Json entries = Json::array();
    for (const HistoryPoint& point : series.points)
      entries.push_back({{"started", point.started},
                         {"label", point.label},
                         {"build", point.build},
                         {"measured", interval_json(point.measured)}});
    Json changes = Json::array();
    for (const LevelChange& change : series.changes)
      changes.push_back(
          {{"entry", change.entry},
           {"before", change.before},
           {"after", change.after},
           {"change", std::isnan(change.change.value) ? Json(nullptr) : interval_json(change.change)}});
    list.push_back({{"project", series.project},
                    {"device", series.device},
                    {"simulated", series.simulated},
                    {"subject", series.subject},
                    {"unit", series.unit},
                    {"scatter", series.scatter},
                    {"entries", std::move(entries)},
                    {"changes", std::move(changes)}});
  }
  const Json json{{"format", "jcprof-history"}, {"version", 1}, {"series", std::move(list)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_html(const std::vector<HistorySeries>& all) {
  std::string text = page_head;
  for (const HistorySeries& series : all) text += section(series);
  return text + "</body>\n</html>\n";
}

}  // namespace jcprof::annotator
