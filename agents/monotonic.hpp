// SPDX-License-Identifier: Apache-2.0
// CLOCK_MONOTONIC, by which agents wait and keep time limits; what they time is timed by a clock of their
// own.
#pragma once

#include <cstdint>
#include <ctime>

namespace jcprof::agents {

inline std::int64_t ns_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

inline std::int64_t monotonic_ns() {
  return ns_of(CLOCK_MONOTONIC);
}

}  // namespace jcprof::agents
