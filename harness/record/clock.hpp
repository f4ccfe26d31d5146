// SPDX-License-Identifier: Apache-2.0
// Ticks of record mode: the processor's counter, a thread that is a clock for targets without one, and
// whether ticks went on as they should.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>

#include "harness/record/memory.hpp"

namespace jcprof::harness {

/// True when this processor has a counter that programs may read.
bool has_counter();
/// Its value; 0 without one.
std::uint64_t counter();

/// One processor of those that we may run on set apart, where there are two: what is started meanwhile,
/// threads and programs, runs on the others.
class SetApart {
 public:
  explicit SetApart(RecordClock clock);
  ~SetApart();
  SetApart(const SetApart&) = delete;
  SetApart& operator=(const SetApart&) = delete;

  std::optional<int> processor() const { return processor_; }

 private:
  std::optional<int> processor_;
};

/// Writes its ticks to `now` for as long as it lives, all the time.
class ClockThread {
 public:
  /// Returns once the clock runs; the target's does by itself.
  ClockThread(jcprof_log_u64& now, RecordClock clock, std::optional<int> processor);
  ~ClockThread();
  ClockThread(const ClockThread&) = delete;
  ClockThread& operator=(const ClockThread&) = delete;

 private:
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

/// Counts how often a clock stood or stepped between looks at it. Pure.
struct ClockHealth {
  std::uint64_t stalls = 0;      // how often it stood
  std::uint64_t stalled_ns = 0;  // between looks that showed the same tick, all in all,
  std::uint64_t longest_ns = 0;  // and at a time
  std::uint64_t steps_back = 0;
  std::uint64_t furthest_back = 0;  // ticks
};

class ClockWatch {
 public:
  void look(const jcprof_log_pair& now);
  const ClockHealth& health() const { return health_; }

 private:
  std::optional<jcprof_log_pair> last_;
  std::uint64_t standing_ns_ = 0;  // it has stood for so long now
  ClockHealth health_;
};

}  // namespace jcprof::harness
