// SPDX-License-Identifier: Apache-2.0
#include "src/engine/chain_noise.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

namespace jcprof::engine {

/// The noise of a stop shows in what sways the blocks that it ends: half of it, of each. Single variances are
/// of few rounds, so neighbours on the path are taken together.
ChainNoise::ChainNoise(const Fit& fit) {
  std::vector<double> of_blocks;
  for (std::size_t b = 0; b < fit.blocks(); ++b) {
    const std::array range{BlockRange{.begin = b, .end = b + 1}};
    const std::vector<double> sways = fit.sum_of(range).of_units;
    const auto units = static_cast<double>(std::max<std::size_t>(2, sways.size()));
    const double squares = std::inner_product(sways.begin(), sways.end(), sways.begin(), 0.0);
    rounds_.push_back(std::max(1.0, static_cast<double>(fit.rounds(b))));
    of_blocks.push_back(squares * units / (units - 1) * rounds_.back());
  }
  of_blocks = means_near(of_blocks, neighbours);
  for (std::size_t s = 0; !of_blocks.empty() && s <= of_blocks.size(); ++s) {
    const std::size_t before = s == 0 ? 0 : s - 1;
    const std::size_t behind = std::min(s, of_blocks.size() - 1);
    of_reading_.push_back((of_blocks[before] + of_blocks[behind]) / 4);
  }
}

double ChainNoise::readings(std::size_t stop) const {
  const double before = stop > 0 ? rounds_[stop - 1] : 0;
  const double behind = stop < rounds_.size() ? rounds_[stop] : 0;
  return std::max(before, behind);
}

double ChainNoise::own(std::size_t block) const {
  return std::max(of_reading_[block] / rounds_[block], variance_of_tick) +
         std::max(of_reading_[block + 1] / rounds_[block], variance_of_tick);
}

double ChainNoise::shared(std::size_t stop) const {
  return std::max(of_reading_[stop] / readings(stop), variance_of_tick);
}

std::vector<double> ChainNoise::with_sum(std::span<const double> factors) const {
  std::vector<double> result;
  for (std::size_t b = 0; b < factors.size(); ++b) {
    result.push_back(own(b) * factors[b]);
    if (b > 0) result.back() -= shared(b) * factors[b - 1];
    if (b + 1 < factors.size()) result.back() -= shared(b + 1) * factors[b + 1];
  }
  return result;
}

double ChainNoise::of_sum(std::span<const double> factors) const {
  const std::vector<double> covariances = with_sum(factors);
  return std::max(0.0, std::inner_product(factors.begin(), factors.end(), covariances.begin(), 0.0));
}

/// A round adds this to the variance if it measured the blocks of at least `level` rounds.
double ChainNoise::of_round(std::span<const double> factors, double level) const {
  const auto part = [&](std::size_t block) {
    return rounds_[block] < level ? 0 : factors[block] / rounds_[block];
  };
  double variance = 0;
  double before = 0;
  for (std::size_t s = 0; s <= factors.size(); ++s) {
    const double behind = s < factors.size() ? part(s) : 0;
    variance += (before - behind) * (before - behind) * of_reading_[s];
    before = behind;
  }
  return variance;
}

double ChainNoise::equal_rounds(std::span<const double> factors) const {
  double sum = 0;
  double squares = 0;
  double below = 0;
  for (const double level : std::set<double>(rounds_.begin(), rounds_.end())) {
    const double one = of_round(factors, level);
    sum += (level - below) * one;
    squares += (level - below) * one * one;
    below = level;
  }
  return squares > 0 ? sum * sum / squares : 0;
}

}  // namespace jcprof::engine
