// SPDX-License-Identifier: Apache-2.0
// The wish to end, as a value: a signal asks for it, or a time that is over. Every wait of jcprof ends on it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>

#include "src/core/error.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof {

/// What a wait throws that was told to end. No UserError: nobody who goes on after a failure goes on after
/// this.
class Cancelled : public std::exception {
 public:
  explicit Cancelled(int signal) : signal_(signal) {}
  const char* what() const noexcept override { return "told to end"; }
  /// 0: the time was over.
  int signal() const { return signal_; }

 private:
  int signal_;
};

class Cancellation {
 public:
  using Clock = std::chrono::steady_clock;

  Cancellation();

  /// Async-signal-safe. The first one counts.
  void ask(int signal) noexcept;
  /// time_point::max(): no such time.
  void end_by(Clock::time_point deadline) noexcept;
  /// As if nobody had asked.
  void forget() noexcept;

  /// Without a lock and without a system call that waits.
  bool is_asked() const noexcept { return signal() != 0 || is_late(); }
  int signal() const noexcept { return signal_; }
  bool is_late() const noexcept { return Clock::now().time_since_epoch().count() >= deadline_; }
  /// For how long it has been asked; negative where it is not.
  std::chrono::nanoseconds asked_for() const noexcept;
  /// A shot in flight is cut only then: a card may be in the middle of writing.
  bool is_urgent() const noexcept { return asked_for() > std::chrono::milliseconds{300}; }
  /// Readable from when it is asked; nobody reads it.
  int fd() const noexcept { return timer_.get(); }

  /// Throws Cancelled when it is asked.
  void check() const;
  /// Sleeps; Cancelled as soon as it is asked.
  void sleep_for(std::chrono::nanoseconds time) const;
  /// What is left of a grace time, so that all of them together stay short once a signal has asked.
  std::chrono::milliseconds grace(std::chrono::milliseconds wished) const noexcept;

 private:
  void arm(std::int64_t ns) const noexcept;

  static constexpr std::int64_t never = Clock::duration::max().count();

  UniqueFd timer_;  // runs out at the deadline, or when a signal asks
  std::atomic<int> signal_ = 0;
  std::atomic<std::int64_t> asked_ = never;  // when the signal did
  std::atomic<std::int64_t> deadline_ = never;
};

/// The one of this process, which its signals ask.
Cancellation& cancellation();

/// SIGINT, SIGTERM and SIGHUP ask from here on; whatever goes on for longer than it may after the first ends
/// then at once, and so does all after a second Ctrl-C. Children go by their guards (src/core/process.cpp).
void catch_signals();

/// 128 and the signal.
ExitCode exit_code_of(int signal);

}  // namespace jcprof
