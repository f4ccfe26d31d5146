// SPDX-License-Identifier: Apache-2.0
// Several devices that ran the same build: what they have in common, and which of them differ from the others
// of their type. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "annotator/compare/comparison.hpp"
#include "annotator/estimate/estimates.hpp"
#include "annotator/fleet/devices.hpp"

namespace jcprof::annotator {

/// A device with its newest run.
struct Member {
  std::string name;
  std::string group;  // that the user gives it; empty: the run tells its type
  const Profile& profile;
};

struct LeftOut {
  std::string name;
  std::string why;
};

/// A device at a line, or as a whole.
struct Standing {
  Distance distance;
  Verdict verdict = Verdict::unresolved;   // slower, faster, same or unresolved
  std::optional<std::uint64_t> hits = {};  // or calls; nothing: it did not pass there
  bool is_open = false;  // unresolved, and large enough to matter, or not known where most time may be
};

/// A line, or a function without the calls out of it.
struct FleetPlace {
  std::string path;
  std::size_t line = 0;
  std::string function;
  DeviceSpread spread;
  std::vector<Standing> devices;  // those of the type, in its order
};

struct FleetDevice {
  std::string name;
  Estimate total;
  Standing speed;
  bool goes_another_way = false;  // it passes lines more or less often than most do
};

/// Devices that are held against each other.
struct DeviceType {
  std::string name;
  bool is_simulated = false;
  bool is_compared = false;  // it has enough devices
  bool has_speeds = false;   // and enough lines to tell the speed of a device from a line that differs
  std::vector<FleetDevice> devices;
  RandomEffects speeds;  // logarithms
  // Those that differ on some device first, then the largest.
  std::vector<FleetPlace> lines;
  std::vector<FleetPlace> functions;
};

struct FleetReport {
  RunInfo run;  // of the first device
  std::vector<DeviceType> types;
  std::vector<LeftOut> left_out;
  std::vector<std::string> warnings;
};

/// Those of the build, project and unit of most that hold; others come to `left_out`. UserError where nobody
/// stays.
std::vector<Member> sifted(const std::vector<Member>& members, std::vector<LeftOut>& left_out);

/// `left_out`: whom the caller left out. Devices of another build, project or unit than most, and those whose
/// measurements contradict each other, are left out besides. UserError where nobody stays.
FleetReport fleet_report(const std::vector<Member>& members, std::vector<LeftOut> left_out);

bool is_different(const Standing& standing);
/// It does as a whole, at some line or function, or goes another way.
bool differs(const DeviceType& type, std::size_t device);
/// Any device does.
bool differs(const FleetReport& report);
/// It does not differ as far as is known, and something that matters is unresolved.
bool is_unresolved(const DeviceType& type, std::size_t device);
std::size_t unresolved_devices(const FleetReport& report);

}  // namespace jcprof::annotator
