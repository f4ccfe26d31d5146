// SPDX-License-Identifier: Apache-2.0
// What ecalls are timed by: the processor's time-stamp counter where that is fit for it, else
// CLOCK_MONOTONIC. Two reads and a call, nothing else.
#pragma once

#include <cstdint>

#include "agents/monotonic.hpp"
#include "src/core/agent_protocol.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#define JCPROF_HAS_TSC 1
#else
#define JCPROF_HAS_TSC 0
#endif

namespace jcprof::ecall {

enum class ClockKind : std::uint8_t { tsc, monotonic };

/// Whether the processor says that its counter runs at one speed, asleep or awake.
bool has_invariant_tsc();

/// With what is known of the clock. The counter's `hz` is measured against CLOCK_MONOTONIC_RAW, in some 50
/// ms.
AgentDescription description_of(ClockKind kind);
double ticks_per_ns(const AgentDescription& agent);

struct Timed {
  int code = 0;  // what the call returned
  std::int64_t ticks = 0;
};

template <class Call>
Timed time_monotonic(const Call& call) {
  const std::int64_t begin = agents::monotonic_ns();
  const int code = call();
  return {code, agents::monotonic_ns() - begin};
}

#if JCPROF_HAS_TSC
/// The fences keep what is timed between the reads, and what comes before it out (Intel SDM, volume 2, RDTSC
/// and RDTSCP).
template <class Call>
Timed time_by_tsc(const Call& call) {
  unsigned processor = 0;
  _mm_lfence();
  const std::uint64_t begin = __rdtsc();
  _mm_lfence();
  const int code = call();
  const std::uint64_t end = __rdtscp(&processor);
  _mm_lfence();
  return {code, static_cast<std::int64_t>(end - begin)};
}
#endif

template <class Call>
Timed timed(ClockKind kind, const Call& call) {
#if JCPROF_HAS_TSC
  if (kind == ClockKind::tsc) return time_by_tsc(call);
#else
  static_cast<void>(kind);
#endif
  return time_monotonic(call);
}

}  // namespace jcprof::ecall
