// SPDX-License-Identifier: Apache-2.0
#include "harness/record/drain_thread.hpp"

#include <algorithm>

#include "harness/clock.hpp"

namespace jcprof::harness {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t pair_ns = 100'000'000;
constexpr std::int64_t together_ns = 20'000;
constexpr std::int64_t function_ns = 1'000'000'000;
// Functions that are chosen are looked for as often, or less often in a large table.
constexpr std::int64_t choice_ns = 10'000'000;
constexpr std::int64_t slot_ns = 100;
constexpr std::chrono::microseconds usual_wait = 1ms;
constexpr std::chrono::microseconds longest_wait = 8ms;

}  // namespace

jcprof_log_pair pair_of(const LogMemory& memory, RecordClock clock) {
  jcprof_log_pair pair{};
  // Read again if another thread ran in between.
  for (int tries = 0; tries < 3; ++tries) {
    const std::int64_t before = now_ns();
    // A published clock is our own, and shows itself better than through `now`.
    pair.tick = clock == RecordClock::counted ? load(memory.head().now) : counter();
    pair.ns = static_cast<std::uint64_t>(now_ns());
    if (now_ns() - before < together_ns) break;
  }
  return pair;
}

DrainThread::DrainThread(const LogMemory& memory, LogWriter& writer, const DrainOptions& options)
    : memory_(memory),
      writer_(writer),
      clock_(options.clock),
      drainer_(memory, writer, "/proc"),
      begun_(options.begun),
      is_paused_((load(memory.head().off) & JCPROF_LOG_OFF_OUTSIDE) != 0),
      pause_is_wanted_(is_paused_),
      ends_alone_(options.ends_alone) {
  if (options.left_out) choice_.emplace(options.left_out);
  thread_ = std::thread([this] { run(); });
}

RecordProgress DrainThread::progress() const {
  const std::scoped_lock lock(mutex_);
  return progress_;
}

void DrainThread::finish() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void DrainThread::follow_pause() {
  const bool is_wanted = pause_is_wanted_;
  if (is_wanted == is_paused_) return;
  is_paused_ = is_wanted;
  std::atomic_ref off(memory_.head().off);
  // Nothing is recorded between the two ticks; and who reads the entry can rely on it.
  if (is_wanted) off |= JCPROF_LOG_OFF_OUTSIDE;
  const std::uint64_t tick = pair_of(memory_, clock_).tick;
  if (!is_wanted) off &= ~JCPROF_LOG_OFF_OUTSIDE;
  const struct {
    jcprof_log_entry entry;
    jcprof_log_u64 text = 0;
  } said{.entry = {.kind = is_wanted ? JCPROF_LOG_PAUSE : JCPROF_LOG_RESUME,
                   .bytes = sizeof said,
                   .a = tick,
                   .b = JCPROF_LOG_OUTSIDE,
                   .c = 0}};
  writer_.entry(std::as_bytes(std::span(&said, 1)));
}

void DrainThread::look_around(std::int64_t now, const Drainer::Round& round) {
  if (now < next_pair_) return;
  next_pair_ = now + pair_ns;
  writer_.pair(pair_of(memory_, clock_));
  drainer_.threads();
  if (round.free < memory_.chunks() / 4) drainer_.reclaim();
  const LogWritten& written = writer_.written();
  const std::scoped_lock lock(mutex_);
  progress_ = {.events = written.events,
               .bytes = written.bytes,
               .lost = written.lost,
               .discarded = written.discarded,
               .ahead_ns = written.ahead_ns,
               .threads = load(memory_.head().threads),
               .time = std::chrono::nanoseconds(now - begun_),
               .is_paused = is_paused_};
}

void DrainThread::find_functions(std::int64_t now) {
  if (now < next_functions_) return;
  const auto slots = static_cast<std::int64_t>(memory_.functions().size());
  next_functions_ = now + (choice_ ? std::max(choice_ns, slots * slot_ns) : function_ns);
  choose(drainer_.functions());
}

void DrainThread::choose(std::span<const jcprof_log_function> functions) {
  if (!choice_) return;
  choice_->add(functions);
  drainer_.leave_out(choice_->take_left_out());
}

std::chrono::microseconds DrainThread::wait_after(const Drainer::Round& round) const {
  if (round.drained == 0) {
    // A clock that stands still is seen by looking at it; and free memory must last for as long as we sleep.
    const bool may_be_longer = is_of_target(clock_) && round.free > memory_.chunks() / 2;
    return may_be_longer ? std::clamp(2 * wait_, usual_wait, longest_wait) : usual_wait;
  }
  return round.free < memory_.chunks() / 2 ? 0us : usual_wait;
}

/// Rests first.
bool DrainThread::goes_on() {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, wait_, [this] { return ends_; })) return false;
  return !ends_alone_ || !memory_.is_alone();
}

void DrainThread::run() {
  do {
    follow_pause();
    const Drainer::Round round = drainer_.round();
    const jcprof_log_pair seen{.tick = is_of_target(clock_) ? counter() : load(memory_.head().now),
                               .ns = static_cast<std::uint64_t>(now_ns())};
    watch_.look(seen);
    find_functions(static_cast<std::int64_t>(seen.ns));
    look_around(static_cast<std::int64_t>(seen.ns), round);
    wait_ = wait_after(round);
  } while (goes_on());
  take_rest();
  is_done_ = true;
}

void DrainThread::take_rest() {
  std::atomic_ref(memory_.head().off) |= JCPROF_LOG_OFF_OUTSIDE;
  choose(drainer_.finish());
  if (choice_) choice_->finish();
  choose({});
  next_pair_ = 0;
  look_around(now_ns(), {.free = memory_.chunks()});
}

}  // namespace jcprof::harness
