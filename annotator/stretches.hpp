// SPDX-License-Identifier: Apache-2.0
// From raw samples to differences: a table of rounds by stretches. A stretch lies between two neighbouring
// measured stops of the path. Here the costs of the traps themselves are taken off; nothing is averaged.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "annotator/attribution.hpp"
#include "annotator/run_data.hpp"
#include "annotator/statistics.hpp"

namespace jcprof::annotator {

/// What traps cost, from the run's calibrations; zero where it was not calibrated.
struct TrapCost {
  Interval pass;      // of an unarmed pass, or of one while another trap is armed
  Interval counting;  // what a pass of the armed trap costs on top of that
  // What a stop costs that a command does not which runs to its end: the exception itself, and what unwinding
  // costs more than returning, for each frame and each guard in it.
  Interval stop;
  Interval frame;
  Interval guard;
};

TrapCost trap_cost(const std::vector<StoredCalibration>& calibrations, double alpha);

inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();
inline bool is_missing(double value) {
  return std::isnan(value);
}

/// Those that are not missing.
std::vector<double> present(const std::vector<double>& values);
/// Missing where none is present.
double median_of_present(const std::vector<double>& values);

/// Between two neighbouring stops, or from the last one to the end of the command.
struct Stretch {
  std::size_t begin = 0;       // position on the path where it begins; its blocks are [begin, end)
  std::size_t end = 0;         // of the next stop; the length of the path for the end of the command
  std::vector<double> rounds;  // its cost in each round, or missing
  std::vector<double> filled;  // the same, with a lost shot's two stretches sharing what they cost together
};

struct Stretches {
  std::vector<Stretch> all;    // along the path
  std::vector<double> totals;  // T(end) of each round without the cost of traps, or missing
  std::vector<double> entry;   // T(first stop) of each round, or missing
  std::size_t rounds = 0;
  std::vector<std::string> warnings;
};

struct WalkedPath {
  std::span<const Event> events;
  std::span<const Unwinding> unwinding;  // one an event
};

Stretches differences(const RunData& data, const WalkedPath& path, const TrapCost& cost);

}  // namespace jcprof::annotator
