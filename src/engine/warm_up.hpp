// SPDX-License-Identifier: Apache-2.0
// When has a target warmed up? A state machine fed with pairs of times (first stop, end); it has no clock and
// asks for nothing. Method: windows of 3 pairs, and the medians of the last 10 windows compared, first half
// with second (a test over two windows would stop in the middle of a slow exponential).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace jcprof::engine {

class WarmUp {
 public:
  enum class State : std::uint8_t { warming, steady, given_up };

  static constexpr std::size_t pairs_per_window = 3;
  static constexpr std::size_t windows_compared = 10;
  static constexpr std::size_t most_windows = 1000;

  /// One pair: the times at which the first stop and the end answered, in ticks.
  void add(double first, double end);
  State state() const { return state_; }
  /// How much the last windows still moved, as a fraction; for the warning after giving up.
  double drift() const { return drift_; }

 private:
  void judge();

  std::vector<double> window_;   // differences of the pairs so far
  std::vector<double> medians_;  // of the last windows, oldest first
  std::size_t windows_ = 0;
  double drift_ = 0;
  State state_ = State::warming;
};

}  // namespace jcprof::engine
