// SPDX-License-Identifier: Apache-2.0
#include "harness/card/trace_reading.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "harness/card/protocol.hpp"
#include "src/core/hex.hpp"

namespace jcprof::harness {
namespace {

UserError unreadable(const Answer& answer) {
  return environment_error(
      fmt::format("the card's trace cannot be read: {}{}", to_hex(answer.data), to_text(answer.status)),
      "a reset within the command loses it");
}

}  // namespace

bool read_window(CardSession& session, const CardArming& card, TraceWindow& window, const TraceScope& scope) {
  std::size_t logged = 0;
  do {
    const auto offset = static_cast<std::uint16_t>(window.traps.size());
    const Answer& answer = session.transmit_unopened(read_trace_command(card, offset));
    if (answer.state != ExchangeState::answered) return false;
    const std::optional<CardTrace> part = answer.status == sw_ok ? parse_trace(answer.data) : std::nullopt;
    if (!part || (part->traps.empty() && window.traps.size() < part->logged)) throw unreadable(answer);
    window.before = part->before;
    window.run = WholeRun{.events = part->events, .digest = part->total};
    window.traps.insert(window.traps.end(), part->traps.begin(), part->traps.end());
    logged = std::min<std::size_t>(part->logged, scope.count);
  } while (window.traps.size() < logged);
  window.traps.resize(logged);
  window.more = scope.from + logged < window.run->events;
  return true;
}

bool read_memory(CardSession& session, const CardArming& card, MemoryLog& log) {
  for (;;) {
    const auto offset = static_cast<std::uint16_t>(log.changes.size());
    const Answer& answer = session.transmit_unopened(read_memory_command(card, offset));
    if (answer.state != ExchangeState::answered) return false;
    const std::optional<CardMemory> part = answer.status == sw_ok ? parse_memory(answer.data) : std::nullopt;
    if (!part) throw unreadable(answer);
    log.before = part->before;
    log.after = part->now;
    log.changes.insert(log.changes.end(), part->noted.begin(), part->noted.end());
    log.is_cut = log.changes.size() < part->changes;
    if (!log.is_cut || part->noted.empty()) return true;
  }
}

}  // namespace jcprof::harness
