// SPDX-License-Identifier: Apache-2.0
// The noise of sums of blocks that have different numbers of rounds.
#include "src/engine/chain_noise.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

namespace jcprof::engine {
namespace {

/// Blocks that take no time; stops with normal noise of this deviation. Block b is measured in the first
/// `rounds[b]` rounds.
Fit fit_of(const std::vector<std::size_t>& rounds, double sigma, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, sigma);
  const std::size_t most = *std::ranges::max_element(rounds);
  Differences all{.blocks = std::vector<std::vector<double>>(rounds.size()),
                  .total = std::vector<double>(most, 0),
                  .gains = std::vector<double>(most, 1),
                  .sigma = sigma};
  for (std::size_t r = 0; r < most; ++r) {
    double before = normal(random);
    for (std::size_t b = 0; b < rounds.size(); ++b) {
      const double behind = normal(random);
      all.blocks[b].push_back(r < rounds[b] ? behind - before : missing);
      before = behind;
    }
  }
  return {all, Clock{}};
}

const std::vector<std::size_t> equal(6, 100);
const std::vector<std::size_t> waiting{400, 20, 20, 400};

}  // namespace

TEST_CASE("noise inside of a row of blocks cancels, and each block has that of its two stops") {
  const ChainNoise noise(fit_of(equal, 100, 1));
  // A mean of a hundred readings at each end; a typical value scatters a little more than a mean.
  CHECK(noise.own(2) == Approx(200).epsilon(0.2));
  CHECK(noise.shared(3) == Approx(100).epsilon(0.2));
  CHECK(noise.of_sum(std::vector<double>{0, 1, 1, 1, 0, 0}) == Approx(noise.own(2)).epsilon(0.1));
  CHECK(noise.of_sum(std::vector<double>{0, 3, 0, 1, 0, 0}) == Approx(10 * noise.own(2)).epsilon(0.1));
}

TEST_CASE("rounds of one block more do not lessen the noise of a row") {
  const std::vector<double> row{1, 1, 1, 1};
  const double evenly = ChainNoise(fit_of({20, 20, 20, 20}, 100, 2)).of_sum(row);
  CHECK(ChainNoise(fit_of({20, 400, 20, 20}, 100, 2)).of_sum(row) > 0.9 * evenly);
  CHECK(ChainNoise(fit_of({400, 400, 400, 400}, 100, 2)).of_sum(row) == Approx(evenly / 20).epsilon(0.3));
}

TEST_CASE("a variance is known as well as its noisy part") {
  const std::vector<double> all{1, 1, 1, 1};
  CHECK(ChainNoise(fit_of({50, 50, 50, 50}, 100, 3)).equal_rounds(all) == Approx(50));
  const ChainNoise noise(fit_of(waiting, 100, 3));
  CHECK(noise.equal_rounds(std::vector<double>{1, 0, 0, 0}) == Approx(400));
  CHECK(noise.equal_rounds(std::vector<double>{0, 1, 0, 0}) == Approx(20));
  // A reading of a stop adds 1 / 400² and 1 / 20² in each of 20 rounds, and the first of these in 380 more.
  const double rare = 1.0 / (20 * 20);
  const double often = 1.0 / (400 * 400);
  const double sum = 20 * (rare + often) + 380 * often;
  const double squares = 20 * (rare + often) * (rare + often) + 380 * often * often;
  CHECK(noise.equal_rounds(std::vector<double>{1, 0, 1, 0}) == Approx(sum * sum / squares));
}

TEST_CASE("an interval covers the sum of a row of which some blocks were measured less often") {
  const std::vector<double> all{1, 1, 1, 1};
  int covered = 0;
  constexpr int seeds = 1000;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Fit fit = fit_of(waiting, 100, static_cast<std::uint64_t>(seed));
    const std::vector<BlockRange> row{{.begin = 0, .end = 4}};
    Swayed sum = fit.sum_of(row);
    sum.equal_rounds = ChainNoise(fit).equal_rounds(all);
    const Interval interval = fit.interval_of(sum, 0.05);
    covered += interval.low <= 0 && 0 <= interval.high ? 1 : 0;
  }
  CHECK(covered >= 0.935 * seeds);
}

}  // namespace jcprof::engine
