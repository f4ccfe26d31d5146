// SPDX-License-Identifier: Apache-2.0
// A run in the store: begun there, or gone on with where an earlier call left it. Measures nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "harness/survey.hpp"
#include "harness/transport.hpp"
#include "src/core/store.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::harness {

/// The rounds of a run that was broken off, to be handed in to its engines again.
class StoredRounds {
 public:
  explicit StoredRounds(std::span<const StoredSample> samples = {});

  /// A round and its twin are both there, and whole.
  bool has_twins(std::uint32_t first) const;
  /// The input of that round.
  std::uint32_t input_of(std::uint32_t round) const;
  /// One for each shot, in that order; nothing where one was not made.
  std::optional<std::vector<StoredSample>> samples_of(std::uint32_t round, std::span<const Shot> shots) const;

 private:
  std::map<std::uint32_t, std::map<Event, StoredSample>> rounds_;
};

class StoredRun {
 public:
  struct Subject {
    const TrapMap& map;
    const std::vector<StoredInput>& inputs;
    Survey& survey;
  };
  /// Goes on with the last run where that is unfinished, of the same project, target, traps, seed and
  /// precision, and has the same inputs and paths: the survey's variants are those of the store then. Else
  /// begins the run that `info` describes.
  StoredRun(Store& store, RunInfo info, const Subject& of);

  const RunInfo& info() const { return info_; }
  bool continues() const { return continues_; }

  // Of the earlier call that it continues; empty where there is none.
  const StoredRounds& rounds() const { return rounds_; }
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
  void go_on(const RunInfo& last);

  Store& store_;
  RunInfo info_;
  bool continues_ = false;
  bool is_calibrated_ = false;
  std::uint64_t next_sequence_ = 0;
  StoredRounds rounds_;
  std::vector<Warning> earlier_warnings_;
  std::vector<StoredLook> looks_;
};

}  // namespace jcprof::harness
