// SPDX-License-Identifier: Apache-2.0
#include "src/engine/pilot.hpp"

namespace jcprof::engine {

double rounds_needed(const Pilot& pilot, const Precision& precision) {
  if (pilot.whole <= 0) return missing;
  // A uniform pause leaves a difference of two readings on a grid of period f with a deviation of f/√6.
  const double half_width_of_one = pilot.grid > 0 ? 2.17 * 0.41 * pilot.grid : 1.96 * 1.2533 * pilot.sigma;
  const double root = half_width_of_one / (precision.absolute * pilot.whole);
  return root * root;
}

}  // namespace jcprof::engine
