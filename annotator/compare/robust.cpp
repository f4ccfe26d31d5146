// SPDX-License-Identifier: Apache-2.0
#include "annotator/compare/robust.hpp"

#include <algorithm>

#include "annotator/compare/bisection.hpp"
#include "src/engine/statistics.hpp"

namespace jcprof::annotator {
namespace {

constexpr double tukey = 4.685;  // 95 % efficient where nothing lies far out

}  // namespace

double weight_for_scatter(double scatter, double noise) {
  return square_of(scatter / (noise + scatter));
}

Location middle_of(const std::vector<Shift>& shifts, double between) {
  std::vector<engine::Weighted> weighted;
  for (const Shift& shift : shifts) weighted.push_back({shift.value, 1 / (shift.variance + between)});
  Location middle{.value = engine::weighted_median(weighted)};
  constexpr int steps = 30;
  for (int step = 0; step < steps; ++step) {
    double sum = 0;
    double weights = 0;
    for (const Shift& shift : shifts) {
      const double variance = shift.variance + between;
      const double far = square_of((shift.value - middle.value) / tukey) / variance;
      if (far >= 1) continue;
      const double weight = square_of(1 - far) / variance;
      sum += weight * shift.value;
      weights += weight;
    }
    if (weights == 0) break;
    const bool is_settled = sum / weights == middle.value;
    middle = {sum / weights, 1 / weights};
    if (is_settled) break;
  }
  return middle;
}

double square_that_counts(const Shift& shift, double middle, double between) {
  constexpr double farthest = 4;
  return std::min(farthest, square_of(shift.value - middle) / (shift.variance + between));
}

Scatter scatter_of(const std::vector<Shift>& shifts, double layout) {
  constexpr double least = 1e-18;  // values may be exact
  double counts = 0;
  for (const Shift& shift : shifts) counts += weight_for_scatter(layout, shift.variance);
  const double variance = root_of_falling(
      [&](double between) {
        const double middle = middle_of(shifts, between).value;
        double squares = 0;
        for (const Shift& shift : shifts)
          squares += weight_for_scatter(layout, shift.variance) * square_that_counts(shift, middle, between);
        return squares - mean_square_that_counts * std::max(0.0, counts - 1);
      },
      least, 1);
  // Three items do not show which one of them changed.
  constexpr double silent = 3;
  counts = efficiency_of_squares * std::max(0.0, counts - silent);
  return {.squares = counts * variance, .counts = counts};
}

}  // namespace jcprof::annotator
