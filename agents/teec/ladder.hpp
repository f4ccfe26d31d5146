// SPDX-License-Identifier: Apache-2.0
// Times of ever deeper calls, taken in turn (docs/optee.md, "Layers"). Subtracts nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "agents/target.hpp"
#include "agents/teec/tee.hpp"

namespace jcprof::teec {

/// Of {"rounds", "trap", "input"}: {"rungs": [{"name", "ticks"}]}. UserError where one cannot be timed.
nlohmann::json climb(Tee& tee, agents::Target& target, const nlohmann::json& request);

}  // namespace jcprof::teec
