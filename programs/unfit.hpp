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

/// Before a run: the command is over too soon by that clock, or its path is too long. Nothing where it is
/// worth a run.
std::optional<Fault> unfit(const PathLook& look, FewerTraps fewer, ProgramClock clock);

/// Nothing where a line has a time, or is unreliable, which is said elsewhere.
std::optional<Fault> unfit(const annotator::Profile& profile, TargetKind target);

}  // namespace jcprof::cli
