// SPDX-License-Identifier: Apache-2.0
// The rounds of earlier calls of a run, for the engines of its paths. Stores nothing and plans nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/path_measurement.hpp"
#include "harness/shot_log.hpp"
#include "harness/stored_run.hpp"

namespace jcprof::harness {

/// Gives each engine the rounds that were measured on its path, and `log` all shots. The engines are new
/// ones. The result is the number of the last round. Twins that were broken off are measured again under
/// their numbers where this call has the goal of the one before, and else stay as they are.
std::uint32_t resume(std::vector<PathMeasurement>& paths, const StoredRun& run, ShotLog& log);

/// Keeps the newest look of a resumed path where this call's goal led to other findings than are stored.
void keep_look_of_goal(const PathMeasurement& path, StoredRun& run);

}  // namespace jcprof::harness
