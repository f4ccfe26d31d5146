// SPDX-License-Identifier: Apache-2.0
// profile.proto, gzipped: what pprof, and whatever reads Go's profiles, takes.
#pragma once

#include <string>

#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

/// A sample a line of each stack: its calls and its cost, in whole ticks that sum up. Threads are
/// labels. The same Profile gives the same bytes.
std::string to_pprof(const Profile& profile);

}  // namespace jcprof::annotator
