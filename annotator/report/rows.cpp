// SPDX-License-Identifier: Apache-2.0
#include "annotator/report/rows.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "annotator/report/json.hpp"
#include "src/core/hex.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::size_t most_inputs = 8;

/// Fewer digits, for a number that is only drawn.
std::string drawn(double value) {
  return fmt::format("{:.5g}", value);
}

std::string each_member(const std::optional<Spread>& spread) {
  if (!spread) return "";
  return fmt::format(R"(,"each":{{"average":{},"least":{},"q50":{},"q95":{},"q99":{},"most":{}}})",
                     json_number(spread->average), json_number(spread->least), json_number(spread->q50),
                     json_number(spread->q95), json_number(spread->q99), json_number(spread->most));
}

std::string averages_member(const Estimate& cost) {
  if (!cost.averages) return "";
  const Averages& averages = *cost.averages;
  return fmt::format(R"(,"averages":{{"mean":{},"median":{},"q05":{},"q95":{}{}}})", json(averages.mean),
                     json(averages.median), json_number(averages.q05), json_number(averages.q95),
                     averages.differs ? R"(,"differs":true)" : "");
}

std::string if_known(const char* member, const std::optional<double>& value) {
  return value ? fmt::format(R"(,"{}":{})", member, json_number(*value)) : "";
}

template <class Items, class TextOf>
std::string joined(const Items& items, const TextOf& text_of) {
  std::string result;
  for (const auto& item : items) {
    if (!result.empty()) result += ',';
    result += text_of(item);
  }
  return "[" + result + "]";
}

std::string json(const std::optional<Estimate>& estimate) {
  return estimate ? json(*estimate) : "null";
}

}  // namespace

std::string open_row(const LineEstimate& line, ReportFiles& files) {
  return fmt::format(R"({{"file":{},"line":{},"function":{},"hits":{},"cost":{}{}{})", files.index(line.path),
                     line.line, json_name(line.function), line.hits, json(line.cost),
                     averages_member(line.cost), each_member(line.spread));
}

std::string row(const FunctionEstimate& function, const std::string& slow, ReportFiles& files) {
  return fmt::format(R"({{"name":{},"file":{},"line":{},"calls":{},"exclusive":{},"inclusive":{}{}{}{}{}}})",
                     json_name(function.function), files.index(function.path), function.line, function.calls,
                     json(function.exclusive), json(function.inclusive), averages_member(function.exclusive),
                     each_member(function.spread), if_known("away", function.away),
                     slow.empty() ? "" : R"(,"slow":)" + slow);
}

std::string row(const LoopEstimate& loop, ReportFiles& files) {
  return fmt::format(R"({{"file":{},"line":{},"function":{},"entries":{},"passes":{},"cost":{}}})",
                     files.index(loop.path), loop.line, json_name(loop.function), loop.entries, loop.passes,
                     json(loop.cost));
}

std::string row(const UnreachedLine& line, ReportFiles& files) {
  return fmt::format("[{},{}]", files.index(line.path), line.line);
}

std::string row(const EdgeEstimate& edge, ReportFiles& files) {
  const bool is_known = was_measured(edge.cost);
  return fmt::format(
      R"({{"file":{},"line":{},"function":{},"to_file":{},"to":{},"rate":{},"count":{},"ticks":{},"mean":{},"q05":{},"q95":{}}})",
      files.index(edge.path), edge.line, json_name(edge.function), files.index(edge.to_path), edge.to_line,
      json_number(edge.rate), edge.count, is_known ? json(edge.cost.ticks) : "null", json_number(edge.mean),
      json_number(edge.q05), json_number(edge.q95));
}

std::string row(const PathEstimate& path, const std::vector<StoredInput>& inputs) {
  const auto input = [&](std::uint32_t index) {
    const auto found = std::ranges::find(inputs, index, &StoredInput::index);
    if (found == inputs.end()) return std::string(R"(["",""])");
    return fmt::format("[{},{}]", json_name(to_hex(found->bytes)), json_name(found->input_class));
  };
  const std::size_t shown = std::min(path.inputs.size(), most_inputs);
  return fmt::format(R"({{"rate":{},"events":{},"inputs":{},"more":{},"total":{}}})", json_number(path.rate),
                     path.events, joined(path.inputs | std::views::take(most_inputs), input),
                     path.inputs.size() - shown, was_measured(path.total) ? json(path.total.ticks) : "null");
}

std::string row(const StoredThread& thread) {
  return fmt::format(
      R"({{"name":{},"events":{},"lost":{},"recorded":{},"paused":{},"gap":{},"outside":{}{}{}{}}})",
      json_name(fmt::format("{}{}{}", thread.serial, thread.name.empty() ? "" : " ", thread.name)),
      thread.events, thread.lost, json_number(thread.recorded), json_number(thread.paused),
      json_number(thread.gap), json_number(thread.outside), if_known("away", thread.away),
      if_known("running", thread.running), if_known("waiting", thread.waiting));
}

std::string row(const Change& change, const char* member, ReportFiles& files) {
  const bool is_relative =
      change.before && change.after && change.before->ticks.value > 0 && was_measured(*change.after);
  return fmt::format(
      R"({{"file":{},"line":{},"was":{},"{}":{},"before":{},"after":{},"difference":{},"relative":{},"verdict":"{}"}})",
      files.index(change.path), change.verdict == Verdict::gone ? 0 : change.line, change.line_before, member,
      json_name(change.function), json(change.before), json(change.after),
      std::isfinite(change.difference.high) ? json(change.difference) : "null",
      is_relative ? json(change.relative) : "null", name_of(change.verdict));
}

std::string json(const Distribution& distribution) {
  const auto outlier = [](const Outlier& o) { return fmt::format("[{},{}]", o.round, drawn(o.value)); };
  const auto group = [](const RoundGroup& g) {
    return fmt::format("[{},{},{},{},{}]", g.first, g.last, drawn(g.least), drawn(g.median), drawn(g.most));
  };
  return fmt::format(R"({{"count":{},"from":{},"to":{},"bins":[{}],"outliers":{},"more":{},"rounds":{}}})",
                     distribution.count, drawn(distribution.from), drawn(distribution.to),
                     fmt::join(distribution.bins, ","), joined(distribution.outliers, outlier),
                     distribution.more, joined(distribution.groups, group));
}

}  // namespace jcprof::annotator
