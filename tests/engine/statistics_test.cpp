// SPDX-License-Identifier: Apache-2.0
#include "src/engine/statistics.hpp"

#include <cmath>
#include <random>

#include <catch2/catch.hpp>

namespace jcprof::engine {

TEST_CASE("the median is the middle value, or between the two middle ones") {
  CHECK(is_missing(median({})));
  CHECK(median({3}) == 3);
  CHECK(median({5, 1, 3}) == 3);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(mad_sigma({1, 2, 3, 4, 100}) == Approx(1.4826));
}

TEST_CASE("the interpolated sign interval is what Hettmansperger and Sheather's formula gives by hand") {
  // n = 10: c = 2 with confidence 1 - 22/1024 = 0.978516, c + 1 has 1 - 112/1024 = 0.890625;
  // I = 0.028516/0.087891 = 0.324444, lambda = 8 I / (2 + 6 I) = 0.657658.
  const Interval ten = sign_interval({10, 1, 9, 2, 8, 3, 7, 4, 6, 5}, 0.05);
  CHECK(ten.value == 5.5);
  CHECK(ten.low == Approx(2.657658).epsilon(1e-6));
  CHECK(ten.high == Approx(8.342342).epsilon(1e-6));
  // n = 7: c = 1 with 1 - 2/128 = 0.984375, c + 1 has 1 - 16/128 = 0.875; I = 0.314286, lambda = 6I/(1 + 5I).
  const Interval seven = sign_interval({1, 2, 3, 4, 5, 6, 7}, 0.05);
  CHECK(seven.low == Approx(1.733333).epsilon(1e-6));
  CHECK(seven.high == Approx(6.266667).epsilon(1e-6));
}

TEST_CASE("six values have no interval, and seven are too few for 1 in 10,000") {
  CHECK(sign_interval({1, 2, 3, 4, 5, 6}, 0.05) == Interval{.value = 3.5});
  CHECK(std::isinf(sign_interval({1, 2, 3, 4, 5, 6, 7}, 1e-4).low));
  CHECK(is_missing(sign_interval({}, 0.05).value));
}

TEST_CASE("the interval covers the true median of skewed noise as often as it says") {
  std::mt19937_64 random(20260101);
  std::lognormal_distribution<double> skewed(0, 1);  // its median is 1
  for (const std::size_t n : {7U, 10U, 25U, 60U}) {
    int covered = 0;
    constexpr int repetitions = 4000;
    for (int i = 0; i < repetitions; ++i) {
      std::vector<double> values(n);
      for (double& value : values) value = skewed(random);
      const Interval interval = sign_interval(values, 0.05);
      covered += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
    }
    const double coverage = static_cast<double>(covered) / repetitions;
    INFO(n << " values");
    CHECK(coverage > 0.93);
    CHECK(coverage < 0.975);
  }
}

}  // namespace jcprof::engine
