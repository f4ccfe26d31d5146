// SPDX-License-Identifier: Apache-2.0
// A walk shows marks beside its sums, and calls to a watcher.
#include <algorithm>
#include <utility>

#include "annotator/record/thread_walk.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::size_t most_marks = 1U << 20U;

}  // namespace

/// Shows the call of a frame that was just taken off.
void ThreadWalk::tell(const Frame& frame) const {
  const std::uint64_t inclusive = clock_ - frame.entered;
  walk_.watcher->call({.thread = totals_.serial,
                       .stack = stack_,
                       .depth = frames_.size() - 1,
                       .key = frame.key,
                       .begin = frame.tick,
                       .end = std::max(frame.tick, last_),
                       .inclusive = inclusive,
                       .exclusive = inclusive - frame.below});
}

/// Those that were not told yet, ahead of the event at this tick.
void ThreadWalk::tell_losses(std::uint64_t tick) {
  const std::uint64_t lost = std::exchange(untold_, 0);
  if (walk_.watcher != nullptr && lost > 0) walk_.watcher->lost(totals_.serial, tick, lost);
}

void ThreadWalk::mark(std::uint32_t name, std::uint64_t payload) {
  if (name == JCPROF_LOG_STACK) return go_to_stack(payload);
  const std::uint32_t node = frames_.size() > 1 ? frames_.back().node & ~folded : 0;
  const PassedMark passed{.name = name,
                          .thread = totals_.serial,
                          .node = node,
                          .payload = payload,
                          .tick = last_,
                          .stack = stack_};
  if (walk_.watcher != nullptr) walk_.watcher->mark(passed);
  if (walk_.marks.size() < most_marks)
    walk_.marks.push_back(passed);
  else
    ++walk_.marks_left_out;
}

}  // namespace jcprof::annotator
