// SPDX-License-Identifier: Apache-2.0
#include "annotator/fleet/fleet.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "annotator/fleet/fleet_texts.hpp"
#include "src/core/error.hpp"
#include "tests/annotator/statement_device.hpp"

namespace jcprof::annotator {
namespace {

using enum TrapKind;

constexpr std::size_t hashing = 18;  // the line
constexpr std::size_t place_of_hashing = 10;

SyntheticDevice some_device(std::uint64_t seed) {
  return statement_device(12, 2000, 500, seed);
}

/// `speed`: of everything, with the clock.
Profile profile_of(const SyntheticDevice& device, double speed = 1) {
  RunData data = device.run(40);
  data.run.project = "pin";
  for (StoredSample& sample : data.samples)
    sample.ticks = static_cast<Ticks>(std::llround(speed * static_cast<double>(sample.ticks)));
  for (auto& calibration : data.calibrations)
    calibration.ticks = static_cast<Ticks>(std::llround(speed * static_cast<double>(calibration.ticks)));
  return estimate(data);
}

std::vector<Profile> equal_devices(std::size_t count, std::uint64_t fleet) {
  std::vector<Profile> profiles;
  for (std::size_t d = 0; d < count; ++d) profiles.push_back(profile_of(some_device(1000 * fleet + d + 1)));
  return profiles;
}

FleetReport report_of(const std::vector<Profile>& profiles, const std::vector<std::string>& groups = {}) {
  std::vector<Member> members;
  for (std::size_t d = 0; d < profiles.size(); ++d)
    members.push_back({fmt::format("d{}", d), groups.empty() ? "" : groups[d], profiles[d]});
  return fleet_report(members, {});
}

/// "d3 slower at line 18, d4 faster as a whole"
std::string lines_that_differ(const FleetReport& report) {
  std::string text;
  const auto add = [&](const std::string& device, const Standing& standing, const std::string& where) {
    if (is_different(standing))
      text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", device, name_of(standing.verdict), where);
  };
  for (const DeviceType& type : report.types) {
    for (const FleetDevice& device : type.devices) add(device.name, device.speed, "as a whole");
    for (const FleetPlace& line : type.lines)
      for (std::size_t d = 0; d < line.devices.size(); ++d)
        add(type.devices[d].name, line.devices[d], fmt::format("at line {}", line.line));
  }
  return text;
}

}  // namespace

TEST_CASE("a device that goes another way differs") {
  std::vector<Profile> profiles = equal_devices(5, 8);
  for (LineEstimate& line : profiles[4].lines)
    if (line.line == hashing) line.hits = 3;
  const FleetReport report = report_of(profiles);
  CHECK(differs(report.types[0], 4));
  CHECK_FALSE(differs(report.types[0], 3));
  CHECK_THAT(to_text(report), Catch::StartsWith("pin: 5 devices; d4 differs from the others"));
}

TEST_CASE("what is unresolved does not read as if none differed") {
  FleetReport report = report_of(equal_devices(5, 9));
  REQUIRE(unresolved_devices(report) == 0);
  report.types[0].lines[0].devices[1].is_open = true;
  CHECK(unresolved_devices(report) == 1);
  CHECK_THAT(to_text(report), Catch::StartsWith("pin: 5 devices; none is known to differ; 1 unresolved\n"));
}

TEST_CASE("a difference that is proven and too small to matter is none") {
  for (const double factor : {1.01, 1.05}) {
    std::vector<Profile> profiles;
    for (std::uint64_t d = 0; d < 6; ++d) {
      SyntheticDevice device = some_device(d + 1);
      device.noise = 0;
      if (d == 5) device.costs[place_of_hashing] *= factor;
      profiles.push_back(profile_of(device));
    }
    INFO(factor);
    CHECK(lines_that_differ(report_of(profiles)) == (factor > 1.02 ? "d5 slower at line 18" : ""));
  }
}

TEST_CASE("ten equal devices: none of twenty fleets names one") {
  for (std::uint64_t fleet = 1; fleet <= 20; ++fleet) {
    const FleetReport report = report_of(equal_devices(10, fleet));
    INFO("fleet " << fleet);
    CHECK(lines_that_differ(report).empty());
    CHECK_FALSE(differs(report));
  }
}

TEST_CASE("a card with a tenth slower hashing among nine equal ones is named at that line") {
  for (std::uint64_t fleet = 1; fleet <= 10; ++fleet) {
    std::vector<Profile> profiles = equal_devices(9, fleet);
    SyntheticDevice slow = some_device(1000 * fleet + 77);
    slow.costs[place_of_hashing] *= 1.1;
    profiles.insert(profiles.begin() + 3, profile_of(slow));
    const FleetReport report = report_of(profiles);
    INFO("fleet " << fleet);
    CHECK(lines_that_differ(report) == "d3 slower at line 18");
    const FleetPlace& line = report.types[0].lines[0];
    CHECK(line.line == hashing);
    CHECK(line.devices[3].distance.relative.value == Approx(0.1).margin(0.03));
    CHECK(differs(report.types[0], 3));
    CHECK_FALSE(differs(report.types[0], 4));
  }
}

TEST_CASE("a card whose whole speed is lower is one fact, and none of its lines is") {
  std::vector<Profile> profiles = equal_devices(9, 3);
  profiles.push_back(profile_of(some_device(4711), 1.08));
  const FleetReport report = report_of(profiles);
  CHECK(lines_that_differ(report) == "d9 slower as a whole");
  CHECK(report.types[0].devices[9].speed.distance.relative.value == Approx(0.08).margin(0.01));
}

TEST_CASE("devices that cannot be compared are left out, each with its reason") {
  std::vector<Profile> profiles = equal_devices(6, 1);
  profiles[1].run.trap_digest = "other";
  profiles[2].run.unit = ClockUnit::cycles;
  profiles[3].run.project = "other";
  const FleetReport report = report_of(profiles);
  REQUIRE(report.left_out.size() == 3);
  CHECK(report.left_out[0].name == "d1");
  CHECK(report.left_out[0].why ==
        "it ran another build than most; `jcprof run --devices` measures all devices with one build");
  CHECK(report.left_out[1].why == "its times are in cycles, those of most are in ns");
  CHECK(report.left_out[2].why == "it is of another project than most: \"other\"");
  REQUIRE(report.types.size() == 1);
  CHECK(report.types[0].devices.size() == 3);
  CHECK(report.types[0].is_compared);
}

TEST_CASE("card types stand side by side, and a device is held against those of its own type") {
  std::vector<Profile> profiles = equal_devices(7, 2);
  std::vector<std::string> groups(7, "old");
  for (std::size_t d = 3; d < 6; ++d) {
    SyntheticDevice device = some_device(50 + d);
    device.costs[place_of_hashing] *= 2;
    profiles[d] = profile_of(device);
    groups[d] = "new";
  }
  groups[6] = "lonely";
  const FleetReport report = report_of(profiles, groups);
  REQUIRE(report.types.size() == 3);
  CHECK(lines_that_differ(report).empty());
  CHECK(report.types[2].is_compared == false);
  REQUIRE(report.warnings.size() == 1);
  CHECK(report.warnings[0] == "lonely: 1 device; a comparison takes 3 of a type");
  CHECK_THAT(to_text(report), Catch::Contains("types of devices side by side, means"));
}

TEST_CASE("a fleet without any profile that holds is refused with all reasons") {
  try {
    fleet_report({}, {{"a", "it failed: no reader"}});
    FAIL("nothing was refused");
  } catch (const UserError& error) {
    CHECK(error.exit_code() == ExitCode::unreliable);
    CHECK_THAT(error.what(), Catch::Contains("a: it failed: no reader"));
  }
}

TEST_CASE("a fleet without devices is refused as such") {
  try {
    fleet_report({}, {});
    FAIL("nothing was refused");
  } catch (const UserError& error) {
    CHECK_THAT(error.what(), Catch::Contains("the fleet has no devices"));
  }
}

TEST_CASE("unsound profiles do not choose the build that devices are compared in") {
  std::vector<Profile> profiles = equal_devices(7, 1);
  for (std::size_t d = 0; d < 4; ++d) {
    profiles[d].run.trap_digest = "other";
    profiles[d].blocks.front().cost.unreliable = true;
  }
  REQUIRE(is_unreliable(profiles[0]));
  CHECK(report_of(profiles).types[0].devices.size() == 3);
}

TEST_CASE("text, Markdown and JSON of a fleet name the device that differs, and whom they are without") {
  std::vector<Profile> profiles = equal_devices(5, 5);
  SyntheticDevice slow = some_device(99);
  slow.costs[place_of_hashing] *= 1.2;
  profiles[2] = profile_of(slow);
  FleetReport report = report_of(profiles);
  report.left_out.push_back({"d9", "it failed: no reader"});
  const std::string text = to_text(report);
  CHECK_THAT(text, Catch::StartsWith("pin: 5 devices; d2 differs from the others\n"));
  CHECK_THAT(text, Catch::Contains("slower at A.java:18"));
  CHECK_THAT(text, Catch::Contains("devices in % of the others"));
  CHECK_THAT(text, Catch::Contains("warning: d9 is left out: it failed: no reader\n"));
  const std::string markdown = to_markdown(report);
  CHECK_THAT(markdown, Catch::StartsWith("### `pin: 5 devices; d2 differs from the others`\n"));
  CHECK(markdown.size() < 60'000);
  const auto json = nlohmann::json::parse(to_json(report));
  CHECK(json["format"] == "jcprof-fleet-report");
  CHECK(json["differs"] == true);
  CHECK(json["types"][0]["lines"][0]["line"] == hashing);
  CHECK(json["types"][0]["lines"][0]["devices"][2]["verdict"] == "slower");
  CHECK(json["left_out"][0]["name"] == "d9");
}

}  // namespace jcprof::annotator
