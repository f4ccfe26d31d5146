// SPDX-License-Identifier: Apache-2.0
// Makes published numbers of the costs of a path's parts. It adds their share of the whole, their averages,
// and the uncertainty that the target's speed leaves in times.
#pragma once

#include "annotator/estimate/measured_path.hpp"

namespace jcprof::annotator {

/// The whole that all parts of a path are compared with.
struct Whole {
  double blocks = 0;  // their sum
  double shared = 1;  // what shares are fractions of
  double drift = 0;   // engine::speed_doubt of the run
  std::size_t lines = 1;
};

/// Adds the share. The ticks get room for a target that ran faster and slower during the run; a share does
/// not notice that.
Estimate published(Estimate estimate, const Whole& whole);
/// The same of a line, a function or a loop, with averages.
Estimate published(const MeasuredPath& path, const Sum& sum, const Whole& whole);
/// The whole command; what runs before the first stop does not scale with the speed.
Estimate published_total(const MeasuredPath& path, const Whole& whole);

}  // namespace jcprof::annotator
