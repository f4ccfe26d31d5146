// SPDX-License-Identifier: Apache-2.0
// What people have to know about the numbers of a profile, in words. What the run itself warned of is not
// repeated.
#pragma once

#include <string>
#include <vector>

#include "annotator/estimate/estimated_run.hpp"
#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

/// `profile` has all but its warnings.
std::vector<std::string> estimate_warnings(const Run& run, const Profile& profile, const Whole& whole);

}  // namespace jcprof::annotator
