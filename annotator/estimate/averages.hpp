// SPDX-License-Identifier: Apache-2.0
// What a time is beside its typical value: its mean over all rounds, and where the rounds lie. The two part
// where single runs cost very differently, and then a reader has to be told.
#pragma once

#include <cstddef>
#include <optional>

#include "src/engine/statistics.hpp"

namespace jcprof::annotator {

class MeasuredPath;
struct Estimate;
struct Sum;

/// Of the rounds as measured, the noise of measuring in them. Never below 0.
struct Averages {
  engine::Interval mean;  // every round counts alike, however far out
  engine::Interval median;
  double q05 = 0;
  double q95 = 0;
  double chance = 1;     // that noise alone sets the mean so far from the typical value
  bool differs = false;  // the mean is another one than the typical value, and by an amount that counts
};

/// Of a sum of blocks. Nothing where too few rounds have it.
std::optional<Averages> averages_of(const MeasuredPath& path, const Sum& sum);
/// Of the whole command.
std::optional<Averages> averages_of_total(const MeasuredPath& path);

/// Says where the mean of `estimate`, as one of `count` that are asked about, contradicts the typical value.
void judge_mean(Estimate& estimate, std::size_t count);

}  // namespace jcprof::annotator
