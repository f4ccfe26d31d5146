// SPDX-License-Identifier: Apache-2.0
// How much time recording an event takes, and how well that is known.
#pragma once

#include <algorithm>
#include <cstdint>

namespace jcprof::annotator {

/// By how many ticks 1024 events lengthen the time up to them.
struct EventCost {
  std::uint64_t together = 0;  // back to back
  // With more work between them: less, as a processor works on while it reads its clock.
  std::uint64_t apart = 0;
  // The cost behind long work is uncertain by this, or by a quarter of what was taken off if that is more.
  std::uint64_t doubt = 0;
  std::uint64_t least_doubt = 0;  // of each event, wherever it comes
};

/// Of very many ticks less, so that the product fits.
inline std::uint64_t in_1024ths(std::uint64_t ticks) {
  return std::min(ticks, std::uint64_t{1} << 40U) * 1024;
}

/// How much longer a difference is than events back to back make it, in 1/1024 ticks.
inline std::uint64_t beyond(const EventCost& cost, std::uint64_t ticks) {
  const std::uint64_t all = in_1024ths(ticks);
  return all > cost.together ? all - cost.together : 0;
}

/// Of 1024 events that come so many ticks after the one before, in ticks. A processor does the first part of
/// the work between two events while it reads its clock: that part does not show in their difference. A
/// difference little above the cost of events back to back has more work than it shows, and how much is
/// uncertain. So the cost falls by as much as differences grow.
inline std::uint64_t cost_after(const EventCost& cost, std::uint64_t ticks) {
  return cost.together - std::min(cost.together - cost.apart, beyond(cost, ticks));
}

/// The least doubt of `taken`, which may have the cost of earlier events too, whose differences were shorter.
inline std::uint64_t least_doubt_of(const EventCost& cost, std::uint64_t taken) {
  const std::uint64_t all = taken * 1024;
  if (all <= cost.together || cost.together == 0) return cost.least_doubt;
  const double times = static_cast<double>(all) / static_cast<double>(cost.together);
  return static_cast<std::uint64_t>(static_cast<double>(cost.least_doubt) * times);
}

/// By how much `taken` of `ticks`, at most all, may be wrong as own cost, in 1/1024 ticks. Calibration times
/// events whose code and data are at hand. Behind long work a processor may have to fetch them, or may do
/// parts of the event meanwhile. The truth lies between nothing and all of the ticks.
inline std::uint64_t doubt_of(const EventCost& cost, std::uint64_t taken, std::uint64_t ticks) {
  const std::uint64_t least =
      std::min(least_doubt_of(cost, taken), in_1024ths(std::max(taken, ticks - taken)));
  return std::max({taken * 1024 / 4, std::min(cost.doubt, beyond(cost, ticks)), least});
}

}  // namespace jcprof::annotator
