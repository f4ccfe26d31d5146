// SPDX-License-Identifier: Apache-2.0
// The answers of an agent in front of a card, as a Transport has them; and which of its losses end a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/transport.hpp"
#include "src/core/agent_protocol.hpp"

namespace jcprof::harness {

/// Throws where the agent says that the run must end.
void end_if_asked(const AgentError& error);

/// UserError (environment) where it has traps that `traps`, their number, has not. Never more than `count`.
TraceWindow window_of(const AgentWindow& answer, std::size_t traps, std::uint64_t count);

/// The agent is lost in commands that may use up a try of a PIN or key: the guard of an agent's own memory
/// (harness/card/session.hpp) is lost with it.
class LostTries {
 public:
  void succeed() { was_right_ = true; }
  /// UserError (check_failed) unless the last command before it was answered.
  void lose(const std::string& why);

 private:
  bool was_right_ = false;
};

}  // namespace jcprof::harness
