// SPDX-License-Identifier: Apache-2.0
// The one place that decides which call and which line own what runs between two traps. Stop mode feeds it a
// path (attribution.cpp), record mode the events of a thread (record/thread_walk.cpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "annotator/estimate/trap_table.hpp"

namespace jcprof::annotator {

/// The calls under way and the statements begun in them, as the traps of one thread of control show them.
/// `Host` keeps the account, with data of its own in each call and each statement:
///   keeps_outermost         true: the outermost call owns what runs after its return
///   is_on_top()             false while a call runs that traps do not show
///   own(owner)              the owner has the time since the last event; nullptr: no trap's call has it
///   enter(trap, call)       a call begins; false: there is no room for it
///   pop()                   the innermost call is left; leave() is called where traps show it
///   left(frame)             a call that traps show is left, after its statements
///   begin(statement, outer) a statement begins, directly within `outer`; nullptr: within no other
///   end(statement, outer)   a statement ends
///   end_plain(frame)        the line that owned the time between the statements of the call no longer does
template <class Host, class Call, class Begun>
class Ownership {
 public:
  struct Statement {
    const TrapPlace* trap = nullptr;
    Begun data = {};
  };
  struct Frame {
    const TrapPlace* plain = nullptr;  // owns what runs now, where no statement does
    const TrapPlace* last = nullptr;   // trap that was passed in it
    std::size_t statements = 0;        // number of those that were begun further out
    std::uint32_t function = 0;
    bool is_plain = true;
    bool is_leaving = false;  // its return or exit was the last event
    Call data = {};
  };
  /// The call that runs, and the statement in it that owns the time; nullptr: the call's `plain` line does.
  struct Owner {
    Frame& frame;
    Statement* statement = nullptr;
    const TrapPlace& trap() const { return statement == nullptr ? *frame.plain : *statement->trap; }
  };

  explicit Ownership(Host& host) : host_(host) {}

  const std::vector<Frame>& frames() const { return frames_; }
  std::vector<Frame>& frames() { return frames_; }

  /// A trap was passed: the time up to it has an owner, and it decides who owns what follows.
  void step(const TrapPlace& trap) {
    pass_to(&trap);
    settle_frames(trap);
    if (is_on_top() && frames_.back().function == trap.function) take_over(trap);
    previous_ = &trap;
  }

  /// An event that is no trap's, or the end.
  void pass() { pass_to(nullptr); }

  /// The innermost call is left, with all its statements.
  void leave() {
    while (statements_.size() > frames_.back().statements) end_statement();
    host_.left(frames_.back());
    frames_.pop_back();
  }

 private:
  bool is_on_top() const { return !frames_.empty() && host_.is_on_top(); }

  /// `next`: the trap that ends the time; nullptr: another event does.
  void pass_to(const TrapPlace* next) {
    if (!is_on_top()) return host_.own(nullptr);
    Frame& top = frames_.back();
    if (top.is_leaving && next != nullptr && resumes(*next)) top.is_leaving = false;
    const bool is_kept = Host::keeps_outermost && frames_.size() == 1;
    if (top.is_leaving && !is_kept) host_.pop();
    if (!is_on_top()) return host_.own(nullptr);
    if (next != nullptr) settle_marker(*next);
    Owner owner{.frame = frames_.back()};
    if (!owner.frame.is_plain) owner.statement = &statements_.back();
    host_.own(&owner);
    if (next != nullptr && is_kept && owner.frame.is_leaving) host_.pop();
  }

  /// After a return the frame is gone, unless a `finally` of it still runs.
  bool resumes(const TrapPlace& trap) const {
    const std::uint32_t function = frames_.back().function;
    if (trap.function != function || trap.kind == TrapKind::entry0 || trap.kind == TrapKind::entry)
      return false;
    return trap.kind == TrapKind::handler ||
           std::none_of(frames_.begin(), frames_.end() - 1,
                        [&](const Frame& frame) { return frame.function == function; });
  }

  /// The ancestor's form: the line of a marker owns what runs up to it.
  void settle_marker(const TrapPlace& trap) {
    Frame& top = frames_.back();
    const bool is_behind_entry =
        previous_ != nullptr && (previous_->kind == TrapKind::entry || previous_->kind == TrapKind::marker);
    if (trap.kind == TrapKind::marker && is_behind_entry && top.is_plain && top.last == previous_ &&
        top.function == trap.function)
      top.plain = &trap;
  }

  // ---- frames

  /// Makes the innermost frame the one in which the trap was passed.
  void settle_frames(const TrapPlace& trap) {
    if (trap.kind == TrapKind::entry0) {
      // A new command: an exception that nobody caught left whatever was under way.
      leave_to(0);
      push(trap);
    } else if (trap.kind == TrapKind::entry) {
      const bool continues_entry0 = previous_ != nullptr && previous_->kind == TrapKind::entry0 &&
                                    previous_->function == trap.function && is_on_top();
      if (!continues_entry0) push(trap);
    } else {
      unwind_to(trap);
    }
  }

  /// Frames that cannot have passed this trap were left by an exception.
  void unwind_to(const TrapPlace& trap) {
    std::size_t depth = frames_.size();
    while (depth > 0 && frames_[depth - 1].function != trap.function) --depth;
    if (depth == 0) return push(trap);  // a function without an entry trap: it holds markers only
    leave_to(trap.kind == TrapKind::handler ? catching(trap, depth) : depth);
  }

  /// Until so many calls that traps show are left, and none above them.
  void leave_to(std::size_t depth) {
    while (frames_.size() > depth || (depth > 0 && !host_.is_on_top())) host_.pop();
  }

  /// With recursion several frames fit a handler: the innermost that is inside its `try` caught.
  std::size_t catching(const TrapPlace& trap, std::size_t innermost) const {
    auto end = statements_.end();
    for (std::size_t depth = frames_.size(); depth > 0; --depth) {
      const auto begin = statements_.begin() + static_cast<std::ptrdiff_t>(frames_[depth - 1].statements);
      const bool is_tried =
          std::any_of(begin, end, [&](const Statement& begun) { return trap.is_inside(*begun.trap); });
      if (frames_[depth - 1].function == trap.function && is_tried) return depth;
      end = begin;
    }
    return innermost;
  }

  void push(const TrapPlace& trap) {
    Frame frame{.plain = &trap, .last = &trap, .statements = statements_.size(), .function = trap.function};
    if (host_.enter(trap, frame.data)) frames_.push_back(frame);
  }

  // ---- statements

  void take_over(const TrapPlace& trap) {
    Frame& top = frames_.back();
    host_.end_plain(top);
    const auto begun = [&] { return statements_.size() > top.statements; };
    while (begun() && !trap.is_inside(*statements_.back().trap)) end_statement();
    if (trap.is_statement()) {
      Statement statement{.trap = &trap};
      host_.begin(statement, begun() ? &statements_.back() : nullptr);
      statements_.push_back(statement);
    } else if (trap.kind == TrapKind::after && trap.end_offset <= trap.offset && begun() &&
               statements_.back().trap->end_offset == trap.offset) {
      end_statement();  // a block without braces is the innermost statement that ends here
    }
    top.is_plain = !trap.is_statement() && (trap.kind != TrapKind::after || !begun());
    top.plain = &trap;
    top.is_leaving = trap.kind == TrapKind::returns || trap.kind == TrapKind::exit;
    top.last = &trap;
  }

  void end_statement() {
    const Statement ended = statements_.back();
    statements_.pop_back();
    const bool has_outer = statements_.size() > frames_.back().statements;
    host_.end(ended, has_outer ? &statements_.back() : nullptr);
  }

  Host& host_;
  std::vector<Frame> frames_;
  std::vector<Statement> statements_;
  const TrapPlace* previous_ = nullptr;  // trap that was passed
};

}  // namespace jcprof::annotator
