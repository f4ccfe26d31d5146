// SPDX-License-Identifier: Apache-2.0
#include "harness/card/session.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "harness/card/status_words.hpp"
#include "harness/device_cause.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/error.hpp"
#include "src/core/hex.hpp"

namespace jcprof::harness {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// A target that dies at every shot is not worth going on with; one that dies at one event in ten is.
constexpr int most_starts_without_shot = 20;
// Before the first good shot it is more likely to be set up wrong than to be flaky.
constexpr int most_starts_at_first = 3;
// pcscd looks at its readers every 400 ms; a card that was exchanged in between it takes for the old one, and
// never powers it up.
constexpr milliseconds unseen{500};
// How often a device program is looked at while its card is waited for.
constexpr milliseconds look{100};

// A hook that sends more has lost its thread.
constexpr int most_opening_commands = 100;

constexpr std::string_view fine_by_default = "9000|61xx|62xx|63xx";

}  // namespace

ReadyScript make_script(const std::string& name, const Script& script, const Placeholders& values) {
  ReadyScript ready{.name = name, .steps = {}};
  for (const ScriptStep& step : script) {
    const std::string where = fmt::format("session \"{}\", step {}", name, ready.steps.size() + 1);
    if (const auto* apdu = std::get_if<ApduStep>(&step)) {
      ReadyApdu made{.bytes = make_apdu({.text = apdu->apdu, .where = where}, values),
                     .expect = {},
                     .expect_text = apdu->expect};
      if (!apdu->expect.empty()) made.expect.emplace(apdu->expect, where + ", \"expect\"");
      ready.steps.emplace_back(std::move(made));
    } else if (const auto* reset = std::get_if<ResetStep>(&step)) {
      ready.steps.emplace_back(*reset);
    } else {
      ready.steps.emplace_back(std::get<WaitStep>(step));
    }
  }
  return ready;
}

CardSession::CardSession(const SessionSetup& setup, std::unique_ptr<ApduChannel> channel,
                         std::unique_ptr<Device> device)
    : reset_mode_(setup.session.reset),
      fine_by_default_(fine_by_default, "default"),
      once_(make_script("once", setup.session.once, setup.values)),
      after_reset_(make_script("after_reset", setup.session.after_reset, setup.values)),
      arming_(setup.arming),
      is_simulated_(setup.is_simulated),
      channel_(std::move(channel)),
      device_(std::move(device)),
      hook_(setup.hook ? std::make_unique<ExchangeHook>(*setup.hook) : nullptr),
      exchange_([this](std::span<const std::uint8_t> command) { return channel_->exchange(command); }) {
  for (const std::string& pattern : setup.session.abort_on)
    abort_on_.emplace_back(pattern, "session \"abort_on\"");
}

CardSession::~CardSession() {
  device_->stop();
}

void CardSession::make_ready() {
  while (!ready_) {
    cancellation().check();
    const int most = had_a_shot_ ? most_starts_without_shot : most_starts_at_first;
    if (++starts_without_shot_ > most)
      throw environment_error(
          fmt::format("the card was lost {} times in a row without one good shot{}\n{}", most,
                      answer_.why.empty() ? "" : " (" + answer_.why + ")", device_->account()),
          "the text above may say why; the command may also stop it by itself: try it alone");
    start_device();
    ready_ = run(once_, Strict::yes) == Contact::kept && begin(Opening::start) == Contact::kept;
  }
}

void CardSession::start_device() {
  is_open_ = false;
  const Clock::time_point deadline = Clock::now() + device_->patience();
  const Clock::time_point halfway = deadline - device_->patience() / 2;
  bool is_second_half = false;
  if (was_there_) device_->stop();
  // A channel without a port leaves the reader to a daemon.
  if (was_there_ && channel_->port().empty()) cancellation().sleep_for(unseen);
  device_->start();
  while (const std::optional<Absence> absent = channel_->connect(look)) {
    // It may be refused for a moment at once (a connection left over from the device's last life).
    cancellation().sleep_for(milliseconds{1});
    const bool has_ended = device_->has_ended();
    if (Clock::now() >= deadline)
      throw environment_error(fmt::format("no card within {} s{}\n{}", device_->patience().count() / 1000,
                                          absent->why, device_->account()),
                              absent->hint);
    if (has_ended && !had_a_shot_) throw device_ended(*absent);
    // A device that was good before starts again: its reader may have been away.
    const bool is_halfway = !is_second_half && Clock::now() >= halfway;
    is_second_half = is_second_half || is_halfway;
    if (has_ended || (is_halfway && had_a_shot_)) device_->start();
  }
  was_there_ = true;
}

UserError CardSession::device_ended(const Absence& absent) const {
  if (absent.what == Missing::reader)
    return environment_error(fmt::format("no card{}\n{}", absent.why, device_->account()), absent.hint);
  return ended_before("its card was there", device_->account());
}

Contact CardSession::reset(ResetMode mode) {
  if (channel_->reset(mode)) return Contact::kept;
  ready_ = false;
  answer_.why = "the card did not come back from a reset";
  return Contact::broken;
}

Contact CardSession::reset_between_shots() {
  if (reset_mode_ == ResetMode::never) return Contact::kept;
  return reset(reset_mode_) == Contact::kept ? begin(Opening::reset) : Contact::broken;
}

/// The channel, then `after_reset`, which goes through it.
Contact CardSession::begin(Opening why) {
  return open_channel(why) == Contact::kept ? run(after_reset_, Strict::yes) : Contact::broken;
}

Contact CardSession::open_channel(Opening why) {
  if (!hook_) return Contact::kept;
  is_open_ = false;
  std::optional<Bytes> command = hook_->open(why, describe().atr);
  for (int sent = 0; command; ++sent) {
    if (sent == most_opening_commands)
      throw hook_->failure(fmt::format("has sent {} APDUs, and the channel is not open", sent),
                           "it must answer \"ok\" when it is");
    send(*command);
    const bool is_answered = answer_.state == ExchangeState::answered;
    const std::string where = fmt::format("the exchange hook's command {}", to_hex(*command));
    // Each has another cryptogram: its header tells what it is.
    if (counts_tries(*command))
      end_after_failed_try({.command = Bytes(command->begin(), command->begin() + 4),
                            .where = where,
                            .status = is_answered ? std::optional(answer_.status) : std::nullopt});
    if (!is_answered) return Contact::broken;
    abort_if_asked(answer_.status, where);
    command = hook_->go_on(answer_);
  }
  is_open_ = true;
  return Contact::kept;
}

Contact CardSession::run(const ReadyScript& script) {
  return run(script, Strict::no);
}

Contact CardSession::run(const ReadyScript& script, Strict strict) {
  for (std::size_t i = 0; i < script.steps.size(); ++i) {
    Contact contact = Contact::kept;
    if (const auto* apdu = std::get_if<ReadyApdu>(&script.steps[i])) {
      contact = run_apdu(*apdu, fmt::format("session \"{}\", step {}", script.name, i + 1), strict);
    } else if (const auto* wait = std::get_if<WaitStep>(&script.steps[i])) {
      cancellation().sleep_for(wait->time);
    } else {
      contact = reset(std::get<ResetStep>(script.steps[i]).mode);
      // `once` and `after_reset` themselves say what follows a reset in them.
      if (contact == Contact::kept && strict == Strict::no) contact = begin(Opening::reset);
    }
    if (contact == Contact::broken) return contact;
    // `after_reset` would never come to its end.
    if (strict == Strict::yes && wants_opening())
      throw hook_->failure(
          fmt::format("wants the channel opened again after session \"{}\", step {}", script.name, i + 1),
          "the channel must outlast \"after_reset\"; the hook itself can send what would end it");
  }
  return Contact::kept;
}

Contact CardSession::run_apdu(const ReadyApdu& step, const std::string& where, Strict strict) {
  const Answer& answer = transmit(step.bytes);
  const bool is_as_told =
      answer.state == ExchangeState::answered && step.expect && step.expect->matches(answer.status);
  const bool is_answered = answer.state == ExchangeState::answered;
  if (counts_tries(step.bytes))
    end_after_failed_try({.command = step.bytes,
                          .where = fmt::format("{}: {}", where, to_hex(step.bytes)),
                          .status = is_answered ? std::optional(answer.status) : std::nullopt,
                          .is_as_told = is_as_told});
  if (!is_answered) return Contact::broken;
  if (step.expect) {
    if (!step.expect->matches(answer.status)) unexpected(step, where, answer.status);
    return Contact::kept;
  }
  abort_if_asked(answer.status, where);
  if (strict == Strict::yes && !fine_by_default_.matches(answer.status))
    unexpected(step, where, answer.status);
  return Contact::kept;
}

void CardSession::unexpected(const ReadyApdu& step, const std::string& where, StatusWord status) const {
  const std::string remedy = remedy_for(step.bytes, status);
  throw UserError(Fault{.message = fmt::format("{}: {} was answered with {}, expected was {}", where,
                                               to_hex(step.bytes), in_words(status),
                                               step.expect ? step.expect_text : std::string(fine_by_default)),
                        .hint = fmt::format("{}; if that answer is right, say so: {{\"apdu\": \"…\", "
                                            "\"expect\": \"{}\"}}",
                                            remedy, to_text(status))},
                  ExitCode::check_failed);
}

void CardSession::end_after_failed_try(const Try& made) {
  const auto& [command, where, status, is_as_told] = made;
  if (is_as_told || (status && !is_error(*status))) {
    right_tries_.insert(command);
    return;
  }
  if (is_simulated_ || describe().simulated) return;
  // After a loss it may be sent once more: the right one that follows gives the PIN its tries back.
  if (!status && right_tries_.erase(command) > 0) return;
  const std::string answered =
      status ? "was answered with " + in_words(*status) : "was not answered: " + answer_.why;
  throw UserError(
      Fault{.message = fmt::format("{} {}; it may have used up a try of a PIN or key, so the run is ended "
                                   "before the next one",
                                   where, answered),
            .hint =
                "check how many tries are left, and correct the PIN or key; if the command counts no tries, "
                "put \"counts_tries\": false into \"trigger\", or \"expect\" into the step of \"session\""},
      ExitCode::check_failed);
}

void CardSession::send(std::span<const std::uint8_t> command) {
  exchange_whole(command, arming_.stop_status, exchange_, answer_);
  if (answer_.state != ExchangeState::answered) {
    ready_ = false;
    cancellation().check();  // it may have been cut for that
  }
}

const Answer& CardSession::transmit(std::span<const std::uint8_t> command) {
  if (wants_opening() && begin(Opening::reopen) == Contact::broken) return answer_;
  return transmit_unopened(command);
}

const Answer& CardSession::transmit_unopened(std::span<const std::uint8_t> command) {
  return transmit_wrapped(wrap(command));
}

WrappedCommand CardSession::wrap(std::span<const std::uint8_t> command) {
  return {.plain = command, .wrapped = is_open_ ? hook_->wrap(command, is_own(command)) : std::nullopt};
}

const Answer& CardSession::transmit_wrapped(const WrappedCommand& command) {
  const auto& [plain, wrapped] = command;
  send(wrapped ? std::span<const std::uint8_t>(*wrapped) : plain);
  if (wrapped && answer_.state == ExchangeState::answered) hook_->unwrap(answer_, arming_.stop_status);
  return answer_;
}

WrappedCommand CardSession::wrap_armed(std::span<const std::uint8_t> command) {
  if (wants_opening())
    throw hook_->failure("wants the channel opened again between arming and the end of the trigger",
                         "its commands would run into the trap: send jcprof's own commands past the channel, "
                         "and give the trigger one APDU");
  return wrap(command);
}

void CardSession::abort_if_asked(StatusWord status, const std::string& where) const {
  if (std::ranges::none_of(abort_on_, [status](const StatusPattern& one) { return one.matches(status); }))
    return;
  throw UserError(
      Fault{.message = fmt::format("{} was answered with {}: the run is ended, as \"abort_on\" asks", where,
                                   to_text(status)),
            .hint = "a PIN or a key may be about to block; look at the card, or change \"abort_on\" in "
                    "\"session\" of jcprof.json"},
      ExitCode::check_failed);
}

}  // namespace jcprof::harness
