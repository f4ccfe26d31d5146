// SPDX-License-Identifier: Apache-2.0
// One walk through all threads of a log, for a profile or a time line.
#pragma once

#include <vector>

#include "annotator/record/recording.hpp"
#include "annotator/record/thread_walk.hpp"
#include "annotator/record/tick_scale.hpp"

namespace jcprof::annotator {

/// UserError when the log was made with other traps.
Walk walk_of(const RecordedLog& log, const LogFacts& facts, const TickScale& scale);

/// Threads that came and recorded or lost something, by serial.
std::vector<ThreadTotals> walk_threads(const RecordLog& file, Walk& walk, std::vector<Warning>& warnings);

}  // namespace jcprof::annotator
