// SPDX-License-Identifier: Apache-2.0
// Results of commands to trusted applications, by their names in GlobalPlatform's specifications.
#pragma once

#include <cstdint>
#include <string>

namespace jcprof {

/// "TEEC_ERROR_BAD_PARAMETERS"; empty for a number that has no name there.
std::string tee_result(std::uint32_t code);

}  // namespace jcprof
