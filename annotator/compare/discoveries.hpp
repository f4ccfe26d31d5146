// SPDX-License-Identifier: Apache-2.0
// Which of many differences count, so that few of those are false. Pure.
#pragma once

#include <cstdint>
#include <vector>

namespace jcprof::annotator {

inline constexpr double false_discoveries = 0.05;

/// How the chances of the same comparison depend on each other.
enum class Dependence : std::uint8_t {
  none,  // or they rise together (Benjamini & Hochberg 1995)
  any    // (Benjamini & Yekutieli 2001)
};

/// The largest weighted chance that counts as a discovery; below 0: none does. No more than 5 % of the
/// discoveries are false on average.
double chance_to_count(std::vector<double> chances, Dependence dependence = Dependence::none);

/// Weights with a mean of 1. All are 0 where the `sizes`, which are 0 or more, are.
std::vector<double> weights_of(const std::vector<double>& sizes);

/// Chances divided by weights whose mean is 1 hold the rate of false discoveries (Genovese, Roeder &
/// Wasserman 2006): those of more weight need less proof. 1 where there is no weight.
double weighted_chance(double chance, double weight);

}  // namespace jcprof::annotator
