// SPDX-License-Identifier: Apache-2.0
#include "annotator/compare/discoveries.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace jcprof::annotator {

double chance_to_count(std::vector<double> chances, Dependence dependence) {
  std::ranges::sort(chances);
  const auto all = static_cast<double>(chances.size());
  double rate = false_discoveries;
  if (dependence == Dependence::any) {
    double harmonic = 0;
    for (std::size_t i = 1; i <= chances.size(); ++i) harmonic += 1 / static_cast<double>(i);
    rate /= harmonic;
  }
  for (std::size_t i = chances.size(); i-- > 0;)
    if (chances[i] <= rate * static_cast<double>(i + 1) / all) return chances[i];
  return -1;
}

std::vector<double> weights_of(const std::vector<double>& sizes) {
  const double sum = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  std::vector<double> weights;
  for (const double size : sizes)
    weights.push_back(sum > 0 ? size * static_cast<double>(sizes.size()) / sum : 0);
  return weights;
}

double weighted_chance(double chance, double weight) {
  return weight > 0 ? chance / weight : 1;
}

}  // namespace jcprof::annotator
