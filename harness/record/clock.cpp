// SPDX-License-Identifier: Apache-2.0
#include "harness/record/clock.hpp"

#include <algorithm>

#include <sched.h>
#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

namespace jcprof::harness {
namespace {

void run_on(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

void publish(jcprof_log_u64& now, const std::atomic<bool>& ends) {
  while (!ends.load(std::memory_order_relaxed)) store(now, jcprof_log_u64{counter()});
}

void count(jcprof_log_u64& now, const std::atomic<bool>& ends) {
  // Looking whether it ends costs as much as a tick.
  constexpr int ticks_at_once = 64;
  for (jcprof_log_u64 tick = load(now); !ends.load(std::memory_order_relaxed);)
    for (int i = 0; i < ticks_at_once; ++i) store(now, ++tick);
}

}  // namespace

#if defined(__x86_64__) || defined(__i386__)
bool has_counter() {
  return true;
}
std::uint64_t counter() {
  return __rdtsc();
}
#elif defined(__aarch64__)
bool has_counter() {
  return true;
}
std::uint64_t counter() {
  std::uint64_t ticks = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}
#else
bool has_counter() {
  return false;
}
std::uint64_t counter() {
  return 0;
}
#endif

SetApart::SetApart(RecordClock clock) {
  cpu_set_t ours;
  if (is_of_target(clock) || ::sched_getaffinity(0, sizeof ours, &ours) != 0 || CPU_COUNT(&ours) < 2) return;
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &ours)) --last;
  CPU_CLR(last, &ours);
  if (::sched_setaffinity(0, sizeof ours, &ours) == 0) processor_ = last;
}

SetApart::~SetApart() {
  cpu_set_t ours;
  if (!processor_ || ::sched_getaffinity(0, sizeof ours, &ours) != 0) return;
  CPU_SET(*processor_, &ours);
  ::sched_setaffinity(0, sizeof ours, &ours);
}

ClockThread::ClockThread(jcprof_log_u64& now, RecordClock clock, std::optional<int> processor) {
  if (is_of_target(clock)) return;
  constexpr jcprof_log_u64 not_yet = 1;
  store(now, not_yet);
  thread_ = std::thread([this, &now, clock, processor] {
    if (processor) run_on(*processor);
    clock == RecordClock::published ? publish(now, ends_) : count(now, ends_);
  });
  // The program that is started next finds a clock that runs.
  while (load(now) == not_yet) std::this_thread::yield();
}

ClockThread::~ClockThread() {
  ends_ = true;
  if (thread_.joinable()) thread_.join();
}

void ClockWatch::look(const jcprof_log_pair& now) {
  const std::optional<jcprof_log_pair> last = std::exchange(last_, now);
  if (!last) return;
  if (now.tick < last->tick) {
    ++health_.steps_back;
    health_.furthest_back = std::max<std::uint64_t>(health_.furthest_back, last->tick - now.tick);
  }
  if (now.tick != last->tick || now.ns <= last->ns) {
    standing_ns_ = 0;
    return;
  }
  if (standing_ns_ == 0) ++health_.stalls;
  standing_ns_ += now.ns - last->ns;
  health_.stalled_ns += now.ns - last->ns;
  health_.longest_ns = std::max(health_.longest_ns, standing_ns_);
}

}  // namespace jcprof::harness
