// SPDX-License-Identifier: Apache-2.0
// jcprof record --project: a tree with traps that record is made and built, and the project's trigger run in
// it.
#pragma once

#include "harness/record/recording.hpp"
#include "programs/options.hpp"
#include "src/core/output_folder.hpp"
#include "src/core/project.hpp"
#include "src/core/store.hpp"
#include "src/core/trap_map.hpp"

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

/// In `folder`, which is held. UserError where the project is of applets, or a step of it fails. A program
/// that does not stand behind an agent is recorded in one run.
RecordedProject record_project(const Project& project, const OutputFolder& folder,
                               const RecordOptions& options);

}  // namespace jcprof::cli
