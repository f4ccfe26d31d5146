// SPDX-License-Identifier: Apache-2.0
// What traps tell of a thread: the rules of attribution.cpp, event by event. The frames of hooks stand
// between those of traps where both are recorded.
#include <algorithm>

#include "annotator/record/thread_walk.hpp"

namespace jcprof::annotator {

/// Ticks up to an event that is no trap's, with a frame of traps on top.
void ThreadWalk::pass(std::uint64_t ticks) {
  if (trap_frames_.back().is_leaving) pop_any();
  clock_ += ticks;
  if (!is_trap_on_top()) return;
  TrapFrame& top = trap_frames_.back();
  if (top.is_plain) {
    top.ticks += ticks;
    top.owned = true;
  } else {
    statements_.back().ticks += ticks;
    statements_.back().owned = true;
  }
}

void ThreadWalk::pass_trap(std::uint32_t id, std::uint64_t ticks) {
  if (id == 0 || id > walk_.traps.traps.size()) {
    ++walk_.unknown_traps;
    clock_ += ticks;
    return;
  }
  const TrapPlace& trap = walk_.traps.traps[id - 1];
  ++walk_.lines.hits[id - 1];
  std::uint64_t before = 0;
  if (is_trap_on_top()) {
    TrapFrame& top = trap_frames_.back();
    if (!top.is_leaving) before = top.serial;
    if (top.is_leaving && resumes(trap)) top.is_leaving = false;
    pass(ticks);
  } else {
    clock_ += ticks;
  }
  settle_frames(trap);
  if (is_trap_on_top() && trap_frames_.back().function == trap.function) {
    TrapFrame& top = trap_frames_.back();
    // The ancestor's form: what runs up to a marker is shown at that marker.
    const bool is_behind_entry =
        previous_ != nullptr && (previous_->kind == TrapKind::entry || previous_->kind == TrapKind::marker);
    if (trap.kind == TrapKind::marker && top.serial == before && is_behind_entry && top.is_plain)
      top.line = trap.line;
    take_over(trap);
  }
  previous_ = &trap;
}

// ---- frames

/// After a return the frame is gone, unless a `finally` of it still runs.
bool ThreadWalk::resumes(const TrapPlace& trap) const {
  const std::uint32_t function = trap_frames_.back().function;
  if (trap.function != function || trap.kind == TrapKind::entry0 || trap.kind == TrapKind::entry)
    return false;
  return trap.kind == TrapKind::handler ||
         std::none_of(trap_frames_.begin(), trap_frames_.end() - 1,
                      [&](const TrapFrame& frame) { return frame.function == function; });
}

/// Makes the top frame the one in which the trap was passed.
void ThreadWalk::settle_frames(const TrapPlace& trap) {
  if (trap.kind == TrapKind::entry0) {
    // A new command: whatever was under way was left by an exception that nobody caught.
    while (!trap_frames_.empty()) pop_any();
    push_trap_frame(trap);
  } else if (trap.kind == TrapKind::entry) {
    const bool continues_entry0 = previous_ != nullptr && previous_->kind == TrapKind::entry0 &&
                                  previous_->function == trap.function && is_trap_on_top();
    if (!continues_entry0) push_trap_frame(trap);
  } else {
    unwind_to(trap);
  }
}

/// Frames that cannot have passed this trap were left by an exception.
void ThreadWalk::unwind_to(const TrapPlace& trap) {
  std::size_t depth = trap_frames_.size();
  while (depth > 0 && trap_frames_[depth - 1].function != trap.function) --depth;
  if (depth == 0) {
    push_trap_frame(trap);  // a function without an entry trap: only markers are in it
    return;
  }
  if (trap.kind == TrapKind::handler) depth = catching(trap, depth);
  const std::size_t frames = trap_frames_[depth - 1].depth + 1;
  while (frames_.size() > frames) pop_any();
}

/// With recursion several frames fit a handler: the innermost that is inside its `try` caught.
std::size_t ThreadWalk::catching(const TrapPlace& trap, std::size_t innermost) const {
  std::size_t end = statements_.size();
  for (std::size_t depth = trap_frames_.size(); depth > 0; --depth) {
    const TrapFrame& frame = trap_frames_[depth - 1];
    const bool is_tried = std::any_of(
        statements_.begin() + static_cast<std::ptrdiff_t>(frame.statements),
        statements_.begin() + static_cast<std::ptrdiff_t>(end),
        [&](const Statement& statement) { return trap.is_inside(walk_.traps.traps[statement.trap]); });
    if (frame.function == trap.function && is_tried) return depth;
    end = frame.statements;
  }
  return innermost;
}

void ThreadWalk::push_trap_frame(const TrapPlace& trap) {
  const std::size_t before = frames_.size();
  enter(of_traps | (trap.function + 1));
  if (frames_.size() == before) {
    --beyond_;  // nobody will leave it
    return;
  }
  trap_depth_ = before;
  trap_frames_.push_back({.depth = before,
                          .serial = ++trap_serial_,
                          .statements = statements_.size(),
                          .function = trap.function,
                          .line = trap.line});
}

void ThreadWalk::pop_trap_frame() {
  while (statements_.size() > trap_frames_.back().statements) end_statement();
  end_plain(trap_frames_.back());
  trap_frames_.pop_back();
  trap_depth_ = trap_frames_.empty() ? none : trap_frames_.back().depth;
}

// ---- owners

/// Decides who owns what runs from this trap on.
void ThreadWalk::take_over(const TrapPlace& trap) {
  TrapFrame& top = trap_frames_.back();
  end_plain(top);
  const auto begun = [&] { return statements_.size() > top.statements; };
  const auto innermost = [&]() -> const TrapPlace& { return walk_.traps.traps[statements_.back().trap]; };
  while (begun() && !trap.is_inside(innermost())) end_statement();
  if (trap.is_statement()) {
    statements_.push_back({.trap = static_cast<std::uint32_t>(&trap - walk_.traps.traps.data())});
  } else if (trap.kind == TrapKind::after) {
    // A block without braces is the innermost statement that ends there.
    const bool has_brace = trap.end_offset > trap.offset;
    if (!has_brace && begun() && innermost().end_offset == trap.offset) end_statement();
  }
  top.is_plain = !trap.is_statement() && (trap.kind != TrapKind::after || !begun());
  top.line = trap.line;
  top.is_leaving = trap.kind == TrapKind::returns || trap.kind == TrapKind::exit;
}

/// A statement within another one on the same line is part of its pass.
void ThreadWalk::end_statement() {
  const Statement ended = statements_.back();
  statements_.pop_back();
  if (!ended.owned) return;
  const std::uint32_t line = walk_.traps.traps[ended.trap].line;
  if (statements_.size() > trap_frames_.back().statements) {
    Statement& outer = statements_.back();
    if (walk_.traps.traps[outer.trap].line == line) {
      outer.ticks += ended.ticks;
      outer.owned = true;
      return;
    }
  }
  end_pass(line, ended.ticks);
}

void ThreadWalk::end_plain(TrapFrame& frame) {
  if (frame.owned) end_pass(frame.line, frame.ticks);
  frame.owned = false;
  frame.ticks = 0;
}

void ThreadWalk::end_pass(std::uint32_t line, std::uint64_t ticks) {
  walk_.lines.add(line, frames_[trap_frames_.back().depth].node & ~folded, ticks);
}

}  // namespace jcprof::annotator
