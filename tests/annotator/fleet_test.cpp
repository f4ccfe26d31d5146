// SPDX-License-Identifier: Apache-2.0
#include "annotator/fleet/fleet.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "annotator/compare/discoveries.hpp"
#include "annotator/fleet/fleet_texts.hpp"
#include "src/core/error.hpp"
#include "tests/annotator/synthetic_device.hpp"
#include "tests/annotator/trap_maps.hpp"

namespace jcprof::annotator {
namespace {

using enum TrapKind;

constexpr std::size_t hashing = 18;  // the line
constexpr std::size_t place_of_hashing = 10;

/// p() { 10 … 21, a statement a line }
SyntheticDevice some_device(std::uint64_t seed) {
  MapMaker maker;
  maker.trap(entry0, "p", 1).trap(entry, "p", 1);
  for (std::size_t line = 10; line < 22; ++line) maker.trap(before, "p", line);
  SyntheticDevice device{
      .map = maker.trap(exit, "p", 30).map(), .costs = {100, 100}, .pass = 10, .seed = seed};
  std::vector<std::uint32_t> traps;
  for (std::uint32_t trap = 1; trap <= 15; ++trap) traps.push_back(trap);
  for (int i = 0; i < 12; ++i) device.costs.push_back(2000 + 500.0 * i);
  device.costs.push_back(60);
  device.path = path_of(traps);
  return device;
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

/// Devices whose lines are known by hand.
struct DeviceBench {
  std::size_t devices = 10;
  std::size_t lines = 20;
  double speed = 0.01;   // deviation of a device's speed
  double layout = 0.01;  // of a line's time from device to device
  double noise = 0.004;  // of a measured line
  std::mt19937_64 random{1};

  double normal(double deviation) { return std::normal_distribution<double>(0, deviation)(random); }

  /// `slow`: how many devices take so much longer at line 0.
  std::vector<DeviceTimes> fleet(std::size_t slow = 0, double factor = 1.1) {
    std::vector<double> gains;
    for (std::size_t d = 0; d < devices; ++d) gains.push_back(std::exp(normal(speed)));
    std::vector<DeviceTimes> all(lines);
    for (std::size_t i = 0; i < lines; ++i)
      for (std::size_t d = 0; d < devices; ++d) {
        const double truth = (300 + 100 * static_cast<double>(i)) * (i == 0 && d < slow ? factor : 1);
        const double time = truth * gains[d] * std::exp(normal(layout));
        all[i].push_back({std::max(0.0, time * (1 + normal(noise))), noise * time});
      }
    return all;
  }
};

struct FoundDevices {
  std::size_t right = 0;
  std::size_t wrong = 0;
  std::size_t below_5 = 0;  // chances
};

/// Of a fleet whose first `slow` devices differ at line 0.
FoundDevices found_in(const std::vector<DeviceTimes>& lines, std::size_t slow) {
  const DeviceEffects effects = device_effects(lines, lines.front().size());
  std::vector<double> chances;
  for (const DeviceTimes& line : lines)
    for (const Distance& distance : distances_at(line, effects)) chances.push_back(distance.chance);
  const double count_from = chance_to_count(chances, Dependence::any);
  FoundDevices found;
  for (std::size_t i = 0; i < chances.size(); ++i) {
    if (chances[i] < 0.05) ++found.below_5;
    if (chances[i] <= count_from) ++(i < slow ? found.right : found.wrong);
  }
  return found;
}

}  // namespace

TEST_CASE(
    "the variance between equally precise values is theirs without their own, and Q profiles bound it") {
  // Of 1 to 5 the variance is 2.5; the quantiles of chi-square with 4 degrees of freedom are 0.4844
  // and 11.143.
  std::vector<Shift> values;
  for (double value = 1; value <= 5; ++value) values.push_back({value, 0.5});
  const RandomEffects effects = random_effects(values);
  CHECK(effects.between.value == Approx(std::sqrt(2.0)));
  CHECK(effects.between.low == Approx(std::sqrt(10 / 11.143 - 0.5)).epsilon(1e-3));
  CHECK(effects.between.high == Approx(std::sqrt(10 / 0.4844 - 0.5)).epsilon(1e-3));
  CHECK(effects.within == Approx(std::sqrt(0.5)));
  CHECK(effects.mean.value == Approx(3));
  CHECK(engine::half_width(effects.mean) == Approx(2.776 * std::sqrt(2.5 / 5)).epsilon(1e-3));
}

TEST_CASE("chances that depend on each other in any way need more proof, the more there are") {
  CHECK(chance_to_count({0.5, 0.01, 0.02}) == 0.02);
  CHECK(chance_to_count({0.5, 0.01, 0.02}, Dependence::any) < 0);
  CHECK(chance_to_count({0.5, 0.009, 0.02}, Dependence::any) == 0.009);
  CHECK(weights_of({1, 3}) == std::vector<double>{0.5, 1.5});
  CHECK(weighted_chance(0.01, 0.5) == 0.02);
  CHECK(weighted_chance(0.01, 0) == 1);
}

TEST_CASE("values that agree better than their errors have no variance between them, and no narrower mean") {
  const RandomEffects effects = random_effects({{10, 1}, {10.1, 1}, {9.9, 1}, {10, 1}});
  CHECK(effects.between.value == 0);
  CHECK(effects.between.low == 0);
  CHECK(engine::half_width(effects.mean) == Approx(3.182 * 0.5).epsilon(1e-3));
  CHECK(std::isinf(random_effects({{7, 1}}).mean.high));
  CHECK(random_effects({{7, 1}}).mean.value == 7);
  CHECK(random_effects({{7, 0}, {7, 0}, {7, 0}}).between.value == 0);
}

TEST_CASE(
    "intervals of the mean and of the variance between devices hold the truth nineteen times in twenty") {
  std::mt19937_64 random{7};
  const auto normal = [&](double deviation) {
    return std::normal_distribution<double>(0, deviation)(random);
  };
  constexpr int trials = 1000;
  for (const std::size_t devices : {4U, 10U})
    for (const double between : {0.5, 2.0}) {
      int of_mean = 0;
      int of_between = 0;
      for (int trial = 0; trial < trials; ++trial) {
        std::vector<Shift> values;
        for (std::size_t d = 0; d < devices; ++d) {
          const double deviation = d % 2 == 0 ? 0.5 : 1;
          values.push_back({100 + normal(between) + normal(deviation), deviation * deviation});
        }
        const RandomEffects effects = random_effects(values);
        of_mean += effects.mean.low <= 100 && 100 <= effects.mean.high ? 1 : 0;
        of_between += effects.between.low <= between && between <= effects.between.high ? 1 : 0;
      }
      INFO(devices << " devices, " << between);
      CHECK(of_mean >= 0.93 * trials);
      // Four devices that hardly differ: never narrower than without the variance between them.
      if (between > 1) CHECK(of_mean <= 0.985 * trials);
      CHECK(of_between >= 0.93 * trials);
      CHECK(of_between <= 0.98 * trials);
    }
}

TEST_CASE(
    "no more than one fleet of equal devices in twenty names a line, and chances are no smaller than they "
    "are") {
  constexpr std::size_t trials = 60;
  for (const std::size_t devices : {3U, 5U, 10U})
    for (const double layout : {0.0, 0.01, 0.03}) {
      DeviceBench bench{.devices = devices, .layout = layout};
      std::size_t false_fleets = 0;
      std::size_t below_5 = 0;
      for (std::size_t trial = 0; trial < trials; ++trial) {
        const FoundDevices found = found_in(bench.fleet(), 0);
        false_fleets += found.wrong > 0 ? 1 : 0;
        below_5 += found.below_5;
      }
      INFO(devices << " devices, layout " << layout);
      CHECK(static_cast<double>(false_fleets) <= trials * 0.05 + 2 * std::sqrt(trials * 0.05 * 0.95));
      CHECK(static_cast<double>(below_5) <= 0.055 * static_cast<double>(trials * devices * bench.lines));
      CHECK(static_cast<double>(below_5) >= 0.01 * static_cast<double>(trials * devices * bench.lines));
    }
}

TEST_CASE(
    "one or two devices of ten that are a tenth slower at a line are found, and one discovery in twenty is "
    "false") {
  constexpr std::size_t trials = 60;
  for (const std::size_t slow : {1U, 2U}) {
    DeviceBench bench;
    FoundDevices all;
    for (std::size_t trial = 0; trial < trials; ++trial) {
      const FoundDevices found = found_in(bench.fleet(slow), slow);
      all.right += found.right;
      all.wrong += found.wrong;
    }
    INFO(slow << " slow devices");
    CHECK(static_cast<double>(all.right) >= 0.9 * static_cast<double>(trials * slow));
    CHECK(static_cast<double>(all.wrong) <= 0.05 * static_cast<double>(all.right + all.wrong));
  }
}

TEST_CASE("speeds are those beside the middle device") {
  const std::vector<double> speeds{1, 1, 1, 1.02, 1.03};
  std::vector<DeviceTimes> lines(8);
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (const double speed : speeds) {
      const double time = speed * (500 + 100 * static_cast<double>(i));
      lines[i].push_back({time, 0.001 * time});
    }
  const DeviceEffects effects = device_effects(lines, speeds.size());
  REQUIRE(effects.have_speeds);
  for (std::size_t d = 0; d < speeds.size(); ++d)
    CHECK(effects.speeds[d].value == Approx(std::log(speeds[d])).margin(1e-4));
  CHECK(spread_at(lines[0], effects).median == Approx(500).epsilon(1e-4));
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
  profiles.push_back(profile_of(some_device(4711), 1.05));
  const FleetReport report = report_of(profiles);
  CHECK(lines_that_differ(report) == "d9 slower as a whole");
  CHECK(report.types[0].devices[9].speed.distance.relative.value == Approx(0.05).margin(0.01));
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
