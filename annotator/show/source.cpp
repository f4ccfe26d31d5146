// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "annotator/estimate/quantity.hpp"
#include "annotator/show/show.hpp"
#include "annotator/tables.hpp"
#include "annotator/terminal_text.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::size_t narrow = 70;  // columns; below, all but the share is left to the lines themselves
constexpr std::size_t wide = 100;   // from here on bars are long

struct LineCost {
  Estimate cost;
  std::uint64_t hits = 0;
};

/// A line with several functions (instances of a template) has the cost of the hottest, which comes first.
std::map<std::size_t, LineCost> costs_of(const Profile& profile, const std::string& path) {
  std::map<std::size_t, LineCost> costs;
  for (const LineEstimate& line : all_lines(profile))
    if (line.path == path) costs.try_emplace(line.line, LineCost{line.cost, line.hits});
  return costs;
}

/// Lines that take at least a hundredth, or else the few hottest, with lines around.
std::set<std::size_t> hot_parts(const std::map<std::size_t, LineCost>& costs) {
  constexpr double hot = 0.01;
  constexpr std::size_t few = 6;
  constexpr std::size_t around = 3;
  std::vector<std::pair<double, std::size_t>> hottest;
  for (const auto& [line, cost] : costs) hottest.emplace_back(cost.cost.share.value, line);
  std::ranges::sort(hottest, std::ranges::greater{});
  std::set<std::size_t> parts;
  for (std::size_t i = 0; i < hottest.size() && (i < few || hottest[i].first >= hot); ++i) {
    const std::size_t line = hottest[i].second;
    for (std::size_t near = line - std::min(line, around); near <= line + around; ++near) parts.insert(near);
  }
  // A gap of one line would take a line.
  for (const std::size_t line : std::set<std::size_t>(parts))
    if (parts.contains(line + 2)) parts.insert(line + 1);
  return parts;
}

/// Eighths of a column; at least one from a hundredth on.
std::string bar(const Estimate& cost, std::size_t width) {
  constexpr std::array<std::string_view, 9> eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
  if (!cost.resolved) return "";
  const double share = std::clamp(cost.share.value, 0.0, 1.0);
  const double least = share < 0.01 ? 0 : 1;
  const auto parts =
      static_cast<std::size_t>(std::max(least, std::round(share * 8 * static_cast<double>(width))));
  std::string text;
  for (std::size_t i = 0; i < parts / 8; ++i) text += eighths.back();
  return text + std::string(eighths.at(parts % 8));
}

/// The columns at the left of a source's lines: share, bar, value, half width, hits.
struct SourceColumns {
  static constexpr std::size_t count = 5;
  std::map<std::size_t, std::array<std::string, count>> rows;
  std::array<std::size_t, count> widths{};
  std::size_t shown = count;

  /// Empty columns for lines without a cost.
  std::string of(std::size_t line) const {
    const auto row = rows.find(line);
    std::string text;
    for (std::size_t i = 0; i < shown; ++i)
      text += (i == 0 ? "" : " ") + padded(row == rows.end() ? "" : row->second.at(i), widths.at(i),
                                           i == 1 ? Align::left : Align::right);
    return text;
  }
};

SourceColumns columns_for(const std::map<std::size_t, LineCost>& costs, ClockUnit unit, std::size_t width) {
  const std::size_t bar_width = width < wide ? 4 : 8;
  SourceColumns columns;
  columns.widths[1] = bar_width;
  if (width < narrow) columns.shown = 1;
  for (const auto& [line, cost] : costs) {
    const CostCells cells = cost_cells(cost.cost, unit);
    auto& row = columns.rows[line];
    row = {cells.share, bar(cost.cost, bar_width), cells.value, cells.half_width, times_text(cost.hits)};
    for (std::size_t i = 0; i < row.size(); ++i)
      columns.widths.at(i) = std::max(columns.widths.at(i), columns_of(row.at(i)));
  }
  return columns;
}

}  // namespace

std::string show_source(const Profile& profile, const std::string& path, std::string_view text,
                        ShownParts wish, const TableStyle& style) {
  const std::map<std::size_t, LineCost> costs = costs_of(profile, path);
  const std::set<std::size_t> parts = hot_parts(costs);
  const ShownParts shown = parts.empty() ? ShownParts::whole : wish;
  std::set<std::size_t> unreached;
  for (const UnreachedLine& line : profile.unreached)
    if (line.path == path) unreached.insert(line.line);
  const SourceColumns columns = columns_for(costs, profile.run.unit, style.width);
  const std::vector<std::string_view> lines = lines_of(text);
  const std::size_t digits = std::to_string(lines.size()).size();

  std::string result = painted(plain_line(path), bold, style) + "\n";
  std::size_t last = 0;
  for (std::size_t number = 1; number <= lines.size(); ++number) {
    if (shown == ShownParts::hot_parts && !parts.contains(number)) continue;
    if (number != last + 1) result += "…\n";
    last = number;
    // "-" where the command never came by.
    const std::string head = fmt::format("{} {:>{}} {} ", columns.of(number), number, digits,
                                         unreached.contains(number) ? "-" : "|");
    const std::size_t room = std::max(style.width, columns_of(head) + 8) - columns_of(head);
    const std::string line = terminal_line(lines[number - 1]);
    std::string row = head + (shown == ShownParts::whole ? line : cut_to(line, room));
    row.erase(row.find_last_not_of(' ') + 1);
    const auto cost = costs.find(number);
    const bool is_hot =
        cost != costs.end() && cost->second.cost.resolved && cost->second.cost.share.value >= 0.1;
    result += (is_hot ? painted(row, bold, style) : row) + "\n";
  }
  if (last < lines.size()) result += "…\n";
  return result;
}

}  // namespace jcprof::annotator
