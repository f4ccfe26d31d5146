// SPDX-License-Identifier: Apache-2.0
// `pcsc:`: a card in a reader, through PCSC-lite. It is held alone, in a transaction, from the first contact
// to the end. docs/pcsc.md has the rules; the daemon's quirks are met in pcsc.cpp and nowhere else.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/card/channel.hpp"

namespace jcprof::harness {

struct PcscOptions {
  std::string reader;                         // name, glob or part of a name; empty: the only one
  std::chrono::milliseconds timeout{10'000};  // for one exchange
};

/// Touches no reader yet.
std::unique_ptr<ApduChannel> make_pcsc_channel(const PcscOptions& options);

enum class SlotState : std::uint8_t { empty, card, shared, held, mute };

struct Slot {
  std::string reader;
  SlotState state = SlotState::empty;  // shared, held: other programs have the card, held: one has it alone
  Bytes atr;
};

/// Looks at all readers without connecting to a card, so that nothing is disturbed. Nothing
/// when no daemon answers.
std::optional<std::vector<Slot>> pcsc_slots();

/// The readers that `wanted` may mean: those of that name, else by glob, else with that in their name. All
/// for an empty one.
std::vector<std::string> readers_named(const std::string& wanted, const std::vector<std::string>& readers);

}  // namespace jcprof::harness
