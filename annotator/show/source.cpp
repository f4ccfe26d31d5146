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

class SourceColumns {
 public:
  SourceColumns(const std::map<std::size_t, LineCost>& costs, ClockUnit unit, std::size_t width)
      : is_narrow_(width < narrow), bar_(width < wide ? 4 : 8) {
    for (const auto& [line, cost] : costs) {
      const CostCells cells = cost_cells(cost.cost, unit);
      const std::string hits = fmt::format("×{}", cost.hits);
      rows_[line] = {cells, hits, bar(cost.cost, bar_)};
      value_ = std::max(value_, columns_of(cells.value));
      half_width_ = std::max(half_width_, columns_of(cells.half_width));
      share_ = std::max(share_, columns_of(cells.share));
      hits_ = std::max(hits_, columns_of(hits));
    }
  }

  /// Empty columns for lines without a cost.
  std::string of(std::size_t line) const {
    const auto found = rows_.find(line);
    const Row row = found == rows_.end() ? Row{} : found->second;
    const std::string share = padded(row.cells.share, share_, Align::right);
    if (is_narrow_) return share;
    return fmt::format("{} {} {} {} {}", share, padded(row.bar, bar_, Align::left),
                       padded(row.cells.value, value_, Align::right),
                       padded(row.cells.half_width, half_width_, Align::right),
                       padded(row.hits, hits_, Align::right));
  }

 private:
  struct Row {
    CostCells cells;
    std::string hits;
    std::string bar;
  };
  bool is_narrow_;
  std::size_t bar_;
  std::map<std::size_t, Row> rows_;
  std::size_t value_ = 0;
  std::size_t half_width_ = 0;
  std::size_t share_ = 0;
  std::size_t hits_ = 0;
};

}  // namespace

std::string show_source(const Profile& profile, const std::string& path, std::string_view text,
                        ShownParts wish, const TableStyle& style) {
  const std::map<std::size_t, LineCost> costs = costs_of(profile, path);
  const std::set<std::size_t> parts = hot_parts(costs);
  const ShownParts shown = parts.empty() ? ShownParts::whole : wish;
  std::set<std::size_t> unreached;
  for (const UnreachedLine& line : profile.unreached)
    if (line.path == path) unreached.insert(line.line);
  const SourceColumns columns(costs, profile.run.unit, style.width);
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
