// SPDX-License-Identifier: Apache-2.0
// Projects of a workplace moved from `vpcd:` into a reader of a private PC/SC daemon.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "src/core/process.hpp"
#include "tests/support/private_pcscd.hpp"

/// Ends a test case where no daemon of its own can run, with the reason; ctest calls it skipped.
#define JCPROF_NEEDS_PRIVATE_PCSCD()                                    \
  if (const auto obstacle = ::jcprof::test::PrivatePcscd::obstacle()) { \
    WARN("SKIPPED: " << *obstacle);                                     \
    return;                                                             \
  }

namespace jcprof::test {

/// "start" runs VirtualCard.java instead of jCardSim's own, which sleeps for 3 s; the transport stays.
void use_virtual_card(const std::filesystem::path& project);

/// The same, in this reader (0 or 1).
void use_reader(const std::filesystem::path& project, const PrivatePcscd& daemon, int reader = 0);

/// A project of use_reader(), with jcprof-agent-card at its reader, which starts the card. `before` stands
/// before the agent, such as "ssh host".
void use_agent(const std::filesystem::path& project, const std::string& before = "");

/// The same, with a card that somebody else starts and that may have its applet already.
void use_card_by_hand(const std::filesystem::path& project);

/// What `use_reader` would start, for that somebody else.
Command card_by_hand(const std::filesystem::path& project, const PrivatePcscd& daemon, int reader = 0);
/// The same at this port, with more words for the JVM.
Command card_by_hand(const std::filesystem::path& project, std::uint16_t port,
                     const std::vector<std::string>& properties);

}  // namespace jcprof::test
