// SPDX-License-Identifier: Apache-2.0
#include "harness/card/protocol.hpp"

#include <array>

#include "harness/card/apdu.hpp"
#include "src/core/error.hpp"

namespace jcprof::harness {
namespace {

enum class P1 : std::uint8_t {
  hello = 0,
  arm = 1,
  trace = 2,
  read_trace = 3,
  calibrate = 4,
  trace_memory = 6,
  read_memory = 7
};

constexpr std::size_t arm_data_at = 5;

Bytes command(const CardArming& card, P1 verb, Bytes data, bool is_answered) {
  Apdu apdu{.cla = card.cla, .ins = card.ins, .p1 = static_cast<std::uint8_t>(verb), .data = std::move(data)};
  if (is_answered) apdu.le = 0;
  return encode(apdu);
}

/// The card's number of a kind: a descent of no frames times the return and the stop themselves.
std::uint8_t card_kind(CalibrationKind kind) {
  check(kind != CalibrationKind::unwind, "a calibration that cards know");
  // empty, unarmed, counting, returned, stop, calls, frames, guards, none, sites
  constexpr std::array<std::uint8_t, 10> kinds{0, 1, 2, 3, 4, 3, 4, 5, 0xFF, 6};
  return kinds.at(static_cast<std::size_t>(kind));
}

void append(Bytes& bytes, std::uint32_t value, int count) {
  while (count-- > 0) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * count)));
}

std::uint32_t u16(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint32_t>(bytes[at] << 8 | bytes[at + 1]);
}

std::uint32_t u32(std::span<const std::uint8_t> bytes, std::size_t at) {
  return u16(bytes, at) << 16 | u16(bytes, at + 2);
}

PathDigest digest(std::span<const std::uint8_t> bytes, std::size_t at) {
  return {.signature = u32(bytes, at), .mix = static_cast<std::uint16_t>(u16(bytes, at + 4))};
}

Bytes trace_by(P1 verb, const CardArming& card, std::uint32_t from, std::uint8_t commands) {
  Bytes data;
  append(data, from, 4);
  data.push_back(commands);
  return command(card, verb, data, false);
}

Bytes read_by(P1 verb, const CardArming& card, std::uint16_t offset) {
  Bytes data;
  append(data, offset, 2);
  return command(card, verb, data, true);
}

FreeMemory free_memory(std::span<const std::uint8_t> bytes, std::size_t at) {
  FreeMemory free{};
  for (std::size_t kind = 0; kind < free.size(); ++kind)
    free.at(kind) = static_cast<std::uint16_t>(u16(bytes, at + 2 * kind));
  return free;
}

}  // namespace

Bytes hello_command(const CardArming& card) {
  return command(card, P1::hello, {}, true);
}

Bytes arm_command(const CardArming& card, Event stop, std::uint8_t commands) {
  Bytes data(7);
  data.back() = commands;
  Bytes bytes = command(card, P1::arm, data, false);
  set_event(bytes, stop);
  return bytes;
}

void set_event(std::span<std::uint8_t> arm_command, Event stop) {
  check(arm_command.size() == arm_data_at + 7 && number(stop.trap) <= 0xFFFF,
        "an arm command, a 16-bit trap");
  const std::uint32_t trap = number(stop.trap);
  for (std::size_t i = 0; i < 2; ++i)
    arm_command[arm_data_at + i] = static_cast<std::uint8_t>(trap >> (8 * (1 - i)));
  for (std::size_t i = 0; i < 4; ++i)
    arm_command[arm_data_at + 2 + i] = static_cast<std::uint8_t>(stop.hit >> (8 * (3 - i)));
}

Bytes trace_command(const CardArming& card, std::uint32_t from, std::uint8_t commands) {
  return trace_by(P1::trace, card, from, commands);
}

Bytes trace_memory_command(const CardArming& card, std::uint8_t commands) {
  return trace_by(P1::trace_memory, card, 0, commands);
}

Bytes read_trace_command(const CardArming& card, std::uint16_t offset) {
  return read_by(P1::read_trace, card, offset);
}

Bytes read_memory_command(const CardArming& card, std::uint16_t offset) {
  return read_by(P1::read_memory, card, offset);
}

Bytes calibrate_command(const CardArming& card, CalibrationKind kind, std::uint16_t count) {
  Bytes data{card_kind(kind)};
  append(data, count, 2);
  return command(card, P1::calibrate, data, false);
}

std::optional<CardHello> parse_hello(std::span<const std::uint8_t> data) {
  if (data.size() != 7) return std::nullopt;
  return CardHello{
      .version = data[0], .build = u32(data, 1), .window = static_cast<std::uint16_t>(u16(data, 5))};
}

std::optional<CardTrace> parse_trace(std::span<const std::uint8_t> data) {
  constexpr std::size_t header = 18;
  if (data.size() < header || data.size() % 2 != 0) return std::nullopt;
  CardTrace trace{.events = u32(data, 0),
                  .before = digest(data, 4),
                  .total = digest(data, 10),
                  .logged = static_cast<std::uint16_t>(u16(data, 16)),
                  .traps = {}};
  for (std::size_t at = header; at < data.size(); at += 2) trace.traps.push_back(TrapId{u16(data, at)});
  if (trace.traps.size() > trace.logged || trace.logged > trace.events) return std::nullopt;
  return trace;
}

std::optional<CardMemory> parse_memory(std::span<const std::uint8_t> data) {
  constexpr std::size_t header = 14;
  constexpr std::size_t entry = 10;
  if (data.size() < header || (data.size() - header) % entry != 0) return std::nullopt;
  CardMemory memory{.before = free_memory(data, 0),
                    .now = free_memory(data, 6),
                    .changes = static_cast<std::uint16_t>(u16(data, 12)),
                    .noted = {}};
  for (std::size_t at = header; at < data.size(); at += entry) {
    const std::uint32_t events = u32(data, at);
    if (events == 0) return std::nullopt;
    memory.noted.push_back({.event = events - 1, .free = free_memory(data, at + 4)});
  }
  if (memory.noted.size() > memory.changes) return std::nullopt;
  return memory;
}

}  // namespace jcprof::harness
