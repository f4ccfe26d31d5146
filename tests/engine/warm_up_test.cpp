// SPDX-License-Identifier: Apache-2.0
#include "src/engine/warm_up.hpp"

#include <cmath>

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
