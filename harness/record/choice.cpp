// SPDX-License-Identifier: Apache-2.0
#include "harness/record/choice.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace jcprof::harness {

FunctionChoice::FunctionChoice(LeftOut left_out)
    : left_out_of_(std::move(left_out)), thread_([this] { run(); }) {}

void FunctionChoice::add(std::span<const jcprof_log_function> functions) {
  if (functions.empty()) return;
  const std::scoped_lock lock(mutex_);
  std::ranges::copy(functions, std::back_inserter(added_));
  changed_.notify_one();
}

std::vector<jcprof_log_function> FunctionChoice::take_left_out() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(left_out_, {});
}

void FunctionChoice::finish() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void FunctionChoice::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ends_ || !added_.empty(); });
    const std::vector<jcprof_log_function> functions = std::exchange(added_, {});
    const bool is_last = functions.empty();
    lock.unlock();
    const std::vector<jcprof_log_function> found = left_out_of_(functions);
    lock.lock();
    std::ranges::copy(found, std::back_inserter(left_out_));
    if (is_last) return;
  }
}

}  // namespace jcprof::harness
