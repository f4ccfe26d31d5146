// SPDX-License-Identifier: Apache-2.0
#include "harness/card/pcsc_slots.hpp"

#include <algorithm>

#include <winscard.h>

#include "harness/card/pcsc.hpp"

namespace jcprof::harness {
namespace {

SlotState state_of(DWORD event) {
  if ((event & SCARD_STATE_PRESENT) == 0) return SlotState::empty;
  if ((event & SCARD_STATE_MUTE) != 0) return SlotState::mute;
  if ((event & SCARD_STATE_EXCLUSIVE) != 0) return SlotState::held;
  return (event & SCARD_STATE_INUSE) != 0 ? SlotState::shared : SlotState::card;
}

}  // namespace

std::optional<std::vector<Slot>> pcsc_slots() {
  const std::optional<std::vector<std::string>> names = pcsc_readers();
  if (!names) return std::nullopt;
  SCARDCONTEXT context = 0;
  if (SCardEstablishContext(SCARD_SCOPE_SYSTEM, nullptr, nullptr, &context) != SCARD_S_SUCCESS)
    return std::nullopt;
  std::vector<Slot> slots;
  for (const std::string& name : *names) {
    SCARD_READERSTATE reader{};
    reader.szReader = name.c_str();
    reader.dwCurrentState = SCARD_STATE_UNAWARE;  // makes it answer at once
    Slot& slot = slots.emplace_back(Slot{.reader = name, .state = SlotState::empty, .atr = {}});
    if (SCardGetStatusChange(context, 0, &reader, 1) != SCARD_S_SUCCESS) continue;  // pulled just now
    slot.state = state_of(reader.dwEventState);
    const auto* const atr = static_cast<const unsigned char*>(reader.rgbAtr);
    slot.atr.assign(atr, atr + std::min<std::size_t>(reader.cbAtr, sizeof reader.rgbAtr));
  }
  SCardReleaseContext(context);
  return slots;
}

}  // namespace jcprof::harness
