// SPDX-License-Identifier: Apache-2.0
// A card that is there and in the state the project asks for: started, connected, its session scripts run,
// and brought back to that when it was lost. Knows nothing of traps.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "harness/card/apdu.hpp"
#include "harness/card/channel.hpp"
#include "harness/card/exchange_hook.hpp"
#include "harness/device.hpp"
#include "src/core/error.hpp"
#include "src/core/project.hpp"

namespace jcprof::harness {

/// A session script with its placeholders filled in and its APDUs checked.
struct ReadyApdu {
  Bytes bytes;
  std::optional<StatusPattern> expect;
  std::string expect_text;  // as it stands in the project file
};
using ReadyStep = std::variant<ReadyApdu, ResetStep, WaitStep>;
struct ReadyScript {
  std::string name;  // "once"
  std::vector<ReadyStep> steps;
};
ReadyScript make_script(const std::string& name, const Script& script, const Placeholders& values);

/// The state of a card after it was asked something.
enum class Contact : std::uint8_t { kept, broken };

/// The parts of a project that a session has to do with.
struct SessionSetup {
  const Session& session;
  const Placeholders& values;
  const CardArming& arming;
  bool is_simulated = false;  // what answers is a program, whatever the channel says
  std::optional<HookSettings> hook = {};
};

/// A command that counts tries of a PIN or key.
struct Try {
  const Bytes& command;
  std::string where;                 // it stands, for messages
  std::optional<StatusWord> status;  // none: it was not answered
  bool is_as_told = false;           // the project expects that answer there
};

/// A command on its way to the card.
struct WrappedCommand {
  std::span<const std::uint8_t> plain;
  std::optional<Bytes> wrapped;  // none: it goes as it is, past the channel
};

class CardSession {
 public:
  CardSession(const SessionSetup& setup, std::unique_ptr<ApduChannel> channel,
              std::unique_ptr<Device> device);
  ~CardSession();

  /// Returns once the card is there and `once` and `after_reset` have run since its start. UserError when a
  /// step was not answered as expected (check_failed) or the card does not come (environment).
  void make_ready();
  /// The reset between shots, when the project asks for one, with `after_reset`.
  Contact reset_between_shots();
  /// `before_each` or `after_each`.
  Contact run(const ReadyScript& script);
  /// One command to its final answer, which is valid until the next call. The session is not ready any more
  /// when it was not answered. Goes through the secure channel, where there is one.
  const Answer& transmit(std::span<const std::uint8_t> command);
  /// The same while the card may be armed, or has a trace that was not read: the channel is not opened
  /// before it, whatever the hook wants.
  const Answer& transmit_unopened(std::span<const std::uint8_t> command);
  /// A command of the trigger, ready for transmit_wrapped(), which is next. UserError where the channel would
  /// have to be opened before it.
  WrappedCommand wrap_armed(std::span<const std::uint8_t> command);
  const Answer& transmit_wrapped(const WrappedCommand& command);

  /// A shot or a calibration went well: restarts are counted from 0 again.
  void settle() {
    starts_without_shot_ = 0;
    had_a_shot_ = true;
  }
  /// Throws (check_failed) when the project says that this answer ends a run.
  void abort_if_asked(StatusWord status, const std::string& where) const;
  /// Throws (check_failed) when it failed on a real card, or nobody knows whether it did: the next one could
  /// be the last. One that was not answered is excused where the last one of the same command was right. Sees
  /// no tries that a card uses up before a stop, or that an agent makes.
  void end_after_failed_try(const Try& made);
  ChannelDescription describe() const { return channel_->describe(); }

 private:
  enum class Strict : std::uint8_t { yes, no };

  void start_device();
  UserError device_ended(const Absence& absent) const;
  Contact reset(ResetMode mode);
  Contact begin(Opening why);
  Contact open_channel(Opening why);
  WrappedCommand wrap(std::span<const std::uint8_t> command);
  bool wants_opening() const { return is_open_ && hook_->wants_opening(); }
  bool is_own(std::span<const std::uint8_t> command) const {
    return command[0] == arming_.cla && command[1] == arming_.ins;
  }
  void send(std::span<const std::uint8_t> command);
  Contact run(const ReadyScript& script, Strict strict);
  Contact run_apdu(const ReadyApdu& step, const std::string& where, Strict strict);
  [[noreturn]] void unexpected(const ReadyApdu& step, const std::string& where, StatusWord status) const;

  ResetMode reset_mode_;
  std::vector<StatusPattern> abort_on_;
  StatusPattern fine_by_default_;
  ReadyScript once_;
  ReadyScript after_reset_;
  CardArming arming_;
  bool is_simulated_;
  std::unique_ptr<ApduChannel> channel_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<ExchangeHook> hook_;  // null: the project has none
  bool is_open_ = false;                // the hook's channel
  ExchangeFunction exchange_;
  Answer answer_;
  bool ready_ = false;
  int starts_without_shot_ = 0;
  bool had_a_shot_ = false;
  bool was_there_ = false;
  std::set<Bytes> right_tries_;  // commands whose last try was right
};

}  // namespace jcprof::harness
