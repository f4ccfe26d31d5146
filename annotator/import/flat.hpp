// SPDX-License-Identifier: Apache-2.0
// A profile that knows functions and which one calls which, but no call tree, as callgrind's and gprof's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "annotator/record/recording.hpp"

namespace jcprof::annotator {

struct FlatFunction {
  StoredSymbol symbol;  // all but the number
  double own = 0;
};

struct FlatLine {
  std::uint32_t function = 0;
  std::string path;
  std::size_t line = 0;
  double own = 0;
};

/// Functions are numbered by their place in the list, in arcs too.
struct FlatProfile {
  RunInfo info;
  std::vector<FlatFunction> functions;
  std::vector<StoredArc> arcs;
  std::vector<FlatLine> lines;  // of each function in one piece
  std::vector<Warning> warnings;
  bool is_sampled = false;  // a function of cost 0 may have run
};

/// The recording of it: functions side by side below one thread.
RecordedRun recorded_run(FlatProfile profile);

/// A row of one run, without an interval. `total`: of which it is a share.
StoredEstimate single_row(EstimateScope scope, double ticks, double total);

/// Nobody knows what it cost.
void forget_own(StoredEstimate& row);
void forget_inclusive(StoredEstimate& row);

/// Numbers the rows, the dearest first.
void put_hottest_first(std::vector<StoredEstimate>& rows);

}  // namespace jcprof::annotator
