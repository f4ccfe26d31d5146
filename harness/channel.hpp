// SPDX-License-Identifier: Apache-2.0
// The way to a card: bytes out, bytes back, with the time it took. Knows nothing of jcprof's commands.
#pragma once

#include <chrono>
#include <cstdint>
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
  std::string agent;      // who takes the time
  Bytes atr;
  bool simulated = false;  // what answers is not the chip itself
};

class ApduChannel {
 public:
  virtual ~ApduChannel() = default;

  /// Waits at most `timeout` for the card. False when it has not come yet; may be called again then. Drops a
  /// connection that there was.
  virtual bool connect(std::chrono::milliseconds timeout) = 0;
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
