// SPDX-License-Identifier: Apache-2.0
#include "harness/watchdog.hpp"

#include "harness/clock.hpp"
#include "src/core/cancellation.hpp"

#include <utility>

namespace jcprof::harness {
namespace {

// How late a late call is noticed.
constexpr std::chrono::milliseconds look{20};
// Limit of a call that jcprof makes while it ends, to give a card back.
constexpr std::chrono::nanoseconds shortest{100'000'000};

}  // namespace

Watchdog::Watchdog(std::chrono::milliseconds limit, std::function<void()> on_late)
    : limit_(limit), on_late_(std::move(on_late)), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  ending_.notify_one();
  thread_.join();
}

void Watchdog::begin() {
  deadline_ = now_ns() + limit_.count();
}

bool Watchdog::end() {
  if (deadline_.exchange(0) != 0) return false;
  // The watchdog has taken it, and holds the mutex until its own call is done.
  const std::scoped_lock wait(mutex_);
  return true;
}

bool Watchdog::is_late(std::int64_t deadline) const {
  const std::int64_t now = now_ns();
  const std::int64_t begun = deadline - limit_.count();
  return now >= deadline || (cancellation().is_urgent() && now - begun > shortest.count());
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, look, [this] { return ends_; })) {
    std::int64_t deadline = deadline_;
    if (deadline == 0 || !is_late(deadline)) continue;
    // Not where the call has returned meanwhile, or another one is watched by now.
    if (deadline_.compare_exchange_strong(deadline, 0)) on_late_();
  }
}

}  // namespace jcprof::harness
