// SPDX-License-Identifier: Apache-2.0
// The Transport for everything that an agent stands next to (docs/agent-protocol.md): batches of shots, and
// an agent that is started again when it fails.
#pragma once

#include <memory>

#include "harness/agent/link.hpp"
#include "harness/right_answer.hpp"
#include "harness/transport.hpp"

namespace jcprof::harness {

struct AgentSetup {
  AgentSettings settings;
  std::string device;     // its name; empty: as the agent says
  std::size_t traps = 0;  // ids go up to this
  RightAnswer right = {.form = StatusForm::code};
};

/// Starts nothing yet. `started` is the device program of the project, or null.
std::unique_ptr<Transport> make_agent_transport(const AgentSetup& setup, std::unique_ptr<Device> started);

}  // namespace jcprof::harness
