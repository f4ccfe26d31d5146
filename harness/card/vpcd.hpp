// SPDX-License-Identifier: Apache-2.0
// `vpcd:`: the harness is the reader, a virtual card connects to it over loopback and speaks the protocol of
// vsmartcard's vpcd. One card, one connection at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "harness/card/channel.hpp"

namespace jcprof::harness {

struct VpcdOptions {
  std::optional<std::uint16_t> port;          // none: any that is free
  std::chrono::milliseconds timeout{10'000};  // for one exchange
};

/// Listens at once. UserError (environment) when the port is taken.
std::unique_ptr<ApduChannel> make_vpcd_channel(const VpcdOptions& options);

}  // namespace jcprof::harness
