// SPDX-License-Identifier: Apache-2.0
#include "harness/card/transport.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "harness/awake.hpp"
#include "harness/card/name.hpp"
#include "harness/card/protocol.hpp"
#include "harness/card/session.hpp"
#include "harness/card/status_words.hpp"
#include "harness/card/trace_reading.hpp"
#include "harness/card/trigger_path.hpp"
#include "harness/clock.hpp"
#include "harness/right_answer.hpp"
#include "src/core/error.hpp"
#include "src/core/hex.hpp"

namespace jcprof::harness {
namespace {

// One byte of the protocol counts them.
constexpr std::size_t most_commands = 255;
// Bytes of a command that a message shows.
constexpr std::size_t shown_bytes = 32;
constexpr std::uint64_t passes_per_step = 1000;
constexpr std::uint64_t most_pass_steps = 0xFFFF;

/// All that is sent for one input.
struct InputCommands {
  Bytes input;
  std::vector<Bytes> trigger;
  ReadyScript before_each;
  ReadyScript after_each;
  bool was_right = false;  // a whole run was answered as the project wants it
};

InputCommands commands_for(const CardSetup& setup, const Bytes& input) {
  Placeholders values = setup.placeholders;
  values["input"] = to_hex(input);
  InputCommands commands{.input = input,
                         .trigger = {},
                         .before_each = make_script("before_each", setup.session.before_each, values),
                         .after_each = make_script("after_each", setup.session.after_each, values)};
  for (const std::string& apdu : setup.trigger.apdus)
    commands.trigger.push_back(
        make_apdu({.text = apdu, .where = "\"trigger\"", .le = setup.trigger.le}, values));
  return commands;
}

/// On whatever logical channel.
bool has_select(const ReadyScript& script) {
  constexpr std::uint8_t select = 0xA4;
  return std::ranges::any_of(script.steps, [](const ReadyStep& step) {
    const auto* apdu = std::get_if<ReadyApdu>(&step);
    return apdu != nullptr && apdu->bytes[1] == select;
  });
}

/// Outcomes of a command that was not answered.
Sample unanswered(const Answer& answer) {
  return {.outcome = answer.state == ExchangeState::timed_out ? Outcome::timed_out : Outcome::lost,
          .why = answer.why};
}

class CardTransport final : public Transport {
 public:
  CardTransport(const CardSetup& setup, std::unique_ptr<ApduChannel> channel, std::unique_ptr<Device> device)
      : setup_(setup),
        session_({.session = setup.session,
                  .values = setup.placeholders,
                  .arming = setup.arming,
                  .is_simulated = setup.simulated,
                  .hook = setup.hook},
                 std::move(channel), std::move(device)),
        right_{.form = StatusForm::word, .expect = setup.trigger.expect},
        commands_per_trigger_(setup.trigger.apdus.size()) {
    if (setup.trigger.apdus.empty() || setup.trigger.apdus.size() > most_commands)
      throw UserError(Fault{.message = fmt::format("\"trigger\" holds {} APDUs", setup.trigger.apdus.size()),
                            .hint = "a card is measured with 1 to 255 of them"});
    arm_ = arm_command(setup.arming, {}, static_cast<std::uint8_t>(commands_per_trigger_));
    // So that a faulty trigger is found before a device is started.
    inputs_.push_back(commands_for(setup_, setup_.sample_input));
  }

  Description describe() override {
    make_ready();
    const ChannelDescription channel = session_.describe();
    const std::string atr = to_hex(channel.atr);
    return {.transport = channel.transport,
            .agent = channel.agent,
            .reader = channel.reader,
            .protocol = channel.protocol,
            .device = setup_.device.empty() ? name_of_card(channel.atr) : setup_.device,
            .atr = atr,
            .simulated = channel.simulated || setup_.simulated,
            .unit = ClockUnit::ns,
            .resolution = 1};
  }

  void set_inputs(std::vector<Bytes> inputs) override {
    // An agent learns of inputs one after the other: those that stay keep what is known of them.
    std::size_t kept = 0;
    while (kept < std::min(inputs.size(), inputs_.size()) && inputs_[kept].input == inputs[kept]) ++kept;
    inputs_.resize(kept);
    std::erase_if(paths_, [kept](const auto& path) { return path.first >= kept; });
    for (std::size_t i = kept; i < inputs.size(); ++i) inputs_.push_back(commands_for(setup_, inputs[i]));
  }

  void measure(std::span<const Shot> shots, const ShotSink& sink) override {
    for (const Shot& shot : shots) {
      make_ready();
      const Sample sample = shoot(shot);
      const bool goes_on = sink(shot, sample);
      judge_end(inputs_.at(shot.input), sample);
      inputs_.at(shot.input).was_right |= sample.outcome == Outcome::ended && shot.stop.trap == run_to_end;
      if (!goes_on) return;
    }
  }

  TraceWindow trace(std::uint32_t input, std::uint64_t from, std::uint32_t count) override;
  std::optional<MemoryTrace> trace_memory(std::uint32_t input) override;
  std::optional<CalibrationTime> calibrate(CalibrationKind kind, std::uint64_t passes) override;
  void set_path(std::uint32_t input, std::span<const TrapId> path) override {
    if (const auto known = paths_.find(input); known != paths_.end()) known->second.take_all(path);
  }
  bool is_right(std::uint32_t status) const override { return right_.accepts(status); }

 private:
  void make_ready();
  Sample shoot(const Shot& shot);
  Sample prepare_and_arm(const InputCommands& commands, std::span<const std::uint8_t> arming);
  Sample run_trigger(const InputCommands& commands, std::int64_t delay_ns = 0);
  void finish(const InputCommands& commands, Outcome outcome);
  Sample run_ordered(std::uint32_t input, const Bytes& order, const std::function<bool()>& read);
  std::vector<std::uint64_t> ends_of_commands(std::uint32_t input, const WholeRun& like);
  void mark_in_another_command(const Shot& shot, Sample& sample) const;
  void judge(const InputCommands& commands, const Bytes& command, StatusWord status);
  void judge_end(const InputCommands& commands, const Sample& sample) {
    if (sample.status) judge(commands, commands.trigger.back(), static_cast<StatusWord>(*sample.status));
  }
  void end_after_failed_try(const Bytes& command, std::optional<StatusWord> status) {
    if (setup_.trigger.counts_tries.value_or(counts_tries(command)))
      session_.end_after_failed_try({.command = command, .where = name_of(command), .status = status});
  }
  std::string name_of(const Bytes& command) const;
  [[noreturn]] void refuse_applet(const Answer& answer) const;

  AwakeProcessors awake_;  // the wait for an answer is no time of the card
  CardSetup setup_;
  CardSession session_;
  RightAnswer right_;
  std::vector<InputCommands> inputs_;
  Bytes arm_;
  std::size_t
      commands_per_trigger_;  // as the applet sees them: follow-ups of its own 61xx and 6Cxx are commands
  std::map<std::uint32_t, TriggerPath> paths_;  // by input, of triggers of several commands
  std::size_t stopped_in_ = 0;                  // the command of the trigger that was stopped last
  bool said_hello_ = false;
};

void CardTransport::make_ready() {
  session_.make_ready();
  while (!said_hello_) {
    const Answer& answer = session_.transmit(hello_command(setup_.arming));
    if (answer.state == ExchangeState::answered) {
      const std::optional<CardHello> hello = answer.status == sw_ok ? parse_hello(answer.data) : std::nullopt;
      if (!hello) refuse_applet(answer);
      if (hello->version != card_protocol_version)
        throw UserError(Fault{.message = fmt::format("the applet on the card speaks version {} of jcprof's "
                                                     "protocol, this jcprof speaks version {}",
                                                     hello->version, card_protocol_version),
                              .hint = "build and install it anew: \"jcprof profile\" does all of it"});
      if (hello->build != setup_.build)
        throw UserError(Fault{
            .message = fmt::format("the applet on the card is build {:08x}, traps.json is of build {:08x}",
                                   hello->build, setup_.build),
            .hint = "build and install what jcprof-gen wrote last: \"jcprof profile\" does all of it"});
      said_hello_ = true;
    }
    session_.make_ready();
  }
}

void CardTransport::refuse_applet(const Answer& answer) const {
  const Session& session = setup_.session;
  const bool selects = setup_.hook ||
                       has_select(make_script("after_reset", session.after_reset, setup_.placeholders)) ||
                       has_select(make_script("once", session.once, setup_.placeholders));
  throw UserError(Fault{
      .message = fmt::format("the applet on the card does not answer jcprof ({}{}, {}): {}",
                             to_hex(answer.data), to_text(answer.status), meaning_of(answer.status).meaning,
                             selects ? "was the instrumented build installed?" : "nothing selects it"),
      .hint =
          "\"after_reset\" in \"session\" must SELECT it; \"install\" and \"once\" must install what stands "
          "in jcprof-out/tree"});
}

/// `ended` when the card is armed; else what to say of the shot.
Sample CardTransport::prepare_and_arm(const InputCommands& commands, std::span<const std::uint8_t> arming) {
  if (session_.reset_between_shots() == Contact::broken ||
      session_.run(commands.before_each) == Contact::broken)
    return {.outcome = Outcome::lost, .why = "the card was lost before the shot"};
  const Answer& answer = session_.transmit(arming);
  if (answer.state != ExchangeState::answered)
    return {.outcome = Outcome::lost, .why = "arming: " + answer.why};
  if (answer.status != sw_ok)
    return {.outcome = Outcome::refused, .why = "arming was answered with " + to_text(answer.status)};
  return {.outcome = Outcome::ended};
}

/// The pause comes right before the first command goes: the hook's time to wrap it varies.
Sample CardTransport::run_trigger(const InputCommands& commands, std::int64_t delay_ns) {
  Ticks ticks = 0;
  std::size_t exchanges = 0;
  for (const Bytes& command : commands.trigger) {
    const WrappedCommand wrapped = session_.wrap_armed(command);
    if (&command == &commands.trigger.front()) pause(delay_ns);
    const Answer& answer = session_.transmit_wrapped(wrapped);
    if (answer.state != ExchangeState::answered) {
      end_after_failed_try(command, std::nullopt);
      return unanswered(answer);
    }
    ticks += answer.ticks;
    exchanges += answer.exchanges;
    stopped_in_ = static_cast<std::size_t>(&command - commands.trigger.data());
    if (answer.status == setup_.arming.stop_status) return {.outcome = Outcome::stopped, .ticks = ticks};
    if (&command == &commands.trigger.back()) {
      commands_per_trigger_ = std::clamp(exchanges, commands_per_trigger_, most_commands);
      return {.outcome = Outcome::ended, .ticks = ticks, .status = answer.status, .reply = answer.data};
    }
    judge(commands, command, answer.status);
  }
  check(false, "a trigger has at least one command");
  return {};
}

/// Ends the run where the answer to a command of the trigger asks for that.
void CardTransport::judge(const InputCommands& commands, const Bytes& command, StatusWord status) {
  session_.abort_if_asked(status, "the trigger");
  end_after_failed_try(command, status);
  if (commands.was_right || right_.accepts(status)) return;
  throw wrong_answer(right_, {.sent = name_of(command),
                              .status = status,
                              .meaning = std::string(meaning_of(status).meaning),
                              .remedy = std::string(meaning_of(status).remedy)});
}

/// "the trigger b0310000"
std::string CardTransport::name_of(const Bytes& command) const {
  const std::string hex = to_hex(command);
  return fmt::format("the trigger{} {}{}", setup_.trigger.apdus.size() > 1 ? "'s command" : "",
                     hex.substr(0, 2 * shown_bytes), command.size() > shown_bytes ? "…" : "");
}

Sample CardTransport::shoot(const Shot& shot) {
  const InputCommands& commands = inputs_.at(shot.input);
  set_event(arm_, shot.stop);
  arm_.back() = static_cast<std::uint8_t>(commands_per_trigger_);
  Sample sample = prepare_and_arm(commands, arm_);
  if (sample.outcome != Outcome::ended) return sample;
  sample = run_trigger(commands, shot.delay_ns);
  if (sample.outcome == Outcome::stopped || sample.outcome == Outcome::ended)
    finish(commands, sample.outcome);
  if (sample.outcome == Outcome::stopped) mark_in_another_command(shot, sample);
  return sample;
}

/// A state that an earlier stop left behind may have a command pass an event that belongs to another one.
void CardTransport::mark_in_another_command(const Shot& shot, Sample& sample) const {
  const auto path = paths_.find(shot.input);
  if (path == paths_.end()) return;
  const std::optional<std::size_t> traced = path->second.command_of(shot.stop);
  if (!traced || *traced == stopped_in_) return;
  sample = {.outcome = Outcome::elsewhere,
            .why = fmt::format("it was passed in command {} of the trigger, and by the traced run in {}",
                               stopped_in_ + 1, *traced + 1)};
}

void CardTransport::finish(const InputCommands& commands, Outcome outcome) {
  session_.settle();
  // Arming would still hold for scripts and openings where the card itself served GET RESPONSE.
  const bool has_more =
      setup_.hook || !commands.after_each.steps.empty() || !commands.before_each.steps.empty();
  if (outcome == Outcome::ended && commands_per_trigger_ > commands.trigger.size() && has_more &&
      session_.transmit_unopened(arm_command(setup_.arming, {}, 0)).state != ExchangeState::answered)
    return;
  // A card that is lost here is brought back before the next shot; this one is good.
  (void)session_.run(commands.after_each);
}

/// A run of the trigger after an order, whose result `read` takes; that is false when the card was lost.
Sample CardTransport::run_ordered(std::uint32_t input, const Bytes& order,
                                  const std::function<bool()>& read) {
  make_ready();
  const InputCommands& commands = inputs_.at(input);
  Sample end = prepare_and_arm(commands, order);
  if (end.outcome != Outcome::ended) return end;
  end = run_trigger(commands);
  if (end.outcome != Outcome::ended) return end;
  if (read())
    finish(commands, end.outcome);
  else
    end = {.outcome = Outcome::lost, .why = "the card was lost while its trace was read"};
  judge_end(commands, end);
  return end;
}

std::optional<MemoryTrace> CardTransport::trace_memory(std::uint32_t input) {
  MemoryTrace trace;
  const Bytes order = trace_memory_command(setup_.arming, static_cast<std::uint8_t>(commands_per_trigger_));
  trace.window.end = run_ordered(input, order, [&] {
    return read_memory(session_, setup_.arming, trace.log) &&
           read_window(session_, setup_.arming, trace.window, {});
  });
  inputs_.at(input).was_right |= trace.window.end.outcome == Outcome::ended;
  return trace;
}

TraceWindow CardTransport::trace(std::uint32_t input, std::uint64_t from, std::uint32_t count) {
  const InputCommands& commands = inputs_.at(input);
  TraceWindow window;
  const auto armed = static_cast<std::uint8_t>(commands_per_trigger_);
  window.end = run_ordered(input, trace_command(setup_.arming, static_cast<std::uint32_t>(from), armed), [&] {
    return read_window(session_, setup_.arming, window, {.from = from, .count = count});
  });
  if (window.run && commands.trigger.size() > 1) {
    if (!paths_.contains(input))
      paths_.emplace(input, TriggerPath(*window.run, ends_of_commands(input, *window.run)));
    paths_.at(input).take(from, window);
  }
  return window;
}

/// Events passed by the end of each command, of one more traced run. Nothing where it is not like the run
/// before: a look at the trace between two commands may be too much for an applet.
std::vector<std::uint64_t> CardTransport::ends_of_commands(std::uint32_t input, const WholeRun& like) {
  make_ready();
  const InputCommands& commands = inputs_.at(input);
  const auto armed = static_cast<std::uint8_t>(commands_per_trigger_);
  if (prepare_and_arm(commands, trace_command(setup_.arming, 0, armed)).outcome != Outcome::ended) return {};
  std::vector<std::uint64_t> ends;
  std::optional<CardTrace> told;
  bool is_readable = true;
  for (const Bytes& command : commands.trigger) {
    const Answer& answer = session_.transmit_wrapped(session_.wrap_armed(command));
    if (answer.state != ExchangeState::answered) return {};
    judge(commands, command, answer.status);
    if (!is_readable) continue;  // a trigger is never left half sent
    const Answer& trace = session_.transmit_unopened(read_trace_command(setup_.arming, 0));
    if (trace.state != ExchangeState::answered) return {};
    told = trace.status == sw_ok ? parse_trace(trace.data) : std::nullopt;
    is_readable = told.has_value();
    if (told) ends.push_back(told->events);
  }
  finish(commands, Outcome::ended);
  const bool is_like = told && WholeRun{.events = told->events, .digest = told->total} == like;
  return is_like ? ends : std::vector<std::uint64_t>{};
}

std::optional<CalibrationTime> CardTransport::calibrate(CalibrationKind kind, std::uint64_t passes) {
  if (kind == CalibrationKind::unwind) return std::nullopt;
  const bool counts_frames = kind >= CalibrationKind::returned;
  const bool none = kind == CalibrationKind::returned || kind == CalibrationKind::stop;
  const bool stops = counts_frames && kind != CalibrationKind::returned && kind != CalibrationKind::calls;
  const std::uint64_t step = counts_frames ? 1 : passes_per_step;
  const std::uint64_t count =
      none ? 0 : std::clamp<std::uint64_t>((passes + step - 1) / step, 1, most_pass_steps);
  for (int attempt = 0; attempt < calibration_attempts; ++attempt) {
    make_ready();
    const Answer& answer =
        session_.transmit(calibrate_command(setup_.arming, kind, static_cast<std::uint16_t>(count)));
    if (answer.state != ExchangeState::answered) continue;
    if (answer.status == (stops ? setup_.arming.stop_status : sw_ok)) {
      const CalibrationTime time{.kind = kind, .passes = count * step, .ticks = answer.ticks};
      session_.settle();
      return time;
    }
    if (counts_frames) return std::nullopt;  // its stack may be too small
    throw environment_error("calibration was answered with " + to_text(answer.status),
                            "is the applet still selected?");
  }
  if (counts_frames) return std::nullopt;
  throw environment_error(fmt::format("the card was lost in a calibration of {} passes", count * step),
                          "a larger \"timeout\" in \"session\" of jcprof.json may help");
}

}  // namespace

std::unique_ptr<Transport> make_card_transport(const CardSetup& setup, std::unique_ptr<ApduChannel> channel,
                                               std::unique_ptr<Device> device) {
  return std::make_unique<CardTransport>(setup, std::move(channel), std::move(device));
}

}  // namespace jcprof::harness
