// SPDX-License-Identifier: Apache-2.0
// The URIs of card readers: "pcsc:NAME" and "vpcd:PORT" make a channel, and say how long its card is waited
// for.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "harness/card/channel.hpp"
#include "src/core/project.hpp"

namespace jcprof::harness {

/// Behind "pcsc:"; GP_READER where there is nothing.
std::string reader_of(std::string_view address);

/// Listens, but touches no card yet. Null for another scheme. UserError, with `file` as its place, for what
/// is no port.
std::unique_ptr<ApduChannel> make_card_channel(std::string_view uri, std::chrono::milliseconds timeout,
                                               const std::string& file = {});

/// For a card that jcprof does not start.
std::chrono::seconds patience_for(const ApduChannel& channel);

/// All scripts and the trigger, if each command takes its whole time-out.
std::chrono::milliseconds longest_run(const Session& session, const Trigger& trigger);

}  // namespace jcprof::harness
