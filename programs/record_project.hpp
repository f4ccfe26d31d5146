// SPDX-License-Identifier: Apache-2.0
// jcprof record --project: a tree with traps that record is made and built, and the project's trigger run in
// it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "harness/record/recording.hpp"
#include "programs/permission.hpp"
#include "src/core/output_folder.hpp"
#include "src/core/project.hpp"
#include "src/core/store.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::cli {

struct ProjectRecording {
  Project project;
  std::filesystem::path out;  // beside what jcprof profile makes there, or in a folder of its own
  std::uint32_t runs = 1;
  harness::LogOptions log;
  bool is_quiet = false;
  const OutputFolder* folder = nullptr;  // `out`, held
  Consent consent = Consent::to_be_asked;
};

/// What was recorded, and on what.
struct RecordedProject {
  harness::Recorded recorded;
  TrapMap map;
  RunInfo target;  // device, agent, simulated, and the unit of ticks that nothing calibrates
};

/// UserError where the project is of applets, is not behind an agent, or a step of it fails.
RecordedProject record_project(const ProjectRecording& wish);

}  // namespace jcprof::cli
