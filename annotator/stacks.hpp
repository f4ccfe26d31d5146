// SPDX-License-Identifier: Apache-2.0
// Call trees of recorded runs for flame graphs. Threads stand side by side; times are exclusive.
#pragma once

#include <string>

#include "annotator/recorded_profile.hpp"

namespace jcprof::annotator {

/// A line a node of the call tree, `thread;function (file:line);… ticks`, as flamegraph.pl, inferno and
/// speedscope read it. The lines' ticks are whole and sum to the total, rounded.
std::string to_folded(const StoredRecording& recording);

/// speedscope's own format, one profile a thread. Sampled, each node of the tree a sample with its time as
/// weight: in the order of the tree, not of time.
std::string to_speedscope(const RecordedRun& recorded);

}  // namespace jcprof::annotator
