// SPDX-License-Identifier: Apache-2.0
// The middle of values of unequal precision and their scatter around it, neither of which values far out
// move. Pure.
#pragma once

#include <vector>

namespace jcprof::annotator {

inline double square_of(double x) {
  return x * x;
}

struct Shift {
  double value = 0;
  double variance = 0;  // of the noise within sessions
};

struct Location {
  double value = 0;
  double variance = 0;
};

/// Scatter of values around their middle.
struct Scatter {
  double squares = 0;  // without the noise within sessions
  double counts = 0;   // degrees of freedom
};

/// A value tells less of a scatter of that variance, the larger the noise within its sessions is; at most 1.
double weight_for_scatter(double scatter, double noise);

/// Weighted by precision; what lies far out counts little or nothing: Tukey's biweight (Beaton & Tukey 1974).
/// `between`: a variance on top of the values' own. Not of nothing.
Location middle_of(const std::vector<Shift>& shifts, double between);

/// The square of a value's distance from the middle, in variances, as it counts for the scatter: what lies
/// far out counts as if it lay less far (Huber's proposal 2).
double square_that_counts(const Shift& shift, double middle, double between);
/// Its mean of normal values.
inline constexpr double mean_square_that_counts = 0.9205;
/// The part of the degrees of freedom that such squares have.
inline constexpr double efficiency_of_squares = 0.7;

/// The variance beyond the noise within sessions with which the values lie around their middle as a normal
/// distribution does. Values that lie far out, as changed lines do, count as if they lay less far.
Scatter scatter_of(const std::vector<Shift>& shifts, double layout);

}  // namespace jcprof::annotator
