// SPDX-License-Identifier: Apache-2.0
// A thread that takes a log to the disk, and decides when to look at which part of it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

#include "harness/record/choice.hpp"
#include "harness/record/clock.hpp"
#include "harness/record/drain.hpp"
#include "harness/record/memory.hpp"
#include "harness/record/writer.hpp"

namespace jcprof::harness {

struct RecordProgress {
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;  // on the disk
  // These three as in LogWritten.
  std::uint64_t lost = 0;
  std::uint64_t discarded = 0;
  std::uint64_t ahead_ns = 0;
  std::uint32_t threads = 0;
  std::chrono::nanoseconds time{0};
  bool is_paused = false;
};

/// The clock of a log, and ours.
jcprof_log_pair pair_of(const LogMemory& memory, RecordClock clock);

struct DrainOptions {
  RecordClock clock = RecordClock::own;
  LeftOut left_out = {};
  std::int64_t begun = 0;   // ns
  bool ends_alone = false;  // when nobody else has the log
};

/// Takes the log to the disk, on a thread of its own: neither a terminal that stands still nor a signal
/// keeps it.
class DrainThread {
 public:
  DrainThread(const LogMemory& memory, LogWriter& writer, const DrainOptions& options);
  ~DrainThread() { finish(); }
  DrainThread(const DrainThread&) = delete;
  DrainThread& operator=(const DrainThread&) = delete;

  void pause(bool is_wanted) { pause_is_wanted_ = is_wanted; }
  RecordProgress progress() const;
  /// It took what there is, and ends.
  bool is_done() const { return is_done_; }
  /// Takes what there is, and ends.
  void finish();
  // After that:
  const ClockHealth& health() const { return watch_.health(); }
  const Drainer& drainer() const { return drainer_; }

 private:
  void run();
  void take_rest();
  bool goes_on();
  void look_around(std::int64_t now, const Drainer::Round& round);
  void find_functions(std::int64_t now);
  void choose(std::span<const jcprof_log_function> functions);
  void follow_pause();
  std::chrono::microseconds wait_after(const Drainer::Round& round) const;

  const LogMemory& memory_;
  LogWriter& writer_;
  RecordClock clock_;
  Drainer drainer_;
  ClockWatch watch_;
  std::int64_t begun_;
  std::int64_t next_pair_ = 0;
  std::int64_t next_functions_ = 0;
  std::chrono::microseconds wait_{0};
  bool is_paused_;  // a log may be made in a pause
  std::optional<FunctionChoice> choice_;
  std::atomic<bool> pause_is_wanted_;
  bool ends_alone_;
  std::atomic<bool> is_done_{false};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  RecordProgress progress_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace jcprof::harness
