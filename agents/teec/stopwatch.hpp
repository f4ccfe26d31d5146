// SPDX-License-Identifier: Apache-2.0
// What calls are timed by: CLOCK_MONOTONIC_RAW, or where the machine's virtual clock counts instructions,
// those.
#pragma once

#include <cstdint>

#include "agents/monotonic.hpp"
#include "src/core/types.hpp"

namespace jcprof::teec {

enum class Counts : std::uint8_t { ns, instructions };

/// Instructions between two readings of an instruction counter that can be told from none.
inline constexpr std::uint64_t instruction_step = 4;

/// The machine's counter steps every 16 instructions. Going round a loop of four until it does tells how many
/// are left of a step.
struct Edge {
  std::uint64_t counter = 0;
  std::uint64_t rounds = 0;
};
Edge next_edge();
/// Sleeps until the kernel's timer has ticked: there will be none within the next milliseconds.
void wait_for_tick();

/// Two readings and the call, nothing else. UserError where there is no instruction counter.
template <class Call>
Ticks time_of(Counts counts, const Call& call) {
  if (counts == Counts::ns) {
    const std::int64_t begin = agents::ns_of(CLOCK_MONOTONIC_RAW);
    call();
    return agents::ns_of(CLOCK_MONOTONIC_RAW) - begin;
  }
  constexpr std::uint64_t instructions_of_step = 16;
  wait_for_tick();
  const Edge begin = next_edge();
  call();
  const Edge end = next_edge();
  return static_cast<Ticks>(instructions_of_step * (end.counter - begin.counter) -
                            instruction_step * end.rounds);
}

}  // namespace jcprof::teec
