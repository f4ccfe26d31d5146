// SPDX-License-Identifier: Apache-2.0
// The way to a card: bytes out, bytes back, with the time it took. Knows nothing of jcprof's commands.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "src/core/project.hpp"
#include "src/core/types.hpp"

namespace jcprof::harness {

enum class ExchangeState : std::uint8_t { answered, timed_out, lost };

struct Exchange {
  ExchangeState state = ExchangeState::lost;
  std::span<const std::uint8_t> reply = {};  // data and status word; valid until the next call
  std::int64_t start_ns = 0;                 // steady clock, right before the command was sent
  std::int64_t stop_ns = 0;                  // and right after its answer was there
  std::string why = {};                      // when it was not answered
};

struct ChannelDescription {
  std::string transport;  // "vpcd"
  std::string agent;      // the program that takes the time, and its library
  std::string reader;     // its name; empty where jcprof is the reader
  std::string protocol;   // "T=1"; empty where there is none
  Bytes atr;
  bool simulated = false;  // not the chip itself answers
};

/// A card that is not there may be a fault of the program that is to be it; a reader never is.
enum class Missing : std::uint8_t { card, reader };

/// Why there is no card, and what a person can do about it.
struct Absence {
  Missing what = Missing::card;
  std::string why;  // behind "no card within 10 s": ": reader \"X\" is empty"
  std::string hint;
};

class ApduChannel {
 public:
  virtual ~ApduChannel() = default;

  /// Waits at most about `timeout` for the card. Nothing once it is there; else what is missing, and it may
  /// be called again. Drops a connection that there was. UserError where waiting is of no use.
  virtual std::optional<Absence> connect(std::chrono::milliseconds timeout) = 0;
  /// The timed region is what lies between the two ticks. After anything but `answered` the connection is
  /// gone.
  virtual Exchange exchange(std::span<const std::uint8_t> command) = 0;
  /// False when the card did not come back.
  virtual bool reset(ResetMode mode) = 0;
  virtual ChannelDescription describe() const = 0;
  /// Text for {port} in `start`; empty where the channel has none.
  virtual std::string port() const = 0;
};

}  // namespace jcprof::harness
