// SPDX-License-Identifier: Apache-2.0
#include "annotator/record/thread_walk.hpp"

#include <algorithm>
#include <utility>

namespace jcprof::annotator {
namespace {

constexpr std::size_t most_depth = 1U << 20U;
// A clock that goes in steps shows many events at one tick, and their cost all at once. More than so many
// events' cost is not a step's, but a cost that was calibrated too dear.
constexpr std::uint64_t events_in_debt = 64;
// Two clocks are read one after the other, and one is calibrated by the other: they differ by less.
constexpr double ns_of_reading = 2e3;
constexpr double part_of_reading = 1e-4;
// A wait of more than so many times `late` is a time slice or a sleep: one wait, and not many.
constexpr std::uint64_t one_wait = 16;

}  // namespace

ThreadWalk::ThreadWalk(Walk& walk, const jcprof_log_chunk& first)
    : walk_(walk),
      totals_{
          .serial = first.thread, .process = first.process, .tid = first.tid, .root = walk.tree.add_root()},
      most_debt_(events_in_debt * std::ranges::max(walk.cost, {}, &EventCost::together).together),
      frames_{{.node = totals_.root}} {
  if (!walk.pauses.empty()) pause_at_ = walk.pauses.front().begin;
  if (walk.ns_per_tick > 0) shortest_wait_ = static_cast<std::uint64_t>(ns_of_reading / walk.ns_per_tick);
}

void ThreadWalk::take(const jcprof_log_chunk& chunk, std::span<const std::uint64_t> words) {
  begin_chunk(chunk, words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t word = words[i];
    if (!JCPROF_LOG_IS_EVENT(word)) [[unlikely]] {
      i += pass_words(chunk.base, words.subspan(i)) - 1;
      continue;
    }
    const auto kind = static_cast<std::uint32_t>(word & 3U);
    const auto id = static_cast<std::uint32_t>(word >> 2U) & JCPROF_LOG_ID_MOST;
    const std::uint64_t ticks = advance(chunk.base + (word >> 24U), walk_.cost[kind]);
    ++totals_.events;
    if (kind == JCPROF_LOG_LINE) {
      pass_trap(id, ticks);
      continue;
    }
    ticks_ = ticks;
    traps_.pass();
    if (kind != JCPROF_LOG_MARK && id < walk_.is_left_out.size() && walk_.is_left_out[id]) {
      walk_.tree.hide_calls(frames_.back().node & ~folded);
      continue;
    }
    if (kind == JCPROF_LOG_ENTER)
      enter(id);
    else if (kind == JCPROF_LOG_LEAVE)
      leave(id);
    else if (++i < words.size())
      mark(id, words[i]);
  }
}

ThreadTotals ThreadWalk::finish() {
  tell_losses(last_);
  close_stack();
  for (auto& [number, stack] : others_) {
    put_on(std::move(stack));
    stack_ = number;
    close_stack();
  }
  totals_.last = last_;
  return totals_;
}

// ---- time

/// Makes the chunk's first record follow upon the one before, so that the loop over records knows nothing of
/// chunks.
void ThreadWalk::begin_chunk(const jcprof_log_chunk& chunk, std::span<const std::uint64_t> words) {
  totals_.lost += chunk.lost;
  untold_ += chunk.lost;
  is_cut_ |= chunk.lost != 0 || chunk.number != next_chunk_;
  next_chunk_ = chunk.number + 1;
  const auto first = first_event(words);
  if (first == words.end()) return;
  const std::uint64_t tick = chunk.base + (*first >> 24U);
  if (is_started_ && !is_cut_) return change_chunk(chunk, tick);
  tell_losses(tick);
  processor_at_ = chunk.base;
  processor_ns_ = chunk.base_ns;
  elsewhere_ = 0;
  if (!is_started_) {
    totals_.first = tick;
  } else {
    ++totals_.gaps;
    doubt_calls();
    if (tick < last_) step_back(tick);
    if (tick > last_) totals_.gap += tick - last_ - paused_in(last_, tick);
  }
  last_ = tick;
  debt_ = 0 - walk_.cost[*first & 3U].together;  // which the record puts back: nothing is taken off nothing
  is_started_ = true;
  is_cut_ = false;
}

/// Chunks follow each other without a loss. Older logs do not say when the first one was left.
void ThreadWalk::change_chunk(const jcprof_log_chunk& chunk, std::uint64_t first) {
  if (chunk.left != 0 && last_ <= chunk.left && chunk.left <= chunk.base && chunk.base <= first) {
    wait_until(chunk.left, chunk.left_ns, 0);
    const std::uint64_t ticks = first <= pause_at_ ? chunk.base - chunk.left : 0;
    const std::uint64_t away = std::min(away_until(chunk.base, chunk.base_ns), ticks);
    last_ += ticks;
    totals_.away += away;
    totals_.changing += ticks - away;
  }
  processor_at_ = chunk.base;
  processor_ns_ = chunk.base_ns;
}

/// Passes the words up to the next event: the first that is not 0 holds the processor time at that event. A
/// mark has two such words of one reading. If the next event is another chunk's, the head of that chunk tells
/// more. Returns the number of words.
std::size_t ThreadWalk::pass_words(std::uint64_t base, std::span<const std::uint64_t> words) {
  const auto event = first_event(words);
  const auto told = std::find_if(words.begin(), event, [](std::uint64_t word) { return word != 0; });
  if (told != event && event != words.end()) tell_processor(*told >> 24U, base + (*event >> 24U));
  return static_cast<std::size_t>(event - words.begin());
}

/// `low` are the lowest bits of the processor time at the event at `tick`.
void ThreadWalk::tell_processor(std::uint64_t low, std::uint64_t tick) {
  if (tick == processor_at_) return;
  const bool is_known = processor_ns_ != 0 && low != JCPROF_LOG_NS_MASK;
  const std::uint64_t ns = is_known ? processor_ns_ + ((low - processor_ns_) & JCPROF_LOG_NS_MASK) : 0;
  wait_until(tick, ns, walk_.late / JCPROF_LOG_READINGS);
}

/// The ticks that the thread was off a processor since its processor time was told last. A child that shares
/// our memory has a processor time of its own.
std::uint64_t ThreadWalk::away_until(std::uint64_t tick, std::uint64_t ns) {
  const std::uint64_t from = std::exchange(processor_at_, tick);
  const std::uint64_t before = std::exchange(processor_ns_, ns);
  if (before == 0 || ns < before || tick < from || walk_.ns_per_tick == 0) return 0;
  totals_.knows_away = true;
  const double passed = static_cast<double>(tick - from) * walk_.ns_per_tick;
  const double away = passed - static_cast<double>(ns - before);
  if (away < ns_of_reading + part_of_reading * passed) return 0;
  return static_cast<std::uint64_t>(away / walk_.ns_per_tick);
}

/// Takes waits, and `reading`, out of the time up to an event at `tick`. Some waits may lie in earlier
/// differences that are long enough. A wait without which the event would not be late does not. Waits within
/// a pause are unknown.
void ThreadWalk::wait_until(std::uint64_t tick, std::uint64_t ns, std::uint64_t reading) {
  const std::uint64_t away = away_until(tick, ns);
  const std::uint64_t elsewhere = std::exchange(elsewhere_, 0);
  if (tick <= last_ || tick > pause_at_) return;
  const std::uint64_t placed = std::min(away, tick - last_);
  totals_.away += placed;
  const bool is_one = placed > one_wait * walk_.late && tick - last_ - placed <= walk_.late;
  totals_.unplaced += is_one ? away - placed : std::max(away - placed, std::min(away, elsewhere));
  walk_.tree.wait(frames_.back().node & ~folded, placed);
  const std::uint64_t own = std::min(reading, tick - last_ - placed);
  totals_.changing += own;
  last_ += placed + own;
}

/// To the next event; ticks since the last one that belong to somebody.
std::uint64_t ThreadWalk::advance(std::uint64_t tick, const EventCost& cost) {
  std::uint64_t ticks = tick - last_;
  if (tick < last_) [[unlikely]] {
    step_back(tick);
    ticks = 0;
  } else if (tick > pause_at_) [[unlikely]] {
    ticks -= paused_in(last_, tick);
  }
  if (const std::uint64_t since = std::max(last_, processor_at_); tick > since + shortest_wait_)
    elsewhere_ += tick - since;
  last_ = tick;
  debt_ += cost_after(cost, ticks);
  const std::uint64_t taken = std::min(debt_ / 1024, ticks);
  debt_ = std::min(debt_ - taken * 1024, most_debt_);
  doubt_ = doubt_of(cost, taken, ticks);
  totals_.overhead += taken;
  totals_.doubt += doubt_;
  return ticks - taken;
}

void ThreadWalk::step_back(std::uint64_t tick) {
  ++walk_.steps;
  walk_.longest_step = std::max(walk_.longest_step, last_ - tick);
}

std::uint64_t ThreadWalk::paused_in(std::uint64_t begin, std::uint64_t end) {
  std::uint64_t ticks = 0;
  for (; pause_ < walk_.pauses.size() && walk_.pauses[pause_].begin < end; ++pause_) {
    const LogPause& pause = walk_.pauses[pause_];
    const std::uint64_t from = std::max(begin, pause.begin);
    const std::uint64_t to = std::min(end, pause.end);
    if (from < to) ticks += to - from;
    if (pause.end > end) break;
  }
  pause_at_ =
      pause_ < walk_.pauses.size() ? walk_.pauses[pause_].begin : std::numeric_limits<std::uint64_t>::max();
  if (ticks > 0) doubt_calls();
  totals_.paused += ticks;
  return ticks;
}

// ---- calls

void ThreadWalk::enter(FunctionKey key) {
  if (frames_.size() >= most_depth || key == 0 || key == of_traps) [[unlikely]] {
    ++(frames_.size() >= most_depth ? beyond_ : walk_.senseless);
    return;
  }
  const std::uint32_t caller = frames_.back().node & ~folded;
  std::uint32_t node = walk_.tree.child(caller, key);
  if (node == CallTree::full) [[unlikely]] {
    node = caller | folded;
    ++walk_.folded;
  }
  frames_.push_back({.entered = clock_, .tick = last_, .node = node, .key = key});
  if (walk_.is_entered) ++under_way(frames_.back());
}

void ThreadWalk::leave(FunctionKey key) {
  if (beyond_ != 0) [[unlikely]] {
    --beyond_;
    ++walk_.folded;
  } else if (frames_.back().key == key && frames_.size() > 1) {
    pop_call();
  } else {
    leave_other(key);
  }
}

/// Either calls were left by an exception or longjmp, or the call was not seen.
void ThreadWalk::leave_other(FunctionKey key) {
  std::size_t depth = frames_.size() - 1;
  while (depth > 0 && frames_[depth].key != key) --depth;
  if (depth == 0) return take_unmatched(key);
  // Traps show where a call was left for; hooks show it when the one that caught it returns.
  abandon(depth + 1);
  pop();
}

/// The frames above so many ended unseen.
void ThreadWalk::abandon(std::size_t depth) {
  while (frames_.size() > depth) {
    if (traps_.frames().empty()) {
      ++(frames_.size() <= unsure_ ? walk_.unreturned : walk_.left_open);
      if (frames_.size() > unsure_) ++abandoned_[frames_.back().key];
    }
    pop();
  }
}

void ThreadWalk::pop_call() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  unsure_ = std::min(unsure_, frames_.size());
  if (walk_.watcher != nullptr) [[unlikely]]
    tell(frame);
  if ((frame.node & folded) != 0) [[unlikely]] {
    frames_.back().below += frame.below;
    frames_.back().doubt += frame.doubt;
    if (walk_.is_entered) --under_way(frame);
    if (frames_.size() == 1) command_ = {};
    return;
  }
  const std::uint64_t inclusive = clock_ - frame.entered;
  walk_.tree.count(frame.node,
                   {.inclusive = inclusive, .exclusive = inclusive - frame.below, .doubt = frame.doubt},
                   {.ticks = inclusive, .tick = frame.tick, .thread = totals_.serial});
  frames_.back().below += inclusive;
  if (walk_.is_entered) end_call(frame, inclusive);
}

std::uint32_t& ThreadWalk::under_way(const Frame& frame) {
  return command_.under_way(walk_.tree.nodes()[frame.node & ~folded].function);
}

/// The outermost call is a command.
void ThreadWalk::end_call(const Frame& frame, std::uint64_t inclusive) {
  const std::uint32_t function = walk_.tree.nodes()[frame.node].function;
  command_.add(Followed::own, function, inclusive - frame.below);
  if (--under_way(frame) == 0) command_.add(Followed::with_calls, function, inclusive);
  if (frames_.size() > 1) return;
  command_.add(Followed::total, 0, inclusive);
  walk_.commands.take(command_, frame.key);
  command_ = {};
}

void ThreadWalk::pop() {
  beyond_ = 0;
  if (is_on_top()) traps_.leave();
  pop_call();
}

// ---- traps: the account for Ownership. Frames of hooks stand between those of traps where both are
// recorded.

void ThreadWalk::pass_trap(std::uint32_t id, std::uint64_t ticks) {
  if (id == 0 || id > walk_.traps.traps.size()) {
    ++walk_.unknown_traps;
    clock_ += ticks;
    frames_.back().doubt += doubt_;
    return;
  }
  ++walk_.lines.hits[id - 1];
  ticks_ = ticks;
  const TrapPlace& trap = walk_.traps.traps[id - 1];
  // A new command: what the last one left open ended with it, and the host ran in between.
  while (walk_.is_entered && trap.kind == TrapKind::entry0 && begins_command(trap) &&
         !traps_.frames().empty())
    pop();
  traps_.step(trap);
}

/// The entry of an enclave or a TA may call itself or another one. While hooks or traps show a call that runs
/// the host does not, unless no trap would have shown the call's end.
bool ThreadWalk::begins_command(const TrapPlace& /*entry0*/) const {
  if (!walk_.is_entered || traps_.frames().empty()) return true;
  const bool has_hooks = frames_.size() - 1 > traps_.frames().size();
  return !has_hooks && !walk_.traps.functions[traps_.frames().front().function].shows_end;
}

void ThreadWalk::own(const Traps::Owner* owner) {
  if (walk_.is_entered && frames_.size() == 1) {
    totals_.outside += ticks_;
    return;
  }
  clock_ += ticks_;
  frames_.back().doubt += doubt_;
  if (owner == nullptr) return;
  Taken& taken = owner->statement == nullptr ? owner->frame.data.plain : owner->statement->data;
  taken.ticks += ticks_;
  taken.doubt += doubt_;
  taken.is_owner = true;
}

bool ThreadWalk::enter(const TrapPlace& trap, TrapCall& call) {
  const std::size_t before = frames_.size();
  enter(of_traps | (trap.function + 1));
  if (frames_.size() == before) {
    --beyond_;  // nobody will leave it
    return false;
  }
  trap_depth_ = call.depth = before;
  return true;
}

void ThreadWalk::left(Traps::Frame& frame) {
  end_plain(frame);
  const auto& shown = traps_.frames();
  trap_depth_ = shown.size() < 2 ? none : shown[shown.size() - 2].data.depth;
}

/// A statement within another one on the same line is part of its pass.
void ThreadWalk::end(const Traps::Statement& ended, Traps::Statement* outer) {
  if (!ended.data.is_owner) return;
  if (outer == nullptr || outer->trap->line != ended.trap->line)
    return end_pass(ended.trap->line, ended.data);
  outer->data.ticks += ended.data.ticks;
  outer->data.doubt += ended.data.doubt;
  outer->data.is_owner = true;
}

void ThreadWalk::end_plain(Traps::Frame& frame) {
  if (frame.data.plain.is_owner) end_pass(frame.plain->line, frame.data.plain);
  frame.data.plain = {};
}

void ThreadWalk::end_pass(std::uint32_t line, const Taken& taken) {
  walk_.lines.add(line, frames_[trap_depth_].node & ~folded, taken.ticks, taken.doubt);
  if (walk_.is_entered) command_.add(Followed::line, line, taken.ticks);
}

}  // namespace jcprof::annotator
