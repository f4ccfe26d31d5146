// SPDX-License-Identifier: Apache-2.0
#include "harness/record/recording.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <thread>

#include "harness/clock.hpp"
#include "harness/record/drain.hpp"
#include "harness/record/warnings.hpp"
#include "src/core/error.hpp"

namespace jcprof::harness {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t pair_ns = 100'000'000;
constexpr std::int64_t function_ns = 1'000'000'000;
constexpr std::chrono::microseconds usual_wait = 1ms;
constexpr std::chrono::microseconds longest_wait = 8ms;

jcprof_log_pair pair_of(const LogMemory& memory, RecordClock clock) {
  // A published clock is our own, and shows itself better than through `now`.
  const std::uint64_t tick = clock == RecordClock::counted ? load(memory.head().now) : counter();
  return {.tick = tick, .ns = static_cast<std::uint64_t>(now_ns())};
}

/// Takes the log to the disk, on a thread of its own: neither a terminal that stands still nor a signal
/// keeps it.
class DrainThread {
 public:
  DrainThread(const LogMemory& memory, LogWriter& writer, RecordClock clock, std::int64_t begun);
  ~DrainThread() { finish(); }
  DrainThread(const DrainThread&) = delete;
  DrainThread& operator=(const DrainThread&) = delete;

  void pause(bool is_wanted) { pause_is_wanted_ = is_wanted; }
  RecordProgress progress() const;
  /// Takes what there is, and ends.
  void finish();
  // After that:
  const ClockHealth& health() const { return watch_.health(); }
  const Drainer& drainer() const { return drainer_; }

 private:
  void run();
  void look_around(std::int64_t now, const Drainer::Round& round);
  void follow_pause();
  std::chrono::microseconds wait_after(const Drainer::Round& round) const;

  const LogMemory& memory_;
  LogWriter& writer_;
  RecordClock clock_;
  Drainer drainer_;
  ClockWatch watch_;
  std::int64_t begun_;
  std::int64_t next_pair_ = 0;
  std::int64_t next_functions_ = 0;
  std::chrono::microseconds wait_ = usual_wait;
  bool is_paused_ = false;
  std::atomic<bool> pause_is_wanted_{false};
  std::atomic<bool> ends_{false};
  mutable std::mutex mutex_;
  RecordProgress progress_;
  std::thread thread_;  // last: it uses the others
};

DrainThread::DrainThread(const LogMemory& memory, LogWriter& writer, RecordClock clock, std::int64_t begun)
    : memory_(memory),
      writer_(writer),
      clock_(clock),
      drainer_(memory, writer, "/proc"),
      begun_(begun),
      thread_([this] { run(); }) {}

RecordProgress DrainThread::progress() const {
  const std::scoped_lock lock(mutex_);
  return progress_;
}

void DrainThread::finish() {
  ends_ = true;
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
  if (now >= next_functions_) {
    next_functions_ = now + function_ns;
    drainer_.functions();
  }
  const LogWritten& written = writer_.written();
  const std::scoped_lock lock(mutex_);
  progress_ = {.events = written.events,
               .bytes = written.bytes,
               .lost = written.lost,
               .threads = load(memory_.head().threads),
               .ahead_ns = written.ahead_ns,
               .time = std::chrono::nanoseconds(now - begun_),
               .is_paused = is_paused_};
}

std::chrono::microseconds DrainThread::wait_after(const Drainer::Round& round) const {
  if (round.drained == 0) {
    // A clock that stands still is seen by looking at it; and free memory must last for as long as we sleep.
    const bool may_be_longer = is_of_target(clock_) && round.free > memory_.chunks() / 2;
    return may_be_longer ? std::min(2 * wait_, longest_wait) : usual_wait;
  }
  return round.free < memory_.chunks() / 2 ? 0us : usual_wait;
}

void DrainThread::run() {
  while (!ends_) {
    follow_pause();
    const Drainer::Round round = drainer_.round();
    const jcprof_log_pair seen{.tick = is_of_target(clock_) ? counter() : load(memory_.head().now),
                               .ns = static_cast<std::uint64_t>(now_ns())};
    watch_.look(seen);
    look_around(static_cast<std::int64_t>(seen.ns), round);
    wait_ = wait_after(round);
    std::this_thread::sleep_for(wait_);
  }
  std::atomic_ref(memory_.head().off) |= JCPROF_LOG_OFF_OUTSIDE;
  drainer_.finish();
  next_pair_ = 0;
  look_around(now_ns(), {.free = memory_.chunks()});
}

RecordClock usable(RecordClock clock) {
  if (clock == RecordClock::counted || has_counter()) return clock;
  throw UserError(Fault{.message = "this processor has no counter that programs may read",
                        .hint = "use --clock counted"});
}

}  // namespace

struct Recording::State {
  explicit State(const LogOptions& options)
      : clock(usable(options.clock)),
        memory(options.memory, clock),
        writer(options.file, options.most_bytes),
        apart(clock),
        clock_thread(memory.head().now, clock, apart.processor()) {}

  RecordClock clock;
  LogMemory memory;
  LogWriter writer;
  SetApart apart;
  ClockThread clock_thread;
  jcprof_log_pair begun = pair_of(memory, clock);  // so that the shortest program has two
  std::optional<DrainThread> drain;
};

Recording::Recording(const LogOptions& options) : state_(std::make_unique<State>(options)) {}

Recording::~Recording() = default;

const std::filesystem::path& Recording::memory() const {
  return state_->memory.file();
}

void Recording::begin() {
  state_->writer.begin(state_->memory.head());
  state_->writer.pair(state_->begun);
  state_->drain.emplace(state_->memory, state_->writer, state_->clock,
                        static_cast<std::int64_t>(state_->begun.ns));
}

void Recording::pause(bool is_wanted) {
  state_->drain->pause(is_wanted);
}

RecordProgress Recording::progress() const {
  return state_->drain->progress();
}

void Recording::stop() {
  state_->drain->finish();
}

Recorded Recording::end(int status, std::uint32_t process, std::uint64_t event_ps) {
  const jcprof_log_head& head = state_->memory.head();
  state_->writer.end(head, static_cast<std::uint32_t>(status), event_ps);
  Recorded recorded{.status = status,
                    .log = state_->writer.written(),
                    .threads = head.threads,
                    .time = state_->drain->progress().time,
                    .clock = state_->drain->health()};
  recorded.warnings = record_warnings({.clock = state_->clock,
                                       .health = recorded.clock,
                                       .log = recorded.log,
                                       .attached = head.attached,
                                       .refused = head.refused,
                                       .is_unfit = head.unfit != 0,
                                       .is_misplaced = head.misplaced != 0,
                                       .others = state_->drain->drainer().others_alive(process)});
  return recorded;
}

}  // namespace jcprof::harness
