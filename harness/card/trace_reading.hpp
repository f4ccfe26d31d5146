// SPDX-License-Identifier: Apache-2.0
// Reads what a card keeps of a traced run, in as many answers as it takes.
#pragma once

#include <cstdint>

#include "harness/card/session.hpp"
#include "harness/transport.hpp"

namespace jcprof::harness {

struct TraceScope {
  std::uint64_t from = 0;  // the first event that the card was to keep
  std::uint32_t count = ~0U;
};

/// All but the end of the run. False when the card was lost meanwhile. Opens no secure channel before.
bool read_window(CardSession& session, const CardArming& card, TraceWindow& window, const TraceScope& scope);

/// False when the card was lost meanwhile.
bool read_memory(CardSession& session, const CardArming& card, MemoryLog& log);

}  // namespace jcprof::harness
