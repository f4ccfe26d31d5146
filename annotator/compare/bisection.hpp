// SPDX-License-Identifier: Apache-2.0
// Where a function that falls passes zero. Pure.
#pragma once

#include <cstdint>

#include <boost/math/tools/roots.hpp>

namespace jcprof::annotator {

/// `low` where it is below zero even there, `high` where it is above zero even there.
template <class Function>
double root_of_falling(const Function& function, double low, double high) {
  if (function(low) <= 0) return low;
  if (function(high) >= 0) return high;
  constexpr int bits = 30;
  std::uintmax_t most_steps = 60;
  return boost::math::tools::bisect(function, low, high, boost::math::tools::eps_tolerance<double>(bits),
                                    most_steps)
      .first;
}

}  // namespace jcprof::annotator
