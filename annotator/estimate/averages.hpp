// SPDX-License-Identifier: Apache-2.0
// The mean of a time over all rounds, and where the rounds lie, beside its typical value. The two differ
// where single runs cost very differently. Readers must know that.
#pragma once

#include <cstddef>
#include <optional>

#include "src/engine/statistics.hpp"

namespace jcprof::annotator {

class MeasuredPath;
struct Estimate;
struct Sum;

/// These are of the rounds as measured, and hold the noise of measuring. None is below 0.
struct Averages {
  engine::Interval mean;  // every round counts alike, however far out
  engine::Interval median;
  double q05 = 0;
  double q95 = 0;
  double chance = 1;     // that noise alone sets the mean so far from the typical value
  bool differs = false;  // the mean is another one than the typical value, and by an amount that counts
};

/// The averages of a sum of blocks. Nothing where too few rounds have it.
std::optional<Averages> averages_of(const MeasuredPath& path, const Sum& sum);
/// The averages of the whole command.
std::optional<Averages> averages_of_total(const MeasuredPath& path);

/// Says where the mean of `estimate`, as one of `count` that are asked about, contradicts the typical value
/// by an amount that counts in a command of `whole` ticks.
void judge_mean(Estimate& estimate, std::size_t count, double whole);

}  // namespace jcprof::annotator
