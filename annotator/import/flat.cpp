// SPDX-License-Identifier: Apache-2.0
#include "annotator/import/flat.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

namespace jcprof::annotator {
namespace {

/// Symbol 0 is the one of lost time, and the dearest function is number 1.
void put_functions_in_order(FlatProfile& profile) {
  std::vector<std::uint32_t> order(profile.functions.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::uint32_t function) { return profile.functions[function].own; });
  std::vector<FlatFunction> functions{{.symbol = {.name = "(lost)"}}};
  std::vector<std::uint32_t> place(order.size());
  for (const std::uint32_t function : order) {
    place[function] = static_cast<std::uint32_t>(functions.size());
    functions.push_back(std::move(profile.functions[function]));
    functions.back().symbol.number = place[function];
  }
  profile.functions = std::move(functions);
  for (StoredArc& arc : profile.arcs) {
    arc.caller = place[arc.caller];
    arc.callee = place[arc.callee];
  }
  for (FlatLine& line : profile.lines) line.function = place[line.function];
  std::ranges::stable_sort(profile.lines, {}, &FlatLine::function);
}

struct Sums {
  std::uint64_t calls = 0;
  double below = 0;  // of the calls out of it, but for those to itself
  bool is_below_known = true;
  bool is_in_cycle = false;  // functions that it calls may call it
};

std::vector<Sums> sums_of(const FlatProfile& profile) {
  std::vector<Sums> sums(profile.functions.size());
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(sums.size());
  for (const StoredArc& arc : profile.arcs) {
    sums[arc.callee].calls += arc.count;
    if (arc.caller == arc.callee) continue;
    boost::add_edge(arc.caller, arc.callee, graph);
    sums[arc.caller].below += arc.inclusive.value_or(0);
    if (!arc.inclusive) sums[arc.caller].is_below_known = false;
  }
  std::vector<std::size_t> cycle(sums.size());
  const std::size_t cycles = boost::strong_components(graph, cycle.data());
  std::vector<std::size_t> size(cycles);
  for (const std::size_t one : cycle) ++size[one];
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i].is_in_cycle = size[cycle[i]] > 1;
  return sums;
}

void put_inclusive(StoredEstimate& row, const Sums& sums, double total) {
  row.inclusive = row.inclusive_low = row.inclusive_high = std::min(row.ticks + sums.below, total);
  // Calls within a cycle hold each other's costs, and leave out those of calls that were open already.
  if (sums.is_in_cycle) {
    row.inclusive_low = 0;
    row.inclusive_high = total;
  }
  if (!sums.is_below_known) forget_inclusive(row);
}

std::vector<StoredEstimate> function_rows(const FlatProfile& profile, const std::vector<Sums>& sums,
                                          double total) {
  std::vector<StoredEstimate> rows;
  for (std::size_t i = 1; i < profile.functions.size(); ++i) {
    const StoredSymbol& symbol = profile.functions[i].symbol;
    StoredEstimate row = single_row(EstimateScope::function, profile.functions[i].own, total);
    row.function = symbol.name;
    row.path = symbol.path;
    row.line = symbol.line;
    row.hits = sums[i].calls;
    put_inclusive(row, sums[i], total);
    if (profile.is_sampled && row.ticks == 0) {
      forget_own(row);
      forget_inclusive(row);
    }
    rows.push_back(std::move(row));
  }
  put_hottest_first(rows);
  return rows;
}

/// A line of several functions, as inlined code, stands with the one in which it costs most.
std::vector<StoredEstimate> line_rows(const FlatProfile& profile, double total) {
  struct Line {
    double own = 0;
    double most = -1;
    std::uint32_t function = 0;
  };
  std::map<std::pair<std::string_view, std::size_t>, Line> lines;
  for (const FlatLine& part : profile.lines) {
    Line& line = lines[{part.path, part.line}];
    line.own += part.own;
    if (part.own <= line.most) continue;
    line.most = part.own;
    line.function = part.function;
  }
  std::vector<StoredEstimate> rows;
  for (const auto& [place, line] : lines) {
    StoredEstimate row = single_row(EstimateScope::line, line.own, total);
    row.function = profile.functions[line.function].symbol.name;
    row.path = place.first;
    row.line = place.second;
    rows.push_back(std::move(row));
  }
  put_hottest_first(rows);
  return rows;
}

}  // namespace

StoredEstimate single_row(EstimateScope scope, double ticks, double total) {
  const double share = total > 0 ? ticks / total : 0;
  return {.scope = scope,
          .rounds = 1,
          .raw = ticks,
          .ticks = ticks,
          .low = ticks,
          .high = ticks,
          .share = share,
          .share_low = share,
          .share_high = share,
          .resolved = true};
}

void forget_own(StoredEstimate& row) {
  row.raw = row.ticks = row.share = std::numeric_limits<double>::quiet_NaN();
  row.low = row.share_low = -std::numeric_limits<double>::infinity();
  row.high = row.share_high = std::numeric_limits<double>::infinity();
  row.resolved = false;
}

void forget_inclusive(StoredEstimate& row) {
  row.inclusive = std::numeric_limits<double>::quiet_NaN();
  row.inclusive_low = -std::numeric_limits<double>::infinity();
  row.inclusive_high = std::numeric_limits<double>::infinity();
}

void put_hottest_first(std::vector<StoredEstimate>& rows) {
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [](const StoredEstimate& row) { return std::isnan(row.ticks) ? -1 : row.ticks; });
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].position = static_cast<std::uint32_t>(i);
}

RecordedRun recorded_run(FlatProfile profile) {
  put_functions_in_order(profile);
  double total = 0;
  for (const FlatFunction& function : profile.functions) total += function.own;
  const std::vector<Sums> sums = sums_of(profile);
  RecordedRun run{.info = std::move(profile.info), .warnings = std::move(profile.warnings)};
  StoredRecording& recording = run.recording;
  recording.threads = {{.serial = 1, .name = "without a call tree", .recorded = total}};
  run.estimates = {single_row(EstimateScope::total, total, total),
                   single_row(EstimateScope::unattributed, 0, total)};
  if (profile.is_sampled && total == 0) forget_own(run.estimates.front());
  std::ranges::move(function_rows(profile, sums, total), std::back_inserter(run.estimates));
  std::ranges::move(line_rows(profile, total), std::back_inserter(run.estimates));
  for (std::uint32_t i = 0; i < profile.functions.size(); ++i) {
    const FlatFunction& function = profile.functions[i];
    recording.symbols.push_back(function.symbol);
    if (i > 0)
      recording.calls.push_back({.id = i,
                                 .thread = 1,
                                 .symbol = i,
                                 .count = sums[i].calls,
                                 .inclusive = function.own,
                                 .exclusive = function.own});
  }
  for (FlatLine& line : profile.lines)
    recording.call_lines.push_back(
        {.call = line.function, .path = std::move(line.path), .line = line.line, .ticks = line.own});
  recording.arcs = std::move(profile.arcs);
  return run;
}

}  // namespace jcprof::annotator
