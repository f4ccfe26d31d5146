// SPDX-License-Identifier: Apache-2.0
#include "src/engine/hot.hpp"

#include <cmath>
#include <numbers>

namespace jcprof::engine {
namespace {

// The sharpest for some hundred values, and not blunt for tens.
constexpr double mixture = 8;

double log_beta(double a, double b) {
  return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
}

}  // namespace

Hot is_above(std::span<const double> values, double threshold, double alpha) {
  double above = 0;
  double below = 0;
  for (const double value : values) {
    if (value > threshold) ++above;
    if (value < threshold) ++below;
  }
  const double evidence = (above + below) * std::numbers::ln2 + log_beta(mixture + above, mixture + below) -
                          log_beta(mixture, mixture);
  if (evidence < std::log(1 / alpha)) return Hot::undecided;
  return above > below ? Hot::yes : Hot::no;
}

}  // namespace jcprof::engine
