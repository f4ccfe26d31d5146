// SPDX-License-Identifier: Apache-2.0
// Each test breaks one condition of a grid.
#include "src/engine/locked_grid.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

namespace jcprof::engine {
namespace {

constexpr double period = 1000;

/// Three rounds that agree, of stops these many periods apart.
Times times_of(const std::vector<double>& distances) {
  std::vector<std::vector<double>> columns(1, std::vector<double>(3, 7 * period));
  for (const double distance : distances) columns.emplace_back(3, columns.back().front() + distance * period);
  return Times(columns);
}

double grid_in(const Times& times, double longest = 100 * period) {
  std::vector<std::uint32_t> edges(times.blocks());
  std::iota(edges.begin(), edges.end(), 1U);
  return find_locked_grid(times, {},
                          {.edges = edges, .finest = 0.8 * period, .alone = 0, .longest = longest});
}

/// Sizes in turn, each a little more or less than whole periods: the cosine of the mean phase.
std::vector<double> nearly(const std::vector<double>& sizes, int turns, double cosine) {
  const double off = std::acos(cosine) / (2 * std::acos(-1.0));
  std::vector<double> distances;
  for (int turn = 0; turn < turns; ++turn)
    for (const double size : sizes) distances.push_back(size + (distances.size() % 2 == 0 ? off : -off));
  return distances;
}

const std::vector<double> many{3,  17, 8,  29, 12, 5,  23, 14, 7,  26, 19,
                               31, 4,  21, 10, 34, 15, 37, 6,  28, 39, 9};

}  // namespace

TEST_CASE("distances of whole periods are a grid") {
  CHECK(grid_in(times_of({1, 2, 5, 3, 4})) == Approx(period).epsilon(0.01));
}

TEST_CASE("four sizes are no grid without a reading that is a period off, and five are") {
  Times four = times_of({1, 2, 3, 4, 1, 2, 3, 4});
  CHECK(grid_in(four) == 0);
  CHECK(grid_in(times_of({1, 2, 3, 4, 5, 2, 3, 4})) > 0);
  std::vector<std::vector<double>> columns = four.columns();
  for (const std::size_t stop : {1, 3, 5}) columns[stop][0] += 2 * period;
  CHECK(grid_in(Times(columns)) == Approx(period).epsilon(0.01));
}

TEST_CASE("times that fall by whole periods are no grid") {
  std::vector<double> distances = many;
  CHECK(grid_in(times_of(distances)) > 0);
  distances[5] = -2;
  CHECK(grid_in(times_of(distances)) == 0);
}

TEST_CASE("four sizes are no grid with readings that are no whole periods off") {
  std::vector<std::vector<double>> columns = times_of({1, 2, 3, 4, 1, 2, 3, 4}).columns();
  for (const std::size_t stop : {1, 3, 5, 7}) columns[stop][0] += 2.4 * period;
  CHECK(grid_in(Times(columns)) == 0);
}

TEST_CASE("steps longer than a driver's are the code's own") {
  CHECK(grid_in(times_of({1, 2, 5, 3, 4}), 0.9 * period) == 0);
}

TEST_CASE("many distances far from whole periods are no grid") {
  CHECK(grid_in(times_of(nearly(many, 4, 0.85))) > 0);
  CHECK(grid_in(times_of(nearly(many, 4, 0.6))) == 0);
}

TEST_CASE("many distances of a few sizes that are nearly whole periods are no grid") {
  const std::vector<double> sizes{1, 2, 3, 4, 5};
  CHECK(grid_in(times_of(nearly(sizes, 7, 0.99))) > 0);
  CHECK(grid_in(times_of(nearly(sizes, 7, 0.8))) == 0);
}

}  // namespace jcprof::engine
