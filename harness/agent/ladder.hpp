// SPDX-License-Identifier: Apache-2.0
// Asks an agent how long calls of growing depth take (docs/optee.md, "Layers"). Subtracts nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/agent/link.hpp"
#include "src/core/types.hpp"

namespace jcprof::harness {

struct LadderOrder {
  std::uint32_t rounds = 2;  // rounded up to even: rungs are climbed up and down in turn
  TrapId trap = run_to_end;  // the first of the entry; none: the target carries no traps
  Bytes input = {};
};

/// The rungs, shallowest first. UserError (environment) when the agent does not do that, or fails.
std::vector<Rung> climb(AgentLink& link, const LadderOrder& order);

}  // namespace jcprof::harness
