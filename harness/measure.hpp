// SPDX-License-Identifier: Apache-2.0
// The measuring loop: finds the path, warms up, and times rounds of shots until they are done or somebody
// says stop. Every sample goes to the store raw, one commit a round. Estimates nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/transport.hpp"
#include "src/core/project.hpp"
#include "src/core/store.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::harness {

struct Progress {
  std::string_view phase;  // "path", "calibration", "warm-up", "rounds"
  std::uint64_t shots = 0;
  std::uint64_t expected = 0;  // 0: not known yet
  std::uint32_t round = 0;
  std::uint32_t rounds = 0;
};
/// Called at most every tenth of a second, never within a timed region.
using ProgressSink = std::function<void(const Progress&)>;

struct MeasureOptions {
  std::uint32_t rounds = 50;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> max_shots = {};  // warm-up included
  std::optional<std::chrono::milliseconds> max_time = {};
  std::string tool = "jcprof " JCPROF_VERSION;
  ProgressSink progress = {};
  std::uint32_t calibrations = 20;                 // repetitions of each kind; 0: none
  const std::atomic<bool>* interrupted = nullptr;  // ends the run after the shot in flight once it is set
};

/// What the project file says; the command line overrides it.
MeasureOptions options_for(const Project& project);

struct Measured {
  RunInfo run;  // state: complete (also when a budget ended it) or interrupted
  std::vector<std::string> warnings;
  std::uint64_t shots = 0;  // of this call
  bool continued = false;   // an unfinished run was gone on with
};

/// Goes on with the store's last run when that is unfinished and of the same project, traps, seed, inputs and
/// path; else begins a new one. An interrupted run has everything committed.
/// UserErrors of the transport pass through, with everything committed as well.
Measured measure(const Project& project, const TrapMap& map, Transport& transport, Store& store,
                 const MeasureOptions& options);

}  // namespace jcprof::harness
