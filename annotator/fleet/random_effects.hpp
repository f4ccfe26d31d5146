// SPDX-License-Identifier: Apache-2.0
// The mean of values that differ by more than their own errors, and by how much more: the random-effects
// model of meta-analyses. The variance between them is Paule & Mandel's (1982), its interval the Q profile
// (Viechtbauer 2007). The mean has the interval of Hartung & Knapp (2001), never narrower than without it
// (Roever, Knapp & Friede 2015). Pure.
#pragma once

#include <vector>

#include "annotator/compare/robust.hpp"
#include "src/engine/statistics.hpp"

namespace jcprof::annotator {

using engine::Interval;

struct RandomEffects {
  Interval mean;      // 95 %
  Interval between;   // a standard deviation, 95 %; 0 or more
  double within = 0;  // that of the values' own errors: the root of the middle variance
};

/// With fewer than two values nothing is known but the mean.
RandomEffects random_effects(const std::vector<Shift>& values);

}  // namespace jcprof::annotator
