// SPDX-License-Identifier: Apache-2.0
#include "annotator/fleet/fleet_texts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "annotator/estimate/quantity.hpp"
#include "annotator/export/markdown.hpp"
#include "annotator/tables.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

/// A table before it is known where it is shown. The first columns hold names.
struct Sheet {
  std::string title;
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::size_t more = 0;  // rows that are not shown
};
using Sheets = std::vector<Sheet>;

/// The extent of sheets.
struct SheetRoom {
  std::size_t rows = 0;
  std::size_t columns = 0;  // characters for the cells of a map
};

std::string devices_text(std::size_t count) {
  return fmt::format("{} device{}", count, count == 1 ? "" : "s");
}

std::string line_or_path(const FleetPlace& place) {
  return place.line == 0 ? place.path : fmt::format("{}:{}", place.path, place.line);
}

/// The place, or the function where it is one.
std::string name_of_place(const FleetPlace& place, bool is_line) {
  return is_line ? line_or_path(place) : without_parameters(place.function);
}

bool is_relative(const Standing& standing) {
  return std::isfinite(standing.distance.relative.high);
}

/// "+1.2 %"; in ticks where the others take about nothing, and `unit` tells these.
std::string change_text(const Standing& standing, std::optional<ClockUnit> unit = {}) {
  if (is_relative(standing)) return fmt::format("{:+.1f} %", 100 * standing.distance.relative.value);
  const Interval& ticks = standing.distance.difference;
  if (!unit || !std::isfinite(ticks.high)) return "";
  return (ticks.value < 0 ? "-" : "+") + each(std::abs(ticks.value), *unit);
}

std::string half_text(const Standing& standing) {
  return is_relative(standing) ? fmt::format("±{:.1f}", 100 * engine::half_width(standing.distance.relative))
                               : "";
}

/// "0.6 %"
std::string part_text(double part) {
  return fmt::format("{:.{}f} %", 100 * part, part < 0.01 ? 2 : 1);
}

/// "0.6 % (0.3 to 1.4)"
std::string between_text(const Interval& between) {
  if (!std::isfinite(between.high)) return "";
  return fmt::format("{} ({:.1f} to {:.1f})", part_text(between.value), 100 * between.low,
                     100 * between.high);
}

/// "12.1 ms ±0.2"
std::string mean_text(const FleetPlace& place, ClockUnit unit) {
  if (place.spread.devices == 0) return "";
  const Quantity mean = quantity(mean_ticks(place.spread), unit);
  return mean.half_width == "?" ? mean.value : fmt::format("{} ±{}", mean.value, mean.half_width);
}

/// "slower as a whole; slower at A.java:97, B.java:12 and 2 more"
std::string differences_of(const DeviceType& type, std::size_t device) {
  std::string text;
  if (is_different(type.devices[device].speed))
    text = fmt::format("{} as a whole", name_of(type.devices[device].speed.verdict));
  if (type.devices[device].goes_another_way)
    text += fmt::format("{}goes another way", text.empty() ? "" : ", ");
  constexpr std::size_t most = 2;
  std::size_t count = 0;
  for (const auto& [places, is_line] : {std::pair(&type.lines, true), std::pair(&type.functions, false)}) {
    // The functions of such lines say the same once more.
    if (!is_line && count > 0) break;
    for (const FleetPlace& place : *places) {
      const Standing& standing = place.devices[device];
      if (!is_different(standing) || ++count > most) continue;
      text += fmt::format("{}{} at {}", text.empty() ? "" : ", ", name_of(standing.verdict),
                          name_of_place(place, is_line));
    }
  }
  if (count > most) text += fmt::format(" and {} more", count - most);
  return text;
}

Sheet device_sheet(const DeviceType& type, ClockUnit unit, std::size_t most) {
  Sheet sheet{
      .title = fmt::format("{}{}: {}", type.name, type.is_simulated ? " (SIMULATED)" : "",
                           devices_text(type.devices.size())),
      .columns = {{"device", Align::left}, {"total"}, {"±"}, {"speed"}, {"±"}, {"differs", Align::left}}};
  if (const std::string between = between_text(type.speeds.between); type.has_speeds && !between.empty())
    sheet.title += fmt::format("; their speeds differ by {}", between);
  std::vector<std::size_t> order;
  for (const bool is_different : {true, false})
    for (std::size_t d = 0; d < type.devices.size(); ++d)
      if (differs(type, d) == is_different) order.push_back(d);
  for (const std::size_t d : order) {
    if (sheet.rows.size() == most) break;
    const FleetDevice& device = type.devices[d];
    const CostCells total = cost_cells(device.total, unit);
    sheet.rows.push_back({device.name, total.value, total.half_width, change_text(device.speed),
                          half_text(device.speed), differences_of(type, d)});
  }
  sheet.more = type.devices.size() - sheet.rows.size();
  return sheet;
}

/// A row for each device that differs at one of the places.
Sheet difference_sheet(const DeviceType& type, bool is_line, ClockUnit unit, std::size_t most) {
  const std::vector<FleetPlace>& places = is_line ? type.lines : type.functions;
  Sheet sheet{.title = fmt::format("where devices differ, their speeds taken out: {}",
                                   is_line ? "lines" : "functions"),
              .columns = {{"verdict", Align::left},
                          {"device", Align::left},
                          {"change"},
                          {"±"},
                          {"others differ by"},
                          {is_line ? "hits" : "calls"},
                          {is_line ? "line" : "function", Align::left},
                          {is_line ? "function" : "line", Align::left}}};
  for (const FleetPlace& place : places)
    for (std::size_t d = 0; d < place.devices.size(); ++d) {
      const Standing& standing = place.devices[d];
      if (!is_different(standing)) continue;
      if (sheet.rows.size() == most) {
        ++sheet.more;
        continue;
      }
      sheet.rows.push_back({std::string(name_of(standing.verdict)), type.devices[d].name,
                            change_text(standing, unit), half_text(standing),
                            is_relative(standing) ? part_text(standing.distance.others) : "",
                            standing.hits ? times_text(*standing.hits) : "", name_of_place(place, is_line),
                            name_of_place(place, !is_line)});
    }
  return sheet;
}

Sheet place_sheet(const DeviceType& type, bool is_line, ClockUnit unit, std::size_t most) {
  const std::vector<FleetPlace>& places = is_line ? type.lines : type.functions;
  Sheet sheet{.title = is_line ? "lines" : "functions",
              .columns = {{is_line ? "line" : "function", Align::left},
                          {"median"},
                          {"mean"},
                          {"devices differ by"},
                          {"noise in each"},
                          {"devices"}}};
  for (const FleetPlace& place : places | std::views::take(most)) {
    const DeviceSpread& spread = place.spread;
    if (spread.devices == 0) continue;
    sheet.rows.push_back({name_of_place(place, is_line), each(spread.median, unit), mean_text(place, unit),
                          between_text(spread.relative.between), part_text(spread.relative.within),
                          fmt::format("{}", spread.devices)});
  }
  sheet.more = places.size() - std::min(most, places.size());
  return sheet;
}

/// Lines by devices: how far each is from the others, in percent.
Sheet map_sheet(const DeviceType& type, const SheetRoom& room) {
  const bool is_line = !type.lines.empty();
  const std::vector<FleetPlace>& places = is_line ? type.lines : type.functions;
  Sheet sheet{.title = "devices in % of the others, their speeds taken out; * differs",
              .columns = {{is_line ? "line" : "function", Align::left}}};
  std::vector<std::size_t> shown;
  constexpr std::size_t longest_name = 24;
  std::size_t used = 0;  // by the names of places, then by devices
  for (const FleetPlace& place : places | std::views::take(room.rows))
    used = std::clamp(name_of_place(place, is_line).size(), used, longest_name);
  constexpr std::size_t cell = 6;  // "+10.2*"
  for (const bool is_different : {true, false})
    for (std::size_t d = 0; d < type.devices.size(); ++d) {
      const std::string& name = type.devices[d].name;
      if (differs(type, d) != is_different) continue;
      used += std::max(cell, name.size()) + 2;
      if (used > room.columns && !shown.empty()) continue;
      shown.push_back(d);
      sheet.columns.push_back({name});
    }
  if (shown.size() < type.devices.size())
    sheet.title += fmt::format(" (no room for {})", devices_text(type.devices.size() - shown.size()));
  for (const FleetPlace& place : places | std::views::take(room.rows)) {
    Row row{name_of_place(place, is_line)};
    for (const std::size_t d : shown) {
      const Standing& standing = place.devices[d];
      row.push_back(is_relative(standing) ? fmt::format("{:+.1f}{}", 100 * standing.distance.relative.value,
                                                        is_different(standing) ? "*" : "")
                                          : "");
    }
    sheet.rows.push_back(std::move(row));
  }
  sheet.more = places.size() - std::min(room.rows, places.size());
  return sheet;
}

/// The means of the types beside each other, of lines in the order of the first type.
Sheet types_sheet(const FleetReport& report, std::size_t most) {
  const bool is_line = !report.types.front().lines.empty();
  const auto places_of = [is_line](const DeviceType& type) -> const std::vector<FleetPlace>& {
    return is_line ? type.lines : type.functions;
  };
  Sheet sheet{.title = "types of devices side by side, means",
              .columns = {{is_line ? "line" : "function", Align::left}}};
  for (const DeviceType& type : report.types) sheet.columns.push_back({type.name});
  const std::vector<FleetPlace>& first = places_of(report.types.front());
  for (const FleetPlace& place : first | std::views::take(most)) {
    Row row{name_of_place(place, is_line)};
    for (const DeviceType& type : report.types) {
      const auto same = std::ranges::find_if(places_of(type), [&](const FleetPlace& other) {
        return other.path == place.path && other.line == place.line && other.function == place.function;
      });
      row.push_back(same == places_of(type).end() ? "" : mean_text(*same, report.run.unit));
    }
    sheet.rows.push_back(std::move(row));
  }
  sheet.more = first.size() - std::min(most, first.size());
  return sheet;
}

Sheets sheets_of(const FleetReport& report, const SheetRoom& room) {
  const ClockUnit unit = report.run.unit;
  Sheets sheets;
  for (const DeviceType& type : report.types) {
    sheets.push_back(device_sheet(type, unit, room.rows));
    if (!type.is_compared) continue;
    sheets.push_back(difference_sheet(type, true, unit, room.rows));
    sheets.push_back(difference_sheet(type, false, unit, room.rows));
    sheets.push_back(place_sheet(type, true, unit, room.rows));
    if (type.lines.empty()) sheets.push_back(place_sheet(type, false, unit, room.rows));
    sheets.push_back(map_sheet(type, room));
  }
  if (report.types.size() > 1) sheets.push_back(types_sheet(report, room.rows));
  std::erase_if(sheets, [](const Sheet& sheet) { return sheet.rows.empty(); });
  return sheets;
}

/// "pin: 9 devices; d3 and 2 more differ"
std::string heading(const FleetReport& report) {
  std::size_t devices = 0;
  std::vector<std::string> names;
  bool is_any_compared = false;
  for (const DeviceType& type : report.types) {
    devices += type.devices.size();
    is_any_compared = is_any_compared || type.is_compared;
    for (std::size_t d = 0; d < type.devices.size(); ++d)
      if (differs(type, d)) names.push_back(type.devices[d].name);
  }
  constexpr std::size_t most = 5;
  const std::size_t count = names.size();
  if (count > most) names.resize(most);
  std::string verdict = is_any_compared ? "none differs from the others" : "too few to compare";
  const std::size_t unresolved = unresolved_devices(report);
  if (unresolved > 0) verdict = fmt::format("none is known to differ; {} unresolved", unresolved);
  if (count > 0)
    verdict =
        fmt::format("{}{} differ{} from the others", fmt::join(names, ", "),
                    count > most ? fmt::format(" and {} more", count - most) : "", count == 1 ? "s" : "");
  return fmt::format("{}: {}; {}", plain_line(report.run.project), devices_text(devices), verdict);
}

/// Devices that the report is without, and warnings.
std::vector<std::string> remarks(const FleetReport& report) {
  std::vector<std::string> texts;
  for (const LeftOut& one : report.left_out)
    texts.push_back(plain_line(fmt::format("{} is left out: {}", one.name, one.why)));
  for (const std::string& warning : report.warnings) texts.push_back(plain_line(warning));
  return texts;
}

}  // namespace

std::string to_text(const FleetReport& report, const TableStyle& style) {
  std::string text = painted(heading(report), bold, style) + "\n";
  const SheetRoom room{.rows = style.rows, .columns = style.width};
  for (const Sheet& sheet : sheets_of(report, room)) {
    std::vector<Row> rows = sheet.rows;
    for (Row& row : rows)
      for (std::string& cell : row) cell = plain_line(cell);
    std::vector<Column> columns = sheet.columns;
    for (Column& column : columns) column.title = plain_line(column.title);
    text += fmt::format("\n{}\n{}", plain_line(sheet.title), table(columns, std::move(rows), style));
    if (sheet.more > 0) text += fmt::format("… and {} more\n", sheet.more);
  }
  for (const std::string& remark : remarks(report))
    text += painted("warning:", yellow, style) + " " + remark + "\n";
  return text;
}

std::string to_markdown(const FleetReport& report) {
  std::string text = fmt::format("### {}\n", markdown_code(heading(report)));
  constexpr std::size_t most_bytes = 50'000;
  for (const Sheet& sheet : sheets_of(report, {.rows = 20, .columns = 160})) {
    std::string part = fmt::format("\n**{}**\n\n|", markdown_code(plain_line(sheet.title)));
    for (const Column& column : sheet.columns) part += fmt::format(" {} |", markdown_code(column.title));
    part += "\n|";
    for (const Column& column : sheet.columns) part += column.align == Align::left ? "---|" : "--:|";
    for (const Row& row : sheet.rows) {
      part += "\n|";
      for (const std::string& cell : row)
        part += cell.empty() ? "  |" : fmt::format(" {} |", markdown_code(cell));
    }
    part += sheet.more > 0 ? fmt::format("\n\n… and {} more\n", sheet.more) : "\n";
    if (text.size() + part.size() < most_bytes)
      text += part;
    else
      text += fmt::format("\n{}: too large for here\n", markdown_code(plain_line(sheet.title)));
  }
  for (const std::string& remark : remarks(report)) text += fmt::format("\n> {}\n", remark);
  return text;
}

}  // namespace jcprof::annotator
