// SPDX-License-Identifier: Apache-2.0
// Call trees for flame graphs. Each stack stands with what its last frame took by itself; threads of recorded
// runs stand side by side, lines of measured ones at the ends of their stacks.
#pragma once

#include <string>

#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

/// A line a stack, `thread;function (file:line);…;file:line ticks`, as flamegraph.pl, inferno and speedscope
/// read it. The lines' ticks are whole and sum to the total, rounded.
std::string to_folded(const Profile& profile);

/// speedscope's own format, one profile a thread. Sampled, each stack a sample with its time as weight: in
/// the order of the tree, not of time.
std::string to_speedscope(const Profile& profile);

}  // namespace jcprof::annotator
