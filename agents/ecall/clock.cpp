// SPDX-License-Identifier: Apache-2.0
#include "agents/ecall/clock.hpp"

#include <cmath>

#if JCPROF_HAS_TSC
#include <cpuid.h>
#endif

namespace jcprof::ecall {

#if JCPROF_HAS_TSC

namespace {

constexpr double ns_per_second = 1e9;

struct Moment {
  std::int64_t ns = 0;
  std::uint64_t ticks = 0;
};

/// Both clocks at one moment: the closest of some attempts, as we may lose the processor in between.
Moment moment() {
  constexpr int attempts = 20;
  Moment best;
  std::int64_t closest = INT64_MAX;
  for (int i = 0; i < attempts; ++i) {
    const std::int64_t before = agents::ns_of(CLOCK_MONOTONIC_RAW);
    const std::uint64_t ticks = __rdtsc();
    const std::int64_t after = agents::ns_of(CLOCK_MONOTONIC_RAW);
    if (after - before >= closest) continue;
    closest = after - before;
    best = {.ns = before + (after - before) / 2, .ticks = ticks};
  }
  return best;
}

double tsc_hz() {
  constexpr timespec while_it_counts{.tv_sec = 0, .tv_nsec = 50'000'000};
  const Moment begin = moment();
  ::nanosleep(&while_it_counts, nullptr);
  const Moment end = moment();
  const double hz =
      static_cast<double>(end.ticks - begin.ticks) / static_cast<double>(end.ns - begin.ns) * ns_per_second;
  return std::round(hz / 1000) * 1000;
}

}  // namespace

bool has_invariant_tsc() {
  constexpr unsigned features = 0x80000001;
  constexpr unsigned power = 0x80000007;
  constexpr unsigned rdtscp_bit = 1U << 27U;
  constexpr unsigned invariant_bit = 1U << 8U;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(features, &a, &b, &c, &d) == 0 || (d & rdtscp_bit) == 0) return false;
  return __get_cpuid(power, &a, &b, &c, &d) != 0 && (d & invariant_bit) != 0;
}

#else

bool has_invariant_tsc() {
  return false;
}

#endif

AgentDescription description_of(ClockKind kind) {
#if JCPROF_HAS_TSC
  if (kind == ClockKind::tsc)
    return {.clock = "time-stamp counter", .unit = ClockUnit::cycles, .hz = tsc_hz()};
#else
  static_cast<void>(kind);
#endif
  return {.clock = "CLOCK_MONOTONIC"};
}

double ticks_per_ns(const AgentDescription& agent) {
  return agent.unit == ClockUnit::ns ? 1 : agent.hz / 1e9;
}

}  // namespace jcprof::ecall
