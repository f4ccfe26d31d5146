// SPDX-License-Identifier: Apache-2.0
#include "src/engine/schedule.hpp"

#include <algorithm>
#include <set>

#include <catch2/catch.hpp>

#include "harness/path.hpp"
#include "src/engine/random.hpp"

using namespace jcprof;
using namespace jcprof::engine;

namespace {

std::vector<Event> path_of(const std::vector<std::uint32_t>& ids) {
  std::vector<TrapId> traps;
  for (const std::uint32_t id : ids) traps.push_back(TrapId{id});
  return harness::events_of(traps);
}

using Order = std::vector<std::size_t>;

}  // namespace

TEST_CASE("random numbers are those of SplitMix64") {
  CHECK(split_mix_64(0) == 0xE220A8397B1DCDAFU);
}

TEST_CASE("a path without loops is measured whole") {
  CHECK(choose_positions(path_of({1, 2, 3}), 1) == Order{0, 1, 2, 3});
  CHECK(choose_positions({}, 1) == Order{0});
}

TEST_CASE("sixteen hits of a trap are all measured") {
  CHECK(choose_positions(path_of(std::vector<std::uint32_t>(16, 5)), 1).size() == 17);
}

TEST_CASE(
    "of more hits the first two, the last two and twelve between are measured, each with its successor") {
  std::vector<std::uint32_t> ids{1};
  for (int pass = 0; pass < 1000; ++pass) ids.insert(ids.end(), {2, 3});
  ids.push_back(4);
  const std::vector<Event> path = path_of(ids);
  const std::vector<std::size_t> chosen = choose_positions(path, 7);
  CHECK(std::ranges::is_sorted(chosen));
  const std::set<std::size_t> set(chosen.begin(), chosen.end());
  for (const std::size_t at : std::vector<std::size_t>{0, 1, 2, 3, 4, 1997, 1998, 1999, 2000, 2001, 2002}) {
    INFO(at);
    CHECK(set.contains(at));
  }
  // Two traps of 16 hits each, a successor for each at most, and the ends.
  CHECK(chosen.size() >= 32);
  CHECK(chosen.size() <= 2 * 32 + 3);
  CHECK(choose_positions(path, 7) == chosen);
  CHECK(choose_positions(path, 8) != chosen);
}

TEST_CASE("each round takes every stop once") {
  for (std::uint32_t round = 0; round < 20; ++round) {
    Order order = round_order(13, 1, round);
    std::ranges::sort(order);
    CHECK(order == Order{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  }
}

TEST_CASE("the second twin is the exact reverse of the first, which ascends and wraps around") {
  std::set<std::size_t> starts;
  for (std::uint32_t round = 0; round < 40; round += 2) {
    const Order first = round_order(10, 3, round);
    Order second = round_order(10, 3, round + 1);
    for (std::size_t i = 1; i < first.size(); ++i) CHECK(first[i] == (first[i - 1] + 1) % 10);
    std::ranges::reverse(second);
    CHECK(second == first);
    starts.insert(first.front());
  }
  CHECK(starts.size() > 3);
}
