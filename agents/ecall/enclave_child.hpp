// SPDX-License-Identifier: Apache-2.0
// What runs in the process of the enclave: it works off lists of orders, as far as all comes as expected, and
// judges nothing. A crash in here is what the process is for.
#pragma once

#include <cstdint>
#include <filesystem>

#include "agents/ecall/bridge.hpp"
#include "agents/ecall/clock.hpp"
#include "agents/ecall/exchange.hpp"

namespace jcprof::ecall {

struct ChildSettings {
  BridgeChoice bridge;
  ClockKind clock = ClockKind::monotonic;
  std::uint32_t build = 0;         // that the enclave must be of; 0: any
  std::filesystem::path log = {};  // empty: nothing is recorded
};

/// A byte on `orders` says that a list is there; one on `results` that there is news, or some of it. Returns
/// at the end of `orders`.
void serve_orders(Exchange& exchange, const ChildSettings& settings, int orders, int results);

}  // namespace jcprof::ecall
