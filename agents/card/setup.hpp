// SPDX-License-Identifier: Apache-2.0
// A hello as a card to measure: reads trigger, session, options and arming as a project file has them.
#pragma once

#include <memory>
#include <string>

#include "harness/transport.hpp"
#include "src/core/agent_protocol.hpp"

namespace jcprof::card_agent {

struct CardTarget {
  std::unique_ptr<harness::Transport> transport;
  CardBehind card;        // without what only the card itself tells
  bool has_path = false;  // it wants to know the whole path of an input
};

/// `reader` is "pcsc:NAME" or "vpcd:PORT". Touches no card yet. UserError for a hello that a card cannot
/// serve.
CardTarget make_target(const std::string& reader, const AgentGreeting& greeting);

}  // namespace jcprof::card_agent
