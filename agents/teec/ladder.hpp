// SPDX-License-Identifier: Apache-2.0
// Times of ever deeper calls, taken in turn (docs/optee.md, "Layers"). Subtracts nothing.
#pragma once

#include "agents/target.hpp"
#include "agents/teec/tee.hpp"

namespace jcprof::teec {

/// UserError where a rung cannot be timed.
AgentRungs climb(Tee& tee, agents::Target& target, const LayersRequest& request);

}  // namespace jcprof::teec
