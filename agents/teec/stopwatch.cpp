// SPDX-License-Identifier: Apache-2.0
#include "agents/teec/stopwatch.hpp"

#include "src/core/error.hpp"

namespace jcprof::teec {

#if defined(__aarch64__)
Edge next_edge() {
  Edge edge;
  std::uint64_t first = 0;
  __asm__ volatile(
      "mrs %0, cntvct_el0\n"
      "1: add %2, %2, #1\n"
      "mrs %1, cntvct_el0\n"
      "cmp %1, %0\n"
      "b.eq 1b"
      : "=&r"(first), "=&r"(edge.counter), "+r"(edge.rounds)
      :
      : "cc", "memory");
  return edge;
}
#else
Edge next_edge() {
  throw UserError(Fault{.message = "instructions are counted on AArch64 only"});
}
#endif

void wait_for_tick() {
  // Whole ticks of kernels with 100, 250 and 1000 of them a second; what a tick wakes is done a little later.
  constexpr std::int64_t ticks_ns = 20'000'000;
  constexpr std::int64_t later_ns = 100'000;
  constexpr std::int64_t second_ns = 1'000'000'000;
  const std::int64_t at = (agents::monotonic_ns() / ticks_ns + 1) * ticks_ns + later_ns;
  const timespec until{.tv_sec = at / second_ns, .tv_nsec = at % second_ns};
  ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

}  // namespace jcprof::teec
