// SPDX-License-Identifier: Apache-2.0
#include "src/core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>

#include <pthread.h>

#include "src/core/cancellation.hpp"

namespace jcprof {
namespace {

class Numbers {
 public:
  Numbers(std::size_t count, const std::function<void(std::size_t)>& work) : count_(count), work_(work) {}

  void take() {
    for (std::size_t i = next_++; i < count_; i = next_++) try_one(i);
  }

  void throw_if_any() const {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  void try_one(std::size_t i) {
    try {
      cancellation().check();
      work_(i);
    } catch (...) {  // carried to the caller's thread
      next_ = count_;
      const std::lock_guard lock(mutex_);
      if (!fault_ || i < failed_) fault_ = std::current_exception();
      failed_ = std::min(failed_, i);
    }
  }

  std::size_t count_;
  const std::function<void(std::size_t)>& work_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::size_t failed_ = count_;  // the lowest that threw
  std::exception_ptr fault_;
};

/// A thread whose stack can be chosen, which std::thread's cannot. Joined at the end.
class Worker {
 public:
  /// `numbers` must outlive this.
  Worker(Numbers& numbers, std::size_t stack) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (stack != 0) pthread_attr_setstacksize(&attributes, stack);
    const int error = pthread_create(&thread_, &attributes, run, &numbers);
    pthread_attr_destroy(&attributes);
    if (error != 0) throw std::system_error(error, std::generic_category(), "a thread cannot be started");
  }
  ~Worker() { pthread_join(thread_, nullptr); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

 private:
  static void* run(void* numbers) {
    static_cast<Numbers*>(numbers)->take();
    return nullptr;
  }

  pthread_t thread_ = {};
};

}  // namespace

void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work, Workers workers) {
  const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
  Numbers numbers(count, work);
  {
    std::list<Worker> threads;
    while (threads.size() < std::min({count, processors, workers.most}))
      threads.emplace_back(numbers, workers.stack);
  }
  numbers.throw_if_any();
}

}  // namespace jcprof
