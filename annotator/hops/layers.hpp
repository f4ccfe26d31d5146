// SPDX-License-Identifier: Apache-2.0
// The time of a round trip by layers: differences between calls of growing depth.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "annotator/text_table.hpp"
#include "src/core/types.hpp"
#include "src/engine/statistics.hpp"

namespace jcprof::annotator {

using engine::Interval;

struct Layer {
  std::string name;
  Interval ticks;
  bool resolved = false;  // false: not told from nothing
};

/// Facts of the measurement.
struct LadderRun {
  std::string project;
  std::string device;
  std::string agent;
  ClockUnit unit = ClockUnit::ns;
  double hz = 0;  // of cycles; 0: unknown
  bool simulated = false;
  bool exact = false;  // the clock repeats itself: intervals are the spread of the rounds
};

struct Layers {
  LadderRun run;
  std::size_t rounds = 0;
  std::vector<Layer> layers;  // shallowest first
  Interval total;             // of the deepest call
};

/// A layer is the difference of the medians of two neighbouring rungs, so the layers sum to the median of the
/// deepest. Intervals hold 95 %: rounds are drawn again and again, each with all its rungs (paired bootstrap,
/// percentiles: Efron 1979), so that what a whole round has too much cancels. Infinite below seven rounds.
/// `rungs` are at least one, of the same number of rounds, above 0.
Layers layers_of(LadderRun run, std::span<const Rung> rungs);

/// In whole ticks, which add up as they are printed.
std::string to_text(const Layers& layers, const TableStyle& style = {});

/// `{"format": "jcprof-layers", "version": 1, …}`
std::string to_json(const Layers& layers);

}  // namespace jcprof::annotator
