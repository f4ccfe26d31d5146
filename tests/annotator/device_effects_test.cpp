// SPDX-License-Identifier: Apache-2.0
// Fleets that are known by hand: rates of false and of right discoveries.
#include "annotator/fleet/devices.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "annotator/compare/discoveries.hpp"
#include "annotator/fleet/random_effects.hpp"

namespace jcprof::annotator {
namespace {

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

/// The first `slow` devices of the fleet differ at line 0.
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
      // Three devices tell little of their own scatter.
      CHECK(static_cast<double>(below_5) >= 0.005 * static_cast<double>(trials * devices * bench.lines));
    }
}

TEST_CASE(
    "one device of ten that is a tenth slower at a line is found, of two one, and one discovery in twenty is "
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
    // Two of ten look more like a line that varies by nature.
    CHECK(static_cast<double>(all.right) >= (slow == 1 ? 0.9 : 0.5) * static_cast<double>(trials * slow));
    CHECK(static_cast<double>(all.wrong) <= 0.05 * static_cast<double>(all.right + all.wrong));
  }
}

TEST_CASE("a slow device that is measured more precisely than the others does not name these") {
  constexpr std::size_t slow_line = 10;
  for (const std::size_t devices : {3U, 4U, 5U, 6U}) {
    DeviceBench bench;
    std::size_t right = 0;
    std::size_t wrong = 0;
    constexpr std::size_t trials = 20;
    for (std::size_t trial = 0; trial < trials; ++trial) {
      std::vector<DeviceTimes> lines(20);
      for (std::size_t i = 0; i < lines.size(); ++i)
        for (std::size_t d = 0; d < devices; ++d) {
          const double noise = d == 0 ? 0.003 : 0.02;
          const double time = 1000 * (i == slow_line && d == 0 ? 1.3 : 1) * std::exp(bench.normal(0.005));
          lines[i].push_back({time * (1 + bench.normal(noise)), noise * time});
        }
      const FoundDevices found = found_in(lines, 0);
      const DeviceEffects effects = device_effects(lines, devices);
      const std::vector<Distance> distances = distances_at(lines[slow_line], effects);
      for (std::size_t d = 1; d < devices; ++d) wrong += distances[d].chance < 1e-3 ? 1 : 0;
      right += found.wrong;  // all that is named
    }
    INFO(devices << " devices, named " << right);
    CHECK(wrong == 0);
    CHECK(right <= trials);
    if (devices > 4) CHECK(right >= trials / 2);
  }
}

TEST_CASE("lines that vary by nature name no sound device") {
  constexpr std::size_t trials = 40;
  for (const std::size_t devices : {4U, 5U, 10U}) {
    DeviceBench bench;
    std::size_t false_fleets = 0;
    for (std::size_t trial = 0; trial < trials; ++trial) {
      std::vector<DeviceTimes> lines(30);
      for (std::size_t i = 0; i < lines.size(); ++i)
        for (std::size_t d = 0; d < devices; ++d) {
          const double layout = i < 2 ? 0.05 : 0.003;
          const double time = (i < 2 ? 5000 : 500) * std::exp(bench.normal(layout));
          lines[i].push_back({time * (1 + bench.normal(0.002)), 0.002 * time});
        }
      false_fleets += found_in(lines, 0).wrong > 0 ? 1 : 0;
    }
    INFO(devices << " devices");
    CHECK(static_cast<double>(false_fleets) <= trials * 0.05 + 2 * std::sqrt(trials * 0.05 * 0.95));
  }
}

TEST_CASE("a line that is known far better than all others is not taken for the speed of its device") {
  for (const double noise : {0.12, 0.06, 0.03}) {
    DeviceBench bench;
    std::vector<DeviceTimes> lines(8);
    for (std::size_t i = 0; i < lines.size(); ++i)
      for (std::size_t d = 0; d < 8; ++d) {
        const double deviation = i == 0 ? 0.002 : noise;
        const double time =
            (i == 0 ? 5000 : 300) * (i == 0 && d == 3 ? 1.1 : 1) * std::exp(bench.normal(0.003));
        lines[i].push_back({time * (1 + bench.normal(deviation)), deviation * time});
      }
    const DeviceEffects effects = device_effects(lines, 8);
    INFO(noise);
    CHECK(std::abs(effects.speeds[3].value) < 0.05);
    CHECK(distances_at(lines[0], effects)[3].chance < 1e-3);
  }
}

TEST_CASE("a card of three that is twice as slow as a whole is far from the others") {
  DeviceBench bench{.devices = 3, .layout = 0.005};
  std::vector<DeviceTimes> lines = bench.fleet();
  for (DeviceTimes& line : lines) line[1] = {2 * line[1].ticks, 2 * line[1].deviation};
  const std::vector<Distance> distances = distances_of_speeds(device_effects(lines, 3));
  CHECK(distances[1].chance < 1e-3);
  CHECK(distances[1].relative.value == Approx(1).margin(0.1));
  CHECK(distances[0].chance > 0.05);
  CHECK(distances[2].chance > 0.05);
}

TEST_CASE(
    "equal counts are the same, any difference is one, and the others' middle is what it is a part of") {
  DeviceEffects effects = device_effects({}, 4);
  effects.are_counts = true;
  const std::vector<Distance> distances = distances_at({{1000, 0}, {1000, 0}, {1001, 0}, {1000, 0}}, effects);
  CHECK(distances[0].difference.value == 0);
  CHECK(distances[0].chance == 1);
  CHECK(distances[2].difference.value == 1);
  CHECK(distances[2].relative.value == Approx(0.001));
  CHECK(distances[2].chance == 0);
}

TEST_CASE("a difference is a part of what the others take, and in ticks where they take nothing") {
  const DeviceEffects effects{.speeds = std::vector<Location>(4), .layout = 0.01, .freedom = 10};
  CHECK(distances_at({{100, 1}, {100, 1}, {100, 1}, {300, 1}}, effects)[3].relative.value == Approx(2));
  const Distance of_nothing = distances_at({{0, 1}, {0, 1}, {0, 1}, {50, 1}}, effects)[3];
  CHECK(of_nothing.difference.value == Approx(50));
  CHECK(std::isinf(of_nothing.relative.high));
  CHECK(of_nothing.chance < 1e-3);
  CHECK(spread_at({{0, 1}, {0, 1}, {0, 1}, {50, 1}}, effects).devices == 4);
}

TEST_CASE("a device whose speed is unknown is unknown at each line") {
  DeviceBench bench{.devices = 4};
  std::vector<DeviceTimes> lines = bench.fleet();
  for (DeviceTimes& line : lines) line[2].deviation = line[2].ticks;
  const DeviceEffects effects = device_effects(lines, 4);
  REQUIRE(effects.have_speeds);
  CHECK(std::isinf(distances_at(lines[0], effects)[2].difference.high));
  CHECK(std::isfinite(distances_at(lines[0], effects)[1].difference.high));
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

}  // namespace jcprof::annotator
