// SPDX-License-Identifier: Apache-2.0
// jcprof record --project: a tree with traps that record is made and built, and the project's trigger run in
// it.
#pragma once

#include <cstdint>
#include <span>

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

/// Picoseconds of an event: by how much the recorded run was slower than the middle one of the plain runs,
/// shared out. `plain_ns`: their times of the processor, ascending. 0: unknown, as where plain runs differ by
/// more than a quarter of that.
std::uint64_t cost_of_event(std::span<const double> plain_ns, double recorded_ns,
                            const harness::RecordProgress& recorded);

/// Asks about the programs that a recording runs. UserError where the project or `runs` suits none.
void check_and_ask(const Project& project, const RecordOptions& options);

/// The times of the processor that the program takes without traps, in ns, ascending: a tree for that is made
/// and built in "plain" of `folder`, and recorded with its entry alone. Empty behind an agent. UserError
/// where a step fails.
std::vector<double> times_without_traps(const Project& project, const OutputFolder& folder,
                                        const RecordOptions& options);

/// In `folder`, which is held. UserError where a step of the project fails. A program that does not stand
/// behind an agent is recorded in one run.
RecordedProject record_project(const Project& project, const OutputFolder& folder,
                               const RecordOptions& options);

}  // namespace jcprof::cli
