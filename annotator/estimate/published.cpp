// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/published.hpp"

#include <algorithm>
#include <cmath>

namespace jcprof::annotator {
namespace {

Estimate with_share(Estimate estimate, const Whole& whole) {
  // The whole command, and the upper end of a part, may be more than all blocks.
  const auto share = [&](double ticks) { return std::min(1.0, ticks / whole.shared); };
  estimate.share = {share(estimate.ticks.value), share(estimate.ticks.low), share(estimate.ticks.high)};
  return estimate;
}

Interval widened(const Interval& ticks, double half) {
  return {ticks.value, std::max(0.0, ticks.value - std::hypot(ticks.value - ticks.low, half)),
          ticks.value + std::hypot(ticks.high - ticks.value, half)};
}

/// `moved`: what of it runs at the target's speed.
Estimate with_drift(Estimate estimate, double moved, double drift) {
  if (drift == 0) return estimate;
  estimate.ticks = widened(estimate.ticks, drift * moved);
  if (estimate.averages)
    for (Interval* one : {&estimate.averages->mean, &estimate.averages->median})
      *one = widened(*one, drift * moved);
  estimate.resolved = is_resolved(estimate.ticks);
  return estimate;
}

}  // namespace

Estimate published(Estimate estimate, const Whole& whole) {
  if (!was_measured(estimate)) return estimate;
  return with_drift(with_share(estimate, whole), estimate.ticks.value, whole.drift);
}

Estimate published(const MeasuredPath& path, const Sum& sum, const Whole& whole) {
  Estimate estimate = path.estimate_of(sum);
  if (!was_measured(estimate)) return estimate;
  estimate.averages = averages_of(path, sum);
  judge_mean(estimate, whole.lines, whole.shared);
  return published(estimate, whole);
}

Estimate published_total(const MeasuredPath& path, const Whole& whole) {
  Estimate total = path.total();
  if (!was_measured(total)) return total;
  total.averages = averages_of_total(path);
  judge_mean(total, 1, whole.shared);
  return with_drift(with_share(total, whole), std::min(whole.blocks, total.ticks.value), whole.drift);
}

}  // namespace jcprof::annotator
