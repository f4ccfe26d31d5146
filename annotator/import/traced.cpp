// SPDX-License-Identifier: Apache-2.0
#include "annotator/import/traced.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "annotator/import/flat.hpp"
#include "annotator/record/tree.hpp"
#include "src/core/error.hpp"

namespace jcprof::annotator {
namespace {

/// `sums` are those of a function that was called, in the run's unit.
StoredEstimate function_row(const StoredSymbol& symbol, const FunctionSums& sums, bool has_end,
                            double total) {
  const auto ticks = [](std::uint64_t value) { return static_cast<double>(value); };
  const auto quantile = [&](double part) {
    return ticks(std::clamp(sums.sketch.quantile(part), sums.least, sums.most));
  };
  StoredEstimate row = single_row(EstimateScope::function, ticks(sums.exclusive), total);
  row.function = symbol.name;
  row.hits = sums.count;
  if (!has_end) {
    forget_own(row);
    forget_inclusive(row);
    return row;
  }
  row.inclusive = row.inclusive_low = row.inclusive_high = ticks(sums.inclusive);
  row.mean = ticks(sums.of_calls) / ticks(sums.count);
  row.least = ticks(sums.least);
  row.most = ticks(sums.most);
  row.q50 = quantile(0.5);
  row.q95 = quantile(0.95);
  row.q99 = quantile(0.99);
  return row;
}

std::vector<StoredSlow> slow_rows(const CallTree& tree, const TreeNames& names) {
  std::vector<StoredSlow> rows;
  for (std::uint32_t i = 0; i < names.symbol_of.size(); ++i)
    for (const SlowCall& call : tree.slowest(i))
      rows.push_back({.symbol = names.symbol_of[i],
                      .thread = call.thread,
                      .at = static_cast<double>(call.tick),
                      .ticks = static_cast<double>(call.ticks)});
  std::ranges::stable_sort(rows, [](const StoredSlow& a, const StoredSlow& b) {
    return std::pair(a.symbol, -a.ticks) < std::pair(b.symbol, -b.ticks);
  });
  return rows;
}

}  // namespace

CallTracer::Thread& CallTracer::thread_of(std::uint32_t tid) {
  const auto [found, is_new] = threads_.try_emplace(tid);
  ThreadTotals& totals = found->second.totals;
  if (is_new) {
    totals.serial = static_cast<std::uint32_t>(threads_.size());
    totals.tid = tid;
    totals.root = tree_.add_root();
  }
  return found->second;
}

FunctionKey CallTracer::key_of(std::string_view function) {
  const auto [found, is_new] =
      keys_.try_emplace(std::string(function), static_cast<FunctionKey>(names_.size()));
  if (is_new) {
    names_.emplace_back(function);
    has_ended_.push_back(false);
  }
  return found->second;
}

void CallTracer::take_event(Thread& thread, std::uint64_t at) {
  if (thread.totals.events++ == 0) thread.totals.first = at;
  thread.totals.last = std::max(thread.totals.last, at);
}

void CallTracer::enter(std::uint32_t tid, std::string_view function, std::uint64_t at) {
  Thread& thread = thread_of(tid);
  take_event(thread, at);
  const FunctionKey key = key_of(function);
  if (thread.open_of.size() <= key) thread.open_of.resize(names_.size());
  ++thread.open_of[key];
  const std::uint32_t caller = thread.open.empty() ? thread.totals.root : thread.open.back().node;
  const std::uint32_t node = tree_.child(caller, key);
  const bool is_folded = node == CallTree::full;
  thread.open.push_back(
      {.node = is_folded ? caller : node, .function = key, .at = at, .is_folded = is_folded});
}

void CallTracer::leave(std::uint32_t tid, std::string_view function, std::uint64_t at) {
  Thread& thread = thread_of(tid);
  take_event(thread, at);
  const FunctionKey key = key_of(function);
  if (thread.open_of.size() <= key || thread.open_of[key] == 0) {
    ++thread.totals.unmatched;
    return;
  }
  while (thread.open.back().function != key) give_up(thread);
  end_with(thread, at - std::min(at, thread.open.back().at));
}

void CallTracer::leave_after(std::uint32_t tid, std::uint64_t inclusive) {
  Thread& thread = thread_of(tid);
  check(!thread.open.empty(), "a call is open");
  ++thread.totals.events;
  if (thread.open.back().below > inclusive) ++ended_early_;
  end_with(thread, inclusive);
}

void CallTracer::give_up(std::uint32_t tid) {
  give_up(thread_of(tid));
}

void CallTracer::give_up(Thread& thread) {
  check(!thread.open.empty(), "a call is open");
  ++unended_;
  end_innermost(thread, 0);
}

void CallTracer::end_with(Thread& thread, std::uint64_t inclusive) {
  has_ended_[thread.open.back().function] = true;
  end_innermost(thread, inclusive);
}

void CallTracer::end_innermost(Thread& thread, std::uint64_t inclusive) {
  const Frame frame = thread.open.back();
  thread.open.pop_back();
  --thread.open_of[frame.function];
  inclusive = std::max(inclusive, frame.below);
  if (frame.is_folded) {
    // Its time is the caller's own, but for the calls out of it.
    if (!thread.open.empty()) thread.open.back().below += frame.below;
    return;
  }
  tree_.count(frame.node, {.inclusive = inclusive, .exclusive = inclusive - frame.below},
              {.ticks = inclusive,
               .tick = frame.at - std::min(frame.at, thread.totals.first),
               .thread = thread.totals.serial});
  if (thread.open.empty())
    thread.totals.recorded += inclusive;
  else
    thread.open.back().below += inclusive;
}

void CallTracer::put_functions(RecordedRun& run) {
  TreeNames names;
  run.recording.symbols = {{.name = "(lost)"}};
  names.symbol_of.resize(tree_.functions());
  std::vector<FunctionKey> keys(tree_.functions());
  for (const CallNode& node : tree_.nodes().subspan(1))
    if (node.key != 0) keys[node.function] = node.key;
  std::vector<bool> has_end{false};  // by symbol
  for (std::size_t i = 0; i < keys.size(); ++i) {
    has_end.push_back(has_ended_[keys[i]]);
    names.symbol_of[i] = static_cast<std::uint32_t>(run.recording.symbols.size());
    run.recording.symbols.push_back({.number = names.symbol_of[i], .name = names_[keys[i]]});
  }
  names.symbols = run.recording.symbols.size();
  std::vector<ThreadTotals> threads;
  double total = 0;
  for (const auto& [tid, thread] : threads_) {
    threads.push_back(thread.totals);
    total += static_cast<double>(thread.totals.recorded);
  }
  std::ranges::sort(threads, {}, &ThreadTotals::serial);
  RecordedTree tree = recorded_tree(tree_, threads, names);
  run.recording.slow = slow_rows(tree_, names);
  run.recording.calls = std::move(tree.calls);
  run.estimates = {single_row(EstimateScope::total, total, total),
                   single_row(EstimateScope::unattributed, 0, total)};
  std::vector<StoredEstimate> rows;
  for (std::size_t i = 1; i < tree.functions.size(); ++i)
    if (tree.functions[i].count > 0)
      rows.push_back(function_row(run.recording.symbols[i], tree.functions[i], has_end[i], total));
  put_hottest_first(rows);
  std::ranges::move(rows, std::back_inserter(run.estimates));
}

RecordedRun CallTracer::finish(RecordedRun run) && {
  std::uint64_t unmatched = 0;
  for (auto& [tid, thread] : threads_) {
    unended_ += thread.open.size();
    unmatched += thread.totals.unmatched;
    // Without times, as of OP-TEE, nothing ends there.
    const bool has_times = thread.totals.last > thread.totals.first;
    if (has_times)
      for (const Frame& frame : thread.open) has_ended_[frame.function] = true;
    while (!thread.open.empty())
      end_innermost(thread, thread.totals.last - std::min(thread.totals.last, thread.open.back().at));
    const auto ticks = [](std::uint64_t value) { return static_cast<double>(value); };
    run.recording.threads.push_back({.serial = thread.totals.serial,
                                     .tid = tid,
                                     .events = thread.totals.events,
                                     .lost = thread.totals.lost,
                                     .unmatched = thread.totals.unmatched,
                                     .last = ticks(thread.totals.last - thread.totals.first),
                                     .recorded = ticks(thread.totals.recorded)});
    run.events += thread.totals.events;
    run.lost += thread.totals.lost;
  }
  std::ranges::sort(run.recording.threads, {}, &StoredThread::serial);
  put_functions(run);
  const auto warn = [&](WarningKind kind, std::uint64_t count, const char* one, const char* more) {
    if (count > 0)
      run.warnings.push_back({.kind = kind, .text = fmt::format("{} {}", count, count == 1 ? one : more)});
  };
  warn(WarningKind::lost, run.lost, "event was lost", "events were lost");
  warn(WarningKind::other, unended_, "call has no end: its time is that until the last event inside",
       "calls have no end: their times are those until the last event inside");
  warn(WarningKind::other, unmatched, "return has no call: it is left out",
       "returns have no call: they are left out");
  warn(WarningKind::unsteady, ended_early_, "call took less than the calls out of it: its own time is 0",
       "calls took less than the calls out of them: their own time is 0");
  return run;
}

}  // namespace jcprof::annotator
