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
// Functions that are chosen are looked for as often, or less often in a large table.
constexpr std::int64_t choice_ns = 10'000'000;
constexpr std::int64_t slot_ns = 100;
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
  DrainThread(const LogMemory& memory, LogWriter& writer, const LogOptions& options, std::int64_t begun);
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
  void find_functions(std::int64_t now);
  void choose(std::span<const jcprof_log_function> functions);
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
  std::optional<FunctionChoice> choice_;
  std::atomic<bool> pause_is_wanted_{false};
  std::atomic<bool> ends_{false};
  mutable std::mutex mutex_;
  RecordProgress progress_;
  std::thread thread_;  // last: it uses the others
};

DrainThread::DrainThread(const LogMemory& memory, LogWriter& writer, const LogOptions& options,
                         std::int64_t begun)
    : memory_(memory),
      writer_(writer),
      clock_(options.clock),
      drainer_(memory, writer, "/proc"),
      begun_(begun) {
  if (options.left_out) choice_.emplace(options.left_out);
  thread_ = std::thread([this] { run(); });
}

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
    find_functions(static_cast<std::int64_t>(seen.ns));
    look_around(static_cast<std::int64_t>(seen.ns), round);
    wait_ = wait_after(round);
    std::this_thread::sleep_for(wait_);
  }
  std::atomic_ref(memory_.head().off) |= JCPROF_LOG_OFF_OUTSIDE;
  choose(drainer_.finish());
  if (choice_) choice_->finish();
  choose({});
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
      : options(options),
        memory(options.memory, usable(options.clock)),
        writer(options.file, options.most_bytes),
        apart(options.clock),
        clock_thread(memory.head().now, options.clock, apart.processor()) {}

  LogOptions options;
  LogMemory memory;
  LogWriter writer;
  SetApart apart;
  ClockThread clock_thread;
  jcprof_log_pair begun = pair_of(memory, options.clock);  // so that the shortest program has two
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
  state_->drain.emplace(state_->memory, state_->writer, state_->options,
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

Recorded Recording::end(int status, std::uint32_t process, const OwnCost& cost) {
  const jcprof_log_head& head = state_->memory.head();
  state_->writer.end(head, static_cast<std::uint32_t>(status), cost);
  Recorded recorded{.status = status,
                    .log = state_->writer.written(),
                    .threads = head.threads,
                    .time = state_->drain->progress().time,
                    .clock = state_->drain->health()};
  recorded.warnings = record_warnings({.clock = state_->options.clock,
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
