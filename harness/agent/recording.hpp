// SPDX-License-Identifier: Apache-2.0
// A recording of what stands behind an agent (docs/record.md): the agent runs the trigger, the target writes
// into the log that we share with it, or into its own.
#pragma once

#include <span>

#include "harness/agent/link.hpp"
#include "harness/record/recording.hpp"
#include "src/core/types.hpp"

namespace jcprof::harness {

/// Once with each input. UserError (environment) when the agent does not do that, or fails.
Recorded record_by_agent(const LogOptions& log, AgentLink& link, std::span<const Bytes> inputs);

}  // namespace jcprof::harness
