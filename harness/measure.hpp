// SPDX-License-Identifier: Apache-2.0
// A run: finds the paths that the command takes, and makes the shots that their engines ask for until these
// know enough or somebody says stop. Every sample goes to the store raw, one commit a round. Estimates
// nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/judgement.hpp"
#include "harness/path_stops.hpp"
#include "harness/transport.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/project.hpp"
#include "src/core/store.hpp"
#include "src/core/trap_map.hpp"
#include "src/core/warning.hpp"
#include "src/engine/look.hpp"

namespace jcprof::harness {

struct Progress {
  std::string_view phase;  // "path", "calibration", "warm-up", "zoom", "rounds"
  std::uint64_t shots = 0;
  std::uint64_t lost = 0;      // of them
  std::uint64_t expected = 0;  // shots in all; 0: not known yet
  std::uint32_t round = 0;     // under way, or the last one
  std::uint64_t settled = 0;   // lines and functions, or blocks, that are known as well as was asked for
  std::uint64_t figures = 0;   // of so many
  double drift = 0;            // by which part the target is now slower or faster than usual
  std::optional<std::chrono::seconds> left{};  // nothing: not known yet
};
inline constexpr std::chrono::milliseconds progress_every{100};
/// Called at most as often as that, never within a timed region.
using ProgressSink = std::function<void(const Progress&)>;

struct MeasureOptions {
  engine::Precision precision = {};
  std::optional<double> zoom = 0.01;         // on long paths: the share from which a block is looked for
  std::optional<std::uint32_t> rounds = {};  // so many over all stops, whatever the precision
  std::uint64_t seed = 1;
  bool is_new_build = false;                               // a finished run is not resumed
  bool is_session = false;                                 // one of several, which is finished once
  std::string build = {};                                  // digest of what was built; empty: unknown
  std::optional<std::uint64_t> max_shots = {};             // warm-up included
  std::optional<std::chrono::milliseconds> max_time = {};  // from the first contact on
  std::string tool = "jcprof " JCPROF_VERSION;
  ProgressSink progress = {};
  // Called with why the stored run is not resumed, before the first shot of the new one.
  std::function<void(const std::string&)> obstacle = {};
  std::function<void()> begun = {};  // called once the target has answered and the run is in the store
  std::function<void(const Plan&)> plan = {};  // called once, before the first round
  std::function<void()> look = {};             // called after each look, with all of it stored
  FiguresOfPath figures = {};                  // that end the run when they are known; nothing: blocks do
  std::uint32_t calibrations = 20;             // repetitions of each kind; 0: none
  Cancellation* cancellation = nullptr;        // ends the run; nothing: that of the process
};

/// The options of the project file; the command line overrides them.
MeasureOptions options_for(const Project& project);

struct Measured {
  RunInfo run;  // state: complete (also when a budget ended it) or interrupted
  std::vector<Warning> warnings;
  std::uint64_t shots = 0;   // of this call
  std::uint32_t rounds = 0;  // of all calls
  bool continued = false;    // a stored run was resumed
  bool is_done = false;      // the goal of this call is met, or its rounds are made
};

/// Resumes the store's last run when that is of the same project, target, traps, inputs and path, whatever
/// seed, precision and budget it had; else begins a new one. Where its rounds reach the goal already no
/// further round is made. An interrupted run has everything committed.
/// UserErrors of the transport pass through, with everything committed as well; it is one too when the time
/// is over before the first round.
Measured measure(const Project& project, const TrapMap& map, Transport& transport, Store& store,
                 const MeasureOptions& options);

}  // namespace jcprof::harness
