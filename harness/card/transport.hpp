// SPDX-License-Identifier: Apache-2.0
// The Transport for every card, whatever channel leads to it: arms, sends the trigger, takes the time, reads
// back.
#pragma once

#include <memory>
#include <optional>

#include "harness/card/channel.hpp"
#include "harness/card/exchange_hook.hpp"
#include "harness/device.hpp"
#include "harness/transport.hpp"
#include "src/core/project.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::harness {

/// The parts of a project and of its traps that a card has to do with.
struct CardSetup {
  Session session;
  Trigger trigger;
  CardArming arming;
  std::uint32_t build = 0;
  Placeholders placeholders;              // without {input}
  std::string device;                     // its name; empty: from the ATR
  bool simulated = false;                 // what answers is a program
  Bytes sample_input;                     // one as they will come: lengths are checked with it
  std::optional<HookSettings> hook = {};  // of a secure channel
};

/// Does not touch the card yet. UserError for APDUs and status patterns that are none.
std::unique_ptr<Transport> make_card_transport(const CardSetup& setup, std::unique_ptr<ApduChannel> channel,
                                               std::unique_ptr<Device> device);

}  // namespace jcprof::harness
