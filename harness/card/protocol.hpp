// SPDX-License-Identifier: Apache-2.0
// jcprof's own commands as bytes, the counterpart of templates/PM.java (docs/architecture.md, "The card
// side"). Pure: encodes and decodes, sends nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/transport.hpp"
#include "src/core/path_signature.hpp"
#include "src/core/types.hpp"

namespace jcprof::harness {

inline constexpr std::uint8_t card_protocol_version = 2;
inline constexpr std::uint16_t sw_ok = 0x9000;  // as every command of ours is answered that was understood

Bytes hello_command(const CardArming& card);
/// `commands` APDUs of the applet's own are armed, 0 disarms.
Bytes arm_command(const CardArming& card, Event stop, std::uint8_t commands);
Bytes trace_command(const CardArming& card, std::uint32_t from, std::uint8_t commands);
/// The same from the first event on, with the changes of free memory.
Bytes trace_memory_command(const CardArming& card, std::uint8_t commands);
/// `offset` counts changes.
Bytes read_memory_command(const CardArming& card, std::uint16_t offset);
Bytes read_trace_command(const CardArming& card, std::uint16_t offset);
/// Thousands of passes, or frames.
Bytes calibrate_command(const CardArming& card, CalibrationKind kind, std::uint16_t count);

/// Writes another event into what arm_command returned: the hot loop's way of arming.
void set_event(std::span<std::uint8_t> arm_command, Event stop);

struct CardHello {
  std::uint8_t version = 0;
  std::uint32_t build = 0;
  std::uint16_t window = 0;  // 0 before the first trace
};
std::optional<CardHello> parse_hello(std::span<const std::uint8_t> data);

struct CardTrace {
  std::uint32_t events = 0;
  PathDigest before;
  PathDigest total;
  std::uint16_t logged = 0;   // events in the window
  std::vector<TrapId> traps;  // as many of them as one answer holds
};
std::optional<CardTrace> parse_trace(std::span<const std::uint8_t> data);

struct CardMemory {
  FreeMemory before = {};  // the command
  FreeMemory now = {};
  std::uint16_t changes = 0;        // of the run; the card need not have room for all
  std::vector<MemoryChange> noted;  // as many of them as one answer holds
};
std::optional<CardMemory> parse_memory(std::span<const std::uint8_t> data);

}  // namespace jcprof::harness
