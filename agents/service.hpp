// SPDX-License-Identifier: Apache-2.0
// The agent protocol (docs/agent-protocol.md) as our agents have it in common: lines in, lines out. The
// Target does what is asked, and each agent's own hello makes it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "agents/target.hpp"
#include "src/core/agent_protocol.hpp"

namespace jcprof::agents {

/// The result of a hello.
struct Greeting {
  std::unique_ptr<Target> target;
  AgentDescription description;
  /// Does a LayersRequest; empty where the agent has no ladder.
  std::function<AgentRungs(Target&, const LayersRequest&)> climb = {};
};

/// Answers one line by `answer`, whose UserErrors become errors. True while there is more to serve.
bool serve_line(
    std::string_view line,
    const std::function<AgentReply(const AgentRequest& request, std::optional<std::uint64_t> id)>& answer,
    const std::function<void(const std::string&)>& say);
/// UserError where an agent of that version does not speak ours.
void check_version(const AgentGreeting& greeting);

class Service {
 public:
  /// Answers the hello in its place, before the process ends.
  using Refuse = std::function<void(const AgentError&)>;
  using Hello = std::function<Greeting(const AgentGreeting&, const Refuse&)>;

  /// `say` gets each answer, without its newline, and passes it on at once.
  Service(Hello hello, std::function<void(const std::string&)> say)
      : hello_(std::move(hello)), say_(std::move(say)) {}

  /// True while there is more to serve.
  bool serve(std::string_view line);
  /// How often the subject was loaded, and why, for the log; empty before the first hello.
  std::string account() const;

 private:
  using Id = std::optional<std::uint64_t>;

  AgentReply answer(const AgentGreeting& greeting, Id id);
  AgentReply answer(const MeasureRequest& request, Id id);
  AgentReply answer(const TraceRequest& request, Id id);
  AgentReply answer(const CalibrateRequest& request, Id id);
  AgentReply answer(const ResetRequest& request, Id id);
  AgentReply answer(const LayersRequest& request, Id id);
  AgentReply answer(const RecordRequest& request, Id id);
  AgentReply answer(const MemoryRequest& request, Id id);
  AgentReply answer(const PathRequest& request, Id id);
  AgentReply answer(const ByeRequest& request, Id id);
  /// UserError before the hello.
  Target& target() const;

  Hello hello_;
  std::function<void(const std::string&)> say_;
  Greeting greeting_;
};

}  // namespace jcprof::agents
