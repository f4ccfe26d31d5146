// SPDX-License-Identifier: Apache-2.0
// A run that tells nothing of any line, or would: why, and how that code is better measured. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "annotator/estimate/estimates.hpp"
#include "programs/first_path.hpp"
#include "src/core/error.hpp"
#include "src/core/project.hpp"

namespace jcprof::cli {

/// jcprof may give up before all traps are gone that can go.
enum class FewerTraps : std::uint8_t { none, untried };

/// What `jcprof record --project` can do; behind somebody's own agent nobody knows.
bool can_be_recorded(const Project& project);

/// A call of `jcprof profile` asks for this, besides the project.
struct ProfileWish {
  std::string transport = {};   // empty: the project's
  bool asks_for_shots = false;  // it gets them
  bool asks_for_time = false;   // the same
};

/// The wish of a call without options.
ProfileWish wish_of(const Project& project);

/// `jcprof profile` records one run of a command that stops do not suit: of programs alone, by the transport
/// that it measures with.
bool records_by_itself(const Project& project, const ProfileWish& wish);

/// A recording tells of a path that takes too long to trace, unless the call asks for shots.
bool is_recorded_if_long(const Project& project, const ProfileWish& wish);

/// The better tool, with the command as it can be pasted into a shell; empty where there is none.
std::string tool_of_one_run(const Project& project);

/// Before a run: the command is over too soon by the project's clock, its path is too long, or its "max_time"
/// is too short for it. Nothing where it is worth a run.
std::optional<Fault> unfit(const PathLook& look, FewerTraps fewer, const Project& project);

/// Before a run that would lose functions: those that are passed most may be hot.
std::optional<Fault> unfit(const Shortening& shortening, const Project& project);

/// Why `jcprof profile` does not measure such a path, or one that would lose functions: as above, where the
/// call leaves it the choice. Whoever asks for a time now wants just that, and what is not recorded is
/// measured as far as the time goes.
std::optional<Fault> not_measured(const PathLook& look, FewerTraps fewer, const Project& project,
                                  const ProfileWish& wish);
std::optional<Fault> not_measured(const Shortening& shortening, const Project& project,
                                  const ProfileWish& wish);

/// A run of stops that knows no function's own time better than to be less than something. The function that
/// calls all others is known in any case.
std::optional<Fault> hidden_by_noise(const annotator::Profile& profile, const Project& project);

/// Nothing where a line has a time, or is unreliable, which is said elsewhere.
std::optional<Fault> unfit(const annotator::Profile& profile, const Project& project);

}  // namespace jcprof::cli
