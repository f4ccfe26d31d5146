// SPDX-License-Identifier: Apache-2.0
// Puts into words the facts that people need beside the numbers of a profile. It repeats no warning of the
// run itself.
#pragma once

#include <string>
#include <vector>

#include "annotator/estimate/estimated_run.hpp"
#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

/// `profile` has all but its warnings.
std::vector<std::string> estimate_warnings(const Run& run, const Profile& profile, const Whole& whole);

}  // namespace jcprof::annotator
