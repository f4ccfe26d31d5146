// SPDX-License-Identifier: Apache-2.0
// The project's program for a secure channel (docs/exchange-hook.md): it says what opens the channel, wraps
// commands and unwraps answers. Sends nothing to the card itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "harness/agent/process.hpp"
#include "harness/card/apdu.hpp"
#include "src/core/error.hpp"
#include "src/core/process.hpp"
#include "src/core/types.hpp"

namespace jcprof::harness {

struct HookSettings {
  Command command;
  LogPolicy log;
  std::chrono::milliseconds timeout{10'000};  // for one answer
};

/// Why a channel is opened.
enum class Opening : std::uint8_t { start, reset, reopen };

/// Every verb throws a UserError (environment) when the hook does not do its part.
class ExchangeHook {
 public:
  /// Starts nothing yet.
  explicit ExchangeHook(HookSettings settings) : settings_(std::move(settings)) {}
  ~ExchangeHook();
  ExchangeHook(const ExchangeHook&) = delete;
  ExchangeHook& operator=(const ExchangeHook&) = delete;

  /// A command for the card; its answer goes into go_on(). Nothing once the channel is open.
  std::optional<Bytes> open(Opening why, const Bytes& atr);
  std::optional<Bytes> go_on(const Answer& answer);
  /// The wrapped command. Nothing: it goes past the channel.
  std::optional<Bytes> wrap(std::span<const std::uint8_t> command, bool is_own);
  /// Puts the plain answer in place of the wrapped one.
  void unwrap(Answer& answer, StatusWord stop);
  /// The hook wants the channel opened again.
  bool wants_opening() const { return wants_opening_; }

  /// "the exchange hook does this", with its command and the end of its log. Ends it.
  UserError failure(std::string_view what, std::string hint);

 private:
  struct Reply;

  Reply ask(std::string_view verb, const nlohmann::ordered_json& request);
  void start();
  UserError no_answer(LineState state, std::string_view verb);
  UserError breach(std::string_view verb, std::string_view fault, std::string_view line);

  HookSettings settings_;
  std::optional<AgentProcess> process_;
  std::uint64_t last_id_ = 0;
  bool wants_opening_ = false;
};

}  // namespace jcprof::harness
