// SPDX-License-Identifier: Apache-2.0
#include "src/engine/speed.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "src/engine/statistics.hpp"

namespace jcprof::engine {
namespace {

// A window has to average noise away, and to be short beside what drifts.
constexpr std::size_t most_windows = 12;
constexpr std::size_t fewest_in_window = 4;
constexpr std::size_t fewest_windows = 2;

double squares_round(std::span<const double> values, double middle) {
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return squares;
}

}  // namespace

double speed_doubt(std::span<const double> gains) {
  const std::size_t windows = std::min(most_windows, gains.size() / fewest_in_window);
  if (windows < fewest_windows) return 0;
  const double middle = mean_of(gains);
  double between = 0;
  double within = 0;
  for (std::size_t w = 0; w < windows; ++w) {
    const std::size_t begin = w * gains.size() / windows;
    const std::size_t end = (w + 1) * gains.size() / windows;
    const std::span<const double> window = gains.subspan(begin, end - begin);
    const double mean = mean_of(window);
    between += (mean - middle) * (mean - middle) / static_cast<double>(windows - 1);
    within += squares_round(window, mean) / static_cast<double>(gains.size() - windows);
  }
  const double noise = within * static_cast<double>(windows) / static_cast<double>(gains.size());
  const double drift = std::max(0.0, between - noise);
  const double of_middle = within / static_cast<double>(gains.size());
  return std::hypot(middle - 1, deviations_95 * std::sqrt(drift + of_middle));
}

}  // namespace jcprof::engine
