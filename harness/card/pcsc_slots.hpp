// SPDX-License-Identifier: Apache-2.0
// What is in the readers, by looking alone: no card is connected to, so that nothing is disturbed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/core/types.hpp"

namespace jcprof::harness {

enum class SlotState : std::uint8_t { empty, card, shared, held, mute };

struct Slot {
  std::string reader;
  SlotState state = SlotState::empty;  // shared, held: other programs have the card, held: one has it alone
  Bytes atr;
};

/// Nothing when no daemon answers.
std::optional<std::vector<Slot>> pcsc_slots();

}  // namespace jcprof::harness
