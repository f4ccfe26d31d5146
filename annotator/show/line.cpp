// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
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
  double inclusive = 0;
};

struct Neighbours {
  std::vector<Neighbour> callers;
  std::vector<Neighbour> callees;
};

class NeighbourSearch {
 public:
  NeighbourSearch(const CostTree& tree, const LineEstimate& line)
      : tree_(tree), line_(line), is_ours_(functions_of(line, tree)) {}

  Neighbours find() {
    return {
        .callers = sum([&](const CostNode& node) { return is_ours(node) && node.parent != CostNode::none; },
                       [&](const CostNode& node) { return tree_.nodes[node.parent].function; }),
        .callees = sum(
            [&](const CostNode& node) {
              return node.parent != CostNode::none && is_ours(tree_.nodes[node.parent]) &&
                     (node.from_line == line_.line || node.from_line == 0);
            },
            [](const CostNode& node) { return node.function; })};
  }

 private:
  using Key = std::pair<std::uint32_t, std::size_t>;  // the other function, and the line that calls

  /// Static functions of several sources may have one name. A line may be in another source than where its
  /// function begins: then the name has to do.
  static std::vector<bool> functions_of(const LineEstimate& line, const CostTree& tree) {
    const auto has_path = [&](const CostFunction& function) {
      return function.name == line.function && function.path == line.path;
    };
    const bool is_known = std::ranges::any_of(tree.functions, has_path);
    std::vector<bool> is_ours;
    for (const CostFunction& function : tree.functions)
      is_ours.push_back(is_known ? has_path(function) : function.name == line.function);
    return is_ours;
  }

  bool is_ours(const CostNode& node) const { return is_ours_[node.function]; }

  /// A call within another call of the same neighbour is in that one's cost.
  template <class Wanted, class Other>
  std::vector<Neighbour> sum(const Wanted& is_wanted, const Other& other) const {
    std::map<Key, std::uint32_t> numbers;
    std::vector<Neighbour> sums(1);        // number 0: what is not wanted
    std::vector<std::uint32_t> neighbour;  // by node: a number
    for (const CostNode& node : tree_.nodes) {
      std::uint32_t number = 0;
      if (is_wanted(node)) {
        const auto [found, is_new] =
            numbers.try_emplace({other(node), node.from_line}, static_cast<std::uint32_t>(sums.size()));
        if (is_new)
          sums.push_back({.function = tree_.functions[found->first.first].name, .line = node.from_line});
        number = found->second;
      }
      neighbour.push_back(number);
    }
    const std::vector<bool> is_outermost = outermost(depth_first(tree_), neighbour);
    for (std::size_t i = 0; i < neighbour.size(); ++i) {
      sums[neighbour[i]].calls += tree_.nodes[i].calls;
      if (is_outermost[i]) sums[neighbour[i]].inclusive += tree_.nodes[i].inclusive;
    }
    std::vector<Neighbour> all;
    for (const auto& [key, number] : numbers) all.push_back(std::move(sums[number]));
    std::ranges::stable_sort(all, std::ranges::greater{}, &Neighbour::inclusive);
    return all;
  }

  const CostTree& tree_;
  const LineEstimate& line_;
  std::vector<bool> is_ours_;  // by function
};

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
  std::string hint = "jcprof annotate --show FILE has what was measured";
  if (nearest_line != nullptr) hint = fmt::format("did you mean {}:{}?", place.file, nearest_line->line);
  throw UserError(
      Fault{.message = is_unreached ? "the command never came by here" : "nothing was measured here",
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
  std::string text = cells.value;
  if (!cells.half_width.empty()) text += " " + cells.half_width;
  text += ", " + cells.share;
  const Interval& share = cost.share;
  if (cost.resolved && std::isfinite(share.low) && std::isfinite(share.high))
    text += fmt::format(" ({} to {})", percent(std::max(0.0, share.low)), percent(share.high));
  return text;
}

/// Rounds by cost; those far out would squeeze all others into one bin, and are counted at either side.
class HistogramText {
 public:
  HistogramText(const std::vector<double>& rounds, ClockUnit unit, std::size_t width)
      : scale_(scale_for(0, unit)) {
    const std::optional<Distribution> known = distribution(rounds);
    const double from = known ? known->from : rounds.front();
    const double to = known ? known->to : from;
    const double step = (to - from) / bins;
    scale_ = scale_for(std::max(std::abs(from), std::abs(to)), unit);
    // Counts that all agree are told whole, times in three digits.
    const double told = step > 0                ? step / scale_.ticks / 10
                        : unit != ClockUnit::ns ? 1 / scale_.ticks
                                                : std::max(1.0, std::abs(from) / scale_.ticks) / 100;
    decimals_ = std::clamp(static_cast<int>(std::ceil(-std::log10(told))), 0, 6);
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
    draw(rows, width);
  }

  const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t merged = 5;  // of the distribution, which is made for a page
  static constexpr std::size_t bins = Distribution::bin_count / merged;

  std::string label(double value) const {
    return fmt::format("{:.{}f} {}", value / scale_.ticks, decimals_, scale_.name);
  }

  void draw(const std::vector<std::pair<std::string, std::size_t>>& rows, std::size_t width) {
    std::size_t labels = 0;
    std::size_t most = 1;
    for (const auto& [label, count] : rows) {
      labels = std::max(labels, columns_of(label));
      most = std::max(most, count);
    }
    const std::size_t taken = labels + 12;  // and the margin, and the count
    const std::size_t room = std::clamp<std::size_t>(width - std::min(width, taken), 4, 40);
    for (const auto& [label, count] : rows) {
      std::string marks;
      for (std::size_t i = 0; i < (count * room + most - 1) / most; ++i) marks += "█";
      text_ += fmt::format("  {} │{} {}\n", padded(label, labels, Align::right), marks, count);
    }
  }

  Scale scale_;
  int decimals_ = 0;
  std::string text_;
};

std::string neighbour_list(const std::string& title, const std::vector<Neighbour>& neighbours, ClockUnit unit,
                           const TableStyle& style) {
  constexpr std::size_t most = 8;
  if (neighbours.empty()) return "";
  std::vector<Row> rows;
  for (const Neighbour& neighbour : neighbours) {
    if (rows.size() == most) break;
    rows.push_back({each(neighbour.inclusive, unit), fmt::format("×{}", neighbour.calls),
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
                    {"inclusive", neighbour.inclusive}});
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
  result += fmt::format("hits    ×{}", line.hits);
  if (line.hits > 1 && line.cost.resolved)
    result += fmt::format(", {} each", each(line.cost.ticks.value / static_cast<double>(line.hits), unit));
  result += "\n";
  if (const LoopEstimate* loop = loop_at(profile, place))
    result += fmt::format("loop    begun ×{}, ×{} passes, {}\n", loop->entries, loop->passes,
                          whole_cost(loop->cost, unit));
  if (const std::vector<double> rounds = engine::present(line.rounds); !rounds.empty())
    result += fmt::format("rounds  {}\n", rounds.size()) + HistogramText(rounds, unit, style.width).text();
  const Neighbours neighbours = NeighbourSearch(profile.tree, line).find();
  return result + neighbour_list("caller", neighbours.callers, unit, style) +
         neighbour_list("callee", neighbours.callees, unit, style);
}

std::string line_json(const Profile& profile, const ShownPlace& place) {
  const LineEstimate line = line_at(profile, place);
  const Neighbours neighbours = NeighbourSearch(profile.tree, line).find();
  const LoopEstimate* loop = loop_at(profile, place);
  Json document{{"format", "jcprof-line"},
                {"version", 1},
                {"path", line.path},
                {"line", line.line},
                {"function", line.function},
                {"hits", line.hits},
                {"unit", name_of(profile.run.unit)},
                {"ticks", interval_json(line.cost.ticks)},
                {"share", interval_json(line.cost.share)},
                {"resolved", line.cost.resolved},
                {"rounds", Json::array()},
                {"callers", json(neighbours.callers)},
                {"callees", json(neighbours.callees)},
                {"loop", nullptr}};
  for (const double round : line.rounds) document["rounds"].push_back(finite_json(round));
  if (loop != nullptr)
    document["loop"] = {
        {"entries", loop->entries}, {"passes", loop->passes}, {"ticks", interval_json(loop->cost.ticks)}};
  return document.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace jcprof::annotator
