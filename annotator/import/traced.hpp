// SPDX-License-Identifier: Apache-2.0
// Calls and returns of threads, as tracers of other tools tell them, become a recording with call trees.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "annotator/record/call_tree.hpp"
#include "annotator/record/recording.hpp"
#include "annotator/record/thread_walk.hpp"

namespace jcprof::annotator {

class CallTracer {
 public:
  void enter(std::uint32_t tid, std::string_view function, std::uint64_t at);
  /// The innermost call of that function ends, and those that it left open. Nothing ends if none is open.
  void leave(std::uint32_t tid, std::string_view function, std::uint64_t at);
  /// The innermost call, which is open, has taken so much.
  void leave_after(std::uint32_t tid, std::uint64_t inclusive);
  /// The innermost call, which is open, has no end: it takes what the calls out of it do.
  void give_up(std::uint32_t tid);
  /// A return of a call that nobody saw.
  void miss(std::uint32_t tid) { ++thread_of(tid).totals.unmatched; }
  void lose(std::uint32_t tid, std::uint64_t events) { thread_of(tid).totals.lost += events; }

  /// Open calls end with the last event of their thread. Fills in all that `run` does not have.
  RecordedRun finish(RecordedRun run) &&;

 private:
  struct Frame {
    std::uint32_t node = 0;  // where the tree is full, the caller's, whose part this call is
    FunctionKey function = 0;
    std::uint64_t at = 0;
    std::uint64_t below = 0;  // of the calls out of it
    bool is_folded = false;
  };
  struct Thread {
    ThreadTotals totals;
    std::vector<Frame> open;
    std::vector<std::uint32_t> open_of;  // how many of them, by key
  };

  Thread& thread_of(std::uint32_t tid);
  FunctionKey key_of(std::string_view function);
  /// Counts it, and tells the thread's times.
  static void take_event(Thread& thread, std::uint64_t at);
  void give_up(Thread& thread);
  void end_with(Thread& thread, std::uint64_t inclusive);       // at its end
  void end_innermost(Thread& thread, std::uint64_t inclusive);  // with or without an end
  void put_functions(RecordedRun& run);

  CallTree tree_;
  std::map<std::uint32_t, Thread> threads_;  // by tid
  std::unordered_map<std::string, FunctionKey> keys_;
  std::vector<std::string> names_{""};  // by key
  std::vector<bool> has_ended_{false};  // by key: a call of it has an end
  std::uint64_t unended_ = 0;           // calls
  std::uint64_t ended_early_ = 0;       // calls that took less than the calls out of them
};

}  // namespace jcprof::annotator
