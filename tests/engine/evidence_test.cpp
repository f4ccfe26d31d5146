// SPDX-License-Identifier: Apache-2.0
#include "src/engine/evidence.hpp"

#include <cmath>
#include <random>

#include <catch2/catch.hpp>

#include "tests/engine/leaking_device.hpp"

namespace jcprof::engine {
namespace {

using test::LeakingDevice;

const double one_in_thousand = std::log(1000);

/// The number of devices, of 200, that show evidence of 1 in `odds`.
int count_found(LeakingDevice device, std::size_t shots, double odds = 1000) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    device.seed = seed;
    LeakingDevice one = device;
    found += evidence_of(one.at_end(shots)) >= std::log(odds) ? 1 : 0;
  }
  return found;
}

TEST_CASE("times that do not depend on the class give no evidence, whatever their noise") {
  // One in 20 is allowed to, however often one looks.
  CHECK(count_found({}, 1000, 20) <= 14);
  CHECK(count_found({.spikes = 0.1}, 1000, 20) <= 14);
  CHECK(count_found({.drift = 50}, 1000, 20) <= 14);
}

TEST_CASE("what the command before leaves behind gives no evidence") {
  CHECK(count_found({.leaks = {{40, 5000}}, .left_over = 0.08}, 1000, 20) <= 14);
}

TEST_CASE("a shift of half a sigma is found within 700 shots, and within 1,000 if one in ten is a spike") {
  CHECK(count_found({.leaks = {{3, 50}}}, 700) >= 190);
  CHECK(count_found({.leaks = {{3, 50}}, .spikes = 0.1}, 1000) >= 180);
}

TEST_CASE("a longer tail is found though the middle is the same") {
  CHECK(count_found({.tail = 0.1}, 1600) >= 190);
}

TEST_CASE("a clock that repeats itself proves a difference of one tick in a few shots") {
  LeakingDevice device{.sigma = 0, .leaks = {{3, 1}}};
  CHECK(evidence_of(device.at_end(60)) >= one_in_thousand);
  LeakingDevice equal{.sigma = 0};
  CHECK(evidence_of(equal.at_end(60)) < 1);
}

TEST_CASE("the interval of a shift holds the truth 95 times in 100") {
  int covered = 0;
  int unresolved = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    LeakingDevice device{.leaks = {{3, 50}}, .spikes = 0.05, .drift = 2, .left_over = 0.08, .seed = seed};
    const Interval shift = class_shift(device.at_end(400), 0.05);
    covered += shift.low <= 50 && 50 <= shift.high ? 1 : 0;
    unresolved += shift.high - shift.low > 100 ? 1 : 0;
  }
  CHECK(covered >= 184);
  CHECK(covered <= 198);
  CHECK(unresolved <= 5);
}

TEST_CASE("the interval holds 95 times in 100 too where classes differ in spread") {
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<ClassedTime> times;
    for (int i = 0; i < 200; ++i) {
      const bool is_second = std::bernoulli_distribution(0.5)(random);
      const double sigma = is_second ? 1000 : 100;
      times.push_back({.ticks = std::normal_distribution(is_second ? 10'000.0 : 0.0, sigma)(random),
                       .is_second = is_second});
    }
    const Interval shift = class_shift(times, 0.05);
    covered += shift.low <= 10'000 && 10'000 <= shift.high ? 1 : 0;
  }
  CHECK(covered >= 184);
}

TEST_CASE(
    "the interval holds 95 times in 100 with a clock of large steps too, and is no wider than they make it") {
  int covered = 0;
  double width = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    LeakingDevice device{.sigma = 30, .leaks = {{3, 50}}, .step = 200, .seed = seed};
    const Interval shift = class_shift(device.at_end(600), 0.05);
    covered += shift.low <= 50 && 50 <= shift.high ? 1 : 0;
    width += (shift.high - shift.low) / 100;
  }
  CHECK(covered >= 88);
  CHECK(width < 60);
}

TEST_CASE("a shift is exact where the clock is, and unknown for few times or one class") {
  LeakingDevice device{.sigma = 0, .leaks = {{3, 7}}};
  const Interval shift = class_shift(device.at_end(40), 0.05);
  CHECK(shift.value == Approx(7).margin(0.01));
  CHECK(half_width(shift) < 0.01);
  CHECK(std::isinf(class_shift(device.at_end(19), 0.05).high));
  const std::vector<ClassedTime> one_class(30, {.ticks = 4, .is_second = true});
  CHECK(std::isinf(class_shift(one_class, 0.05).high));
}

TEST_CASE("the findable shift is one that is found 99 times in 100, and half of it is not") {
  LeakingDevice silent;
  const double findable = findable_shift(silent.at_end(800), one_in_thousand, 0.99, 1);
  CHECK(count_found({.leaks = {{3, findable}}}, 800) >= 194);
  CHECK(count_found({.leaks = {{3, findable / 2}}}, 800) <= 170);
  LeakingDevice exact{.sigma = 0};
  CHECK(findable_shift(exact.at_end(100), one_in_thousand, 0.99, 1) == 1);
  CHECK(std::isinf(findable_shift({}, one_in_thousand, 0.99, 1)));
  CHECK(std::isinf(findable_shift(silent.at_end(10), one_in_thousand, 0.99, 1)));
}

TEST_CASE("a clock of large steps does not make small shifts findable") {
  const auto findable_at = [](double step) {
    LeakingDevice device;
    std::vector<ClassedTime> times = device.at_end(800);
    for (ClassedTime& time : times) time.ticks = step * std::round(time.ticks / step);
    return findable_shift(times, one_in_thousand, 0.99, 1);
  };
  CHECK(findable_at(200) > 0.8 * findable_at(1));
  CHECK(findable_at(50) < 1.5 * findable_at(1));
}

TEST_CASE("Welch's t is that of two samples, or of a crop of them") {
  std::vector<ClassedTime> times;
  for (int i = 0; i < 10; ++i) {
    times.push_back({.ticks = 1.0 + i % 2, .is_second = false});
    times.push_back({.ticks = 3.0 + i % 2, .is_second = true});
  }
  CHECK(largest_welch_t(times) == Approx(2 / std::sqrt(2 * 0.25 / 9)));
  // Without the crop one spike hides it.
  for (int i = 0; i < 50; ++i)
    times.push_back({.ticks = 3.5 + i % 2 + (i % 4 < 2 ? 0.5 : -0.5), .is_second = i % 4 < 2});
  const double before = largest_welch_t(times);
  times.push_back({.ticks = 1e6, .is_second = false});
  CHECK(largest_welch_t(times) > before / 2);
  CHECK(largest_welch_t({}) == 0);
}

}  // namespace
}  // namespace jcprof::engine
