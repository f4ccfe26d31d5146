// SPDX-License-Identifier: Apache-2.0
// What the tests of the card transport share: a fake card with an applet, and shots at it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/card/transport.hpp"
#include "harness/card/vpcd.hpp"
#include "src/core/hex.hpp"
#include "tests/support/fake_card.hpp"

namespace jcprof::test {

/// An applet on a fake card, and all that was sent to it. `twist` may answer in the applet's place.
struct World {
  FakeApplet applet;
  std::vector<std::string> seen;
  int starts = 0;
  std::function<std::optional<FakeReply>(const std::string& apdu)> twist = [](const std::string&) {
    return std::nullopt;
  };

  FakeReply operator()(std::span<const std::uint8_t> apdu) {
    seen.push_back(to_hex(apdu));
    if (std::optional<FakeReply> reply = twist(seen.back())) return *reply;
    return framed(applet.process(apdu));
  }
};

inline harness::CardSetup basic_setup() {
  harness::CardSetup setup;
  setup.session.timeout = std::chrono::milliseconds{150};
  setup.session.after_reset = {ApduStep{.apdu = "00A4040000", .expect = ""}};
  setup.trigger.apdus = {"B0310000 {input}"};
  setup.arming = FakeApplet{}.arming;
  setup.build = FakeApplet{}.build;
  return setup;
}

inline std::unique_ptr<harness::Transport> transport_on(World& world, const harness::CardSetup& setup) {
  std::unique_ptr<harness::ApduChannel> channel =
      harness::make_vpcd_channel({.port = {}, .timeout = setup.session.timeout});
  const auto port = static_cast<std::uint16_t>(std::stoi(channel->port()));
  auto device = std::make_unique<FakeDevice>(
      port, [&world](std::span<const std::uint8_t> apdu) { return world(apdu); },
      [&world] {
        ++world.starts;
        world.applet.reset();
      });
  return harness::make_card_transport(setup, std::move(channel), std::move(device));
}

inline std::vector<Sample> shoot(harness::Transport& transport, const std::vector<Shot>& shots) {
  std::vector<Sample> samples;
  transport.measure(shots, [&samples](const Shot&, const Sample& sample) {
    samples.push_back(sample);
    return true;
  });
  return samples;
}

inline Shot at(std::uint32_t trap, std::uint32_t hit = 1) {
  return {.stop = {.trap = TrapId{trap}, .hit = hit}};
}

inline const std::string trigger = "b0310000";

}  // namespace jcprof::test
