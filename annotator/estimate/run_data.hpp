// SPDX-License-Identifier: Apache-2.0
// Everything of one run that estimates rest on, read from its store in one go. It is checked: each event
// names a trap of the map, so that later stages need not look again.
#pragma once

#include <string>
#include <vector>

#include "src/core/store.hpp"

namespace jcprof::annotator {

struct RunData {
  RunInfo run;
  TrapMap map;
  std::vector<StoredInput> inputs;
  std::vector<StoredPath> paths;  // by input, then variant
  std::vector<StoredSample> samples;
  std::vector<StoredCalibration> calibrations;
  std::vector<StoredLook> looks;  // by number
  std::vector<Warning> warnings;
  bool is_cut = false;   // paths are only the beginnings of the real ones
  bool is_void = false;  // a warning says why nothing of it is reliable
};

/// The newest run of `store`. UserError when there is none, or when its parts do not fit each other.
RunData load_newest_run(const Store& store);

}  // namespace jcprof::annotator
