// SPDX-License-Identifier: Apache-2.0
// Whether what was found by stops and what was recorded in one run is the same.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace jcprof::test {

/// The mean time of a call is known to this part of itself, or the function is missing.
bool is_known_to(const nlohmann::json& profile, const std::string& function, double part);

/// In words: those of the functions whose mean intervals of a call, with what it calls, do not meet; `slack`
/// is the part by which two runs of the same machine differ. One that is missing in either is among them.
std::vector<std::string> disagreements(const nlohmann::json& stopped, const nlohmann::json& recorded,
                                       const std::vector<std::string>& functions, double slack);

}  // namespace jcprof::test
