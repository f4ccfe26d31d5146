// SPDX-License-Identifier: Apache-2.0
// The account of a thread's traps (ownership.hpp): ticks of lines and calls. Frames that hooks show stand
// between those of traps where both are recorded.
#include "annotator/record/thread_walk.hpp"

namespace jcprof::annotator {

void ThreadWalk::pass_trap(std::uint32_t id, std::uint64_t ticks) {
  if (id == 0 || id > walk_.traps.traps.size()) {
    ++walk_.unknown_traps;
    clock_ += ticks;
    return;
  }
  ++walk_.lines.hits[id - 1];
  ticks_ = ticks;
  traps_.step(walk_.traps.traps[id - 1]);
}

void ThreadWalk::own(const Traps::Owner* owner) {
  clock_ += ticks_;
  if (owner == nullptr) return;
  Taken& taken = owner->statement == nullptr ? owner->frame.data.plain : owner->statement->data;
  taken.ticks += ticks_;
  taken.is_owner = true;
}

bool ThreadWalk::enter(const TrapPlace& trap, TrapCall& call) {
  const std::size_t before = frames_.size();
  enter(of_traps | (trap.function + 1));
  if (frames_.size() == before) {
    --beyond_;  // nobody will leave it
    return false;
  }
  trap_depth_ = call.depth = before;
  return true;
}

void ThreadWalk::left(Traps::Frame& frame) {
  end_plain(frame);
  const auto& shown = traps_.frames();
  trap_depth_ = shown.size() < 2 ? none : shown[shown.size() - 2].data.depth;
}

/// A statement within another one on the same line is part of its pass.
void ThreadWalk::end(const Traps::Statement& ended, Traps::Statement* outer) {
  if (!ended.data.is_owner) return;
  if (outer == nullptr || outer->trap->line != ended.trap->line)
    return end_pass(ended.trap->line, ended.data.ticks);
  outer->data.ticks += ended.data.ticks;
  outer->data.is_owner = true;
}

void ThreadWalk::end_plain(Traps::Frame& frame) {
  if (frame.data.plain.is_owner) end_pass(frame.plain->line, frame.data.plain.ticks);
  frame.data.plain = {};
}

void ThreadWalk::end_pass(std::uint32_t line, std::uint64_t ticks) {
  walk_.lines.add(line, frames_[trap_depth_].node & ~folded, ticks);
}

}  // namespace jcprof::annotator
