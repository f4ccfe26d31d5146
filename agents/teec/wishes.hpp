// SPDX-License-Identifier: Apache-2.0
// What a hello asks of the agent: which TA, the trigger, the scripts of the session, and how its traps are
// armed.
#pragma once

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "agents/target.hpp"
#include "agents/teec/params.hpp"

namespace jcprof::teec {

/// A command of a script, and the result that it must have: eight hex digits, `?` for any.
struct CommandStep {
  Invocation invocation;
  std::string expect;
};

using Step = std::variant<CommandStep, std::chrono::milliseconds, agents::Reset>;
using Script = std::vector<Step>;

/// Of a UUID as RFC 4122 has it, most significant byte first.
using Uuid = std::array<std::uint8_t, 16>;

struct Wishes {
  Uuid ta{};
  std::string name;  // its UUID, as it was written
  Identity identity{};
  std::array<ParamSpec, 4> open{};
  Invocation trigger{};
  Script once{};
  Script after_reset{};
  Script before_each{};
  Script after_each{};
  std::chrono::milliseconds timeout{};
  std::uint32_t our_command = 0;
  std::uint32_t build = 0;
};

/// UserError with what is wrong in the project file.
Wishes read_wishes(const AgentGreeting& greeting);

bool matches(const std::string& expect, std::uint32_t code);

}  // namespace jcprof::teec
