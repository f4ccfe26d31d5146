// SPDX-License-Identifier: Apache-2.0
// Ends calls that do not return: a thread of its own calls `on_late` once when a watched call lasts longer
// than it may, or is still under way when cancellation() gets urgent. Begin and end of the watch are one
// store each, so that they cost a measurement nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace jcprof::harness {

class Watchdog {
 public:
  /// `on_late` runs in the watchdog's thread while the watched call is still under way.
  Watchdog(std::chrono::milliseconds limit, std::function<void()> on_late);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void begin();
  /// True when the call was late; `on_late` has returned then.
  bool end();

 private:
  bool is_late(std::int64_t deadline) const;
  void watch();

  const std::chrono::nanoseconds limit_;
  const std::function<void()> on_late_;
  std::atomic<std::int64_t> deadline_{0};  // steady clock, ns; 0: nothing is watched
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ends_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace jcprof::harness
