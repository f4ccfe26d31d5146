// SPDX-License-Identifier: Apache-2.0
// The profile of a recorded run (docs/record.md), which was estimated when it was stored, and of whatever run
// is the newest of a store.
#pragma once

#include "annotator/estimate/estimates.hpp"
#include "annotator/record/recording.hpp"

namespace jcprof::annotator {

/// UserError when the newest run was not recorded.
RecordedRun load_recorded_run(const Store& store);

/// Pure. Functions of hooks bring sources along that have no digest.
Profile recorded_profile(const RecordedRun& recorded);

/// The newest run of a store.
struct NewestRun {
  Profile profile;            // read where it was recorded, estimated where it was measured
  TrapMap map;                // of its build
  StoredRecording recording;  // empty of a run that was no recording
};
NewestRun newest_run(const Store& store);

}  // namespace jcprof::annotator
