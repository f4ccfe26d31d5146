// SPDX-License-Identifier: Apache-2.0
// The stacks of a thread that runs fibers: each has calls of its own.
#include "annotator/record/thread_walk.hpp"

#include <utility>

namespace jcprof::annotator {

/// Traps, and entries of an enclave, come from runtimes that do not tell of stacks. No stack changes there.
void ThreadWalk::go_to_stack(std::uint64_t stack) {
  const bool is_fresh = (stack & JCPROF_LOG_FRESH) != 0;
  stack &= ~std::uint64_t{JCPROF_LOG_FRESH};
  if (walk_.is_entered || trap_depth_ != none) return;
  if (stack != stack_) {
    Stack& here = others_[stack_];
    here = {std::move(frames_), unsure_, beyond_, clock_};
    auto there = others_.extract(stack);
    put_on(there ? std::move(there.mapped()) : Stack{.frames = {{.node = totals_.root}}});
    stack_ = stack;
    const auto [known, is_new] = walk_.thread_of_fiber.try_emplace(stack, totals_.serial);
    if (stack != 0 && (is_fresh || is_new)) known->second = totals_.serial;
    if (stack != 0 && known->second != totals_.serial) ++walk_.strays;
  }
  if (is_fresh)
    while (frames_.size() > 1) pop();
}

void ThreadWalk::put_on(Stack stack) {
  frames_ = std::move(stack.frames);
  unsure_ = stack.unsure;
  beyond_ = stack.beyond;
  clock_ = stack.clock;
}

/// Its open calls end here.
void ThreadWalk::close_stack() {
  while (frames_.size() > 1) pop();
  totals_.recorded += std::exchange(clock_, 0);
  totals_.in_calls += std::exchange(frames_.front().below, 0);
}

}  // namespace jcprof::annotator
