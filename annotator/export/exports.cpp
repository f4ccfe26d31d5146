// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/exports.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "annotator/interval_json.hpp"
#include "annotator/tables.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Event& event) {
  return {{"trap", number(event.trap)}, {"hit", event.hit}};
}

Json json_of(const BlockEstimate& block) {
  Json item{{"from", json_of(block.from)},
            {"to", json_of(block.to)},
            {"function", block.function},
            {"path", block.path},
            {"line", block.line},
            {"rounds", block.cost.rounds},
            {"share", known_interval_json(block.cost.share)},
            {"ticks", known_interval_json(block.cost.ticks)},
            {"raw", was_measured(block.cost) ? Json(block.cost.raw) : Json()},
            {"resolved", block.cost.resolved}};
  if (block.cost.unreliable) item["unreliable"] = true;
  return item;
}

Json with_cost(Json item, const Estimate& cost) {
  add_cost(item, cost);
  return item;
}

Json with_spread(Json item, const std::optional<Spread>& spread) {
  if (spread)
    item["each"] = {{"average", spread->average}, {"least", spread->least}, {"q50", spread->q50},
                    {"q95", spread->q95},         {"q99", spread->q99},     {"most", spread->most}};
  return item;
}

Json json_of(const LineEstimate& line) {
  return with_spread(
      with_cost({{"path", line.path}, {"line", line.line}, {"function", line.function}, {"hits", line.hits}},
                line.cost),
      line.spread);
}

Json json_of(const EdgeEstimate& edge) {
  return with_cost({{"from", number(edge.from)},
                    {"to", number(edge.to)},
                    {"function", edge.function},
                    {"path", edge.path},
                    {"line", edge.line},
                    {"rate", edge.rate},
                    {"count", edge.count},
                    {"mean", finite_json(edge.mean)},
                    {"q05", finite_json(edge.q05)},
                    {"q95", finite_json(edge.q95)}},
                   edge.cost);
}

Json json_of(const LoopEstimate& loop) {
  return with_cost({{"path", loop.path},
                    {"line", loop.line},
                    {"function", loop.function},
                    {"entries", loop.entries},
                    {"passes", loop.passes}},
                   loop.cost);
}

Json json_of(const Estimate& estimate) {
  return with_cost(Json::object(), estimate);
}

Json json_of(const FunctionEstimate& function) {
  Json json = with_spread({{"function", function.function},
                           {"path", function.path},
                           {"line", function.line},
                           {"calls", function.calls},
                           {"exclusive", json_of(function.exclusive)},
                           {"inclusive", json_of(function.inclusive)}},
                          function.spread);
  if (function.away) json["away"] = *function.away;
  return json;
}

template <class Items>
Json list(const Items& items) {
  Json result = Json::array();
  for (const auto& item : items) result.push_back(json_of(item));
  return result;
}

/// Spreadsheets take a cell that begins so for a formula. An apostrophe before it makes it text.
bool looks_like_a_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos;
}

std::string csv_text(std::string_view text) {
  const std::string plain = plain_line(text);
  std::string result = looks_like_a_formula(plain) ? "\"'" : "\"";
  for (const char c : plain) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

std::string cell(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

std::string cells(const Interval& interval) {
  if (std::isinf(interval.low) && std::isinf(interval.high)) return ",,";
  return fmt::format("{},{},{}", cell(interval.value), cell(interval.low), cell(interval.high));
}

/// Ticks, share, and whether they are resolved; nothing instead of unreliable values.
std::string cells(const Estimate& cost) {
  return fmt::format("{},{},{}", cells(shown_part(cost, &Estimate::ticks)),
                     cells(shown_part(cost, &Estimate::share)), cost.resolved ? 1 : 0);
}

/// Mean with its interval, median and quantiles; empty where they are not known.
std::string cells(const std::optional<Averages>& averages) {
  if (!averages) return ",,,,,,,";
  return fmt::format("{},{},{},{}", cells(averages->mean), cells(averages->median), cell(averages->q05),
                     cell(averages->q95));
}

/// For profiles of hooks, which know no lines.
std::string functions_csv(const Profile& profile) {
  std::string text = fmt::format(
      "path,line,function,calls,{0}_exclusive,share,{0}_inclusive,{0}_average,{0}_least,{0}_q50,{0}_q95,{0}_"
      "q99,{0}_"
      "most\r\n",
      name_of(profile.run.unit));
  for (const FunctionEstimate& function : profile.functions) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const auto known = [](const Estimate& cost, double value) { return was_measured(cost) ? value : none; };
    const Spread each = function.spread.value_or(Spread{none, none, none, none, none, none});
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", csv_text(function.path), function.line,
                        csv_text(function.function), function.calls,
                        cell(known(function.exclusive, function.exclusive.ticks.value)),
                        cell(known(function.exclusive, function.exclusive.share.value)),
                        cell(known(function.inclusive, function.inclusive.ticks.value)), cell(each.average),
                        cell(each.least), cell(each.q50), cell(each.q95), cell(each.q99), cell(each.most));
  }
  return text;
}

}  // namespace

std::string to_json(const Profile& profile) {
  Json total = known_interval_json(profile.total, &Estimate::ticks);
  add_averages(total, profile.total);
  Json document{{"format", "jcprof-profile"},
                {"version", 1},
                {"project", profile.run.project},
                {"device", profile.run.device},
                {"transport", profile.run.transport},
                {"agent", profile.run.agent},
                {"reader", profile.run.reader},
                {"protocol", profile.run.protocol},
                {"atr", profile.run.atr},
                {"started", profile.run.started},
                {"unit", name_of(profile.run.unit)},
                {"hz", profile.run.hz},
                {"simulated", profile.run.simulated},
                {"paths", profile.paths.size()},
                {"rounds", profile.rounds},
                {"shots", profile.shots},
                {"headline", headline_of(profile)},
                {"interval", interval_text(profile)},
                {"total", total},
                {"entry", known_interval_json(profile.entry.ticks)},
                {"between", profile.between ? known_interval_json(profile.between->ticks) : Json()},
                {"unattributed", known_interval_json(profile.unattributed)},
                {"hottest", hottest_json(profile.hottest_lines, "lines")},
                {"hottest_function", hottest_json(profile.hottest_functions, "functions")},
                {"blocks", list(profile.blocks)},
                {"lines", list(profile.lines)},
                {"functions", list(profile.functions)},
                {"edges", list(profile.edges)},
                {"loops", list(profile.loops)},
                {"warnings", profile.warnings}};
  if (profile.recorded)
    document["recorded"] = {{"threads", profile.recorded->threads},
                            {"events", profile.recorded->events},
                            {"lost", profile.recorded->lost}};
  // Names may come from a card: bytes that are no UTF-8 are replaced, not a reason to fail; and what is not
  // ASCII is escaped, as terminals obey more than the control characters that JSON escapes.
  return document.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string to_csv(const Profile& profile) {
  if (profile.recorded && profile.lines.empty()) return functions_csv(profile);
  const std::string_view unit = name_of(profile.run.unit);
  std::string text = fmt::format(
      "path,line,function,hits,rounds,{0},{0}_low,{0}_high,share,share_low,share_high,resolved,"
      "{0}_mean,{0}_mean_low,{0}_mean_high,{0}_median,{0}_median_low,{0}_median_high,{0}_q05,{0}_q95,"
      "headline\r\n",
      unit);
  for (const LineEstimate& line : profile.lines)
    text += fmt::format("{},{},{},{},{},{},{},{}\r\n", csv_text(line.path), line.line,
                        csv_text(line.function), line.hits, line.cost.rounds, cells(line.cost),
                        cells(line.cost.averages), headline_of(profile));
  return text;
}

}  // namespace jcprof::annotator
