// SPDX-License-Identifier: Apache-2.0
// A run that tells nothing of any line: why, and how that code is better measured. Pure.
#pragma once

#include <optional>

#include "annotator/estimate/estimates.hpp"
#include "src/core/error.hpp"
#include "src/core/project.hpp"

namespace jcprof::cli {

/// Nothing where a line has a time, or is unreliable, which is said elsewhere.
std::optional<Fault> unfit(const annotator::Profile& profile, TargetKind target);

}  // namespace jcprof::cli
