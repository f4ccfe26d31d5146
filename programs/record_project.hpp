// SPDX-License-Identifier: Apache-2.0
// jcprof record --project: a tree with traps that record is made and built, and the project's trigger run in
// it.
#pragma once

#include <cstdint>
#include <optional>

#include "annotator/record/recording.hpp"
#include "harness/record/recording.hpp"
#include "programs/options.hpp"
#include "src/core/output_folder.hpp"
#include "src/core/project.hpp"
#include "src/core/store.hpp"
#include "src/core/trap_map.hpp"
#include "src/core/warning.hpp"

namespace jcprof::cli {

/// A recording, and on what it was made.
struct RecordedProject {
  harness::Recorded recorded;
  TrapMap map;
  RunInfo target;    // device, agent, simulated, and the unit of ticks that nothing calibrates
  std::string note;  // of the agent: a warning of what is recorded; empty: none
};

/// A program that runs once for each shot, and for a recording.
bool is_started_anew(const Project& project);

/// By how much the recorded run was slower than the middle one of the plain runs, shared out over the events
/// that it has more, in processor time of all threads. In doubt by how much one more plain run may differ
/// (95 %), or by what comes once in a run. 0: unknown, as where events found no room in memory.
harness::OwnCost cost_of_event(const PlainRuns& plain, double recorded_ns,
                               const harness::RecordProgress& recorded);

/// A warning (without_traps.hpp) where the recording's own time is longer than a plain run may be (95 %) by a
/// quarter or more, and it is known how long each thread waited.
std::optional<Warning> changed_by_traps(const PlainRuns& plain, const annotator::RecordedRun& run);

/// Asks about the programs that a recording runs. UserError where the project or `runs` suits none.
void check_and_ask(const Project& project, const RecordOptions& options);

/// Runs without traps: a tree for that is made and built in "plain" of `folder`, and recorded with its entry
/// and the user's own markers alone. None behind an agent. None where a step or a run fails; jcprof says so.
PlainRuns runs_without_traps(const Project& project, const OutputFolder& folder,
                             const RecordOptions& options);

/// In `folder`, which is held. UserError where a step of the project fails. A program that does not stand
/// behind an agent is recorded in one run.
RecordedProject record_project(const Project& project, const OutputFolder& folder,
                               const RecordOptions& options);

}  // namespace jcprof::cli
