// SPDX-License-Identifier: Apache-2.0
// callgrind.out, what valgrind's tool of that name leaves, of any profile: callgrind_annotate, KCachegrind
// and QCachegrind read it.
#pragma once

#include <string>

#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

/// Version 1 of the format, costs by line in whole ticks that sum to the total. The cost of a call is what it
/// adds to its function: of a recursion the outermost one has all.
std::string to_callgrind(const Profile& profile);

}  // namespace jcprof::annotator
