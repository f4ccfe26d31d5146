// SPDX-License-Identifier: Apache-2.0
#include "harness/agent/link.hpp"

#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "harness/agent/card_answers.hpp"
#include "harness/agent/panic.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/error.hpp"

namespace jcprof::harness {
namespace {

using std::chrono::milliseconds;

// The reasons are those for cards (harness/card/session.cpp): an agent that has never answered will hardly
// begin to; one that has may come back.
constexpr int failures_at_the_beginning = 3;
constexpr int failures_later = 20;
constexpr int starts = 3;
constexpr std::chrono::minutes longest_start{10};

// So the agent of trusted applications calls one that has panicked. The log comes by another way, a little
// later: scripts/optee-vm looks at it five times a second.
constexpr std::string_view of_dead_target = "TARGET_DEAD";
constexpr milliseconds log_of_panic{400};
constexpr milliseconds between_looks{20};

std::string shown(const AgentDescription& agent) {
  if (!agent.card) return fmt::format("\"{}\"", agent.device);
  return fmt::format("\"{}\" ({}, {}, ATR {})", agent.device, agent.card->reader, agent.card->protocol,
                     agent.card->atr);
}

std::string hint_for_hello(const std::string& place) {
  if (place.empty())
    return "docs/agent-protocol.md lists what it must answer; `jcprof doctor --agent` tests it";
  return fmt::format(
      "`labgrid-client -p {} acquire`, and then the command above, must start the agent without asking for a "
      "password",
      place);
}

}  // namespace

AgentLink::~AgentLink() {
  if (!agent_) return;
  agent_->send(request_line(next_id(), ByeRequest{}));
  agent_->stop(patience_at_the_end);
}

const AgentDescription& AgentLink::description() {
  if (!description_) {
    start("");
    close();
  }
  return *description_;
}

void AgentLink::open(std::string_view requests) {
  if (settings_.life == AgentLife::batch) drop();
  if (!agent_) return start(requests);
  known_log_ = agent_->tail();
  agent_->send(requests);
}

void AgentLink::close() {
  if (settings_.life == AgentLife::run) return;
  agent_->stop(patience_at_the_end);
  agent_.reset();
}

void AgentLink::start(std::string_view requests) {
  guard_tries();
  for (int attempt = 1;; ++attempt) {
    if (device_ && device_->has_ended()) device_->start();
    LogPolicy log = settings_.log;
    if (was_started_) log.start = LogStart::go_on;
    was_started_ = true;
    agent_.emplace(settings_.command, log);
    known_log_.clear();
    const std::string why = say_hello(requests);
    if (why.empty()) return;
    drop();
    // An agent that has been there may need a moment to get its target back.
    if (!description_ || counts_tries() || attempt == starts)
      throw environment_error(fmt::format("the agent failed in its hello: {}\n{}", why, account()),
                              hint_for_hello(settings_.place));
  }
}

/// Its target may take its time to start: it is waited for as long as its log grows.
ReadLine AgentLink::first_line() {
  const auto end = AgentProcess::Clock::now() + longest_start;
  while (true) {
    const std::string said = agent_->tail();
    const ReadLine line = read_line(settings_.start_timeout);
    const bool is_starting = agent_->tail() != said && AgentProcess::Clock::now() < end;
    if (line.state != LineState::timed_out || !is_starting) return line;
  }
}

std::string AgentLink::say_hello(std::string_view requests) {
  const std::uint64_t id = next_id();
  agent_->send(request_line(id, settings_.greeting));
  if (settings_.life == AgentLife::batch) {
    agent_->send(requests);
    agent_->send(request_line(next_id(), ByeRequest{}));
    agent_->finish_input();
  }
  const ReadLine line = first_line();
  if (line.state != LineState::read) return no_answer(line.state).why;
  const auto answer = read_answer<AgentDescription>(line.text, id);
  if (const auto* breach = std::get_if<Breach>(&answer)) return breach->why;
  if (const auto* error = std::get_if<AgentError>(&answer)) {
    end_if_asked(*error);
    throw failure("the agent says: " + error->message, error->hint);
  }
  const std::string why = take_description(std::get<AgentDescription>(answer));
  if (why.empty() && settings_.life == AgentLife::run) agent_->send(requests);
  return why;
}

std::string AgentLink::take_description(const AgentDescription& description) {
  if (description.protocol != agent_protocol_version)
    throw environment_error(
        fmt::format("the agent speaks version {} of the protocol, this jcprof {} version {}\n{}",
                    description.protocol, JCPROF_VERSION, agent_protocol_version, account()),
        "use a jcprof and an agent of the same version");
  const auto identity = [](const AgentDescription& of) {
    const CardBehind card = of.card.value_or(CardBehind{});
    return std::tuple(of.device, of.unit, of.simulated, card.reader, card.protocol, card.atr);
  };
  // An agent that measures its clock does not find the same to the last digit.
  constexpr double as_measured = 0.01;
  const auto is_clock_of = [](const AgentDescription& one, const AgentDescription& other) {
    return std::abs(one.hz - other.hz) <= as_measured * one.hz;
  };
  if (description_ &&
      (identity(*description_) != identity(description) || !is_clock_of(*description_, description)))
    return fmt::format("it was {} and says now that it is {}", shown(*description_), shown(description));
  description_ = description;
  return "";
}

NoAnswer AgentLink::no_answer(LineState state) {
  switch (state) {
    case LineState::timed_out:
      ++settings_.greeting.unanswered;
      return {Outcome::timed_out, "the agent did not answer in time"};
    case LineState::too_long:
      return {Outcome::lost,
              fmt::format("the agent wrote a line of more than {} MiB", longest_agent_line >> 20U)};
    case LineState::closed: {
      const std::string ending = agent_->ending();
      const std::string words = agent_->last_words();
      return {Outcome::lost,
              fmt::format("the agent {}{}", ending.empty() ? "closed its standard output" : ending,
                          words.empty() ? "" : fmt::format(" (last in its log: {})", words))};
    }
    case LineState::read:
      break;
  }
  check(false, "a line that was read is an answer");
  return {};
}

std::string AgentLink::explained(const std::string& why) {
  if (why.find(of_dead_target) == std::string::npos || has_no_panics_ || !agent_) return why;
  const auto end = AgentProcess::Clock::now() + log_of_panic;
  std::string log;
  std::string panic;
  // A report may come in pieces: it has ended when it has places, and nothing more came between two looks.
  for (bool is_whole = false; !is_whole;) {
    std::string now = agent_->tail();
    panic = panic_in(gained(known_log_, now));
    is_whole = panic.find(", at ") != std::string::npos && now == log;
    log = std::move(now);
    if (AgentProcess::Clock::now() >= end) break;
    if (!is_whole) cancellation().sleep_for(between_looks);
  }
  known_log_ = std::move(log);
  has_no_panics_ = panic_in(known_log_).empty();
  return panic.empty() ? why : fmt::format("{}: {}", why, panic);
}

UserError AgentLink::failure(const std::string& message, std::string hint) {
  const std::string why = explained(message);
  return environment_error(fmt::format("{}\n{}", why, account()), std::move(hint));
}

void AgentLink::succeed() {
  failures_ = 0;
  has_succeeded_ = true;
}

void AgentLink::guard_tries() {
  if (const auto loss = std::exchange(loss_, std::nullopt); loss && counts_tries()) tries_.lose(*loss);
}

void AgentLink::fail(const std::string& why) {
  guard_tries();
  if (++failures_ < (has_succeeded_ ? failures_later : failures_at_the_beginning)) return;
  throw environment_error(
      fmt::format("the agent gave no valid answer {} times in a row, the last time: {}\n{}", failures_, why,
                  account()),
      "`jcprof doctor --agent` tests an agent; `jcprof run` resumes the measurement");
}

void AgentLink::drop(std::string why) {
  if (!agent_) return;
  loss_ = std::move(why);
  agent_->stop(milliseconds{0});
  last_words_ = agent_->tail();
  agent_.reset();
}

std::string AgentLink::account() {
  drop();
  return account_of(settings_.command, settings_.log, last_words_);
}

}  // namespace jcprof::harness
