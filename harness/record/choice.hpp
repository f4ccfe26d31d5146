// SPDX-License-Identifier: Apache-2.0
// Which functions a target need not record. Their names decide. Finding names takes time, so that has a
// thread of its own.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "templates/jcprof_log.h"

namespace jcprof::harness {

/// Returns the functions that need no events, out of these and of those in earlier calls. The log on the disk
/// has all of them. The last call has no functions, and comes when the log has all modules.
using LeftOut = std::function<std::vector<jcprof_log_function>(std::span<const jcprof_log_function>)>;

class FunctionChoice {
 public:
  explicit FunctionChoice(LeftOut left_out);
  ~FunctionChoice() { finish(); }
  FunctionChoice(const FunctionChoice&) = delete;
  FunctionChoice& operator=(const FunctionChoice&) = delete;

  void add(std::span<const jcprof_log_function> functions);
  /// Those that need no events, once each.
  std::vector<jcprof_log_function> take_left_out();
  /// Returns when all that were added are decided. None may be added then.
  void finish();

 private:
  void run();

  LeftOut left_out_of_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<jcprof_log_function> added_;
  std::vector<jcprof_log_function> left_out_;
  bool ends_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace jcprof::harness
