// SPDX-License-Identifier: Apache-2.0
#include "src/engine/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <span>

#include <catch2/catch.hpp>

namespace jcprof::engine {

TEST_CASE("means of neighbours leave out what is missing") {
  const std::vector<double> means = means_near(std::vector<double>{1, missing, 4, 6, 100}, 1);
  CHECK(means[0] == 1);
  CHECK(means[1] == 2.5);
  CHECK(means[2] == 5);
  CHECK(means[4] == 53);
  CHECK(is_missing(means_near(std::vector<double>{missing, missing}, 3).front()));
}

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

TEST_CASE("an interval of next to no confidence is made of the two middle values") {
  // n = 10, alpha = 0.8: c = 5 with confidence 1 - 772/1024 = 0.246094, c + 1 has 1 - 1276/1024 = -0.246094;
  // I = 0.046094/0.492188 = 0.093651 = lambda.
  const Interval narrow = sign_interval({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0.8);
  CHECK(narrow.low == Approx(5.093651).epsilon(1e-6));
  CHECK(narrow.high == Approx(5.906349).epsilon(1e-6));
}

TEST_CASE("a mean has the interval that Student's table gives") {
  // 1 to 5: standard deviation sqrt(10/4) = 1.581139; t(4 degrees of freedom, 0.975) = 2.776445.
  const Interval five = mean_interval({1, 2, 3, 4, 5}, 0.05, 0);
  CHECK(five.value == 3);
  CHECK(five.low == Approx(3 - 2.776445 * 1.581139 / 2.236068));
  CHECK(five.high == Approx(3 + 2.776445 * 1.581139 / 2.236068));
  // t(1, 0.975) = 12.706205, and sqrt(2) cancels.
  CHECK(mean_interval({2, 4}, 0.05, 0).high == Approx(3 + 12.706205));
  CHECK(mean_interval({1, 2, 3, 4, 5}, 0.05, 10).high == Approx(3 + 2.776445 * 10 / 2.236068));
  CHECK(mean_interval({7}, 0.05, 1) == Interval{.value = 7});
  CHECK(is_missing(mean_interval({}, 0.05, 1).value));
}

TEST_CASE("readings that repeat are exact, and a few that differ cover the truth as often as many") {
  CHECK(spread_interval({7}, 0.05) == Interval{7, 7, 7});
  CHECK(spread_interval({7, 7}, 0.05) == Interval{7, 7, 7});
  CHECK(spread_interval({1, 2, 3, 4, 60}, 0.05) == Interval{3, 1, 60});
  CHECK(spread_interval({0, 0, 0, 10}, 0.05).high == 10);
  // t(1 degree of freedom, 0.975) = 12.7062, of the mean of two.
  CHECK(spread_interval({10, 20}, 0.05).low == Approx(15 - 12.7062 * 5));
  CHECK(std::isnan(spread_interval({}, 0.05).value));
  std::mt19937 random(1);
  std::normal_distribution<double> noise;
  for (const int count : {2, 3, 4, 5, 6}) {
    INFO(count);
    int covered = 0;
    for (int i = 0; i < 2000; ++i) {
      std::vector<double> values;
      for (int v = 0; v < count; ++v) values.push_back(noise(random));
      const Interval interval = spread_interval(values, 0.05);
      if (interval.low <= 0 && 0 <= interval.high) ++covered;
    }
    CHECK(covered >= 0.93 * 2000);
  }
}

TEST_CASE("two heaps have a bimodality of one, whatever their sizes, and an even spread one of five ninths") {
  std::vector<double> halves(50, 3);
  halves.insert(halves.end(), 50, 8);
  CHECK(bimodality(halves) == Approx(1));
  // A part of p in one heap: skewness^2 = (1 - 2p)^2 / (p (1 - p)), kurtosis = skewness^2 + 1.
  std::vector<double> unlike(160, 3);
  unlike.insert(unlike.end(), 40, 8);
  CHECK(bimodality(unlike) == Approx(1));
  std::vector<double> even(1000);
  std::iota(even.begin(), even.end(), 0);
  CHECK(bimodality(even) == Approx(5.0 / 9).margin(0.001));
  halves.pop_back();
  CHECK(is_missing(bimodality(halves)));
  for (const std::size_t rare : {10, 20, 40}) {
    std::ranges::fill(std::span(even).last(rare), 50'000);
    CHECK(bimodality(even) < 0.6);
  }
  CHECK(is_missing(bimodality(std::vector<double>(200, 5))));
}

TEST_CASE("a weighted median has at least half of the weight up to it") {
  std::vector<Weighted> values{{3, 1}, {1, 1}, {2, 2}};
  CHECK(weighted_median(values) == 2);
  values = {{5, 2}, {1, 2}};
  CHECK(weighted_median(values) == 1);
  values = {{1, 0}, {2, 1}};
  CHECK(weighted_median(values) == 2);
  values = {{1, 0}, {2, 0}};
  CHECK(is_missing(weighted_median(values)));
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

TEST_CASE(
    "the step of a clock is found though its tick is no whole number, and both ends of a reading are "
    "rounded") {
  std::mt19937_64 random(20261130);
  std::uniform_real_distribution<double> anywhere(0, 1e6);
  const auto readings = [&](double tick, double mean) {
    std::normal_distribution<double> work(mean, mean / 25);
    const auto read = [&](double at) { return std::round(std::floor(at / tick) * tick); };
    std::vector<double> durations;
    for (int i = 0; i < 2000; ++i) {
      const double begun = anywhere(random);
      durations.push_back(read(begun + work(random)) - read(begun));
    }
    return durations;
  };
  CHECK(clock_step(readings(1e9 / 24e6, 4000)) == Approx(1e9 / 24e6).margin(1));
  CHECK(clock_step(readings(1e9 / 54e6, 4000)) == Approx(1e9 / 54e6).margin(1));
  CHECK(clock_step(readings(1e9 / 32768, 4e6)) == Approx(1e9 / 32768).margin(1));
  CHECK(clock_step(readings(1000, 40e3)) == 1000);
  CHECK(clock_step(readings(1, 4000)) == 1);
  CHECK(clock_step({7, 7, 7}) == 0);
  CHECK(clock_step({7, 8, 7}) == 1);
  // Stops of a quiet target are no steps of its clock.
  CHECK(clock_step({1000, 1001, 1040, 1042, 1100, 1101, 1180, 1181, 1300, 1302}) == 1);
}

}  // namespace jcprof::engine
