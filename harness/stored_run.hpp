// SPDX-License-Identifier: Apache-2.0
// A run in the store: begun there, or resumed where an earlier call left it. Measures nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/survey.hpp"
#include "harness/transport.hpp"
#include "src/core/project.hpp"
#include "src/core/store.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::harness {

/// The row of a run that begins now, with this version of jcprof. `build`: digest of what was built; empty:
/// unknown.
RunInfo run_on(const Description& target, const Project& project, const TrapMap& map,
               const std::string& build);

class StoredRun {
 public:
  struct Subject {
    const TrapMap& map;
    const std::vector<StoredInput>& inputs;
    Survey& survey;
    bool is_new_build = false;  // since the last run: a finished one is of another
  };
  /// Resumes the newest run that is of the same build, project, target and traps, and has the same inputs and
  /// paths: the survey's variants are those of the store then (recall_paths). It is the newest one from here
  /// on, and has the goal of `info`. Where there is none, begins the run that `info` describes.
  StoredRun(Store& store, RunInfo info, const Subject& of);

  const RunInfo& info() const { return info_; }
  bool continues() const { return continues_; }
  /// Why the newest run is not resumed, as a clause; empty where one is, or where there is none.
  const std::string& obstacle() const { return obstacle_; }

  // Of the earlier call that it continues; empty where there is none.
  const std::vector<StoredSample>& samples() const { return samples_; }
  /// The earlier call had the same seed, precision and zoom: it asked for the stops that this one asks for.
  bool has_same_goal() const { return has_same_goal_; }
  const std::vector<Warning>& earlier_warnings() const { return earlier_warnings_; }
  std::uint64_t next_sequence() const { return next_sequence_; }
  bool is_calibrated() const { return is_calibrated_; }

  /// Those of all paths, in their order.
  const std::vector<StoredLook>& looks() const { return looks_; }
  /// After so many shots of this call.
  void keep(StoredLook look, std::uint64_t shots);
  void keep(std::span<const CalibrationTime> times);
  void end(RunState state, const std::vector<Warning>& warnings);

 private:
  std::string obstacle_to(const RunInfo& last, const Subject& of) const;
  void resume(const RunInfo& last, const Survey& survey);

  Store& store_;
  RunInfo info_;
  bool continues_ = false;
  std::string obstacle_;
  bool is_calibrated_ = false;
  std::uint64_t next_sequence_ = 0;
  bool has_same_goal_ = false;
  std::vector<StoredSample> samples_;
  std::vector<Warning> earlier_warnings_;
  std::vector<StoredLook> looks_;
};

}  // namespace jcprof::harness
