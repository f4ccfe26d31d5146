// SPDX-License-Identifier: Apache-2.0
// A recording that hides what it records, made again with fewer traps.
#pragma once

#include "programs/options.hpp"
#include "src/core/output_folder.hpp"
#include "src/core/project.hpp"

namespace jcprof::cli {

/// `folder` holds a recording that was made with `options`. If recording all statements takes too long,
/// records at functions; if small functions hide the others, without these. If one of these recordings
/// fails, the one before it stays, and standard error says why.
void record_with_fewer_traps(const Project& project, const OutputFolder& folder, RecordOptions options);

}  // namespace jcprof::cli
