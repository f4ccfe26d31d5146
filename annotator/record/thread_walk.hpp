// SPDX-License-Identifier: Apache-2.0
// Takes the events of one thread into the call tree: which calls are under way, whose time passes, which time
// is cut out. Knows no file, no name and no unit but the log's tick.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "annotator/estimate/ownership.hpp"
#include "annotator/estimate/trap_table.hpp"
#include "annotator/record/call_tree.hpp"
#include "annotator/record/command_tally.hpp"
#include "annotator/record/event_cost.hpp"
#include "annotator/record/line_tally.hpp"
#include "annotator/record/log.hpp"

namespace jcprof::annotator {

struct PassedMark {
  std::uint32_t name = 0;  // its id
  std::uint32_t thread = 0;
  std::uint32_t node = 0;
  std::uint64_t payload = 0;
  std::uint64_t tick = 0;
  std::uint64_t stack = 0;
};

/// A call that ended, or was left open. Ticks of `begin` and `end` are the clock's; the others are what the
/// call tree counts.
struct PassedCall {
  std::uint32_t thread = 0;
  std::uint64_t stack = 0;  // 0: that on which the thread began
  std::size_t depth = 0;    // of the outermost: 0
  FunctionKey key = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t inclusive = 0;
  std::uint64_t exclusive = 0;
};

/// Sees what a walk passes, thread by thread: a call when it ends.
class WalkWatcher {
 public:
  virtual ~WalkWatcher() = default;
  virtual void call(const PassedCall& call) = 0;
  virtual void mark(const PassedMark& mark) = 0;
  virtual void lost(std::uint32_t thread, std::uint64_t tick, std::uint64_t events) = 0;
};

/// Its process, and the number of its stack.
using FiberKey = std::pair<std::uint32_t, std::uint64_t>;

struct Fiber {
  std::uint32_t thread = 0;  // that we met it on first
  bool is_shared = false;    // another thread was on that stack too
  bool has_arrived = false;  // some thread met it under way
};

/// The state that all threads of a log share.
struct Walk {
  std::array<EventCost, 4> cost{};  // own, by kind of record
  std::uint64_t late = 0;           // an event after more ticks is late
  double ns_per_tick = 0;           // 0: unknown
  std::vector<LogPause> pauses;     // in order
  std::vector<bool> is_left_out;    // by a hook's id: its calls are parts of their callers; may be shorter
  bool is_entered = false;          // an enclave or a TA: its host runs where no call is under way
  WalkWatcher* watcher = nullptr;
  TrapTable traps;
  CallTree tree;
  LineTally lines;
  CommandTally commands;  // where an enclave or a TA is entered
  std::vector<PassedMark> marks;
  std::uint64_t marks_left_out = 0;
  std::uint64_t folded = 0;     // calls that there was no room for: part of their callers
  std::uint64_t senseless = 0;  // hooks that name nothing
  std::uint64_t unknown_traps = 0;
  std::uint64_t left_open = 0;  // calls without a return, though nothing was lost or paused since they began,
  std::uint64_t unreturned = 0;  // and those where something was
  std::uint64_t came_back = 0;   // of the calls left open: those that returned later
  std::uint64_t astray = 0;      // threads that were not on the stack that the log says
  std::map<FiberKey, Fiber> fibers;
  std::uint64_t steps = 0;  // of the clock, back
  std::uint64_t longest_step = 0;
};

/// Sums over a thread, in ticks.
struct ThreadTotals {
  std::uint32_t serial = 0;
  std::uint32_t process = 0;
  std::uint32_t tid = 0;
  std::uint32_t root = 0;  // node
  std::uint64_t events = 0;
  std::uint64_t lost = 0;
  std::uint64_t unmatched = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t recorded = 0;  // of it `in_calls` belongs to calls
  std::uint64_t in_calls = 0;
  std::uint64_t overhead = 0;
  std::uint64_t doubt = 0;     // of the overhead, in 1/1024 ticks
  std::uint64_t changing = 0;  // own cost beside that of events: of chunks, and of reading the processor time
  bool knows_away = false;
  std::uint64_t away = 0;      // off a processor, cut out of calls,
  std::uint64_t unplaced = 0;  // and of it at most so much in other calls, in waits too short to be seen
  std::uint64_t paused = 0;
  std::uint64_t gap = 0;
  std::uint64_t gaps = 0;
  std::uint64_t outside = 0;  // of all calls, where that is the host's
};

class ThreadWalk {
 public:
  ThreadWalk(Walk& walk, const jcprof_log_chunk& first);

  void take(const jcprof_log_chunk& chunk, std::span<const std::uint64_t> words);
  /// Open calls end with the last event.
  ThreadTotals finish();

 private:
  struct Frame {
    std::uint64_t entered = 0;  // of clock_
    std::uint64_t below = 0;    // ticks of the calls out of it
    std::uint64_t tick = 0;
    std::uint64_t doubt = 0;
    std::uint32_t node = 0;  // with `folded`: the caller's, whose part this call is
    FunctionKey key = 0;
  };
  /// The calls that are under way on a stack of the thread, while it is on another one.
  struct Stack {
    std::vector<Frame> frames = {};
    std::size_t unsure = 0;
    std::uint64_t beyond = 0;
    std::uint64_t clock = 0;
    std::uint64_t doubts = 0;
    bool is_guest = false;
  };
  /// Ticks of a line in one pass of it.
  struct Taken {
    std::uint64_t ticks = 0;
    std::uint64_t doubt = 0;
    bool is_owner = false;  // of time, be it 0
  };
  /// The data of a frame that traps show.
  struct TrapCall {
    std::size_t depth = 0;  // of its frame
    Taken plain = {};
  };
  using Traps = Ownership<ThreadWalk, TrapCall, Taken>;
  friend Traps;
  static constexpr bool keeps_outermost = false;
  static constexpr std::uint32_t folded = 1U << 31U;

  // time
  void begin_chunk(const jcprof_log_chunk& chunk, std::span<const std::uint64_t> words);
  void change_chunk(const jcprof_log_chunk& chunk, std::uint64_t first);
  std::size_t pass_words(std::uint64_t base, std::span<const std::uint64_t> words);
  void tell_processor(std::uint64_t low, std::uint64_t tick);
  std::uint64_t away_until(std::uint64_t tick, std::uint64_t ns);
  void wait_until(std::uint64_t tick, std::uint64_t ns, std::uint64_t reading);
  std::uint64_t advance(std::uint64_t tick, const EventCost& cost);
  void step_back(std::uint64_t tick);
  std::uint64_t paused_in(std::uint64_t begin, std::uint64_t end);

  // calls
  void enter(FunctionKey key);
  void leave(FunctionKey key);
  void leave_other(FunctionKey key);
  std::uint32_t& under_way(const Frame& frame);
  void end_call(const Frame& frame, std::uint64_t inclusive);
  void pop_call();
  void tell(const Frame& frame) const;
  void pop();
  void abandon(std::size_t depth);
  void mark(std::uint32_t name, std::uint64_t payload);
  void tell_losses(std::uint64_t tick);

  // stacks
  void go_to_stack(std::uint64_t stack);
  void put_on(Stack stack);
  void close_stack();
  void meet_fiber(bool is_fresh);
  void doubt_calls();
  void take_unmatched(FunctionKey key);

  // traps, as Ownership asks
  void pass_trap(std::uint32_t id, std::uint64_t ticks);
  bool is_on_top() const { return frames_.size() - 1 == trap_depth_; }
  bool begins_command(const TrapPlace& entry0) const;
  void own(const Traps::Owner* owner);
  bool enter(const TrapPlace& trap, TrapCall& call);
  void left(Traps::Frame& frame);
  void begin(Traps::Statement& /*begun*/, Traps::Statement* /*outer*/) {}
  void end(const Traps::Statement& ended, Traps::Statement* outer);
  void end_plain(Traps::Frame& frame);
  void end_pass(std::uint32_t line, const Taken& taken);

  Walk& walk_;
  ThreadTotals totals_;
  bool is_started_ = false;
  bool is_cut_ = false;           // events were lost before the next one
  std::uint64_t untold_ = 0;      // of these, so many that the watcher does not know
  std::uint32_t next_chunk_ = 0;  // its number
  std::uint64_t last_ = 0;        // tick
  std::uint64_t clock_ = 0;       // ticks on this stack that belong to somebody, or might
  std::uint64_t debt_ = 0;        // own cost that is still to be taken off, in 1/1024 ticks
  std::uint64_t most_debt_ = 0;
  std::uint64_t processor_ns_ = 0;  // the thread's processor time; 0: unknown
  std::uint64_t processor_at_ = 0;  // tick of that
  std::uint64_t elsewhere_ = 0;     // since then, in differences long enough to hold a wait
  std::uint64_t shortest_wait_ = 0;
  std::size_t pause_ = 0;  // the first that may lie ahead
  std::uint64_t pause_at_ = std::numeric_limits<std::uint64_t>::max();
  std::vector<Frame> frames_;  // the first is the thread's own
  std::size_t unsure_ = 0;     // of them the first were open when events were lost, or recording was paused
  std::uint64_t beyond_ = 0;   // calls deeper than frames_ goes
  std::uint64_t stack_ = 0;    // on which the thread is
  bool is_guest_ = false;      // its fiber was under way when it came from another thread
  std::uint64_t doubts_ = 0;   // times that events were lost, or recording was paused
  std::unordered_map<std::uint64_t, Stack> others_;  // by number
  bool is_astray_ = false;                           // the log is wrong about the stack
  // Calls that were left open for a return further out, since the last doubt.
  std::unordered_map<FunctionKey, std::uint64_t> abandoned_;
  CommandTally::Command command_;  // under way
  Traps traps_{*this};
  std::size_t trap_depth_ = none;  // of the innermost frame that traps show
  std::uint64_t ticks_ = 0;        // up to the event, that are given to their owner
  std::uint64_t doubt_ = 0;        // of the own cost that was taken off them, in 1/1024 ticks

  static constexpr std::size_t none = static_cast<std::size_t>(-1);
};

}  // namespace jcprof::annotator
