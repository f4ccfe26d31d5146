// SPDX-License-Identifier: Apache-2.0
#include "annotator/tables.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "annotator/quantity.hpp"
#include "src/core/error.hpp"

namespace jcprof::annotator {
namespace {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string title;
  Align align = Align::right;
};

using Row = std::vector<std::string>;

constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view yellow = "\x1b[33m";
constexpr std::string_view plain = "\x1b[0m";

std::string painted(const std::string& text, std::string_view how, const TableStyle& style) {
  return style.colour == Colour::always ? fmt::format("{}{}{}", how, text, plain) : text;
}

/// One line of harmless text: names come from sources, cards and logs.
std::string name_text(std::string_view name) {
  std::string text = harmless(name);
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\t'; }, '?');
  return text;
}

/// Columns on a terminal, one for each character of UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// The end of `text`, which is what tells places apart: "…/PinApplet.java:34".
std::string shortened(const std::string& text, std::size_t width) {
  if (width_of(text) <= width) return text;
  std::size_t from = text.size();
  for (std::size_t taken = 1; taken < std::max<std::size_t>(width, 2) && from > 0; ++taken) {
    --from;
    while (from > 0 && (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80U) --from;
  }
  return "…" + text.substr(from);
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::string blanks(width - std::min(width, width_of(text)), ' ');
  return align == Align::right ? blanks + text : text + blanks;
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// The last two columns hold names and share what the numbers leave of the width.
std::string table(const std::vector<Column>& columns, std::vector<Row> rows, const TableStyle& style) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::size_t width = width_of(columns[c].title);
    for (const Row& row : rows) width = std::max(width, width_of(row[c]));
    widths.push_back(width);
  }
  constexpr std::size_t gap = 2;
  constexpr std::size_t least = 8;  // of a name: less says nothing
  std::size_t numbers = 0;
  for (std::size_t c = 0; c + 2 < columns.size(); ++c) numbers += widths[c] + gap;
  std::size_t& first = widths[columns.size() - 2];
  std::size_t& second = widths.back();
  const std::size_t room = style.width > numbers + gap ? style.width - numbers - gap : 0;
  while (first + second > room && std::max(first, second) > least) --(first > second ? first : second);

  Row titles;
  for (const Column& column : columns) titles.push_back(column.title);
  rows.insert(rows.begin(), titles);
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c)
      line += (c == 0 ? "" : "  ") + padded(shortened(rows[r][c], widths[c]), widths[c], columns[c].align);
    text += r == 0 ? painted(trimmed(line), bold, style) : trimmed(line);
    text += "\n";
  }
  return text;
}

struct Cost {
  std::string value;
  std::string half_width;
  std::string share;
};

Cost cost_cells(const Estimate& estimate, ClockUnit unit) {
  const Interval& ticks = estimate.ticks;
  if (std::isfinite(ticks.high) && !estimate.resolved)
    return {"< " + upper_bound(ticks.high, unit), "", "< " + percent(estimate.share.high)};
  const Quantity cost = quantity(ticks, unit);
  return {cost.value, "±" + cost.half_width, percent(estimate.share.value)};
}

std::string each_pass(const LoopEstimate& loop, ClockUnit unit) {
  Estimate pass = loop.cost;
  for (double* ticks : {&pass.ticks.value, &pass.ticks.low, &pass.ticks.high})
    *ticks /= static_cast<double>(loop.passes);
  return cost_cells(pass, unit).value;
}

std::string signed_quantity(const Interval& ticks, ClockUnit unit) {
  Interval size = ticks;
  size.value = std::abs(ticks.value);
  return (ticks.value < 0 ? "-" : "") + quantity(size, unit).value;
}

std::string left_out(std::size_t count, const TableStyle& style) {
  return count > style.rows ? fmt::format("… and {} more\n", count - style.rows) : "";
}

}  // namespace

std::string header(const Profile& profile, const TableStyle& style) {
  const RunInfo& run = profile.run;
  const ClockUnit unit = run.unit;
  std::string text = painted(name_text(run.project), bold, style);
  text += " on " + name_text(run.device.empty() ? "an unknown device" : run.device);
  if (!run.reader.empty())
    text += fmt::format(" in reader {}, {}", name_text(run.reader), name_text(run.protocol));
  if (run.simulated) text += ", " + painted("SIMULATED", yellow, style);
  text += fmt::format(": {} rounds, {} shots", profile.rounds, profile.shots);
  if (profile.paths > 1) text += fmt::format(", {} paths", profile.paths);
  if (run.state != RunState::complete) text += ", unfinished";
  text += "\n";
  if (profile.total.rounds == 0)
    return text + (profile.paths > 1 ? "what a whole command takes on this path is not known\n"
                                     : "no command ran to its end yet\n");
  const Quantity total = quantity(profile.total.ticks, unit);
  return text + fmt::format("total {} ±{}, of it {} before the first trap and {} unattributed\n", total.value,
                            total.half_width, quantity(profile.entry.ticks, unit).value,
                            signed_quantity(profile.unattributed, unit));
}

std::string line_table(const Profile& profile, const TableStyle& style) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < std::min(style.rows, profile.lines.size()); ++i) {
    const LineEstimate& line = profile.lines[i];
    const Cost cost = cost_cells(line.cost, profile.run.unit);
    rows.push_back({cost.value, cost.half_width, cost.share, fmt::format("×{}", line.hits),
                    fmt::format("{}:{}", name_text(line.path), line.line), name_text(line.function)});
  }
  if (rows.empty()) return "";
  return table({{"time"}, {"±"}, {"share"}, {"hits"}, {"line", Align::left}, {"function", Align::left}},
               std::move(rows), style) +
         left_out(profile.lines.size(), style);
}

std::string function_table(const Profile& profile, const TableStyle& style) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < std::min(style.rows, profile.functions.size()); ++i) {
    const FunctionEstimate& function = profile.functions[i];
    const Cost own = cost_cells(function.exclusive, profile.run.unit);
    const Cost all = cost_cells(function.inclusive, profile.run.unit);
    rows.push_back({own.value, own.half_width, own.share, all.value, all.share,
                    fmt::format("×{}", function.calls), name_text(function.function),
                    fmt::format("{}:{}", name_text(function.path), function.line)});
  }
  if (rows.empty()) return "";
  return table({{"own time"},
                {"±"},
                {"share"},
                {"with calls"},
                {"share"},
                {"calls"},
                {"function", Align::left},
                {"line", Align::left}},
               std::move(rows), style) +
         left_out(profile.functions.size(), style);
}

std::string loop_table(const Profile& profile, const TableStyle& style) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < std::min(style.rows, profile.loops.size()); ++i) {
    const LoopEstimate& loop = profile.loops[i];
    const Cost cost = cost_cells(loop.cost, profile.run.unit);
    rows.push_back({cost.value, cost.half_width, cost.share, fmt::format("×{}", loop.entries),
                    fmt::format("×{}", loop.passes), each_pass(loop, profile.run.unit),
                    fmt::format("{}:{}", name_text(loop.path), loop.line), name_text(loop.function)});
  }
  if (rows.empty()) return "";
  return table({{"loop time"},
                {"±"},
                {"share"},
                {"begun"},
                {"passes"},
                {"a pass"},
                {"line", Align::left},
                {"function", Align::left}},
               std::move(rows), style) +
         left_out(profile.loops.size(), style);
}

std::string warning_list(const Profile& profile, const TableStyle& style) {
  std::string text;
  for (const std::string& warning : profile.warnings)
    text += painted("warning:", yellow, style) + " " + name_text(warning) + "\n";
  return text;
}

std::string report(const Profile& profile, const TableStyle& style) {
  std::string text = header(profile, style);
  for (const std::string& part : {line_table(profile, style), function_table(profile, style),
                                  loop_table(profile, style), warning_list(profile, style)})
    if (!part.empty()) text += "\n" + part;
  return text;
}

}  // namespace jcprof::annotator
