// SPDX-License-Identifier: Apache-2.0
#include "src/engine/warm_up.hpp"

#include <algorithm>
#include <cmath>

#include "src/engine/statistics.hpp"

namespace jcprof::engine {
namespace {

constexpr double small_change = 0.01;
constexpr double largest_change = 0.05;
// Standard error of a median of normal values is 1.2533 times that of their mean.
constexpr double median_to_mean = 1.2533;

}  // namespace

void WarmUp::add(double first, double end) {
  if (state_ != State::warming) return;
  window_.push_back(end - first);
  if (window_.size() < pairs_per_window) return;
  medians_.push_back(median(window_));
  window_.clear();
  ++windows_;
  if (medians_.size() > windows_compared) medians_.erase(medians_.begin());
  judge();
}

void WarmUp::judge() {
  if (medians_.size() == windows_compared) {
    const auto half = medians_.begin() + windows_compared / 2;
    const std::vector<double> early(medians_.begin(), half);
    const std::vector<double> late(half, medians_.end());
    const double p = median(early);
    const double q = median(late);
    std::vector<double> residues;
    residues.reserve(medians_.size());
    for (const double value : early) residues.push_back(std::abs(value - p));
    for (const double value : late) residues.push_back(std::abs(value - q));
    const double se = median_to_mean * sigma_per_mad * median(residues) * std::sqrt(2.0 / 5.0);
    const double change = std::abs(q - p);
    const double scale = std::abs(q);
    drift_ = scale > 0 ? change / scale : 0;
    const double noise = se < largest_change * scale ? 2 * se : 0;
    if (change <= std::max(small_change * scale, noise) && change <= largest_change * scale)
      state_ = State::steady;
  }
  if (state_ == State::warming && windows_ >= most_windows) state_ = State::given_up;
}

}  // namespace jcprof::engine
