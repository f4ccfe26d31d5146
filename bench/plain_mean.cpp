// SPDX-License-Identifier: Apache-2.0
#include "bench/plain_mean.hpp"

#include <cmath>
#include <cstddef>
#include <numeric>

namespace jcprof::bench {

double plain_mean(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double limit = 3 * std::sqrt(squares / count);
  double sum = 0;  // never of nothing: the value next to the mean stays
  std::size_t kept = 0;
  for (const double value : values) {
    if (std::abs(value - mean) > limit) continue;
    sum += value;
    ++kept;
  }
  return sum / static_cast<double>(kept);
}

}  // namespace jcprof::bench
