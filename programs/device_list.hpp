// SPDX-License-Identifier: Apache-2.0
// Several devices as files: devices.json, which a user writes, and fleet.json, which says what became of them
// (docs/fleet.md). Both are read and written here only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "src/core/store.hpp"

namespace jcprof::cli {

inline constexpr const char* fleet_file = "fleet.json";

struct ListedDevice {
  std::string name;
  std::string transport;
  std::string group = {};  // jcprof fleet compares those of one; empty: what the device says of itself
};

/// UserError with all faults of the file.
std::vector<ListedDevice> read_devices(const std::filesystem::path& file);

enum class DeviceState : std::uint8_t { waiting, complete, interrupted, failed };
std::string_view name_of(DeviceState state);

struct FleetDevice {
  ListedDevice device;
  DeviceState state = DeviceState::waiting;
  std::optional<int> exit = {};     // of its process
  std::string place = {};           // of a lab, that it was measured at
  std::string error = {};           // that its process ended with
  std::optional<RunInfo> run = {};  // its newest one
};

struct Fleet {
  std::string project;
  std::vector<FleetDevice> devices;
};

nlohmann::ordered_json in_json(const Fleet& fleet);
/// The fleet that in_json wrote, without `run`. UserError with all faults of the file.
Fleet read_fleet(const std::filesystem::path& file);

}  // namespace jcprof::cli
