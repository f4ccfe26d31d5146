// SPDX-License-Identifier: Apache-2.0
// The one place that decides which call and which line own what runs between two traps. Stop mode feeds it a
// path (attribution.cpp), record mode the events of a thread (record/thread_walk.cpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "annotator/estimate/trap_table.hpp"

namespace jcprof::annotator {

/// The calls under way and the statements begun in them, and what they say of a trap that is passed.
template <class Call, class Begun>
struct ShownCalls {
  struct Statement {
    const TrapPlace* trap = nullptr;
    std::uint64_t handled = 0;  // place of the last handler that was passed directly in it
    Begun data = {};
  };
  struct Frame {
    const TrapPlace* plain = nullptr;     // owns what runs now, where no statement does
    const TrapPlace* last = nullptr;      // trap that was passed in it
    const TrapPlace* finishes = nullptr;  // first of the `finally` that runs after its return
    std::size_t statements = 0;           // number of those that were begun further out
    std::uint32_t function = 0;
    bool is_plain = true;
    bool is_leaving = false;  // its return, its exit or the end of its `finally` was the last event
    Call data = {};
  };

  std::vector<Frame> frames = {};
  std::vector<Statement> statements = {};

  /// After a return the frame is gone, unless a `finally` of it still runs.
  bool resumes(const TrapPlace& trap) const {
    const Frame& top = frames.back();
    if (trap.function != top.function || trap.kind == TrapKind::entry0 || trap.kind == TrapKind::entry)
      return false;
    const bool is_only = std::none_of(frames.begin(), frames.end() - 1,
                                      [&](const Frame& frame) { return frame.function == top.function; });
    const bool is_finally =
        trap.kind == TrapKind::handler && trap.has_finally && top.last->kind != TrapKind::exit;
    return is_only || (is_finally && fits(frames.size(), trap));
  }

  /// The depth of the call in which the trap was passed; 0: none. Calls further in were left, by an exception
  /// or at the end of a `finally`.
  std::size_t depth_of(const TrapPlace& trap) const {
    std::size_t innermost = 0;
    for (std::size_t depth = frames.size(); depth > 0; --depth) {
      if (frames[depth - 1].function != trap.function) continue;
      if (innermost == 0) innermost = depth;
      if (fits(depth, trap) && (trap.kind == TrapKind::handler || goes_on(depth, trap))) return depth;
    }
    return innermost;
  }

  /// A `finally` that ran after a return ends here: the caller owns the time behind it.
  bool ends_finally_of(const Frame& top, const TrapPlace& trap) const {
    if (top.finishes == nullptr || trap.kind != TrapKind::after) return false;
    const bool is_held = statements.size() > top.statements;
    if (top.finishes->holder == no_holder) return !is_held;
    return is_held && statements.back().trap->offset == top.finishes->holder &&
           trap.end_offset == statements.back().trap->end_offset;
  }

 private:
  /// The statements that were begun in the call of this depth.
  std::span<const Statement> begun_in(std::size_t depth) const {
    const std::size_t begin = frames[depth - 1].statements;
    const std::size_t end = depth < frames.size() ? frames[depth].statements : statements.size();
    return std::span(statements).subspan(begin, end - begin);
  }

  /// With recursion several calls of its function may have passed the trap: one that is inside of the
  /// statement round it, and of a handler's `try` has passed neither this one nor a later one.
  bool fits(std::size_t depth, const TrapPlace& trap) const {
    const bool is_handler = trap.kind == TrapKind::handler;
    if (trap.holder == no_holder) return !is_handler || frames[depth - 1].last->offset < trap.offset;
    const Statement* holder = holder_of(trap, begun_in(depth));
    return holder != nullptr && !(is_handler && holder->handled >= trap.offset);
  }

  static const Statement* holder_of(const TrapPlace& trap, std::span<const Statement> begun) {
    const auto holds = [&](const Statement& one) {
      return one.trap->offset == trap.holder && trap.is_inside(*one.trap);
    };
    const auto found = std::find_if(begun.rbegin(), begun.rend(), holds);
    return found == begun.rend() ? nullptr : &*found;
  }

  /// False where the call has returned, and the `finally` that ran after that does not hold the trap.
  bool goes_on(std::size_t depth, const TrapPlace& trap) const {
    const Frame& frame = frames[depth - 1];
    if (frame.finishes == nullptr) return true;
    const std::span<const Statement> begun = begun_in(depth);
    const Statement* tried = holder_of(*frame.finishes, begun);
    if (tried != nullptr && !trap.is_inside(*tried->trap)) return false;
    const bool is_repeated = std::ranges::any_of(begun, [&](const Statement& one) {
      return one.trap->offset >= frame.finishes->offset && trap.is_inside(*one.trap);
    });
    const bool is_further = trap.offset >= frame.last->offset && &trap != frame.last;
    return trap.offset > frame.finishes->offset && (is_further || is_repeated);
  }
};

/// Follows the traps of one thread of control. `Host` keeps the account, with data of its own in each call
/// and each statement:
///   keeps_outermost         true: the outermost call owns what runs after its return, but for an applet's
///                           answer and the time up to the next command, which nobody owns
///   begins_command(entry0)  a new command, and no call of one that runs: all calls under way were left
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
  using Calls = ShownCalls<Call, Begun>;
  using Statement = typename Calls::Statement;
  using Frame = typename Calls::Frame;
  /// The call that runs, and the statement in it that owns the time; nullptr: the call's `plain` line does.
  struct Owner {
    Frame& frame;
    Statement* statement = nullptr;
    const TrapPlace& trap() const { return statement == nullptr ? *frame.plain : *statement->trap; }
  };

  explicit Ownership(Host& host) : host_(host) {}

  const std::vector<Frame>& frames() const { return calls_.frames; }
  std::vector<Frame>& frames() { return calls_.frames; }

  /// A trap was passed: the time up to it has an owner, and it decides who owns what follows.
  void step(const TrapPlace& trap) {
    pass_to(&trap);
    settle_frames(trap);
    if (is_on_top() && calls_.frames.back().function == trap.function) take_over(trap);
    previous_ = &trap;
  }

  /// An event that is no trap's, or the end.
  void pass() { pass_to(nullptr); }

  /// The innermost call is left, with all its statements.
  void leave() {
    while (calls_.statements.size() > calls_.frames.back().statements) end_statement();
    host_.left(calls_.frames.back());
    calls_.frames.pop_back();
  }

 private:
  bool is_on_top() const { return !calls_.frames.empty() && host_.is_on_top(); }

  /// `next`: the trap that ends the time; nullptr: another event does.
  void pass_to(const TrapPlace* next) {
    // A new command: whatever was under way had ended before the time up to it began.
    if (Host::keeps_outermost && next != nullptr && begins_command(*next)) leave_to(0);
    if (!is_on_top()) return host_.own(nullptr);
    Frame& top = calls_.frames.back();
    if (top.is_leaving && next != nullptr && calls_.resumes(*next)) resume(*next);
    // Behind the last trap of a command its answer is on the way, which takes longer than a stop's.
    const bool is_answer = next == nullptr && top.last->has_commands;
    const bool is_kept = Host::keeps_outermost && calls_.frames.size() == 1 && !is_answer;
    if (top.is_leaving && !is_kept) host_.pop();
    if (!is_on_top()) return host_.own(nullptr);
    if (next != nullptr) settle_marker(*next);
    Owner owner{.frame = calls_.frames.back()};
    if (!owner.frame.is_plain) owner.statement = &calls_.statements.back();
    host_.own(&owner);
    if (next != nullptr && is_kept && owner.frame.is_leaving) host_.pop();
  }

  bool begins_command(const TrapPlace& trap) const {
    return trap.kind == TrapKind::entry0 && host_.begins_command(trap);
  }

  void resume(const TrapPlace& trap) {
    Frame& top = calls_.frames.back();
    top.is_leaving = false;
    top.finishes = trap.kind == TrapKind::handler ? &trap : nullptr;
  }

  /// The ancestor's form: the line of a marker owns what runs up to it.
  void settle_marker(const TrapPlace& trap) {
    Frame& top = calls_.frames.back();
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
      // An exception that nobody caught left whatever was under way.
      if (begins_command(trap)) leave_to(0);
      push(trap);
    } else if (trap.kind == TrapKind::entry) {
      const bool continues_entry0 = previous_ != nullptr && previous_->kind == TrapKind::entry0 &&
                                    previous_->function == trap.function && is_on_top();
      if (!continues_entry0) push(trap);
    } else {
      unwind_to(trap);
    }
  }

  void unwind_to(const TrapPlace& trap) {
    const std::size_t depth = calls_.depth_of(trap);
    if (depth == 0) return push(trap);  // a function without an entry trap: it holds markers only
    leave_to(depth);
  }

  /// Until so many calls that traps show are left, and none above them.
  void leave_to(std::size_t depth) {
    while (calls_.frames.size() > depth || (depth > 0 && !host_.is_on_top())) host_.pop();
  }

  void push(const TrapPlace& trap) {
    Frame frame{
        .plain = &trap, .last = &trap, .statements = calls_.statements.size(), .function = trap.function};
    if (host_.enter(trap, frame.data)) calls_.frames.push_back(frame);
  }

  // ---- statements

  void take_over(const TrapPlace& trap) {
    Frame& top = calls_.frames.back();
    host_.end_plain(top);
    const auto begun = [&] { return calls_.statements.size() > top.statements; };
    while (begun() && !trap.is_inside(*calls_.statements.back().trap)) end_statement();
    const bool ends_finally = calls_.ends_finally_of(top, trap);
    note_handler(top, trap);
    if (trap.is_statement()) {
      Statement statement{.trap = &trap};
      host_.begin(statement, begun() ? &calls_.statements.back() : nullptr);
      calls_.statements.push_back(statement);
    } else if (trap.kind == TrapKind::after && trap.end_offset <= trap.offset && begun() &&
               calls_.statements.back().trap->end_offset == trap.offset) {
      end_statement();  // a block without braces is the innermost statement that ends here
    }
    top.is_plain = !trap.is_statement() && (trap.kind != TrapKind::after || !begun());
    top.plain = &trap;
    top.is_leaving = trap.kind == TrapKind::returns || trap.kind == TrapKind::exit || ends_finally;
    if (top.is_leaving) top.finishes = nullptr;
    top.last = &trap;
  }

  /// Which handlers of a `try` were passed; a loop round it begins anew.
  void note_handler(Frame& top, const TrapPlace& trap) {
    if (calls_.statements.size() == top.statements) return;
    Statement& innermost = calls_.statements.back();
    const bool is_handled = trap.kind == TrapKind::handler && innermost.trap->offset == trap.holder;
    if (is_handled)
      innermost.handled = trap.offset;
    else if (trap.offset < innermost.handled)
      innermost.handled = 0;
    // An exception from a `finally` is caught further out and replaces the return.
    const bool is_other = is_handled && top.finishes != nullptr && top.finishes != &trap;
    if (is_other && trap.holder < top.finishes->offset) top.finishes = nullptr;
  }

  void end_statement() {
    const Statement ended = calls_.statements.back();
    calls_.statements.pop_back();
    const bool has_outer = calls_.statements.size() > calls_.frames.back().statements;
    host_.end(ended, has_outer ? &calls_.statements.back() : nullptr);
  }

  Host& host_;
  Calls calls_;
  const TrapPlace* previous_ = nullptr;  // trap that was passed
};

}  // namespace jcprof::annotator
