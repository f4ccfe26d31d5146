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

TEST_CASE("a sampled hit is measured with the event behind it, so that the block is measured whole") {
  std::vector<std::uint32_t> ids;
  for (int pass = 0; pass < 1000; ++pass) ids.insert(ids.end(), {2, 3});
  const std::vector<Event> path = path_of(ids);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<std::size_t> chosen = choose_positions(path, seed);
    std::size_t whole = 0;
    for (std::size_t i = 1; i < chosen.size(); ++i) whole += chosen[i] == chosen[i - 1] + 1 ? 1 : 0;
    CHECK(whole >= 2 * most_hits);
  }
}

TEST_CASE("hits that are all measured need nothing behind them") {
  std::vector<std::uint32_t> ids;
  for (std::size_t pass = 0; pass < most_hits; ++pass) ids.insert(ids.end(), {2, 3, 3, 3});
  const std::vector<std::size_t> chosen = choose_positions(path_of(ids), 1);
  const std::set<std::size_t> set(chosen.begin(), chosen.end());
  std::size_t behind = 0;
  for (std::size_t pass = 0; pass < most_hits; ++pass) behind += set.contains(4 * pass + 1) ? 1 : 0;
  CHECK(behind < most_hits);
}

TEST_CASE("of the hits between the ends each is as likely as any other to be measured") {
  constexpr int seeds = 400;
  std::vector<int> times(100);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    // What stands between the hits is measured in any case, so that a hit is there only if it was chosen.
    std::vector<std::uint32_t> ids;
    for (int pass = 0; pass < 100; ++pass) ids.insert(ids.end(), {2, static_cast<std::uint32_t>(10 + pass)});
    for (const std::size_t at : choose_positions(path_of(ids), seed))
      if (at % 2 == 0 && at < 200) ++times[at / 2];
  }
  for (const std::size_t end : {0U, 1U, 98U, 99U}) CHECK(times[end] == seeds);
  // Twelve of 96: fifty times, give or take five standard deviations of 6.6.
  for (std::size_t hit = 2; hit < 98; ++hit) {
    CHECK(times[hit] > 17);
    CHECK(times[hit] < 83);
  }
}

TEST_CASE("looks follow each other after four rounds, later after a quarter more, always in pairs of twins") {
  std::vector<std::uint32_t> looks{first_look};
  while (looks.size() < 8) looks.push_back(look_after(looks.back()));
  CHECK(looks == std::vector<std::uint32_t>{10, 14, 18, 24, 30, 38, 48, 60});
  // An exact clock is first looked at after five rounds.
  CHECK(look_after(5) == 10);
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
