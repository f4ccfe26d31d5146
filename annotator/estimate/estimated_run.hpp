// SPDX-License-Identifier: Apache-2.0
// A run between its data and its Profile: its paths and samples, with the most frequent path measured. All
// functions that make a part of the Profile take it.
#pragma once

#include <vector>

#include "annotator/estimate/measured_path.hpp"
#include "annotator/estimate/published.hpp"
#include "annotator/estimate/run_data.hpp"

namespace jcprof::annotator {

/// A run as all stages see it. Its members refer to each other, so it is never moved.
struct Run {
  Run(const RunData& from, double alpha)
      : data(from),
        paths(taken_paths(data.paths)),
        samples(data.samples),
        cost(trap_cost(data.calibrations, alpha)),
        view{.map = data.map,
             .paths = paths,
             .samples = samples,
             .cost = cost,
             .looks = data.looks,
             .alpha = alpha,
             .is_void = data.is_void},
        usual(view, paths.front(), paths.front().inputs) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  const RunData& data;
  std::vector<TakenPath> paths;
  Samples samples;
  TrapCost cost;
  RunView view;
  MeasuredPath usual;  // the most frequent path
};

}  // namespace jcprof::annotator
