// SPDX-License-Identifier: Apache-2.0
#include "agents/card/card_service.hpp"

#include <fmt/format.h>

#include "agents/request.hpp"
#include "agents/service.hpp"

namespace jcprof::card_agent {
namespace {

using agents::mistake;

// So that a connection that nobody tells of costs few commands that nobody wants.
constexpr std::size_t most_shots = 64;

AgentWindow in_words_of_protocol(const harness::TraceWindow& window) {
  AgentWindow answer{.events = window.traps,
                     .more = window.more,
                     .signature = window.before.signature,
                     .mix = window.before.mix,
                     .status = window.end.status,
                     .reply = window.end.reply};
  if (const auto& run = window.run) {
    answer.run =
        AgentWholeRun{.events = run->events, .signature = run->digest.signature, .mix = run->digest.mix};
    answer.total = run->events;
  }
  if (window.end.outcome == Outcome::ended) return answer;
  answer.outcome = window.end.outcome;
  answer.why = window.end.why;
  return answer;
}

/// A card does not tell where it stopped; that it did, it tells by a status word of its own.
Sample with_event(Sample sample, Event asked) {
  if (sample.outcome == Outcome::stopped && !sample.reached) sample.reached = asked;
  return sample;
}

}  // namespace

bool CardService::serve(std::string_view line) {
  return agents::serve_line(
      line, [this](const AgentRequest& request, Id id) { return reply_to(request, id); }, say_);
}

AgentReply CardService::reply_to(const AgentRequest& request, Id id) {
  if (std::holds_alternative<ByeRequest>(request)) return AgentDone{};
  if (end_) return *end_;
  const bool is_hello = std::holds_alternative<AgentGreeting>(request);
  if (!is_hello) (void)transport();
  try {
    return std::visit([&](const auto& message) { return answer(message, id); }, request);
  } catch (const UserError& error) {
    // The same ends a run where jcprof itself is at the reader.
    const Fault& fault = error.faults().front();
    end_ = AgentError{
        .message = fault.message, .hint = fault.hint, .exit = static_cast<std::uint32_t>(error.exit_code())};
    return *end_;
  }
}

harness::Transport& CardService::transport() const {
  if (!target_.transport) throw mistake("\"hello\" comes first");
  return *target_.transport;
}

AgentReply CardService::answer(const AgentGreeting& greeting, Id /*id*/) {
  target_ = {};
  inputs_.clear();
  indices_.clear();
  agents::check_version(greeting);
  target_ = make_(greeting);
  know_inputs({greeting.input});
  const harness::Description card = transport().describe();
  target_.card.reader = card.reader;
  target_.card.protocol = card.protocol;
  target_.card.atr = card.atr;
  if (card.simulated) target_.card.counts_tries = false;
  AgentDescription description{.agent = "jcprof-agent-card/" + card.agent.substr(card.agent.find('/') + 1),
                               .device = card.device,
                               .simulated = card.simulated,
                               .clock = "CLOCK_MONOTONIC",
                               .unit = card.unit,
                               .resolution = card.resolution,
                               .max_batch = most_shots,
                               .can = {"trace", "calibrate", "memory"},
                               .note = card.note,
                               .card = target_.card};
  if (target_.has_path) description.can.emplace_back("path");
  return description;
}

void CardService::know_inputs(std::vector<Bytes> inputs) {
  bool is_new = false;
  for (Bytes& input : inputs) {
    if (!indices_.emplace(input, static_cast<std::uint32_t>(inputs_.size())).second) continue;
    inputs_.push_back(std::move(input));
    is_new = true;
  }
  if (is_new) transport().set_inputs(inputs_);
}

std::uint32_t CardService::index_of(const Bytes& input) {
  know_inputs({input});
  return indices_.at(input);
}

AgentReply CardService::answer(const MeasureRequest& request, Id id) {
  std::vector<Bytes> inputs;
  for (const RequestedShot& shot : request.shots) inputs.push_back(shot.input);
  know_inputs(std::move(inputs));
  std::vector<Shot> shots;
  for (const RequestedShot& shot : request.shots)
    shots.push_back({.stop = shot.stop, .input = indices_.at(shot.input), .delay_ns = shot.delay_ns});
  std::uint64_t n = 0;
  transport().measure(shots, [&](const Shot& shot, const Sample& sample) {
    say_(answer_line(id, AgentShot{.n = n++, .sample = with_event(sample, shot.stop)}));
    return true;
  });
  return AgentDone{};
}

AgentReply CardService::answer(const TraceRequest& request, Id /*id*/) {
  return in_words_of_protocol(
      transport().trace(index_of(request.input), request.from, static_cast<std::uint32_t>(request.count)));
}

AgentReply CardService::answer(const CalibrateRequest& request, Id /*id*/) {
  const std::optional<harness::CalibrationKind> kind = harness::calibration_kind(request.kind);
  const auto time = kind ? transport().calibrate(*kind, request.passes) : std::nullopt;
  if (!time) return AgentError{.message = fmt::format("the card does not calibrate \"{}\"", request.kind)};
  return AgentTicks{.ticks = time->ticks, .passes = time->passes};
}

AgentReply CardService::answer(const MemoryRequest& request, Id /*id*/) {
  const auto trace = transport().trace_memory(index_of(request.input));
  if (!trace) return AgentError{.message = "the card does not tell its free memory"};
  return AgentMemory{.window = in_words_of_protocol(trace->window), .log = trace->log};
}

AgentReply CardService::answer(const PathRequest& request, Id /*id*/) {
  transport().set_path(index_of(request.input), request.events);
  return AgentDone{};
}

AgentReply CardService::answer(const ResetRequest& /*request*/, Id /*id*/) {
  return AgentError{.message = "a card is reset as \"session\" says, and brought back when it was lost"};
}

AgentReply CardService::answer(const LayersRequest& /*request*/, Id /*id*/) {
  return AgentError{.message = "cannot do \"layers\""};
}

AgentReply CardService::answer(const RecordRequest& /*request*/, Id /*id*/) {
  return AgentError{.message = "cannot do \"record\""};
}

AgentReply CardService::answer(const ByeRequest& /*request*/, Id /*id*/) {
  return AgentDone{};
}

}  // namespace jcprof::card_agent
