// SPDX-License-Identifier: Apache-2.0
// A running agent that has said hello, whatever becomes of it: starts it, starts it again, and knows when to
// give up. Does not know what is asked of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "harness/agent/card_answers.hpp"
#include "harness/agent/process.hpp"
#include "harness/device.hpp"
#include "src/core/agent_protocol.hpp"
#include "src/core/error.hpp"

namespace jcprof::harness {

/// How long an agent lives.
enum class AgentLife : std::uint8_t {
  run,   // as long as we do
  batch  // started anew for each batch, with all requests on its standard input
};

struct AgentSettings {
  Command command;
  LogPolicy log;
  AgentGreeting greeting;
  AgentLife life = AgentLife::run;
  std::chrono::milliseconds timeout{10'000};        // for one shot
  std::chrono::milliseconds start_timeout{60'000};  // for hello, while the log does not grow, and reset
  std::string place = {};                           // of a lab, where it stands; empty: in none
};

/// Why no answer came of an agent.
struct NoAnswer {
  Outcome outcome = Outcome::lost;  // or timed_out
  std::string why;
};

/// For the error of an agent that does not do what it was asked.
struct Refusal {
  std::string_view message;
  std::string_view hint;  // where the agent has none
};

class AgentLink {
 public:
  /// Starts nothing yet. `device` is what the agent stands next to, where jcprof has to start it; or null.
  AgentLink(AgentSettings settings, std::unique_ptr<Device> device)
      : settings_(std::move(settings)), device_(std::move(device)) {}
  ~AgentLink();
  AgentLink(const AgentLink&) = delete;
  AgentLink& operator=(const AgentLink&) = delete;

  const AgentSettings& settings() const { return settings_; }
  /// UserError (environment) when there is no such agent, or it does not get through its hello.
  const AgentDescription& description();
  std::uint64_t next_id() { return ++last_id_; }
  /// For one answer. An agent in front of a card may have to bring it back first.
  std::chrono::milliseconds timeout() const {
    const bool has_card = description_ && description_->card;
    return settings_.timeout + std::chrono::milliseconds(has_card ? description_->card->patience_ms : 0);
  }

  /// Sees to it that an agent runs and has these requests.
  void open(std::string_view requests);
  ReadLine read_line(std::chrono::nanoseconds timeout) {
    return agent_->read_line(AgentProcess::Clock::now() + timeout);
  }
  /// All answers to the requests were read.
  void close();
  /// The reason in words why there is no line.
  NoAnswer no_answer(LineState state);

  /// The answer to the request `id`, for which it waits so long. UserError (environment) where there is none.
  template <class Value>
  Value expect(std::uint64_t id, std::chrono::nanoseconds timeout, const Refusal& refusal) {
    const ReadLine line = read_line(timeout);
    if (line.state != LineState::read) throw failure(no_answer(line.state).why);
    AgentAnswer<Value> answer = read_answer<Value>(line.text, id);
    if (const auto* breach = std::get_if<Breach>(&answer)) throw failure(breach->why);
    if (const auto* error = std::get_if<AgentError>(&answer))
      throw failure(std::string(refusal.message) + ": " + error->message,
                    error->hint.empty() ? std::string(refusal.hint) : error->hint);
    return std::get<Value>(std::move(answer));
  }
  /// `why`, and the reason by what the log has gained: a trusted application that died leaves code and stack.
  std::string explained(const std::string& why);
  /// A UserError (environment) with account().
  UserError failure(const std::string& message, std::string hint = {});

  /// The agent did its part.
  void succeed();
  /// It did not. UserError (environment) when that has happened too often in a row.
  void fail(const std::string& why);
  /// Ends it; it will be started again when it is needed.
  void drop(std::string why = "jcprof ended the agent");
  LostTries& tries() { return tries_; }
  bool is_running() const { return agent_.has_value(); }
  /// For a UserError: its command, and the last lines of its log.
  std::string account();

 private:
  void start(std::string_view requests);
  bool counts_tries() const { return description_ && description_->card && description_->card->counts_tries; }
  /// Throws if the agent was lost in what may cost a second try.
  void guard_tries();
  ReadLine first_line();
  /// The fault of the hello, or nothing.
  std::string say_hello(std::string_view requests);
  std::string take_description(const AgentDescription& description);

  AgentSettings settings_;
  std::unique_ptr<Device> device_;
  std::optional<AgentProcess> agent_;
  std::optional<AgentDescription> description_;
  LostTries tries_;
  std::optional<std::string> loss_;  // of the agent that ran before
  std::string last_words_;
  std::string known_log_;  // the end of the log at the last request or explanation
  std::uint64_t last_id_ = 0;
  int failures_ = 0;  // in a row
  bool has_succeeded_ = false;
  bool was_started_ = false;
  bool has_no_panics_ = false;  // its log
};

}  // namespace jcprof::harness
