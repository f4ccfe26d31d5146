// SPDX-License-Identifier: Apache-2.0
#include "src/engine/warm_up.hpp"

#include <cmath>
#include <initializer_list>

#include <catch2/catch.hpp>

#include "src/engine/random.hpp"

using jcprof::engine::WarmUp;

namespace {

/// Pairs until it is no longer warming; the n-th pair has the difference `time(n)`.
template <class Time>
int pairs_until_settled(WarmUp& warm_up, Time time) {
  int pairs = 0;
  for (; warm_up.state() == WarmUp::State::warming; ++pairs) warm_up.add(1000, 1000 + time(pairs));
  return pairs;
}

double noise(int n) {
  return static_cast<double>(jcprof::engine::draw(1, 1, static_cast<std::uint64_t>(n), 1000)) / 1000 - 0.5;
}

/// Whether ten windows with these medians are steady.
bool is_steady(WarmUp& warm_up, std::initializer_list<double> early, std::initializer_list<double> late) {
  for (const auto& half : {early, late})
    for (const double median : half)
      for (std::size_t i = 0; i < WarmUp::pairs_per_window; ++i) warm_up.add(1000, 1000 + median);
  return warm_up.state() == WarmUp::State::steady;
}

/// Windows round 1000, then round 1000 + `change`; eight of the ten lie `noise` beside the middle of their
/// half.
bool is_steady_after(double change, double noise) {
  WarmUp warm_up;
  const double late = 1000 + change;
  return is_steady(warm_up, {1000 - noise, 1000 + noise, 1000, 1000 - noise, 1000 + noise},
                   {late - noise, late + noise, late, late - noise, late + noise});
}

}  // namespace

TEST_CASE("a steady target is warm after ten windows of three pairs") {
  WarmUp warm_up;
  CHECK(pairs_until_settled(warm_up, [](int) { return 50'000; }) == 30);
  CHECK(warm_up.state() == WarmUp::State::steady);
}

TEST_CASE("a slow exponential is waited out") {
  WarmUp warm_up;
  const int pairs = pairs_until_settled(warm_up, [](int n) { return 100'000 * (1 + std::exp(-n / 100.0)); });
  CHECK(warm_up.state() == WarmUp::State::steady);
  // By then what is left of it is below 15 %.
  CHECK(pairs > 190);
}

TEST_CASE("noise of a few percent does not keep it waiting for ever") {
  WarmUp warm_up;
  CHECK(pairs_until_settled(warm_up, [](int n) { return 100'000 * (1 + 0.1 * noise(n)); }) < 300);
  CHECK(warm_up.state() == WarmUp::State::steady);
}

TEST_CASE("a target that never settles is given up after a thousand windows") {
  WarmUp warm_up;
  CHECK(pairs_until_settled(warm_up, [](int n) { return 1000 * std::pow(1.01, n); }) == 3000);
  CHECK(warm_up.state() == WarmUp::State::given_up);
  CHECK(warm_up.drift() > 0.05);
}

TEST_CASE("without noise a change of one percent is none, and more is one") {
  CHECK(is_steady_after(9, 0));
  CHECK_FALSE(is_steady_after(15, 0));
}

TEST_CASE("with noise a change is none within two standard errors of the difference of two medians") {
  // Of five values each: 1.2533 sigma sqrt(1/5 + 1/5), and sigma is 1.4826 times what the windows lie beside
  // the middle: two of them are 49.4 for 21, and 44.7 for 19.
  CHECK(is_steady_after(47, 21));
  CHECK_FALSE(is_steady_after(47, 19));
}

TEST_CASE("a change of more than five percent is one, however large the noise") {
  CHECK(is_steady_after(50, 36));
  CHECK_FALSE(is_steady_after(60, 36));
}

TEST_CASE("noise of more than five percent excuses no change") {
  CHECK_FALSE(is_steady_after(30, 60));
  CHECK(is_steady_after(5, 60));
}

TEST_CASE("a drift is the part by which the last windows differ from those before") {
  WarmUp warm_up;
  CHECK_FALSE(is_steady(warm_up, {1000, 1000, 1000, 1000, 1000}, {1100, 1100, 1100, 1100, 1100}));
  CHECK(warm_up.drift() == Approx(100.0 / 1100));
}

TEST_CASE("one pair of each window may be late") {
  WarmUp warm_up;
  const auto late_at_times = [](int n) { return n >= 15 && n % 3 == 2 ? 80'000 : 50'000; };
  CHECK(pairs_until_settled(warm_up, late_at_times) == 30);
}
