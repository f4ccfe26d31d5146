// SPDX-License-Identifier: Apache-2.0
// Holds any agent against docs/agent-protocol.md, by asking what jcprof asks and some that it does not.
// Measures nothing; it is `jcprof doctor --agent`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/agent/link.hpp"
#include "src/core/types.hpp"

namespace jcprof::harness {

enum class CheckVerdict : std::uint8_t { passed, failed, skipped };

struct AgentCheck {
  std::string what;  // a sentence that should be true
  CheckVerdict verdict = CheckVerdict::passed;
  std::string why = {};  // of failed and skipped
};

/// Starts the agent some times, with the input for every shot. The hello is the only check of an agent that
/// does not get through it. UserError (environment) when it cannot be started at all.
std::vector<AgentCheck> examine_agent(const AgentSettings& settings, const Bytes& input);

}  // namespace jcprof::harness
