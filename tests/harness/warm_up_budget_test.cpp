// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include <catch2/catch.hpp>

#include "harness/warm_up_budget.hpp"

namespace jcprof::harness {
namespace {

using std::chrono::seconds;

/// So many shots of a second each, one by one, until the budget is spent.
int shots_until_spent(WarmUpBudget budget) {
  int shots = 0;
  while (!budget.is_spent() && shots < 10'000) {
    budget.spend(1, seconds{1});
    ++shots;
  }
  return shots;
}

}  // namespace

TEST_CASE("a quarter of the shots, or of the time, warms up") {
  CHECK(shots_until_spent({400, {}, 1}) == 100);
  CHECK(shots_until_spent({{}, seconds{400}, 1}) == 100);
  CHECK(shots_until_spent({4000, seconds{400}, 1}) == 100);
  CHECK(shots_until_spent({{}, {}, 1}) == 10'000);
}

TEST_CASE("each path has its own part of the warm-up") {
  CHECK(shots_until_spent({800, {}, 2}) == 100);
  CHECK(shots_until_spent({{}, seconds{1600}, 4}) == 100);
}

TEST_CASE("a warm-up is long enough to show a steady target, so long as it leaves half of the time") {
  CHECK(shots_until_spent({40, {}, 1}) == 60);
  CHECK(shots_until_spent({{}, seconds{160}, 1}) == 60);
  CHECK(shots_until_spent({{}, seconds{40}, 1}) == 20);
  CHECK(shots_until_spent({{}, seconds{-2}, 2}) == 0);
}

}  // namespace jcprof::harness
