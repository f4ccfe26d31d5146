// SPDX-License-Identifier: Apache-2.0
// The stacks of a thread that runs fibers: each has calls of its own.
#include "annotator/record/thread_walk.hpp"

#include <algorithm>
#include <utility>

namespace jcprof::annotator {

/// Traps, and entries of an enclave, come from runtimes that do not tell of stacks. No stack changes there.
void ThreadWalk::go_to_stack(std::uint64_t stack) {
  const bool is_fresh = (stack & JCPROF_LOG_FRESH) != 0;
  stack &= ~std::uint64_t{JCPROF_LOG_FRESH};
  if (walk_.is_entered || trap_depth_ != none) return;
  if (stack != stack_) {
    others_[stack_] = {std::move(frames_), unsure_, beyond_, clock_, doubts_, is_guest_};
    stack_ = stack;
    auto there = others_.extract(stack);
    const bool is_new = !there;
    put_on(is_new ? Stack{.frames = {{.node = totals_.root}}, .doubts = doubts_} : std::move(there.mapped()));
    if (stack != 0 && (is_new || is_fresh))
      meet_fiber(is_fresh);
    else if (const auto known = walk_.fibers.find({totals_.process, stack_}); known != walk_.fibers.end())
      is_guest_ |= known->second.is_shared;  // it may have been on another thread since
  }
  if (is_fresh)
    while (frames_.size() > 1) pop();
}

/// A fiber that this thread meets under way began on another one, unless its begin was lost, or the process
/// was forked on it.
void ThreadWalk::meet_fiber(bool is_fresh) {
  is_guest_ = !is_fresh;
  Fiber& fiber = walk_.fibers.try_emplace({totals_.process, stack_}, Fiber{totals_.serial}).first->second;
  fiber.is_shared |= fiber.thread != totals_.serial;
  fiber.has_arrived |= is_guest_;
}

/// Calls may have ended unseen, on any stack: those of others get to know when the thread is there again.
void ThreadWalk::doubt_calls() {
  unsure_ = frames_.size();
  ++doubts_;
  abandoned_.clear();
}

/// A return whose call is not under way on this stack. Behind a doubt, or on a fiber that came from another
/// thread, its call was not seen.
void ThreadWalk::take_unmatched(FunctionKey key) {
  ++totals_.unmatched;
  if (is_guest_) return;
  if (const auto left = abandoned_.find(key); left != abandoned_.end() && left->second > 0) {
    --left->second;
    ++walk_.came_back;
  } else if (!is_astray_ && doubts_ == 0) {
    is_astray_ = std::ranges::any_of(others_, [&](const auto& other) {
      return std::ranges::find(other.second.frames, key, &Frame::key) != other.second.frames.end();
    });
    walk_.astray += is_astray_ ? 1 : 0;
  }
}

void ThreadWalk::put_on(Stack stack) {
  frames_ = std::move(stack.frames);
  unsure_ = stack.doubts == doubts_ ? stack.unsure : frames_.size();
  beyond_ = stack.beyond;
  clock_ = stack.clock;
  is_guest_ = stack.is_guest;
}

/// Its open calls end here.
void ThreadWalk::close_stack() {
  while (frames_.size() > 1) pop();
  totals_.recorded += std::exchange(clock_, 0);
  totals_.in_calls += std::exchange(frames_.front().below, 0);
}

}  // namespace jcprof::annotator
