// SPDX-License-Identifier: Apache-2.0
// From what parts of a path cost to what is published of them: with their share of the whole, with averages,
// and with what the target's speed leaves open of times.
#pragma once

#include "annotator/estimate/measured_path.hpp"

namespace jcprof::annotator {

/// What all parts of a path are held against.
struct Whole {
  double blocks = 0;  // their sum
  double shared = 1;  // what shares are fractions of
  double drift = 0;   // engine::speed_doubt of the run
  std::size_t lines = 1;
};

/// With its share. Its ticks have room for a target that ran faster and slower during the run; a share does
/// not notice that.
Estimate published(Estimate estimate, const Whole& whole);
/// The same of a line, a function or a loop, with averages.
Estimate published(const MeasuredPath& path, const Sum& sum, const Whole& whole);
/// The whole command; what runs before the first stop does not scale with the speed.
Estimate published_total(const MeasuredPath& path, const Whole& whole);

}  // namespace jcprof::annotator
