// SPDX-License-Identifier: Apache-2.0
#include "harness/card/vpcd.hpp"

#include <chrono>

#include <catch2/catch.hpp>

#include "src/core/error.hpp"
#include "src/core/hex.hpp"
#include "tests/support/fake_card.hpp"

using namespace jcprof;
using namespace jcprof::harness;
using namespace std::chrono_literals;
using jcprof::test::FakeCard;
using jcprof::test::FakeReply;
using jcprof::test::framed;

namespace {

/// A channel with a card on it that answers as told.
struct Connected {
  explicit Connected(test::Behaviour behaviour, std::function<void()> on_reset = {})
      : channel(make_vpcd_channel({.port = {}, .timeout = 200ms})),
        card(static_cast<std::uint16_t>(std::stoi(channel->port())), std::move(behaviour),
             std::move(on_reset)) {
    REQUIRE(!channel->connect(2s));
  }

  Exchange ask(const std::string& hex = "80100000") { return channel->exchange(*parse_hex(hex)); }

  std::unique_ptr<ApduChannel> channel;
  FakeCard card;
};

FakeReply echo(std::span<const std::uint8_t> apdu) {
  return framed({apdu.begin(), apdu.end()});
}

/// What comes of an exchange whose answer is `raw`.
Exchange answered_with(FakeReply reply) {
  Connected connected([reply](std::span<const std::uint8_t>) { return reply; });
  Exchange done = connected.ask();
  done.reply = {};
  CHECK(connected.ask().state == ExchangeState::lost);
  return done;
}

}  // namespace

TEST_CASE("a command goes to the card and its answer comes back with its time") {
  Connected connected(echo);
  const Exchange done = connected.ask("8010000002aabb");
  CHECK(done.state == ExchangeState::answered);
  CHECK(to_hex(done.reply) == "8010000002aabb");
  CHECK(done.stop_ns > done.start_ns);
  CHECK(to_hex(connected.channel->describe().atr) == "3b800181");
  CHECK(connected.channel->describe().transport == "vpcd");
}

TEST_CASE("the longest frame passes both ways") {
  Connected connected(echo);
  const Bytes longest(65535, 0x55);
  const Exchange done = connected.channel->exchange(longest);
  CHECK(Bytes(done.reply.begin(), done.reply.end()) == longest);
}

TEST_CASE("an answer that comes in pieces is put together") {
  Connected connected([](std::span<const std::uint8_t>) {
    FakeReply reply = framed({1, 2, 3, 0x90, 0x00});
    reply.trickles = true;
    return reply;
  });
  CHECK(to_hex(connected.ask().reply) == "0102039000");
}

TEST_CASE("a card that never answers is timed out") {
  const auto start = std::chrono::steady_clock::now();
  const Exchange done = answered_with({});
  CHECK(done.state == ExchangeState::timed_out);
  CHECK(done.why == "no answer within 200 ms");
  CHECK(std::chrono::steady_clock::now() - start < 10s);
}

TEST_CASE("a card that sends half an answer is timed out") {
  CHECK(answered_with({.raw = {0}}).state == ExchangeState::timed_out);
  CHECK(answered_with({.raw = {0, 10, 1, 2}}).state == ExchangeState::timed_out);
}

TEST_CASE("a card that sends an answer slower than the time-out is timed out") {
  FakeReply slow = framed(Bytes(2000, 0));
  slow.trickles = true;
  CHECK(answered_with(slow).state == ExchangeState::timed_out);
}

TEST_CASE("a card that dies is lost") {
  CHECK(answered_with({.raw = {}, .dies = true}).why == "the card closed the connection");
  CHECK(answered_with({.raw = {0, 10, 1}, .dies = true}).state == ExchangeState::lost);
}

TEST_CASE("an answer shorter than a status word is a loss") {
  CHECK(answered_with({.raw = {0, 0}}).why == "the card sent an answer of 0 bytes");
  CHECK(answered_with({.raw = {0, 1, 0x90}}).why == "the card sent an answer of 1 bytes");
}

TEST_CASE("more than an answer is a loss") {
  CHECK(answered_with({.raw = {0, 2, 0x90, 0x00, 0x00}}).why == "the card sent more than an answer");
}

TEST_CASE("what a card sends unasked is not taken for the next answer") {
  Connected connected([](std::span<const std::uint8_t>) {
    FakeReply reply = framed({0x90, 0x00});
    reply.raw.insert(reply.raw.end(), {0, 2, 0x6A, 0x80});
    reply.trickles = true;
    return reply;
  });
  const Exchange first = connected.ask();
  if (first.state == ExchangeState::answered) {
    std::this_thread::sleep_for(50ms);
    CHECK(connected.ask().why == "the card sent data without a request");
  }
}

TEST_CASE("a reset reaches the card and it can be talked to afterwards") {
  std::atomic<int> resets = 0;
  Connected connected(echo, [&resets] { ++resets; });
  CHECK(connected.channel->reset(ResetMode::warm));
  CHECK(resets == 1);
  CHECK(connected.channel->reset(ResetMode::cold));
  CHECK(connected.ask().state == ExchangeState::answered);
}

TEST_CASE("no card: connecting says so in time, and may be tried again") {
  const std::unique_ptr<ApduChannel> channel = make_vpcd_channel({});
  CHECK(channel->connect(20ms)->why == " on 127.0.0.1:" + channel->port());
  const FakeCard card(static_cast<std::uint16_t>(std::stoi(channel->port())), echo);
  CHECK(!channel->connect(2s));
}

TEST_CASE("a new card takes the place of a dead one") {
  const std::unique_ptr<ApduChannel> channel = make_vpcd_channel({});
  const auto port = static_cast<std::uint16_t>(std::stoi(channel->port()));
  {
    const FakeCard first(port,
                         [](std::span<const std::uint8_t>) { return FakeReply{.raw = {}, .dies = true}; });
    REQUIRE(!channel->connect(2s));
    CHECK(channel->exchange(Bytes{0x80, 0x10, 0, 0}).state == ExchangeState::lost);
  }
  const FakeCard second(port, echo);
  CHECK(!channel->connect(2s));
  CHECK(channel->exchange(Bytes{0x80, 0x10, 0, 0}).state == ExchangeState::answered);
}

TEST_CASE("a port that is taken is an error of the environment with a way out") {
  const std::unique_ptr<ApduChannel> channel = make_vpcd_channel({});
  const auto port = static_cast<std::uint16_t>(std::stoi(channel->port()));
  CHECK_THROWS_WITH(make_vpcd_channel({.port = port}),
                    Catch::Contains("cannot wait for a virtual card on 127.0.0.1:" + channel->port() +
                                    ": Address already in use") &&
                        Catch::Contains("hint: another jcprof"));
}
