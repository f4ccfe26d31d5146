// SPDX-License-Identifier: Apache-2.0
// Finds the line or function that takes most, with a confidence for the whole answer. It judges differences
// and not intervals: noise that moves two times alike does not tell which is larger.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "annotator/estimate/measured_path.hpp"

namespace jcprof::annotator {

struct HotPlace {
  std::string path;
  std::size_t line = 0;
  std::string function;
};

/// The true hottest is one of these, the first being the most likely.
struct Hottest {
  std::vector<HotPlace> among;  // empty: fewer than two were measured
  double confidence = 0;        // 0.95; more where a single one is surer than that
};

/// The candidates: places, and what each takes.
struct Contest {
  std::vector<HotPlace> places;
  std::vector<Sum> sums;
};

/// Those that may be the largest (multiple comparisons with the best; Hsu 1981): all but those that the top
/// one exceeds by more than noise does, by one-sided tests of their differences that hold together
/// (Bonferroni). `alpha`: of a single interval that delivers 95 %.
Hottest hottest(const MeasuredPath& path, const Contest& contest, double alpha);

}  // namespace jcprof::annotator
