// SPDX-License-Identifier: Apache-2.0
#include "src/engine/statistics.hpp"

#include <random>
#include <vector>

#include <catch2/catch.hpp>

using namespace jcprof;
using namespace jcprof::engine;

TEST_CASE("what is far above or below is decided after a score of values") {
  const std::vector<double> score(20, 5);
  CHECK(is_above(score, 1, 0.05) == Hot::yes);
  CHECK(is_above(score, 9, 0.05) == Hot::no);
  CHECK(is_above(score, 5, 0.05) == Hot::undecided);
  CHECK(is_above(std::vector<double>(3, 5), 1, 0.05) == Hot::undecided);
  CHECK(is_above({}, 1, 0.05) == Hot::undecided);
}

TEST_CASE("values that all lie above are decided when their evidence outweighs the error that is allowed") {
  // Before any value the odds of "above" are spread as Beta(8, 8): the i-th value above in a row, from 0,
  // multiplies the evidence by 2 (8 + i) / (16 + i). After 13 of them it is 17, after 14 it is 24.6; after 17
  // it is 80, after 18 it is 121.
  const auto decided = [](std::size_t count, double alpha) {
    return is_above(std::vector<double>(count, 5), 1, alpha) == Hot::yes;
  };
  CHECK_FALSE(decided(13, 0.05));
  CHECK(decided(14, 0.05));
  CHECK_FALSE(decided(17, 0.01));
  CHECK(decided(18, 0.01));
}

TEST_CASE("at the threshold itself it is seldom decided, even when asked after every value") {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> skewed(0, 1);  // its median is 1
  int decided = 0;
  constexpr int runs = 400;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> values;
    bool was_decided = false;
    for (int n = 0; n < 300 && !was_decided; ++n) {
      values.push_back(skewed(random));
      was_decided = is_above(values, 1, 0.05) != Hot::undecided;
    }
    decided += was_decided ? 1 : 0;
  }
  CHECK(decided <= 0.05 * runs);
}

TEST_CASE("a fifth above the threshold is found") {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> skewed(0, 0.5);
  std::vector<double> values;
  while (values.size() < 1000 && is_above(values, 1 / 1.2, 0.05) == Hot::undecided)
    values.push_back(skewed(random));
  CHECK(is_above(values, 1 / 1.2, 0.05) == Hot::yes);
}
