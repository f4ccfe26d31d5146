// SPDX-License-Identifier: Apache-2.0
// A summary for a pull request, in the Markdown that GitHub and GitLab take.
#pragma once

#include <string>

#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

/// What was measured, the hottest lines and functions, warnings. Names stand in code: they mark nothing up.
std::string to_markdown(const Profile& profile);

}  // namespace jcprof::annotator
