// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "annotator/distribution.hpp"
#include "annotator/estimate/quantity.hpp"
#include "annotator/interval_json.hpp"
#include "annotator/show/show.hpp"
#include "annotator/tables.hpp"
#include "annotator/terminal_text.hpp"
#include "annotator/tree_walk.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

/// Calls to or from a line's function, of one other function and line.
struct Neighbour {
  std::string function;
  std::size_t line = 0;  // that calls; 0: unknown
  std::uint64_t calls = 0;
  double inclusive = 0;  // NaN: not known
};

struct Neighbours {
  std::vector<Neighbour> callers;
  std::vector<Neighbour> callees;
};

/// By function of the tree. Static functions of several sources may have one name. A line may be in another
/// source than where its function begins: then the name has to do.
std::vector<bool> functions_of(const LineEstimate& line, const CostTree& tree) {
  const auto has_path = [&](const CostFunction& function) {
    return function.name == line.function && function.path == line.path;
  };
  const bool is_known = std::ranges::any_of(tree.functions, has_path);
  std::vector<bool> is_of_line;
  for (const CostFunction& function : tree.functions)
    is_of_line.push_back(is_known ? has_path(function) : function.name == line.function);
  return is_of_line;
}

using NeighbourKey = std::pair<std::uint32_t, std::size_t>;  // the other function, and the line that calls

/// `keys`: by node. A call within another call of the same neighbour is in that one's cost.
std::vector<Neighbour> sums_by(const std::vector<std::optional<NeighbourKey>>& keys, const CostTree& tree) {
  std::map<NeighbourKey, std::uint32_t> numbers;
  std::vector<std::uint32_t> number_of;  // by node; 0: none
  for (const auto& key : keys)
    number_of.push_back(
        key ? numbers.try_emplace(*key, static_cast<std::uint32_t>(numbers.size() + 1)).first->second : 0);
  const std::vector<bool> is_outermost = outermost(depth_first(tree), number_of);
  std::vector<Neighbour> sums(numbers.size() + 1);
  for (std::size_t i = 0; i < number_of.size(); ++i) {
    sums[number_of[i]].calls += tree.nodes[i].calls;
    if (is_outermost[i]) sums[number_of[i]].inclusive += tree.nodes[i].inclusive;
  }
  std::vector<Neighbour> all;
  for (const auto& [key, number] : numbers) {
    all.push_back(std::move(sums[number]));
    all.back().function = tree.functions[key.first].name;
    all.back().line = key.second;
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &Neighbour::inclusive);
  return all;
}

/// Arcs are sums already. Those of a function to itself lie within its cost, and have none.
Neighbours neighbours_by_arcs(const LineEstimate& line, const CostTree& tree,
                              const std::vector<bool>& is_of_line) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  Neighbours found;
  const auto add = [&](std::vector<Neighbour>& to, std::uint32_t function, const CostArc& arc) {
    to.push_back({.function = tree.functions[function].name,
                  .line = arc.line,
                  .calls = arc.calls,
                  .inclusive = arc.caller == arc.callee ? none : arc.inclusive.value_or(none)});
  };
  for (const CostArc& arc : tree.arcs) {
    if (is_of_line[arc.callee]) add(found.callers, arc.caller, arc);
    const bool is_here = arc.line == line.line && arc.path == line.path;
    if (is_of_line[arc.caller] && (is_here || arc.line == 0)) add(found.callees, arc.callee, arc);
  }
  for (auto* list : {&found.callers, &found.callees})
    std::ranges::stable_sort(*list, std::ranges::greater{}, [](const Neighbour& one) {
      return std::isnan(one.inclusive) ? -1 : one.inclusive;
    });
  return found;
}

Neighbours neighbours_of(const LineEstimate& line, const CostTree& tree) {
  const std::vector<bool> is_of_line = functions_of(line, tree);
  if (!tree.arcs.empty()) return neighbours_by_arcs(line, tree, is_of_line);
  std::vector<std::optional<NeighbourKey>> callers(tree.nodes.size());
  std::vector<std::optional<NeighbourKey>> callees(tree.nodes.size());
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const CostNode& node = tree.nodes[i];
    if (node.parent == CostNode::none) continue;
    const std::uint32_t caller = tree.nodes[node.parent].function;
    if (is_of_line[node.function]) callers[i] = NeighbourKey{caller, node.from_line};
    if (is_of_line[caller] && (node.from_line == line.line || node.from_line == 0))
      callees[i] = NeighbourKey{node.function, node.from_line};
  }
  return {.callers = sums_by(callers, tree), .callees = sums_by(callees, tree)};
}

LineEstimate line_at(const Profile& profile, const ShownPlace& place) {
  const std::vector<LineEstimate> lines = all_lines(profile);
  const LineEstimate* nearest_line = nullptr;
  const auto distance = [&](const LineEstimate& line) {
    return std::max(line.line, place.line) - std::min(line.line, place.line);
  };
  for (const LineEstimate& line : lines) {
    if (line.path != place.file) continue;
    if (nearest_line == nullptr || distance(line) < distance(*nearest_line)) nearest_line = &line;
  }
  if (nearest_line != nullptr && nearest_line->line == place.line) return *nearest_line;
  const bool is_unreached = std::ranges::any_of(profile.unreached, [&](const UnreachedLine& line) {
    return line.path == place.file && line.line == place.line;
  });
  std::string hint = "`jcprof annotate --show FILE` lists what was measured";
  if (nearest_line != nullptr) hint = fmt::format("did you mean {}:{}?", place.file, nearest_line->line);
  throw UserError(Fault{
      .message = is_unreached ? "the command never reached this line" : "nothing was measured on this line",
      .place = {.file = place.file, .line = place.line},
      .hint = hint});
}

const LoopEstimate* loop_at(const Profile& profile, const ShownPlace& place) {
  const auto found = std::ranges::find_if(profile.loops, [&](const LoopEstimate& loop) {
    return loop.path == place.file && loop.line == place.line;
  });
  return found == profile.loops.end() ? nullptr : &*found;
}

std::string whole_cost(const Estimate& cost, ClockUnit unit) {
  const CostCells cells = cost_cells(cost, unit);
  std::string text = cells.with_half_width() + ", " + cells.share;
  const Interval share = shown_part(cost, &Estimate::share);
  if (cost.resolved && std::isfinite(share.low) && std::isfinite(share.high))
    text += fmt::format(" ({} to {})", percent(std::max(0.0, share.low)), percent(share.high));
  return text;
}

std::string averages_text(const Averages& averages, ClockUnit unit) {
  const Quantity mean = quantity(averages.mean, unit);
  const Quantity middle = quantity(averages.median, unit);
  const std::string median = std::isfinite(averages.median.high)
                                 ? fmt::format("{} ±{}", middle.value, middle.half_width)
                                 : not_measured(0);
  return fmt::format("mean    {} ±{}{}\n", mean.value, mean.half_width,
                     averages.differs ? ", not the typical time: single runs differ" : "") +
         fmt::format("median  {}, 90 of 100 rounds from {} to {}\n", median, each(averages.q05, unit),
                     each(averages.q95, unit));
}

std::string bars(const std::vector<std::pair<std::string, std::size_t>>& rows, std::size_t width) {
  std::size_t labels = 0;
  std::size_t most = 1;
  for (const auto& [label, count] : rows) {
    labels = std::max(labels, columns_of(label));
    most = std::max(most, count);
  }
  const std::size_t taken = labels + 12;  // and the margin, and the count
  const std::size_t room = std::clamp<std::size_t>(width - std::min(width, taken), 4, 40);
  std::string text;
  for (const auto& [label, count] : rows) {
    std::string marks;
    for (std::size_t i = 0; i < (count * room + most - 1) / most; ++i) marks += "█";
    text += fmt::format("  {} │{} {}\n", padded(label, labels, Align::right), marks, count);
  }
  return text;
}

/// Rounds by cost. Rounds far out would squeeze all others into one bin: they are counted at either side.
std::string histogram(const std::vector<double>& rounds, ClockUnit unit, std::size_t width) {
  constexpr std::size_t merged = 5;  // bins of the distribution, which is made for a page
  constexpr std::size_t bins = Distribution::bin_count / merged;
  const std::optional<Distribution> known = distribution(rounds);
  const double from = known ? known->from : rounds.front();
  const double to = known ? known->to : from;
  const double step = (to - from) / bins;
  const Scale scale = scale_for(std::max(std::abs(from), std::abs(to)), unit);
  // Counts that all agree are told whole, times in three digits.
  const double told = step > 0                ? step / scale.ticks / 10
                      : unit != ClockUnit::ns ? 1 / scale.ticks
                                              : std::max(1.0, std::abs(from) / scale.ticks) / 100;
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(told))), 0, 6);
  const auto label = [&](double value) {
    return fmt::format("{:.{}f} {}", value / scale.ticks, decimals, scale.name);
  };
  std::vector<std::pair<std::string, std::size_t>> rows;
  const auto add_those = [&](const char* name, const auto& is_one) {
    const auto count = static_cast<std::size_t>(std::ranges::count_if(rounds, is_one));
    if (count > 0) rows.emplace_back(name, count);
  };
  add_those("less", [&](double value) { return value < from; });
  if (!known) rows.emplace_back(label(from), rounds.size());
  for (std::size_t bin = 0; known && bin < bins; ++bin) {
    const auto first = known->bins.begin() + static_cast<std::ptrdiff_t>(bin * merged);
    rows.emplace_back(label(from + static_cast<double>(bin) * step),
                      std::accumulate(first, first + merged, 0U));
  }
  add_those("more", [&](double value) { return value > to; });
  return bars(rows, width);
}

std::string neighbour_list(const std::string& title, const std::vector<Neighbour>& neighbours, ClockUnit unit,
                           const TableStyle& style) {
  constexpr std::size_t most = 8;
  if (neighbours.empty()) return "";
  std::vector<Row> rows;
  for (const Neighbour& neighbour : neighbours) {
    if (rows.size() == most) break;
    rows.push_back({std::isnan(neighbour.inclusive) ? "" : each(neighbour.inclusive, unit),
                    fmt::format("×{}", neighbour.calls),
                    neighbour.line > 0 ? std::to_string(neighbour.line) : "",
                    plain_line(without_parameters(neighbour.function))});
  }
  const std::string text =
      table({{"with calls"}, {"calls"}, {"line"}, {title, Align::left}}, std::move(rows), style);
  return "\n" + text +
         (neighbours.size() > most ? fmt::format("… and {} more\n", neighbours.size() - most) : "");
}

using Json = nlohmann::ordered_json;

Json json(const std::vector<Neighbour>& neighbours) {
  Json list = Json::array();
  for (const Neighbour& neighbour : neighbours)
    list.push_back({{"function", neighbour.function},
                    {"line", neighbour.line},
                    {"calls", neighbour.calls},
                    {"inclusive", finite_json(neighbour.inclusive)}});
  return list;
}

}  // namespace

std::string show_line(const Profile& profile, const ShownPlace& place, std::string_view text,
                      const TableStyle& style) {
  const LineEstimate line = line_at(profile, place);
  const ClockUnit unit = profile.run.unit;
  std::string result = painted(fmt::format("{}:{}", plain_line(line.path), line.line), bold, style) + " in " +
                       plain_line(without_parameters(line.function)) + "\n";
  if (!text.empty()) result += cut_to("  " + terminal_line(text), style.width) + "\n";
  result += fmt::format("\n{:<7} {}\n", cost_name(profile), whole_cost(line.cost, unit));
  if (line.cost.averages) result += averages_text(*line.cost.averages, unit);
  result += "hits    " + (line.hits == 0 ? "not known" : times_text(line.hits));
  if (line.hits > 1 && line.cost.resolved)
    result += fmt::format(", {} each", each(line.cost.ticks.value / static_cast<double>(line.hits), unit));
  result += "\n";
  if (const LoopEstimate* loop = loop_at(profile, place))
    result += fmt::format("loop    begun ×{}, ×{} passes, {}\n", loop->entries, loop->passes,
                          whole_cost(loop->cost, unit));
  if (const std::vector<double> rounds = engine::present(line.rounds); !rounds.empty())
    result += fmt::format("rounds  {}\n", rounds.size()) + histogram(rounds, unit, style.width);
  const Neighbours neighbours = neighbours_of(line, profile.tree);
  return result + neighbour_list("caller", neighbours.callers, unit, style) +
         neighbour_list("callee", neighbours.callees, unit, style);
}

std::string line_json(const Profile& profile, const ShownPlace& place) {
  const LineEstimate line = line_at(profile, place);
  const Neighbours neighbours = neighbours_of(line, profile.tree);
  const LoopEstimate* loop = loop_at(profile, place);
  Json document{{"format", "jcprof-line"},
                {"version", 1},
                {"path", line.path},
                {"line", line.line},
                {"function", line.function},
                {"hits", line.hits},
                {"unit", name_of(profile.run.unit)},
                {"rounds", Json::array()},
                {"callers", json(neighbours.callers)},
                {"callees", json(neighbours.callees)},
                {"loop", nullptr}};
  add_cost(document, line.cost);
  for (const double round : line.rounds) document["rounds"].push_back(finite_json(round));
  if (loop != nullptr)
    document["loop"] = {{"entries", loop->entries},
                        {"passes", loop->passes},
                        {"ticks", known_interval_json(loop->cost.ticks)}};
  return document.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace jcprof::annotator
