// SPDX-License-Identifier: Apache-2.0
// The clock of all that is timed here.
#pragma once

#include <chrono>
#include <cstdint>

namespace jcprof::harness {

/// Nanoseconds of the steady clock; only differences mean something.
inline std::int64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace jcprof::harness
