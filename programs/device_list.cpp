// SPDX-License-Identifier: Apache-2.0
#include "programs/device_list.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "src/core/file.hpp"
#include "src/core/name_table.hpp"
#include "src/core/object_reader.hpp"
#include "src/core/project_text.hpp"

namespace jcprof::cli {
namespace {

constexpr std::string_view list_format = "jcprof-devices";
constexpr std::string_view fleet_format = "jcprof-fleet";
constexpr std::uint64_t version_of_both = 1;
constexpr std::size_t longest_name = 100;

constexpr NameTable<DeviceState, 4> states{{{DeviceState::waiting, "waiting"},
                                            {DeviceState::complete, "complete"},
                                            {DeviceState::interrupted, "interrupted"},
                                            {DeviceState::failed, "failed"}}};

/// It names a folder.
void read_name(const JsonNode& node, std::string& to, JsonFaults& faults) {
  read_string(node, to, faults);
  constexpr std::string_view known = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  if (to.find_first_not_of(known) != std::string::npos || to.starts_with('.') || to.starts_with('-') ||
      to.size() > longest_name || to == fleet_file)
    faults.add(node, fmt::format("\"{}\" is no name of a device", to),
               "a name has up to 100 letters, digits, \"-\", \"_\" and \".\", begins with none of \"-\" and "
               "\".\", and is not \"fleet.json\"");
}

void read_list(const JsonNode& node, std::vector<ListedDevice>& to, JsonFaults& faults) {
  if (!is_kind(node, JsonKind::array, faults)) return;
  if (node.elements.empty()) faults.add(node, "there is no device");
  for (const JsonNode& element : node.elements) {
    ListedDevice device;
    ObjectReader object(element, faults);
    object.required("name", device.name, read_name);
    object.required("transport", device.transport, read_transport);
    object.optional("group", device.group, read_string);
    object.refuse_the_rest();
    if (!device.name.empty() && std::ranges::find(to, device.name, &ListedDevice::name) != to.end())
      faults.add(element, fmt::format("there are two devices \"{}\"", device.name));
    // Several may wait for any of the places with some tags.
    if (!device.transport.empty() && !device.transport.starts_with("labgrid:?") &&
        std::ranges::find(to, device.transport, &ListedDevice::transport) != to.end())
      faults.add(element, fmt::format("there are two devices at \"{}\"", device.transport),
                 "each reader or agent is one device");
    to.push_back(std::move(device));
  }
}

nlohmann::ordered_json in_json(const FleetDevice& one) {
  nlohmann::ordered_json json{{"name", one.device.name},
                              {"transport", one.device.transport},
                              {"profile", one.device.name + "/profile.jcprof"},
                              {"state", name_of(one.state)}};
  if (!one.device.group.empty()) json["group"] = one.device.group;
  if (!one.place.empty()) json["place"] = one.place;
  if (one.exit) json["exit"] = *one.exit;
  if (one.run) {
    json["device"] = one.run->device;
    json["atr"] = one.run->atr;
    json["reader"] = one.run->reader;
    json["simulated"] = one.run->simulated;
  }
  if (!one.error.empty()) json["error"] = one.error;
  return json;
}

/// A device of fleet.json. Its profile tells of the device itself.
void read_fleet_device(const JsonNode& node, std::vector<FleetDevice>& to, JsonFaults& faults) {
  FleetDevice one;
  ObjectReader object(node, faults);
  object.required("name", one.device.name, read_name);
  object.required("transport", one.device.transport, read_string);
  object.optional("group", one.device.group, read_string);
  object.required("state", one.state, one_of<DeviceState>("state", states));
  object.optional("exit", one.exit, Natural{.highest = 255});
  object.optional("place", one.place, read_string);
  object.optional("error", one.error, read_string);
  for (const char* told : {"profile", "device", "atr", "reader", "simulated"}) object.find(told);
  object.refuse_the_rest();
  if (!one.device.name.empty() &&
      std::ranges::any_of(to, [&](const FleetDevice& other) { return other.device.name == one.device.name; }))
    faults.add(node, fmt::format("there are two devices \"{}\"", one.device.name));
  to.push_back(std::move(one));
}

void read_fleet_devices(const JsonNode& node, std::vector<FleetDevice>& to, JsonFaults& faults) {
  if (!is_kind(node, JsonKind::array, faults)) return;
  for (const JsonNode& element : node.elements) read_fleet_device(element, to, faults);
}

}  // namespace

std::string_view name_of(DeviceState state) {
  return name_in(states, state);
}

std::vector<ListedDevice> read_devices(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  JsonFaults faults(file.string(), text);
  const JsonNode root = parse_json(text, faults);
  ObjectReader object(root, faults);
  std::vector<ListedDevice> devices;
  read_heading(object, root, {.name = list_format, .version = version_of_both}, faults);
  object.required("devices", devices, read_list);
  object.refuse_the_rest();
  faults.throw_if_any();
  return devices;
}

nlohmann::ordered_json in_json(const Fleet& fleet) {
  nlohmann::ordered_json devices = nlohmann::ordered_json::array();
  for (const FleetDevice& one : fleet.devices) devices.push_back(in_json(one));
  return {{"format", fleet_format},
          {"version", version_of_both},
          {"project", fleet.project},
          {"devices", std::move(devices)}};
}

Fleet read_fleet(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  JsonFaults faults(file.string(), text);
  const JsonNode root = parse_json(text, faults);
  ObjectReader object(root, faults);
  Fleet fleet;
  read_heading(object, root, {.name = fleet_format, .version = version_of_both}, faults);
  object.required("project", fleet.project, read_string);
  object.required("devices", fleet.devices, read_fleet_devices);
  object.refuse_the_rest();
  faults.throw_if_any();
  return fleet;
}

}  // namespace jcprof::cli
