// SPDX-License-Identifier: Apache-2.0
// A run that tells nothing of any line, or would: why, and how that code is better measured. Pure.
#pragma once

#include <optional>

#include "annotator/estimate/estimates.hpp"
#include "programs/first_path.hpp"
#include "src/core/error.hpp"
#include "src/core/project.hpp"

namespace jcprof::cli {

/// Before a run: the command is over too soon, or its path is too long, with as few traps as can be. Nothing
/// where it is worth a run.
std::optional<Fault> unfit(const PathLook& look);

/// Nothing where a line has a time, or is unreliable, which is said elsewhere.
std::optional<Fault> unfit(const annotator::Profile& profile, TargetKind target);

}  // namespace jcprof::cli
