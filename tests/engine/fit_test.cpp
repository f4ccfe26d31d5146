// SPDX-License-Identifier: Apache-2.0
#include "src/engine/fit.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <random>

#include <catch2/catch.hpp>

namespace jcprof::engine {
namespace {

/// Rounds of `at(stop, round)`.
Fit fit_of(std::size_t stops, std::size_t rounds, const Clock& clock,
           const std::function<double(std::size_t stop, std::size_t round)>& at) {
  Times times(stops);
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<double> values;
    for (std::size_t stop = 0; stop < stops; ++stop) values.push_back(at(stop, round));
    times.add_round(values);
  }
  return Fit(differences(times, clock), clock);
}

Interval interval(const Fit& fit, std::size_t begin, std::size_t end) {
  const std::array range{BlockRange{.begin = begin, .end = end}};
  return fit.interval_of(range, 0.05);
}

constexpr Clock exact{.method = Method::exact};

}  // namespace

TEST_CASE("without noise a block takes what its ends are apart, and nothing is left open") {
  const Fit fit = fit_of(
      4, 10, {}, [](std::size_t stop, std::size_t) { return 1000 + 50.0 * static_cast<double>(stop); });
  CHECK(interval(fit, 1, 2) == Interval{50, 50, 50});
  CHECK(interval(fit, 0, 3) == Interval{150, 150, 150});
  CHECK(fit.risen(3) == 150);
}

TEST_CASE("a spike at a stop is in two differences, and their sum does not notice it") {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 3);
  std::vector<std::vector<double>> readings(12, std::vector<double>(3));
  for (auto& round : readings)
    for (std::size_t stop = 0; stop < 3; ++stop)
      round[stop] = 1000 + 100 * static_cast<double>(stop) + noise(random);
  const auto plain = [&](std::size_t stop, std::size_t round) { return readings[round][stop]; };
  const auto spiked = [&](std::size_t stop, std::size_t round) {
    return plain(stop, round) + (stop == 1 && round % 4 == 0 ? 1e6 : 0);
  };
  const Interval without = interval(fit_of(3, 12, {}, plain), 0, 2);
  const Interval with = interval(fit_of(3, 12, {}, spiked), 0, 2);
  CHECK(std::abs(with.value - without.value) < 2);
  CHECK(half_width(with) < 3 * half_width(without));
}

TEST_CASE("where noise grows along the path, a few bad readings of a quiet stop do not count for much") {
  std::mt19937_64 random(4);
  std::normal_distribution<double> noise;
  std::vector<std::vector<double>> readings(100, std::vector<double>(60));
  for (auto& round : readings)
    for (std::size_t stop = 0; stop < 60; ++stop)
      round[stop] =
          100 * static_cast<double>(stop) + 2 * std::pow(1.15, static_cast<double>(stop)) * noise(random);
  const auto plain = [&](std::size_t stop, std::size_t round) { return readings[round][stop]; };
  const auto spiked = [&](std::size_t stop, std::size_t round) {
    return plain(stop, round) + (stop == 5 && round % 10 == 0 ? 200 : 0);
  };
  CHECK(half_width(interval(fit_of(60, 100, {}, plain), 5, 6)) < 1.5);
  CHECK(half_width(interval(fit_of(60, 100, {}, spiked), 5, 6)) < 2);
}

TEST_CASE("a sum is as sure as its ends are: what lies between them cancels") {
  std::mt19937_64 random(2);
  std::normal_distribution<double> noise(0, 10);
  std::vector<std::vector<double>> readings(40, std::vector<double>(21));
  for (auto& round : readings)
    for (std::size_t stop = 0; stop <= 20; ++stop)
      round[stop] = 100 * static_cast<double>(stop) + noise(random);
  const Fit fit =
      fit_of(21, 40, {}, [&](std::size_t stop, std::size_t round) { return readings[round][stop]; });
  // Twenty blocks that knew nothing of each other would be sqrt(20) = 4.5 times as wide as one.
  CHECK(half_width(interval(fit, 0, 20)) < 2.5 * half_width(interval(fit, 5, 6)));
  CHECK(interval(fit, 0, 20).low < 2000);
  CHECK(interval(fit, 0, 20).high > 2000);
}

TEST_CASE("where readings lie in two heaps the differences of one heap decide") {
  // Half of the rounds change from one heap to the other between the two stops, as often up as down.
  const Fit fit = fit_of(2, 40, {}, [](std::size_t stop, std::size_t round) {
    const bool is_high = round % 4 == 0 ? stop == 0 : round % 4 == 1 && stop == 1;
    return 1000 + 100 * static_cast<double>(stop) + (is_high ? 5000 : 0) + static_cast<double>(round / 4 % 5);
  });
  CHECK(interval(fit, 0, 1).value == Approx(100).margin(3));
  CHECK(half_width(interval(fit, 0, 1)) < 30);
}

TEST_CASE("fewer than seven rounds have no interval, but for a clock that repeats its readings") {
  const auto at = [](std::size_t stop, std::size_t round) {
    return 100.0 * static_cast<double>(stop * (round + 1));
  };
  CHECK(std::isinf(interval(fit_of(2, 6, {}, at), 0, 1).high));
  CHECK(std::isfinite(interval(fit_of(2, 7, {}, at), 0, 1).high));
  CHECK(interval(fit_of(2, 6, exact, at), 0, 1) == Interval{350, 100, 600});
  CHECK(std::isinf(interval(fit_of(2, 0, exact, at), 0, 1).high));
}

TEST_CASE("a sum of which one block has too few rounds has no interval") {
  const Fit fit = fit_of(3, 12, {}, [](std::size_t stop, std::size_t round) {
    return stop == 2 && round > 3 ? missing : 100.0 * static_cast<double>(stop);
  });
  CHECK(std::isfinite(interval(fit, 0, 1).high));
  CHECK(std::isinf(interval(fit, 0, 2).high));
  const std::array all{BlockRange{.begin = 0, .end = 2}};
  CHECK(fit.sum_of(all).rounds == 4);
  CHECK(fit.rounds(0) == 12);
}

TEST_CASE("two rounds that belong together are one in the interval") {
  // Twins err alike: 20 rounds say no more than ten.
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 10);
  std::vector<double> errors(10);
  for (double& error : errors) error = noise(random);
  const auto at = [&](std::size_t repeated) {
    return [&, repeated](std::size_t stop, std::size_t round) {
      return 100 * static_cast<double>(stop) + (stop == 1 ? errors[round / repeated] : 0);
    };
  };
  // t is 2.2622 with nine degrees of freedom either way; coarse clocks take plain means.
  const Clock coarse{.method = Method::coarse, .tick = 1};
  double squares = 0;
  double mean = 0;
  for (const double error : errors) mean += error / 10;
  for (const double error : errors) squares += (error - mean) * (error - mean);
  const double half = half_width(interval(fit_of(2, 20, coarse, at(2)), 0, 1));
  CHECK(half == Approx(2.2622 * std::sqrt(squares / 9 / 10)).epsilon(1e-4));
}

TEST_CASE("stops that noise puts before those that they follow are evened out") {
  // At 0, 10, 4, 1 and 20: those between are at 5.
  const std::array<double, 5> reached{0, 10, 4, 1, 20};
  const Fit fit = fit_of(5, 8, exact, [&](std::size_t stop, std::size_t) { return reached[stop]; });
  for (std::size_t stop = 0; stop < 5; ++stop) {
    CHECK(fit.reached(stop) == reached[stop]);
    CHECK(fit.risen(stop) == (stop == 0 ? 0 : stop == 4 ? 20 : 5));
  }
}

TEST_CASE("where the command gets faster, intervals hold the times from the first rounds to the last") {
  // The second of two blocks falls from 300 to 200; the first one stays as it is.
  std::mt19937_64 random(4);
  std::normal_distribution<double> noise(0, 1);
  constexpr std::size_t rounds = 30;
  const auto fit = [&](double fall) {
    return fit_of(3, rounds, {}, [&, fall](std::size_t stop, std::size_t round) {
      const double second = 300 - fall * static_cast<double>(round) / (rounds - 1);
      return 1000 + (stop > 0 ? 100 : 0) + (stop > 1 ? second : 0) + noise(random);
    });
  };
  const Interval falling = interval(fit(100), 1, 2);
  CHECK(falling.low < 217);  // the last third
  CHECK(falling.high > 283);
  CHECK(half_width(falling) < 120);
  CHECK(half_width(interval(fit(100), 0, 1)) < 4);
  CHECK(half_width(interval(fit(0), 1, 2)) < 4);
}

TEST_CASE("where values far out are too many for spikes, intervals hold what they tell as well") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 1);
  const auto fit = [&](double rate) {
    std::bernoulli_distribution is_dear(rate);
    // The second of three blocks takes 100, or 200.
    return fit_of(4, 400, {}, [&](std::size_t stop, std::size_t) {
      const double dear = stop > 1 && is_dear(random) ? 100 : 0;
      return 1000 + 100 * static_cast<double>(stop) + dear + noise(random);
    });
  };
  const Fit often = fit(0.4);
  CHECK(interval(often, 1, 2).low < 110);
  CHECK(interval(often, 1, 2).high > 125);
  const Fit rare = fit(0.05);
  CHECK(half_width(interval(rare, 1, 2)) < 3);
  const std::array dear{BlockRange{.begin = 1, .end = 2}};
  Swayed sum = often.sum_of(dear);
  CHECK(sum.apart > 10);
  sum.apart_of_units.clear();
  CHECK(half_width(often.interval_of(sum, 0.05)) < half_width(interval(often, 1, 2)));
}

}  // namespace jcprof::engine
