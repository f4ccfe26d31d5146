// SPDX-License-Identifier: Apache-2.0
#include "annotator/fleet/random_effects.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/chi_squared.hpp>

#include "annotator/compare/bisection.hpp"
#include "annotator/compare/sessions.hpp"

namespace jcprof::annotator {
namespace {

struct WeightedMean {
  double value = 0;
  double weights = 0;
};

WeightedMean weighted_mean(const std::vector<Shift>& values, double between) {
  WeightedMean mean;
  for (const Shift& one : values) {
    const double weight = 1 / (one.variance + between);
    mean.value += weight * one.value;
    mean.weights += weight;
  }
  mean.value /= mean.weights;
  return mean;
}

/// The generalised Q: about as much as the degrees of freedom, where `between` is right. It falls with it.
double squares_at(const std::vector<Shift>& values, double between) {
  const double mean = weighted_mean(values, between).value;
  double squares = 0;
  for (const Shift& one : values) squares += square_of(one.value - mean) / (one.variance + between);
  return squares;
}

/// The variance between the values at which Q is so much; 0 where it is less even there.
double between_at(const std::vector<Shift>& values, double squares) {
  if (squares_at(values, 0) <= squares) return 0;
  double high = 1e-12;
  while (squares_at(values, high) > squares) high *= 2;
  return root_of_falling([&](double variance) { return squares_at(values, variance) - squares; }, 0, high);
}

/// No clock and no arithmetic is finer, as a part of what is measured. A weight stays finite.
std::vector<Shift> with_least_variance(std::vector<Shift> values) {
  constexpr double finest = 1e-6;
  double size = 0;
  for (const Shift& one : values) size = std::max(size, std::abs(one.value));
  if (size == 0) size = 1;
  for (Shift& one : values) one.variance = std::max(one.variance, square_of(finest * size));
  return values;
}

}  // namespace

RandomEffects random_effects(const std::vector<Shift>& given) {
  const std::vector<Shift> values = with_least_variance(given);
  RandomEffects effects;
  std::vector<double> variances;
  for (const Shift& one : values) variances.push_back(one.variance);
  if (values.empty()) return effects;
  effects.within = std::sqrt(engine::median(std::move(variances)));
  effects.mean.value = values.front().value;
  if (values.size() < 2) return effects;
  const auto freedom = static_cast<double>(values.size() - 1);
  const boost::math::chi_squared_distribution<double> squares(freedom);
  const double between = between_at(values, freedom);
  effects.between = {std::sqrt(between), std::sqrt(between_at(values, boost::math::quantile(squares, 0.975))),
                     std::sqrt(between_at(values, boost::math::quantile(squares, 0.025)))};
  const WeightedMean mean = weighted_mean(values, between);
  const double scale = std::max(1.0, squares_at(values, between) / freedom);
  const double half = deviations_of(0.95, freedom) * std::sqrt(scale / mean.weights);
  effects.mean = {mean.value, mean.value - half, mean.value + half};
  return effects;
}

}  // namespace jcprof::annotator
