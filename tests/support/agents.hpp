// SPDX-License-Identifier: Apache-2.0
// How tests get an agent: the faulty one with its options, told what a test wants of it.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/agent/transport.hpp"

namespace jcprof::test {

inline harness::AgentSetup agent_setup(std::vector<std::string> argv) {
  harness::AgentSetup setup{.traps = 4};
  setup.settings.command = {.argv = std::move(argv), .cwd = std::filesystem::temp_directory_path()};
  setup.settings.greeting = {.project = "test", .target = "program"};
  return setup;
}

/// The agent of faulty_agent.cpp; `options` is JSON.
inline harness::AgentSetup faulty_agent(const std::string& options) {
  return agent_setup({JCPROF_FAULTY_AGENT, options});
}

}  // namespace jcprof::test
