// SPDX-License-Identifier: Apache-2.0
// What a profile was measured on, in the order in which people are told.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

/// Name and value; what is not known is left out.
using Facts = std::vector<std::pair<std::string, std::string>>;
Facts facts(const Profile& profile);

}  // namespace jcprof::annotator
