// SPDX-License-Identifier: Apache-2.0
#include "src/engine/schedule.hpp"
#include "src/engine/edge_costs.hpp"

#include <algorithm>
#include <array>
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

TEST_CASE("sixteen passes of an edge are all measured") {
  CHECK(choose_positions(path_of(std::vector<std::uint32_t>(17, 5)), 1).size() == 18);
}

TEST_CASE("of more passes sixteen are measured, each with its successor") {
  std::vector<std::uint32_t> ids{1};
  for (int pass = 0; pass < 1000; ++pass) ids.insert(ids.end(), {2, 3});
  ids.push_back(4);
  const std::vector<Event> path = path_of(ids);
  const std::vector<std::size_t> chosen = choose_positions(path, 7);
  CHECK(std::ranges::is_sorted(chosen));
  const std::set<std::size_t> set(chosen.begin(), chosen.end());
  // What is passed once is measured: the way into the loop, and out of it.
  for (const std::size_t at : std::vector<std::size_t>{0, 1, 2000, 2001, 2002}) {
    INFO(at);
    CHECK(set.contains(at));
  }
  // Two edges of 16 passes each, a successor for each at most, and what is passed once.
  CHECK(chosen.size() >= 32);
  CHECK(chosen.size() <= 2 * 32 + 5);
  CHECK(choose_positions(path, 7) == chosen);
  CHECK(choose_positions(path, 8) != chosen);
}

TEST_CASE("an edge that is seldom passed is measured, though its traps are passed often") {
  std::vector<std::uint32_t> ids;
  for (int pass = 0; pass < 1000; ++pass) ids.push_back(pass == 637 ? 3 : 2);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<std::size_t> chosen = choose_positions(path_of(ids), seed);
    for (const std::size_t at : {636U, 637U, 638U}) CHECK(std::ranges::binary_search(chosen, at));
  }
}

TEST_CASE("further samples of passes add to the first one, and are drawn for themselves") {
  std::vector<std::uint32_t> ids{1};
  for (int pass = 0; pass < 1000; ++pass) ids.insert(ids.end(), {2, 3});
  const std::vector<Event> path = path_of(ids);
  const auto positions = sample_positions(path, 7, most_passes, 3);
  Order first;
  std::array<std::size_t, 3> sizes{};
  for (const auto& [at, sample] : positions) {
    ++sizes.at(sample);
    if (sample == 0) first.push_back(at);
    // Each is an end of a pass whose other end is of no later sample.
    const auto is_measured = [&](std::size_t other) {
      return positions.contains(other) && positions.at(other) <= sample;
    };
    CHECK((is_measured(at + 1) || is_measured(at - 1)));
  }
  CHECK(first == choose_positions(path, 7));
  CHECK(sizes[1] > sizes[0] / 2);
  CHECK(sizes[2] > sizes[0] / 2);
  CHECK(sample_positions(path, 7, most_passes, 3) == positions);
}

TEST_CASE("as many samples may be drawn as can be estimated together") {
  CHECK(most_samples(path_of(std::vector<std::uint32_t>(17, 5))) == 1);
  CHECK(most_samples(path_of(std::vector<std::uint32_t>(1000, 5))) == 16);
  std::vector<std::uint32_t> ids;
  for (int pass = 0; pass < 1000; ++pass)
    for (std::uint32_t id = 1; id <= 40; ++id) ids.push_back(id);
  const std::uint32_t samples = most_samples(path_of(ids));
  CHECK(samples > 1);
  CHECK(samples < 16);
  CHECK(samples * 40 * 32 * 41 <= most_cells);
}

TEST_CASE("a sampled pass is measured with the event behind it, so that the block is measured whole") {
  std::vector<std::uint32_t> ids;
  for (int pass = 0; pass < 1000; ++pass) ids.insert(ids.end(), {2, 3});
  const std::vector<Event> path = path_of(ids);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<std::size_t> chosen = choose_positions(path, seed);
    std::size_t whole = 0;
    for (std::size_t i = 1; i < chosen.size(); ++i) whole += chosen[i] == chosen[i - 1] + 1 ? 1 : 0;
    CHECK(whole >= 2 * most_passes);
  }
}

TEST_CASE("each eighth of a loop is sampled, and in it each pass is as likely as any other") {
  constexpr int seeds = 400;
  constexpr std::size_t passes = 1600;
  constexpr std::size_t eighth = passes / 8;
  constexpr std::size_t bins = 20;
  std::vector<std::uint32_t> ids;
  for (std::size_t pass = 0; pass < passes; ++pass) ids.insert(ids.end(), {2, 3, 4});
  const std::vector<Event> path = path_of(ids);
  std::vector<int> times(bins);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const std::vector<std::size_t> chosen = choose_positions(path, seed);
    for (std::size_t begin = 0; begin < passes; begin += eighth) {
      int sampled = 0;
      for (std::size_t pass = begin; pass < begin + eighth; ++pass) {
        const bool is_measured =
            std::ranges::binary_search(chosen, 3 * pass) && std::ranges::binary_search(chosen, 3 * pass + 1);
        sampled += is_measured ? 1 : 0;
        if (is_measured && begin >= passes / 2) ++times[(pass - begin) * bins / eighth];
      }
      CHECK(sampled >= 1);
    }
  }
  // In the second half 400 times 4 in 20 bins, and some 400 times 0.8 of the part that grew: 96 each, give or
  // take five standard deviations of 10.
  for (const int count : times) {
    CHECK(count > 46);
    CHECK(count < 150);
  }
}

TEST_CASE("early passes are sampled more densely than late ones: noise grows with the time since the start") {
  std::vector<std::uint32_t> ids;
  for (std::size_t pass = 0; pass < 10'000; ++pass) ids.push_back(2);
  const std::vector<std::size_t> chosen = choose_positions(path_of(ids), 1);
  const auto before = [&](std::size_t at) { return std::ranges::lower_bound(chosen, at) - chosen.begin(); };
  CHECK(before(11) >= 4);
  CHECK(before(101) - before(11) >= 3);
}

TEST_CASE("each edge knows how often it is passed") {
  CHECK(edge_passes(path_of({1, 2, 1, 2, 3})) == std::vector<std::size_t>{2, 1, 2, 1, 1});
}

TEST_CASE("under an exact clock all passes are measured, up to some thousand stops") {
  std::vector<std::uint32_t> ids;
  for (int pass = 0; pass < 65; ++pass) ids.insert(ids.end(), {2, 3, 4});
  CHECK(choose_positions(path_of(ids), 1, measured_passes(path_of(ids), true)).size() == ids.size() + 1);
  CHECK(measured_passes(path_of(ids), false) == most_passes);
  while (ids.size() < 100'000) ids.insert(ids.end(), {2, 3, 4});
  const std::size_t chosen = choose_positions(path_of(ids), 1, measured_passes(path_of(ids), true)).size();
  CHECK(chosen > 1500);
  CHECK(chosen <= 4097);
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

TEST_CASE("twins of prepared rounds have the same commands, and each stop meets both of what alternates") {
  constexpr std::size_t stops = 10;
  std::set<std::size_t> counts;
  for (std::uint32_t pair = 0; pair < 40; ++pair) {
    std::vector<std::size_t> commands[2];  // by stop, how many came before it
    std::size_t made = 0;
    for (const std::uint32_t twin : {0U, 1U}) {
      const Order order = round_order(stops, 3, 2 * pair + twin);
      const std::vector<std::size_t> wholes = wholes_ahead(stops, 3, 2 * pair + twin);
      REQUIRE(wholes.size() == stops);
      commands[twin].resize(stops);
      for (std::size_t i = 0; i < stops; ++i) {
        CHECK((wholes[i] == 1 || wholes[i] == 2));
        counts.insert(wholes[i]);
        made += wholes[i];
        commands[twin][order[i]] = made++;
      }
    }
    for (std::size_t s = 0; s < stops; ++s) CHECK((commands[0][s] + commands[1][s]) % 2 == 1);
  }
  CHECK(counts == std::set<std::size_t>{1, 2});
  CHECK(wholes_ahead(stops, 3, 4) != wholes_ahead(stops, 4, 4));
}
