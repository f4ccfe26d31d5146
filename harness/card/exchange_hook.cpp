// SPDX-License-Identifier: Apache-2.0
#include "harness/card/exchange_hook.hpp"

#include <utility>

#include <fmt/format.h>

#include "src/core/agent_fields.hpp"
#include "src/core/hex.hpp"
#include "src/core/json_text.hpp"

namespace jcprof::harness {
namespace {

std::string_view name_of(Opening why) {
  switch (why) {
    case Opening::start:
      return "start";
    case Opening::reset:
      return "reset";
    case Opening::reopen:
      return "reopen";
  }
  return "";
}

std::string whole(const Answer& answer) {
  return to_hex(answer.data) + to_hex(Bytes{static_cast<std::uint8_t>(answer.status >> 8U),
                                            static_cast<std::uint8_t>(answer.status)});
}

std::string fault_of_command(std::string_view key, const std::optional<Bytes>& apdu) {
  const std::string fault = apdu ? fault_of_apdu(*apdu) : "";
  return fault.empty() ? fault : fmt::format("\"{}\" is no command APDU ({})", key, fault);
}

}  // namespace

/// A line of the hook, read as far as its verb allows. Empty members were not in it.
struct ExchangeHook::Reply {
  std::string line;
  std::optional<Bytes> send = {};
  std::optional<Bytes> apdu = {};
  std::optional<Bytes> answer = {};
};

ExchangeHook::~ExchangeHook() {
  if (process_) process_->stop(patience_at_the_end);
}

std::optional<Bytes> ExchangeHook::open(Opening why, const Bytes& atr) {
  wants_opening_ = false;
  return ask("open", {{"why", name_of(why)}, {"atr", to_hex(atr)}}).send;
}

std::optional<Bytes> ExchangeHook::go_on(const Answer& answer) {
  return ask("sent", {{"answer", whole(answer)}}).send;
}

std::optional<Bytes> ExchangeHook::wrap(std::span<const std::uint8_t> command, bool is_own) {
  return ask("wrap", {{"apdu", to_hex(command)}, {"own", is_own}}).apdu;
}

void ExchangeHook::unwrap(Answer& answer, StatusWord stop) {
  Reply reply = ask("unwrap", {{"answer", whole(answer)}, {"stopped", answer.status == stop}});
  if (!reply.answer) return;
  Bytes& plain = *reply.answer;
  if (plain.size() < 2) throw breach("unwrap", "\"answer\" holds no status word", reply.line);
  answer.status = static_cast<StatusWord>(plain[plain.size() - 2] << 8U | plain.back());
  plain.resize(plain.size() - 2);
  answer.data = std::move(plain);
}

ExchangeHook::Reply ExchangeHook::ask(std::string_view verb, const ordered_json& request) {
  if (!process_) start();
  ordered_json line{{"id", ++last_id_}, {"do", verb}};
  line.update(request);
  process_->send(dumped(line) + "\n");
  const ReadLine read = process_->read_line(AgentProcess::Clock::now() + settings_.timeout);
  if (read.state != LineState::read) throw no_answer(read.state, verb);

  Reply reply{.line = std::string(read.text)};
  const json root = parse_line(reply.line);
  if (root.is_discarded()) throw breach(verb, "this is no JSON", reply.line);
  std::string fault;
  const Reader reader(root, fault);
  std::uint64_t id = 0;
  reader("id", id, Rule::needed);
  if (fault.empty() && id != last_id_) fault = fmt::format("\"id\" is {}, {} was asked", id, last_id_);
  std::string message;
  std::string hint;
  const bool is_error = reader.find("error") != nullptr;
  reader.object("error", Rule::usual, [&](const Reader& error) {
    error.text("message", message);
    error.text("hint", hint);
  });
  if (fault.empty() && is_error) throw failure("says: " + message, std::move(hint));
  const bool is_opening = verb == "open" || verb == "sent";
  if (is_opening) reader("send", reply.send);
  reader.object("ok", reply.send ? Rule::usual : Rule::needed, [&](const Reader& ok) {
    if (is_opening) return;
    bool wants_opening = false;
    ok("reopen", wants_opening);
    wants_opening_ |= wants_opening;  // until the next open()
    if (verb == "wrap")
      ok("apdu", reply.apdu);
    else
      ok("answer", reply.answer);
  });
  if (fault.empty())
    fault = fault_of_command(is_opening ? "send" : "apdu", is_opening ? reply.send : reply.apdu);
  if (!fault.empty()) throw breach(verb, fault, reply.line);
  return reply;
}

void ExchangeHook::start() {
  try {
    process_.emplace(settings_.command, settings_.log);
  } catch (const UserError& error) {
    const Fault& fault = error.faults().front();
    throw environment_error(
        "the exchange hook: " + fault.message,
        fault.hint.empty() ? "\"exchange\" in \"session\" of jcprof.json names it" : fault.hint);
  }
}

UserError ExchangeHook::no_answer(LineState state, std::string_view verb) {
  if (state == LineState::timed_out)
    return failure(fmt::format("did not answer \"{}\" within {} ms", verb, settings_.timeout.count()),
                   "it must write one line for each that it reads, and flush it");
  if (state == LineState::too_long)
    return failure(fmt::format("wrote a line of more than {} MiB", longest_agent_line >> 20U),
                   "docs/exchange-hook.md lists its answers");
  const std::string ending = process_->ending();
  const std::string words = process_->last_words();
  return failure(
      fmt::format("{} before it answered \"{}\"{}", ending.empty() ? "closed its standard output" : ending,
                  verb, words.empty() ? "" : fmt::format(" (last in its log: {})", words)),
      "run the command above by hand, and write it the lines of docs/exchange-hook.md");
}

UserError ExchangeHook::breach(std::string_view verb, std::string_view fault, std::string_view line) {
  return failure(fmt::format("answered \"{}\" wrongly: {}; it wrote \"{}\"", verb, fault, excerpt(line)),
                 "docs/exchange-hook.md lists its answers");
}

UserError ExchangeHook::failure(std::string_view what, std::string hint) {
  if (process_) process_->stop(std::chrono::milliseconds{0});
  const std::string tail = process_ ? process_->tail() : "";
  process_.reset();
  return environment_error(
      fmt::format("the exchange hook {}\n{}", what, account_of(settings_.command, settings_.log, tail)),
      std::move(hint));
}

}  // namespace jcprof::harness
