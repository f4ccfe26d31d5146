// SPDX-License-Identifier: Apache-2.0
#include "harness/record/programs.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include <unistd.h>

#include "harness/clock.hpp"
#include "harness/record/warnings.hpp"
#include "src/core/error.hpp"

namespace jcprof::harness {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::microseconds least_rest = 1ms;
constexpr std::chrono::microseconds most_rest = 8ms;
constexpr std::chrono::microseconds step_of_rest = 100us;
// Programs that run at once have so many logs at most. Others wait a second for one, and are refused then.
constexpr std::size_t most_at_once = 64;
// Memory that is kept for the next programs: to get it costs some 10 ms.
constexpr std::size_t most_used = 3;

RecordProgress sum(const RecordProgress& first, const RecordProgress& second) {
  RecordProgress sum = first;
  sum.events += second.events;
  sum.bytes += second.bytes;
  sum.lost += second.lost;
  sum.discarded += second.discarded;
  sum.threads += second.threads;
  return sum;
}

}  // namespace

ProgramFacts facts_of(const LogMemory& memory) {
  ProgramFacts facts{.process = memory.head().attached};
  facts.command = memory.told(JCPROF_LOG_COMMAND_AT, JCPROF_LOG_STAT_AT);
  facts.program = facts.command.substr(0, facts.command.find('\0'));
  facts.command.erase(facts.command.find_last_not_of('\0') + 1);
  std::ranges::replace(facts.command, '\0', ' ');
  // "7 (a name) S 6 …"
  const std::string status = memory.told(JCPROF_LOG_STAT_AT, JCPROF_LOG_OWNERS_AT);
  if (const std::size_t name = status.rfind(") "); name != std::string::npos)
    std::istringstream(status.substr(std::min(name + 4, status.size()))) >> facts.parent;
  return facts;
}

struct Programs::Log {
  std::unique_ptr<LogMemory> memory;
  jcprof_log_pair begun{};  // so that the shortest program has two
  ProgramLog program = {};
  std::optional<LogWriter> writer = {};
  std::optional<DrainThread> drain = {};
};

Programs::Programs(const LogMemory& first, std::shared_ptr<LogRoom> room, ProgramsOptions options)
    : first_(first), room_(std::move(room)), options_(std::move(options)), thread_([this] { run(); }) {}

Programs::~Programs() {
  finish();
}

void Programs::pause(bool is_wanted) {
  const std::scoped_lock lock(mutex_);
  is_paused_ = is_wanted;
  for (const std::unique_ptr<Log>& log : logs_) log->drain->pause(is_wanted);
  // One that is taken already follows in start(), so that its log tells the pause.
  if (!spare_ || load(spare_->memory->head().attached) != 0) return;
  std::atomic_ref off(spare_->memory->head().off);
  if (is_wanted)
    off.fetch_or(JCPROF_LOG_OFF_OUTSIDE);
  else
    off.fetch_and(~JCPROF_LOG_OFF_OUTSIDE);
}

RecordProgress Programs::with_theirs(RecordProgress first) const {
  const std::scoped_lock lock(mutex_);
  first = sum(first, theirs_);
  for (const std::unique_ptr<Log>& log : logs_) first = sum(first, log->drain->progress());
  return first;
}

void Programs::finish() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Programs::run() {
  std::chrono::microseconds rest = least_rest;
  for (;;) {
    rest = look() ? least_rest : std::min(rest + step_of_rest, most_rest);
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, rest, [this] { return ends_; })) break;
  }
  withdraw();
  end_those(true);
  std::ranges::sort(ended_, {}, &ProgramLog::number);
}

/// True: a program came.
bool Programs::look() {
  if (load(first_.head().attached) == 0) return false;  // nobody needs another log yet
  std::unique_ptr<Log> taken;
  if (spare_ && load(spare_->memory->head().attached) != 0) {
    const std::scoped_lock lock(mutex_);
    taken = std::move(spare_);
  }
  const bool has_come = taken != nullptr;
  // Others may wait for a log, so the next one comes first.
  if (!spare_) offer();
  if (has_come) start(std::move(taken));
  end_those(false);
  // The memory of one that has ended may be what was missing.
  if (!spare_) offer();
  // Waiting programs get a log once another program ends. If none can end, they must not wait.
  if (!spare_ && (logs_.empty() || !room_->is_there())) store(first_.head().offered, 0U);
  return has_come;
}

/// The log that was taken stays offered until there is another one: who finds it waits.
void Programs::offer() {
  if (logs_.size() >= most_at_once) return;
  if (!room_->is_there()) return;
  auto next = std::make_unique<Log>();
  try {
    if (used_.empty()) {
      next->memory = std::make_unique<LogMemory>(options_.memory, options_.clock, Pages::later);
    } else {
      next->memory = std::move(used_.back());
      used_.pop_back();
    }
  } catch (const UserError&) {
    return;
  }
  next->begun = pair_of(*next->memory, options_.clock);
  jcprof_log_head& head = next->memory->head();
  const std::scoped_lock lock(mutex_);
  head.off = is_paused_ ? JCPROF_LOG_OFF_OUTSIDE : 0;
  store(head.attached, 0U);
  store(first_.head().offered, next->memory->number());
  ++std::atomic_ref(first_.head().offers);
  spare_ = std::move(next);
}

/// A program that comes later finds the log taken.
void Programs::withdraw() {
  store(first_.head().offered, 0U);
  std::unique_ptr<Log> last;
  {
    const std::scoped_lock lock(mutex_);
    last = std::move(spare_);
  }
  std::uint32_t nobody = 0;
  if (!last || std::atomic_ref(last->memory->head().attached).compare_exchange_strong(nobody, UINT32_MAX))
    return;
  start(std::move(last));
}

void Programs::start(std::unique_ptr<Log> log) {
  ProgramLog& program = log->program;
  program.number = ++count_;
  program.file = options_.folder / std::to_string(program.number) / "record.jcplog";
  try {
    log->writer.emplace(program.file, room_);
    log->writer->begin(log->memory->head());
    log->writer->pair(log->begun);
    log->drain.emplace(
        *log->memory, *log->writer,
        DrainOptions{.clock = options_.clock,
                     .left_out = options_.left_out ? options_.left_out(program.file) : LeftOut(),
                     .begun = now_ns(),
                     .ends_alone = true});
  } catch (const UserError& error) {
    refuse(*log, error.faults().front().message);
    return;
  } catch (const std::exception& error) {
    refuse(*log, error.what());
    return;
  }
  const std::scoped_lock lock(mutex_);
  log->drain->pause(is_paused_);
  logs_.push_back(std::move(log));
}

/// Nothing of the log stays, and the next one has its number.
void Programs::refuse(Log& log, std::string why) {
  std::atomic_ref(log.memory->head().off) |= JCPROF_LOG_OFF_OUTSIDE;
  ++std::atomic_ref(first_.head().refused);
  if (log.writer) log.writer->discard();
  log.writer.reset();
  ::rmdir(log.program.file.parent_path().c_str());  // if it is empty
  --count_;
  if (!failure_) failure_ = Warning{.text = "programs could not be recorded: " + std::move(why)};
}

/// Those that nobody has any more, or all. Only this thread changes `logs_`.
void Programs::end_those(bool all) {
  std::vector<std::unique_ptr<Log>> ending;
  {
    const std::scoped_lock lock(mutex_);
    const auto first = std::ranges::stable_partition(
        logs_, [&](const std::unique_ptr<Log>& log) { return !all && !log->drain->is_done(); });
    std::ranges::move(first, std::back_inserter(ending));
    logs_.erase(first.begin(), logs_.end());
  }
  for (const std::unique_ptr<Log>& log : ending) end(*log);
}

void Programs::end(Log& log) {
  const bool is_left = !log.drain->is_done();
  log.drain->finish();
  log.writer->end(log.memory->head(), 0);
  ProgramLog& program = log.program;
  program.facts = facts_of(*log.memory);
  program.log = log.writer->written();
  program.threads = log.memory->head().threads;
  program.time = log.drain->progress().time;
  if (program.log.events + program.log.lost > 0)
    program.warnings =
        record_warnings({.clock = options_.clock, .log = program.log, .attached = program.facts.process});
  if (is_left) left_.merge(log.drain->drainer().others_alive(0));
  {
    const std::scoped_lock lock(mutex_);
    theirs_ = sum(theirs_, log.drain->progress());
  }
  ended_.push_back(std::move(program));
  log.drain.reset();
  if (used_.size() == most_used || !log.memory->is_alone()) return;
  log.memory->clear();
  used_.push_back(std::move(log.memory));
}

}  // namespace jcprof::harness
