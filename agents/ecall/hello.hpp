// SPDX-License-Identifier: Apache-2.0
// What jcprof-agent-ecall makes of a hello: the enclave behind a bridge, and the clock.
#pragma once

#include <filesystem>

#include "agents/service.hpp"

namespace jcprof::ecall {

/// UserError when the bridge is none, has no such ecall, or its enclave cannot be created.
agents::Greeting greet(const std::filesystem::path& bridge, const AgentGreeting& greeting);

}  // namespace jcprof::ecall
