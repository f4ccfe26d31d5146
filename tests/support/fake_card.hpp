// SPDX-License-Identifier: Apache-2.0
// A virtual card for tests: a thread that connects to a vpcd port and answers as it is told, or misbehaves.
// And an applet with jcprof's traps in it, whose command passes a given path.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "harness/device.hpp"
#include "src/core/types.hpp"

namespace jcprof::test {

/// What the card does with one command.
struct FakeReply {
  Bytes raw = {};         // to be sent as it is, length and all; empty: nothing is sent
  bool dies = false;      // then closes the connection
  bool trickles = false;  // byte by byte, a millisecond apart
};
/// A frame with its length before it.
FakeReply framed(Bytes data);

/// templates/PM.java and an applet round it. Not thread-safe: one card owns it at a time.
class FakeApplet {
 public:
  CardArming arming{.cla = 0x80, .ins = 0xF4, .stop_status = 0x6FB5};
  std::uint32_t build = 0x12345678;
  std::uint8_t protocol = 2;
  std::size_t window = 8;
  std::vector<std::uint16_t> path{1, 2, 3};
  /// The paths of armed commands, in turn; `path` where there are none.
  std::vector<std::vector<std::uint16_t>> paths;
  Bytes answer{0xAB, 0x90, 0x00};
  bool is_instrumented = true;
  int commands = 0;  // of the applet's own

  Bytes process(std::span<const std::uint8_t> apdu);
  void reset();
  /// The event that the next command of the applet's own stops at; trap 0 when nothing is pending.
  Event pending() const { return pending_ ? stop_ : Event{}; }

 private:
  Bytes serve(std::span<const std::uint8_t> apdu);
  Bytes read_trace(std::size_t offset) const;
  Bytes run();

  bool pending_ = false;
  bool traces_ = false;
  Event stop_;
  std::uint32_t from_ = 0;
  int left_ = 0;
  std::uint32_t hits_ = 0;  // of stop_
  std::size_t armed_commands_ = 0;
  std::vector<std::uint16_t> logged_;
};

using Behaviour = std::function<FakeReply(std::span<const std::uint8_t> apdu)>;

class FakeCard {
 public:
  /// Connects at once.
  FakeCard(std::uint16_t port, Behaviour behaviour, std::function<void()> on_reset = {});
  ~FakeCard();
  FakeCard(const FakeCard&) = delete;
  FakeCard& operator=(const FakeCard&) = delete;

  bool has_ended() const { return ended_; }

 private:
  void serve();
  bool read_all(std::span<std::uint8_t> bytes) const;
  bool send(const FakeReply& reply) const;

  int fd_;
  Behaviour behaviour_;
  std::function<void()> on_reset_;
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

/// A device that is such a card; each start makes a new one.
class FakeDevice final : public harness::Device {
 public:
  FakeDevice(std::uint16_t port, Behaviour behaviour, std::function<void()> on_start)
      : port_(port), behaviour_(std::move(behaviour)), on_start_(std::move(on_start)) {}

  void start() override {
    card_.reset();
    on_start_();
    card_ = std::make_unique<FakeCard>(port_, behaviour_, on_start_);
  }
  void stop() override { card_.reset(); }
  bool has_ended() override { return false; }
  std::string account() const override { return "fake card"; }
  std::chrono::milliseconds patience() const override { return std::chrono::seconds{2}; }

 private:
  std::uint16_t port_;
  Behaviour behaviour_;
  std::function<void()> on_start_;
  std::unique_ptr<FakeCard> card_;
};

}  // namespace jcprof::test
