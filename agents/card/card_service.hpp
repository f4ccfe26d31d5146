// SPDX-License-Identifier: Apache-2.0
// The agent protocol in front of a card: each request is one verb of the harness's own transport for cards.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/card/setup.hpp"
#include "src/core/agent_protocol.hpp"
#include "src/core/error.hpp"

namespace jcprof::card_agent {

class CardService {
 public:
  using Make = std::function<CardTarget(const AgentGreeting&)>;

  /// `say` gets each answer, without its newline, and passes it on at once.
  CardService(Make make, std::function<void(const std::string&)> say)
      : make_(std::move(make)), say_(std::move(say)) {}

  /// True while there is more to serve.
  bool serve(std::string_view line);

 private:
  using Id = std::optional<std::uint64_t>;

  AgentReply reply_to(const AgentRequest& request, Id id);
  AgentReply answer(const AgentGreeting& greeting, Id id);
  AgentReply answer(const MeasureRequest& request, Id id);
  AgentReply answer(const TraceRequest& request, Id id);
  AgentReply answer(const CalibrateRequest& request, Id id);
  AgentReply answer(const MemoryRequest& request, Id id);
  AgentReply answer(const PathRequest& request, Id id);
  AgentReply answer(const ResetRequest& request, Id id);
  AgentReply answer(const LayersRequest& request, Id id);
  AgentReply answer(const RecordRequest& request, Id id);
  AgentReply answer(const ByeRequest& request, Id id);
  harness::Transport& transport() const;
  std::uint32_t index_of(const Bytes& input);
  void know_inputs(std::vector<Bytes> inputs);

  Make make_;
  std::function<void(const std::string&)> say_;
  CardTarget target_;
  std::vector<Bytes> inputs_;  // as the transport counts them
  std::map<Bytes, std::uint32_t> indices_;
  std::optional<AgentError> end_;  // of the run: nothing more goes to the card
};

}  // namespace jcprof::card_agent
