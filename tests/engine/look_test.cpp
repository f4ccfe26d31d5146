// SPDX-License-Identifier: Apache-2.0
// From rounds to blocks, in tables so small that what comes out can be said by hand.
#include "src/engine/look.hpp"

#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "src/engine/trend.hpp"

namespace jcprof::engine {
namespace {

using Values = std::vector<double>;

/// The times of a path whose blocks took these values, by round; the first stop answers at 1000.
Times times_of(const std::vector<Values>& blocks) {
  std::vector<Values> columns{Values(blocks.front().size(), 1000)};
  for (const Values& block : blocks) {
    columns.push_back(columns.back());
    for (std::size_t r = 0; r < block.size(); ++r) columns.back()[r] += block[r];
  }
  return Times(columns);
}

constexpr Clock fine{};
constexpr Clock exact{.method = Method::exact};

Clock coarse(double tick) {
  return {.method = Method::coarse, .tick = tick};
}

}  // namespace

TEST_CASE("what is five standard deviations away is dropped before a mean, what is four away is not") {
  // Deviations from 100: four times 0, then 5, 5, 10, 10, 30, 900. Their median, 5, is a standard deviation
  // of 7.4.
  const Values values{100, 110, 90, 100, 100, 105, 95, 100, 130, 1000};
  const Differences all = differences(times_of({values}), coarse(1));
  CHECK(all.sigma == Approx(1.4826 * 5));
  Values kept = values;
  kept.pop_back();
  CHECK(present(all.blocks[0]) == kept);
}

TEST_CASE("the spread of what is left is pooled over blocks, with a degree of freedom less for each") {
  // Squares of 250 with 7 degrees of freedom, and of 18 with 8.
  const Differences all = differences(
      times_of({{100, 110, 90, 100, 100, 105, 95, 100, 1000}, {10, 13, 7, 10, 10, 10, 10, 10, 10}}),
      coarse(4));
  CHECK(all.sd == Approx(std::sqrt((250.0 + 18.0) / (7 + 8))));
}

TEST_CASE("no cut goes through readings: three steps of the clock away they are near where it would go") {
  Values values(30, 100);
  values.push_back(115);
  CHECK(present(differences(times_of({values}), coarse(5)).blocks[0]).size() == 31);
  values.back() = 200;
  CHECK(present(differences(times_of({values}), coarse(5)).blocks[0]).size() == 30);
}

TEST_CASE("readings that agree are taken for no better than half of what all blocks scatter") {
  const Differences all{.sd = 8};
  // t(3 degrees of freedom, 0.975) = 3.182446, of the mean of four; a sum of four blocks scatters twice as
  // much.
  CHECK(interval_of({50, 50, 50, 50}, all, coarse(1), 0.05).high == Approx(50 + 3.182446 * 4 / 2));
  CHECK(interval_of({50, 50, 50, 50}, all, coarse(1), 0.05, 4).high == Approx(50 + 3.182446 * 8 / 2));
}

TEST_CASE("of an exact clock the ends of the spread decide what is hot") {
  const Values values{5, 15, 10, 10, 10, 10};
  const auto hot_from = [&](double threshold) {
    return hotness(values, {}, exact, {.hot = threshold / 1000}, 1000);
  };
  CHECK(hot_from(4) == Hot::yes);
  CHECK(hot_from(8) == Hot::undecided);
  CHECK(hot_from(12) == Hot::undecided);
  CHECK(hot_from(16) == Hot::no);
}

TEST_CASE("of many blocks each needs more evidence to be called hot") {
  const Values fourteen(14, 5);  // enough for one block: hot_test.cpp
  CHECK(hotness(fourteen, {.blocks = std::vector<Values>(1)}, fine, {.hot = 0.001}, 1000) == Hot::yes);
  CHECK(hotness(fourteen, {.blocks = std::vector<Values>(100)}, fine, {.hot = 0.001}, 1000) ==
        Hot::undecided);
}

TEST_CASE("one noisy block does not hide that the middle of the readings is narrow") {
  Values quiet;
  Values noisy;
  for (int i = 0; i < 12; ++i) {
    const int sign = i / 2 % 2 == 0 ? 1 : -1;  // twins are alike
    quiet.push_back(100 + sign);
    noisy.push_back(5000 + 1000 * sign);
  }
  const Times times = times_of({quiet, noisy});
  // Half of the deviations are 1, the others 1000. A fifth of |x| of a normal x lies below 0.2533 sigma.
  CHECK(differences(times, fine).sigma == Approx(1.4826 * 500.5));
  CHECK(look(times, fine, {}).sigma == Approx(1 / 0.2533));
}

TEST_CASE("readings that come in two heaps are told from those that are spread evenly") {
  Values spread;
  Values heaps;
  for (int i = 0; i < 200; ++i) {
    spread.push_back(1000 + i / 2);
    heaps.push_back(i / 2 % 2 == 0 ? 1000 : 1100);
  }
  CHECK_FALSE(look(Times({spread, spread}), fine, {}).is_bimodal);
  CHECK(look(Times({heaps, heaps}), fine, {}).is_bimodal);
}

TEST_CASE(
    "the gain of a round is how much slower than usual it was, and the last tenth of them shows a drift") {
  Values gains(20, 1);
  gains[0] = gains[1] = 1.2;
  gains[2] = gains[3] = 0.9;
  gains[18] = gains[19] = 1.05;
  std::vector<Values> blocks(5);
  for (const double gain : gains)
    for (std::size_t b = 0; b < blocks.size(); ++b)
      blocks[b].push_back(gain * std::vector{100, 2000, 300, 4000, 500}[b]);
  const Differences all = differences(times_of(blocks), fine);
  REQUIRE(all.gains.size() == gains.size());
  for (std::size_t r = 0; r < gains.size(); ++r) CHECK(all.gains[r] == Approx(gains[r]).epsilon(1e-9));
  for (const double value : all.blocks[3]) CHECK(value == Approx(4000));
  CHECK(look(times_of(blocks), fine, {}).drift == Approx(0.05));
}

TEST_CASE("a trend that noise at the end hides is told by the other stops") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise;
  const auto trend_of_rise = [&](double rise) {
    Times times(40);
    for (int round = 0; round < 20; ++round) {
      Values values;
      for (int stop = 0; stop < 40; ++stop)
        values.push_back(1000 + 100 * stop * (1 + rise * round / 19) +
                         (stop == 39 ? 200 : 5) * noise(random));
      times.add_round(values);
    }
    CHECK(trend_of(times.behind_first()) == 0);
    return differences(times, fine).trend;
  };
  CHECK(trend_of_rise(0.06) == Approx(0.04).margin(0.01));
  CHECK(trend_of_rise(0) == 0);
}

TEST_CASE("through three stops no gain is fitted") {
  const Differences all =
      differences(times_of({{100, 100, 110, 110, 100, 100}, {50, 50, 55, 55, 50, 50}}), fine);
  CHECK(all.gains == Values(6, 1));
}

TEST_CASE("a block is settled at the absolute half width or at a part of its share, whichever is larger") {
  // Shares of 90, 5 and 5 %, each known to 0.4 points.
  const auto settled = [](double absolute, double relative) {
    const Times times =
        times_of({{896, 900, 904, 896, 900, 904}, {46, 50, 54, 46, 50, 54}, {46, 50, 54, 46, 50, 54}});
    return look(times, exact, {.absolute = absolute, .relative = relative}).settled;
  };
  CHECK(settled(0.005, 0) == 3);
  CHECK(settled(0.003, 0) == 0);
  CHECK(settled(0.003, 0.05) == 1);
  CHECK(settled(0.005, 0.05) == 3);
}

TEST_CASE(
    "a block whose readings happen to agree is no better known than the others, and a line is open as a "
    "whole") {
  // 80 % known to 3 points, 20 % to 0.1: the median of the half widths is 1.55 points, and 1 would be enough.
  const Times times = times_of({{770, 800, 830, 770, 800, 830}, {199, 200, 201, 199, 200, 201}});
  const auto settled = [](const Look& look) {
    return std::vector<bool>{look.blocks[0].settled, look.blocks[1].settled};
  };
  const Look apart = look(times, exact, {});
  CHECK(settled(apart) == std::vector<bool>{true, false});
  CHECK_FALSE(apart.blocks[0].open);
  const std::vector<std::uint32_t> one_line{7, 7};
  const Look together = look(times, exact, {}, one_line);
  CHECK(settled(together) == std::vector<bool>{true, false});
  CHECK(together.blocks[0].open);
  CHECK(together.blocks[1].open);
}

TEST_CASE("steps of a clock matter above half the noise and half of what is to be known") {
  CHECK(is_coarse(6, {.whole = 1000, .sigma = 10}, {.absolute = 0.005}));
  CHECK_FALSE(is_coarse(4.9, {.whole = 1000, .sigma = 10}, {.absolute = 0.005}));
  CHECK(is_coarse(2.6, {.whole = 1000, .sigma = 1}, {.absolute = 0.005}));
  CHECK_FALSE(is_coarse(2.4, {.whole = 1000, .sigma = 1}, {.absolute = 0.005}));
}

}  // namespace jcprof::engine
