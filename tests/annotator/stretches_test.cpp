// SPDX-License-Identifier: Apache-2.0
// Sums of stretches within a round, and what shares a stretch out, in tables that are filled by hand.
#include "annotator/estimate/stretches.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include "annotator/estimate/attribution.hpp"
#include "annotator/estimate/division.hpp"
#include "tests/annotator/trap_maps.hpp"

namespace jcprof::annotator {
namespace {

using engine::is_missing;
using engine::missing;

constexpr engine::Clock exact{.method = Method::exact};

/// `reached(stop, round)` for each stop and round, from 0.
Readings readings_of(std::vector<std::size_t> positions, std::size_t rounds,
                     const std::function<double(std::size_t stop, std::size_t round)>& reached) {
  Readings readings{.stops = std::move(positions)};
  std::vector<std::vector<double>> columns;
  for (std::size_t s = 0; s < readings.stops.size(); ++s) {
    auto& column = columns.emplace_back();
    readings.lost.emplace_back();
    for (std::size_t r = 0; r < rounds; ++r) column.push_back(reached(s, r));
  }
  readings.times = engine::Times(columns);
  return readings;
}

std::vector<std::size_t> positions_up_to(std::size_t last) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i <= last; ++i) positions.push_back(i);
  return positions;
}

/// Stop 20 of 23 is lost in round 3. What lies in front of it takes 300, behind it 50, all else 100; in round
/// 3 both together take 30 more.
double with_a_gap(std::size_t stop, std::size_t round) {
  if (stop == 20 && round == 3) return missing;
  double reached = 100 * static_cast<double>(stop);
  if (stop >= 20) reached += 200;
  if (stop >= 21) reached += (round == 3 ? 30 : 0) - 50;
  return reached;
}

Stretches stretches_with_a_gap(std::size_t not_asked = 0) {
  Readings readings = readings_of(positions_up_to(22), 5, [&](std::size_t stop, std::size_t round) {
    return round == 3 && stop >= 1 && stop <= not_asked ? missing : with_a_gap(stop, round);
  });
  readings.lost[20] = {3};
  return Stretches(readings, exact, 0.05);
}

double sum_in_round_3(const Stretches& stretches, std::size_t begin, std::size_t end) {
  const std::array range{StretchRange{.begin = begin, .end = end}};
  return stretches.sum(range)[3];
}

}  // namespace

TEST_CASE("a stop that was lost is filled in: both sides get their usual times, and share what is over") {
  // 19 stretches of 100, and 300 with half of the 30.
  CHECK(sum_in_round_3(stretches_with_a_gap(), 0, 20) == Approx(19 * 100 + 300 + 15));
}

TEST_CASE("a share of stretches is that part of their sum") {
  const std::array range{StretchRange{.begin = 1, .end = 19, .share = 0.25}};
  CHECK(stretches_with_a_gap().sum(range)[3] == Approx(450));
}

TEST_CASE("in a round that runs slower the sums are those of the usual speed") {
  Readings readings = readings_of(positions_up_to(4), 8, [](std::size_t stop, std::size_t round) {
    return (round == 3 ? 1.1 : 1.0) * 1000 * static_cast<double>(stop);
  });
  CHECK(sum_in_round_3(Stretches(readings, {}, 0.05), 0, 4) == Approx(4000));
}

TEST_CASE("a round of folded twins has the mean of both") {
  // Every second command takes 100 longer: in a round that begins at an even stop, and not in its twin.
  Readings readings = readings_of(positions_up_to(4), 12, [](std::size_t stop, std::size_t round) {
    return 1000 * static_cast<double>(stop) + (stop % 2 == round % 2 ? 100 : 0);
  });
  const Stretches stretches(readings, {}, 0.05);
  const std::array first{StretchRange{.begin = 0, .end = 1}};
  CHECK(stretches.sum(first) == std::vector<double>(6, 1000));
}

TEST_CASE("on a coarse clock no sum counts a round with a difference that is far out") {
  Readings readings = readings_of(positions_up_to(3), 8, [](std::size_t stop, std::size_t round) {
    return 10000 * static_cast<double>(stop) + (stop == 1 && round == 3 ? 1e6 : 0);
  });
  const Stretches stretches(readings, {.method = Method::coarse, .tick = 1000}, 0.05);
  CHECK(is_missing(sum_in_round_3(stretches, 0, 2)));
  CHECK(sum_in_round_3(stretches, 2, 3) == 10000);
}

TEST_CASE("a sum of fewer than twenty stretches is not known where one of its ends was filled in") {
  CHECK(is_missing(sum_in_round_3(stretches_with_a_gap(), 1, 20)));
  CHECK(is_missing(sum_in_round_3(stretches_with_a_gap(), 20, 22)));
  CHECK(sum_in_round_3(stretches_with_a_gap(), 1, 19) == 1800);
}

TEST_CASE("a round that lost more than a twentieth of what it asked for is filled in nowhere") {
  // 20 stops were asked for, then 19.
  CHECK_FALSE(is_missing(sum_in_round_3(stretches_with_a_gap(3), 0, 20)));
  CHECK(is_missing(sum_in_round_3(stretches_with_a_gap(4), 0, 20)));
}

TEST_CASE("what was lost in one of two twins is filled in where the twins are one") {
  // Every second command is 2000 late: twins are folded, and rows 6 and 7 are the third round.
  Readings readings = readings_of(positions_up_to(22), 40, [](std::size_t stop, std::size_t round) {
    if (stop == 20 && round == 7) return missing;
    return 100 * static_cast<double>(stop) + ((round + stop) % 2 == 0 ? 2000 : 0);
  });
  readings.lost[20] = {7};
  const Stretches stretches(readings, {}, 0.05);
  const std::array range{StretchRange{.begin = 0, .end = 20}};
  const std::vector<double> sums = stretches.sum(range);
  REQUIRE(sums.size() == 20);
  CHECK(sums[3] == Approx(2000));
  CHECK(sums[7] == Approx(2000));
  const std::array short_range{StretchRange{.begin = 10, .end = 20}};
  CHECK(is_missing(stretches.sum(short_range)[3]));
  CHECK_FALSE(is_missing(stretches.sum(short_range)[7]));
}

TEST_CASE("of a coarse clock's whole commands the spikes are dropped, and neither noise nor steps") {
  const auto totals = [](double tick, const std::vector<double>& ends) {
    Readings readings = readings_of({0, 1}, ends.size(), [&](std::size_t stop, std::size_t round) {
      return stop == 0 ? 0 : ends[round];
    });
    return engine::present(Stretches(readings, {.method = Method::coarse, .tick = tick}, 0.05).totals());
  };
  const std::vector<double> noisy{1000, 1100, 900, 1050, 950, 1100, 900, 1000};
  CHECK(totals(1, noisy) == noisy);
  std::vector<double> stepped(20, 1000);
  stepped.push_back(1010);
  CHECK(totals(10, stepped) == stepped);
  stepped.back() = 90'000;
  CHECK(totals(10, stepped) == std::vector<double>(20, 1000));
}

// ---- division

TEST_CASE(
    "a part of a stretch may be as small as its least beside the others' most, and the other way round") {
  const Fraction share = fraction({1, 10, 8, 12}, {3, 40, 30, 60});
  CHECK(share.value == 0.25);
  CHECK(share.low == Approx(8.0 / (8 + 60 - 12)));
  CHECK(share.high == Approx(12.0 / (12 + 30 - 8)));
}

TEST_CASE("a part of a stretch of which nothing is known may be all or nothing of it") {
  const Fraction even = fraction({1, 0, 0, 0}, {4, 0, 0, 0});
  CHECK(even.value == 0.25);
  CHECK(even.low == 0);
  CHECK(even.high == 1);
  constexpr double open = std::numeric_limits<double>::infinity();
  const Fraction unbounded = fraction({1, 10, 0, open}, {2, 20, 0, open});
  CHECK(unbounded.value == 0.5);
  CHECK(unbounded.low == 0);
  CHECK(unbounded.high == 1);
  CHECK(fraction({2, 0, 0, 0}, {2, 0, 0, 0}).value == 1);
}

namespace {

/// 10 while (…) { 11 a; }, four times: traps 1 and 2 in turn. The first three blocks are measured alone, the
/// other five together.
struct LoopOfFour {
  LoopOfFour(const engine::Clock& clock, std::size_t rounds,
             const std::function<double(std::size_t stop, std::size_t round)>& reached)
      : map(MapMaker().trap(TrapKind::before, "p", 10, 11).trap(TrapKind::loop_body, "p", 11).map()),
        path(path_of({1, 2, 1, 2, 1, 2, 1, 2})),
        readings(readings_of({0, 1, 2, 3, 8}, rounds, reached)),
        stretches(readings, clock, 0.05),
        division(stretches, path, attribute(map, path)) {}

  TrapMap map;
  std::vector<Event> path;
  Readings readings;
  Stretches stretches;
  Division division;
};

}  // namespace

TEST_CASE(
    "an edge costs what its hits cost, those that are known better counting more, and scatter widens it") {
  // Two hits from trap 1 to 2: 8 to 12, and 14 always, which an exact clock knows to half a tick. No hit
  // counts as better known than the middle of 2 and 0.5: weights are 1/4 and 1/1.25^2.
  const LoopOfFour loop(exact, 3, [](std::size_t stop, std::size_t round) {
    const double first = 8 + 2 * static_cast<double>(round);
    return std::array{0.0, first, first + 5, first + 19, first + 119}[stop];
  });
  const Weight edge = loop.division.weight(4, 5);
  const double second = 1;
  const double value = (10 / 4.0 + 14 * second) / (0.25 + second);
  // Scatter with one degree of freedom, and 1.96 standard deviations of it.
  const double scatter = (value - 10) * (value - 10) / 4 + second * (14 - value) * (14 - value);
  const double half = std::sqrt(1.96 * 1.96 * scatter / (0.25 + second));
  CHECK(edge.value == Approx(value));
  CHECK(edge.low == Approx(value - half));
  CHECK(edge.high == Approx(value + half));
  // From 2 to 1 there is one hit of 5.
  const Weight back = loop.division.weight(3, 4);
  CHECK(back.value == Approx(5));
  CHECK(back.low == Approx(4.5));
  CHECK(back.high == Approx(5.5));
  // From 2 to the end none was measured alone: it gets the rest of the 100, and may be anything.
  const Weight end = loop.division.weight(7, 8);
  CHECK(end.value == Approx(100 - 2 * value - 2 * 5));
  CHECK(end.low == 0);
  CHECK(end.high == 100);
}

TEST_CASE("hits that agree are known by all their weights together") {
  const LoopOfFour loop(exact, 3, [](std::size_t stop, std::size_t) {
    return std::array{0.0, 30.0, 100.0, 130.0, 630.0}[stop];
  });
  // Two hits, known to half a tick each.
  CHECK(loop.division.weight(4, 5).high == Approx(30 + std::sqrt(1 / (4.0 + 4.0))));
}

TEST_CASE(
    "a hit with too few rounds for an interval weighs next to nothing beside one that has an interval") {
  // The third stop answers in three of twelve rounds.
  const LoopOfFour loop({}, 12, [](std::size_t stop, std::size_t round) {
    return stop == 3 && round >= 3 ? missing : std::array{0.0, 10.0, 15.0, 1015.0, 1115.0}[stop];
  });
  CHECK(loop.division.weight(4, 5).value == Approx(10).epsilon(1e-6));
}

TEST_CASE("an edge that was never measured alone shares what is left with others of that kind") {
  // The first stop never answers: of 2 to 1, as of 2 to the end, nothing is known alone; 1 to 2 takes 14.
  const LoopOfFour loop(exact, 3, [](std::size_t stop, std::size_t) {
    return stop == 1 ? missing : std::array{0.0, 0.0, 15.0, 29.0, 129.0}[stop];
  });
  CHECK(loop.division.weight(4, 5).value == Approx(14));
  for (const std::size_t block : {3U, 5U, 7U})
    CHECK(loop.division.weight(block, block + 1).value == Approx((100 - 2 * 14) / 3.0));
}

}  // namespace jcprof::annotator
