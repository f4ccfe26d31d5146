// SPDX-License-Identifier: Apache-2.0
// The clock of all that is timed here, and pauses by it.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

namespace jcprof::harness {

/// Nanoseconds of the steady clock; only differences mean something.
inline std::int64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

/// A processor that sleeps wakes up slow, and the command pays for it: short pauses are spent awake.
inline void pause(std::int64_t nanoseconds) {
  constexpr std::int64_t awake_ns = 5'000'000;
  const std::int64_t end = now_ns() + nanoseconds;
  if (nanoseconds > awake_ns) std::this_thread::sleep_for(std::chrono::nanoseconds(nanoseconds - awake_ns));
  while (now_ns() < end) {
  }
}

}  // namespace jcprof::harness
