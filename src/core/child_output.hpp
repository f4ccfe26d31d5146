// SPDX-License-Identifier: Apache-2.0
// What a child process writes: taken by a thread as it comes, so that the child never waits for us; the
// beginning goes to a log file, the end is kept for messages.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "src/core/process.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof {

class ChildOutput {
 public:
  /// `pipe` is the reading end. UserError (environment) when the log file cannot be written.
  ChildOutput(UniqueFd pipe, const LogPolicy& log);
  ~ChildOutput() { finish(); }
  ChildOutput(const ChildOutput&) = delete;
  ChildOutput& operator=(const ChildOutput&) = delete;

  /// True once the output has held `text`; false at the time-out, or when no more can come. Ends on
  /// cancellation().
  bool wait_for(const std::string& text, std::chrono::milliseconds timeout);
  /// The last whole lines, at most 4 KiB.
  std::string tail() const;
  /// To be called when the child has ended: takes what is in the pipe and lets go of it, even if a grandchild
  /// still holds the other end.
  void finish();

 private:
  void take_all();
  void take(std::string_view chunk);
  void log(std::string_view chunk);

  UniqueFd pipe_;
  UniqueFd wake_;  // an eventfd that ends the thread's waiting
  std::atomic<bool> is_ending_ = false;
  UniqueFd log_;
  std::size_t log_room_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string recent_;  // the end of the output
  std::string wanted_;  // what wait_for waits for
  bool was_seen_ = false;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace jcprof
