// SPDX-License-Identifier: Apache-2.0
#include "annotator/record/recording.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "annotator/estimate/quantity.hpp"
#include "annotator/record/log.hpp"
#include "annotator/record/rows.hpp"
#include "annotator/record/symbols.hpp"
#include "annotator/record/thread_walk.hpp"
#include "annotator/record/tick_scale.hpp"
#include "annotator/record/walking.hpp"
#include "src/core/error.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::size_t most_recorded_threads = 1U << 17U;
// The recorder looks at threads ten times a second; what they did between its last look and their end it does
// not know.
constexpr double unseen_ns = 2e8;
// Ticks of 1024 events, a second each: more makes no sense.
constexpr double most_told = 1024e10;

[[noreturn]] void refuse(const RecordedLog& log, std::string message, std::string hint) {
  throw UserError(
      Fault{.message = std::move(message), .place = {.file = log.file.string()}, .hint = std::move(hint)});
}

void check_build(const RecordedLog& log, const jcprof_log_head& head) {
  if (!log.traps || head.build == 0 || log.traps->build == 0 || head.build == log.traps->build) return;
  refuse(
      log,
      fmt::format("recorded by build {:08x}, the trap map is of build {:08x}", head.build, log.traps->build),
      "name the traps.json that was written with the program that ran");
}

// Fewer ticks an event are a clock that goes in steps: it shows events of one step at once, and only their
// sum tells.
constexpr std::uint64_t fewest_ticks = 16;

EventCost calibrated(std::uint64_t together, std::uint64_t apart) {
  const bool is_told = apart != 0 && together >= 1024 * fewest_ticks;
  if (!is_told) return {.together = together, .apart = together};
  return {.together = together, .apart = std::min(apart, together), .doubt = together};
}

// If a run has few events and noise makes it longer, an event may seem to cost anything. No program was seen
// in which an event costs more than so many times what it takes by itself.
constexpr std::uint64_t most_times_calibrated = 8;

/// The recorder's figure is the mean of this program. It counts unless the target calibrates more even with
/// other work between events. It includes the changes of chunks, which the walk takes off where they were.
EventCost cost_of_trap(EventCost cost, const LogFacts& facts, const TickScale& scale) {
  if (!facts.end || scale.unit != ClockUnit::ns || facts.words == 0) return cost;
  const auto ticks_of_1024 = [&](double ns) {
    return static_cast<std::uint64_t>(std::min(1024 * std::max(0.0, ns) / scale.per_tick, most_told));
  };
  const double changes_ns = static_cast<double>(facts.changing_ns) / static_cast<double>(facts.words);
  std::uint64_t told = ticks_of_1024(static_cast<double>(facts.end->event_ps) / 1000 - changes_ns);
  cost.least_doubt = ticks_of_1024(static_cast<double>(facts.end->doubt_ps) / 1000);
  if (cost.together != 0 && 4 * cost.least_doubt > told) {
    const std::uint64_t most = most_times_calibrated * cost.together;
    told = std::min(told, most);
    // It may be the calibrated cost as well.
    cost.least_doubt = std::max(std::min(cost.least_doubt, most), told - std::min(told, cost.apart));
  }
  if (told > cost.apart) {
    cost.together = cost.apart = told;
    if (cost.doubt != 0) cost.doubt = told;
  }
  return cost;
}

/// Only of targets that came: the head of a cut log does not know how they read the clock.
void warn_of_clock(const jcprof_log_head& head, RecordedRun& run) {
  if (head.attached == 0 || head.ordered != 0) return;
  run.warnings.push_back({.kind = WarningKind::other,
                          .text =
                              "the clock did not wait for loads: the time of a load that misses the cache "
                              "may count for the function that follows",
                          .advice = head.fast != 0 ? "record without --clock fast"
                                                   : "build the target with the jcprof.h of this jcprof"});
}

void warn_of_left_out(const LogFacts& facts, RecordedRun& run) {
  const auto count = std::ranges::count(facts.is_left_out, true);
  if (count == 0) return;
  run.warnings.push_back(
      {.kind = WarningKind::other,
       .text =
           fmt::format("{} functions are left out (--filter, --notrace): their time counts for the "
                       "functions that call them, and so does what their hooks take in each call. Times of "
                       "functions that were seen to call them are upper bounds",
                       count),
       .advice = "the program's own flags leave a function out with its hooks (docs/record.md)"});
}

void warn_of_losses(const LogFacts& facts, const Walk& walk, RecordedRun& run) {
  const auto warn = [&](WarningKind kind, std::uint64_t count, const char* text, const char* advice) {
    if (count > 0)
      run.warnings.push_back(
          {.kind = kind, .text = fmt::format(fmt::runtime(text), count), .advice = advice});
  };
  warn(WarningKind::lost, run.lost,
       "{} events are lost for want of memory; their time counts for no function",
       "record with more --memory (or --max-log, if the log was full), or leave small functions out");
  warn(WarningKind::other, walk.came_back,
       "a thread changes its stack unseen (fibers or coroutines that do not use swapcontext): {} calls "
       "stopped there and returned later, so the call tree and inclusive times are wrong",
       "own times of functions are right but for those that change stacks");
  // Where most of them returned the rest stopped too.
  const bool is_leaping = walk.left_open >= 2 * walk.came_back;
  warn(WarningKind::other, is_leaping ? walk.left_open - walk.came_back : 0,
       "longjmp or an exception ended {} calls; later calls count as theirs until the catching function "
       "returns",
       "use gcc's hooks, which see exceptions, or traps (jcprof gen --record), which see both");
  const auto is_stray = [](const auto& fiber) { return fiber.second.is_shared && fiber.second.has_arrived; };
  const auto strays = static_cast<std::uint64_t>(std::ranges::count_if(walk.fibers, is_stray));
  // A fiber that came back brings returns of calls that it made elsewhere.
  warn(WarningKind::other, strays == 0 ? walk.astray : 0,
       "{} threads left the stack of a fiber unseen: from then on their calls may stand in the wrong tree, "
       "and their times are wrong",
       "switch fibers by swapcontext, setcontext or longjmp alone");
  warn(WarningKind::other, strays,
       "{} fibers moved to another thread: calls that were under way on them end in the thread that they "
       "left, and their returns in the new thread count for nothing",
       "");
  warn(WarningKind::other, walk.unreturned,
       "{} calls were open when events were lost or the recording was paused, and their return is missing: "
       "later calls count as theirs until their caller returns",
       "");
  warn(WarningKind::lost, facts.head.refused, "{} programs that started later were not recorded", "");
  warn(WarningKind::other, walk.folded,
       "{} calls are beyond the limit of the call tree and count for their callers",
       "leave recursive functions out");
  warn(WarningKind::other, walk.senseless + walk.unknown_traps,
       "{} records have no meaning that jcprof knows", "");
  warn(WarningKind::other, walk.marks_left_out, "jcprof leaves out {} marks beyond its limit", "");
  if (walk.steps > 0)
    run.warnings.push_back({.kind = WarningKind::unsteady,
                            .text = fmt::format("the clock jumped back {} times, by {} ticks at most",
                                                walk.steps, walk.longest_step),
                            .advice = "jcprof counts such differences as 0"});
  if (facts.head.entries_used > facts.head.entry_bytes)
    run.warnings.push_back({.kind = WarningKind::lost,
                            .text = "the log had no room for more modules, names of marks and pauses: after "
                                    "that, jcprof ignored pauses",
                            .advice = "record with more --memory, or pause less often"});
}

/// The part of its time in which a thread was on a processor; 1 if its waits are in no call, or if the part
/// is not known well enough. Pauses are nobody's time: a wait there is in no call.
double running_part(const StoredThread& thread) {
  const double time = thread.last - thread.first - thread.paused;
  const bool may_tell = thread.running && !thread.away && time > 2 * unseen_ns;
  return may_tell ? std::min(1.0, (*thread.running + unseen_ns) / time) : 1;
}

/// Waits that make no event late are known only in their sum, at the next late event.
void warn_of_short_waits(const std::vector<ThreadTotals>& threads, double per_tick, RecordedRun& run) {
  for (const ThreadTotals& thread : threads) {
    if (thread.unplaced <= thread.recorded / 20) continue;
    run.warnings.push_back(
        {.kind = WarningKind::other,
         .text = fmt::format("thread {} was off its processor for up to {} in waits that were too short "
                             "to be seen one by one: they count as time of the calls that waited, and may "
                             "be missing in the time of calls that did not",
                             thread.serial,
                             each(static_cast<double>(thread.unplaced) * per_tick, run.info.unit))});
  }
}

void warn_of_waiting(RecordedRun& run) {
  const auto waits = [](const StoredThread& thread) { return running_part(thread) < 0.5; };
  const std::vector<StoredThread>& threads = run.recording.threads;
  const auto most = std::ranges::min_element(threads, {}, running_part);
  if (run.info.unit != ClockUnit::ns || most == threads.end() || !waits(*most)) return;
  run.warnings.push_back(
      {.kind = WarningKind::other,
       .text = fmt::format("{} of {} threads were waiting most of the time (thread {}{} was on a processor "
                           "for at most {:.0f} % of its time). A wait for a lock, another thread or a "
                           "processor counts for the call that waits",
                           std::ranges::count_if(threads, waits), threads.size(), most->serial,
                           most->name.empty() ? "" : ", " + most->name + ",", 100 * running_part(*most))});
}

}  // namespace

Walk walk_of(const RecordedLog& log, const LogFacts& facts, const TickScale& scale) {
  const jcprof_log_head& head = facts.head;
  check_build(log, head);
  Walk walk;
  const EventCost hook = calibrated(head.hook_ticks, head.hook_apart_ticks);
  const EventCost trap = calibrated(head.trap_ticks, head.trap_apart_ticks);
  walk.cost[JCPROF_LOG_ENTER] = walk.cost[JCPROF_LOG_LEAVE] = hook;
  walk.cost[JCPROF_LOG_MARK] = head.hook_ticks != 0 ? hook : trap;
  walk.cost[JCPROF_LOG_LINE] = cost_of_trap(trap, facts, scale);
  walk.late = head.late;
  // A clock that only the program has may count something other than time.
  walk.ns_per_tick = scale.unit == ClockUnit::ns && head.clock_hz == 0 ? scale.per_tick : 0;
  walk.pauses = facts.pauses;
  walk.is_left_out = facts.is_left_out;
  walk.is_entered = head.anchor != 0;
  if (log.traps) walk.traps = table_of(*log.traps);
  walk.lines.lines.resize(walk.traps.lines.size());
  walk.lines.hits.resize(walk.traps.traps.size());
  return walk;
}

std::vector<ThreadTotals> walk_threads(const RecordLog& file, Walk& walk, std::vector<Warning>& warnings) {
  std::unordered_map<std::uint32_t, std::unique_ptr<ThreadWalk>> threads;
  std::uint64_t left_out = 0;
  file.read_chunks([&](const jcprof_log_chunk& chunk, std::span<const std::uint64_t> words) {
    std::unique_ptr<ThreadWalk>& thread = threads[chunk.thread];
    if (!thread && threads.size() > most_recorded_threads) {
      threads.erase(chunk.thread);
      ++left_out;
      return;
    }
    if (!thread) thread = std::make_unique<ThreadWalk>(walk, chunk);
    thread->take(chunk, words);
  });
  if (left_out > 0)
    warnings.push_back({.kind = WarningKind::lost,
                        .text = fmt::format("jcprof leaves out {} chunks of threads beyond the first {}",
                                            left_out, most_recorded_threads)});
  std::vector<ThreadTotals> totals;
  for (const auto& [serial, thread] : threads) totals.push_back(thread->finish());
  std::erase_if(totals, [](const ThreadTotals& thread) { return thread.events == 0 && thread.lost == 0; });
  std::ranges::sort(totals, {}, &ThreadTotals::serial);
  return totals;
}

RecordedRun analyze_log(const RecordedLog& log) {
  const RecordLog file(log.file);
  const LogFacts& facts = file.facts();
  RecordedRun run;
  run.warnings = facts.warnings;
  if (log.traps) run.map = *log.traps;
  const TickScale scale = scale_of(facts.head.clock_hz, facts.pairs, log.unit);
  Walk walk = walk_of(log, facts, scale);
  const std::vector<ThreadTotals> threads = walk_threads(file, walk, run.warnings);
  if (!log.traps && walk.unknown_traps > 0)
    refuse(log, "the log holds traps, and their map is missing",
           "name the traps.json of the build with --traps");

  run.info = {.state = RunState::complete,
              .transport = "record",
              .unit = scale.unit,
              .resolution = scale.per_tick,
              .rounds = 1};
  for (const ThreadTotals& thread : threads) {
    run.events += thread.events;
    run.lost += thread.lost;
  }
  run.lost = std::max(run.lost + facts.head.unwritten, facts.end ? facts.end->lost : 0);
  if (facts.end) run.status = facts.end->status;
  Symbols symbols(facts, log.elf);
  put_rows({.facts = facts, .walk = walk, .threads = threads, .per_tick = scale.per_tick}, symbols, run);
  warn_of_losses(facts, walk, run);
  warn_of_clock(facts.head, run);
  warn_of_left_out(facts, run);
  warn_of_waiting(run);
  warn_of_short_waits(threads, scale.per_tick, run);
  const std::vector<std::uint64_t>& hits = walk.lines.hits;
  std::vector<bool> passed(hits.size());
  std::transform(hits.begin(), hits.end(), passed.begin(), [](std::uint64_t passes) { return passes > 0; });
  std::ranges::copy(warnings_of_unseen(run.map, passed), std::back_inserter(run.warnings));
  std::ranges::copy(warnings_of_left_out(run.map), std::back_inserter(run.warnings));
  std::ranges::copy(scale.warnings, std::back_inserter(run.warnings));
  std::ranges::copy(symbols.warnings(), std::back_inserter(run.warnings));
  return run;
}

std::int64_t store_recording(Store& store, const RecordedRun& run) {
  store.begin();
  const std::int64_t id = store.begin_run(run.info, run.map, {});
  store.replace_estimates(id, run.estimates);
  store.replace_recording(id, run.recording);
  store.replace_warnings(id, run.warnings);
  store.commit();
  return id;
}

}  // namespace jcprof::annotator
