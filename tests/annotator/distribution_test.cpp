// SPDX-License-Identifier: Apache-2.0
#include "annotator/distribution.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

#include "src/engine/statistics.hpp"

namespace jcprof::annotator {
namespace {

std::vector<double> ascending(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

std::size_t binned(const Distribution& known) {
  return std::accumulate(known.bins.begin(), known.bins.end(), std::size_t{0});
}

}  // namespace

TEST_CASE("forty bins of equal width hold all values that are not far out") {
  const Distribution known = distribution(ascending(81)).value();
  CHECK(known.count == 81);
  CHECK(known.from == 0);
  CHECK(known.to == 80);
  CHECK(std::ranges::count(known.bins, 2U) == 39);
  CHECK(known.bins.back() == 3);  // the largest value is of the last bin
  CHECK(known.outliers.empty());
}

TEST_CASE("values beyond three interquartile ranges are kept one by one with their rounds, and in no bin") {
  std::vector<double> rounds = ascending(41);  // quartiles 10 and 30
  rounds.push_back(1000);
  rounds.push_back(-500);
  const Distribution known = distribution(rounds).value();
  REQUIRE(known.outliers.size() == 2);
  CHECK(known.outliers[0].round == 42);
  CHECK(known.outliers[0].value == 1000);
  CHECK(known.outliers[1].round == 43);
  CHECK(known.outliers[1].value == -500);
  CHECK(known.more == 0);
  CHECK(known.to == 40);
  CHECK(binned(known) == 41);
}

TEST_CASE("of many outliers the farthest are listed, the others counted") {
  std::vector<double> rounds = ascending(1000);
  for (int i = 0; i < 70; ++i) rounds.push_back(10'000 + i);
  const Distribution known = distribution(rounds).value();
  CHECK(known.outliers.size() == 50);
  CHECK(known.outliers.front().value == 10'020);
  CHECK(known.more == 20);
  CHECK(binned(known) + known.outliers.size() + known.more == known.count);
}

TEST_CASE("where most rounds agree to the tick the others are no outliers") {
  std::vector<double> rounds(100, 5);
  rounds[7] = 9;
  const Distribution known = distribution(rounds).value();
  CHECK(known.outliers.empty());
  CHECK(known.bins.front() == 99);
  CHECK(known.bins.back() == 1);
}

TEST_CASE("rounds are grouped by at most sixty, those without a value left out") {
  std::vector<double> rounds = ascending(121);
  std::fill(rounds.begin() + 3, rounds.begin() + 6, engine::missing);
  const Distribution known = distribution(rounds).value();
  CHECK(known.groups.size() == 40);  // of three each
  CHECK(known.groups[0].first == 1);
  CHECK(known.groups[0].last == 3);
  CHECK(known.groups[0].least == 0);
  CHECK(known.groups[0].median == 1);
  CHECK(known.groups[0].most == 2);
  CHECK(known.groups[1].first == 7);
  CHECK(known.groups.back().last == 121);
  CHECK(known.count == 118);
}

TEST_CASE("one value is no distribution, nor is nothing") {
  CHECK_FALSE(distribution({}));
  CHECK_FALSE(distribution(std::vector<double>{engine::missing, 3}));
  CHECK_FALSE(distribution(std::vector<double>(20, 7)));
}

}  // namespace jcprof::annotator
