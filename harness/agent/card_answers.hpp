// SPDX-License-Identifier: Apache-2.0
// The answers of an agent, as a Transport has them; and which losses in front of a card end a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "harness/transport.hpp"
#include "src/core/agent_protocol.hpp"

namespace jcprof::harness {

/// Throws where the agent says that the run must end.
void end_if_asked(const AgentError& error);

/// Its message and hint.
std::string words_of(const AgentError& error);

/// Refuses a stop elsewhere than asked, and gives a reason where the agent leaves it out.
void judge(Event asked, Sample& sample);

/// UserError (environment) where it has traps that `traps`, their number, has not. Never more than `count`.
TraceWindow window_of(const AgentWindow& answer, std::size_t traps, std::uint64_t count);

/// The agent is lost in commands that may use up a try of a PIN or key: the guard of an agent's own memory
/// (harness/card/session.hpp) is lost with it.
class LostTries {
 public:
  /// These inputs go to the agent next; none where it sends commands by itself.
  void send(std::set<Bytes> inputs) { under_way_ = std::move(inputs); }
  /// A whole command that was carried out gives a PIN its tries back. One that the card did not answer was
  /// excused by the agent itself.
  void judge(const Bytes& input, Outcome outcome, std::optional<std::uint32_t> status);
  /// UserError (check_failed) unless all that was under way was right since the last loss.
  void lose(const std::string& why);

 private:
  std::set<Bytes> right_;
  std::set<Bytes> under_way_;
};

}  // namespace jcprof::harness
