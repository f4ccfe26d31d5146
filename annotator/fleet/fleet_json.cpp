// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <nlohmann/json.hpp>

#include "annotator/fleet/fleet_texts.hpp"
#include "annotator/interval_json.hpp"

namespace jcprof::annotator {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Standing& standing) {
  Json json{{"relative", known_interval_json(standing.distance.relative)},
            {"verdict", name_of(standing.verdict)}};
  if (std::isfinite(standing.distance.difference.high)) json["chance"] = standing.distance.chance;
  return json;
}

Json json_of(const DeviceType& type, const std::vector<FleetPlace>& places) {
  Json list = Json::array();
  for (const FleetPlace& place : places) {
    Json devices = Json::array();
    for (std::size_t d = 0; d < place.devices.size(); ++d) {
      Json one{{"name", type.devices[d].name}};
      one.update(json_of(place.devices[d]));
      one["hits"] = place.devices[d].hits ? Json(*place.devices[d].hits) : Json();
      devices.push_back(std::move(one));
    }
    const RandomEffects& relative = place.spread.relative;
    list.push_back({{"path", place.path},
                    {"line", place.line},
                    {"function", place.function},
                    {"known_on", place.spread.devices},
                    {"median", place.spread.devices > 0 ? Json(place.spread.median) : Json()},
                    {"mean", known_interval_json(mean_ticks(place.spread))},
                    {"between", known_interval_json(relative.between)},
                    {"within", relative.within},
                    {"devices", std::move(devices)}});
  }
  return list;
}

Json json_of(const DeviceType& type) {
  Json devices = Json::array();
  for (std::size_t d = 0; d < type.devices.size(); ++d)
    devices.push_back({{"name", type.devices[d].name},
                       {"total", known_interval_json(type.devices[d].total, &Estimate::ticks)},
                       {"speed", json_of(type.devices[d].speed)},
                       {"differs", differs(type, d)},
                       {"unresolved", is_unresolved(type, d)}});
  return {{"type", type.name},
          {"simulated", type.is_simulated},
          {"compared", type.is_compared},
          {"speeds_between", type.has_speeds ? known_interval_json(type.speeds.between) : Json()},
          {"devices", std::move(devices)},
          {"lines", json_of(type, type.lines)},
          {"functions", json_of(type, type.functions)}};
}

}  // namespace

std::string to_json(const FleetReport& report) {
  Json types = Json::array();
  for (const DeviceType& type : report.types) types.push_back(json_of(type));
  Json left_out = Json::array();
  for (const LeftOut& one : report.left_out) left_out.push_back({{"name", one.name}, {"why", one.why}});
  const Json all{{"format", "jcprof-fleet-report"},
                 {"version", 1},
                 {"project", report.run.project},
                 {"unit", name_of(report.run.unit)},
                 {"build", report.run.trap_digest},
                 {"differs", differs(report)},
                 {"unresolved", unresolved_devices(report)},
                 {"types", std::move(types)},
                 {"left_out", std::move(left_out)},
                 {"warnings", report.warnings}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace jcprof::annotator
