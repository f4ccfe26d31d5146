// SPDX-License-Identifier: Apache-2.0
// The facts of a run: device, clock, rounds, in the order in which people are told.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

/// Name and value; unknown facts are left out.
using Facts = std::vector<std::pair<std::string, std::string>>;
Facts facts(const Profile& profile);

}  // namespace jcprof::annotator
