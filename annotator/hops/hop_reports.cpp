// SPDX-License-Identifier: Apache-2.0
#include "annotator/hops/hop_reports.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "annotator/estimate/quantity.hpp"
#include "src/core/text.hpp"
#include "src/engine/statistics.hpp"

namespace jcprof::annotator {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 6> titles{"average", "least", "p50", "p95", "p99", "most"};
struct Summary {
  std::size_t count = 0;
  std::array<double, titles.size()> figures{};
};

Summary summary_of(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto [least, most] = std::ranges::minmax(values);
  return {.count = values.size(),
          .figures = {engine::mean_of(values), least, engine::quantile(values, 0.5),
                      engine::quantile(values, 0.95), engine::quantile(values, 0.99), most}};
}

std::vector<double> on_all_cores(const HopTimes& times) {
  std::vector<double> all;
  for (const auto& [core, cycles] : times.cycles) all.insert(all.end(), cycles.begin(), cycles.end());
  return all;
}

/// Cycles as whole numbers, or at `hz` times.
std::string figure(double cycles, double hz) {
  if (hz == 0) return fmt::format("{:.0f}", cycles);
  constexpr double ns_per_second = 1e9;
  return quantity({.value = cycles * ns_per_second / hz}, ClockUnit::ns).value;
}

Row row_of(const std::string& name, const std::string& core, const Summary& summary, double hz) {
  Row row{name, core, std::to_string(summary.count)};
  for (const double value : summary.figures) row.push_back(summary.count == 0 ? "-" : figure(value, hz));
  return row;
}

void add_rows(std::vector<Row>& rows, const std::string& name, const HopTimes& times, double hz) {
  rows.push_back(row_of(name, "all", summary_of(on_all_cores(times)), hz));
  if (times.cycles.size() < 2) return;
  for (const auto& [core, cycles] : times.cycles)
    rows.push_back(row_of("", std::to_string(core), summary_of(cycles), hz));
}

std::string hop_table(const Hops& hops, double hz, const TableStyle& style) {
  std::vector<Row> rows;
  for (const Hop& hop : hops.hops)
    add_rows(rows, fmt::format("{} → {}", name_of(hop.from), name_of(hop.to)), hop.times, hz);
  add_rows(rows, "round trip", hops.round_trip, hz);
  std::vector<Column> columns{{hz == 0 ? "cycles" : "time", Align::left}, {"core"}, {"count"}};
  for (const char* title : titles) columns.push_back({title});
  return table(columns, std::move(rows), style);
}

std::string notes_on(const Hops& hops, const HopSource& source) {
  struct Note {
    std::uint64_t count;
    const char* of;
    const char* why;
  };
  std::string text;
  for (const auto& [count, of, why] :
       {Note{hops.round_trip.crossings, "calls that changed cores",
             "; each core has its own counter, so these calls are not timed"},
        Note{hops.unpaired, "timestamps of calls without beginning or end", ""},
        Note{hops.steps_back, "steps back of a core's counter",
             "; it wrapped, or timestamps were overwritten before they were read"},
        Note{hops.repeated, "timestamps that occur twice", "; others were overwritten before they were read"},
        Note{hops.unknown, "timestamps of no component that the framework names", ""}})
    if (count > 0) text += fmt::format("{}: {}{}\n", of, count, why);
  return text + (source.end == FileEnd::cut_off ? "the file was cut off\n" : "");
}

Json json_of(const Summary& summary, double factor) {
  Json json = Json::object();
  for (std::size_t i = 0; i < titles.size(); ++i) json[titles.at(i)] = summary.figures.at(i) * factor;
  return json;
}

Json json_of(const std::vector<double>& cycles, double hz) {
  const Summary summary = summary_of(cycles);
  Json json{{"count", summary.count}};
  if (summary.count == 0) return json;
  json["cycles"] = json_of(summary, 1);
  if (hz > 0) json["ns"] = json_of(summary, 1e9 / hz);
  return json;
}

Json with_times(Json json, const HopTimes& times, double hz) {
  json["crossings"] = times.crossings;
  json["all"] = json_of(on_all_cores(times), hz);
  Json cores = Json::array();
  for (const auto& [core, cycles] : times.cycles) {
    Json of_core{{"core", core}};
    of_core.update(json_of(cycles, hz));
    cores.push_back(std::move(of_core));
  }
  json["cores"] = std::move(cores);
  return json;
}

}  // namespace

std::string to_text(const Hops& hops, const HopSource& source, const TableStyle& style) {
  std::string text = fmt::format("{}: {} timestamps\n", plain_line(source.file), hops.stamps);
  text += hop_table(hops, 0, style);
  if (source.hz > 0) text += "\n" + hop_table(hops, source.hz, style);
  const std::string notes = notes_on(hops, source);
  return text + (notes.empty() ? "" : "\n" + notes);
}

std::string to_json(const Hops& hops, const HopSource& source) {
  Json list = Json::array();
  for (const Hop& hop : hops.hops)
    list.push_back(with_times({{"from", name_of(hop.from)}, {"to", name_of(hop.to)}}, hop.times, source.hz));
  const Json all{{"format", "jcprof-hops"},
                 {"version", 1},
                 {"file", source.file},
                 {"hz", source.hz},
                 {"cut_off", source.end == FileEnd::cut_off},
                 {"timestamps", hops.stamps},
                 {"unpaired", hops.unpaired},
                 {"repeated", hops.repeated},
                 {"steps_back", hops.steps_back},
                 {"unknown", hops.unknown},
                 {"hops", list},
                 {"round_trip", with_times(Json::object(), hops.round_trip, source.hz)}};
  return all.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace jcprof::annotator
