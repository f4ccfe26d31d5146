// SPDX-License-Identifier: Apache-2.0
// Recordings in the store.
#include <set>
#include <utility>

#include "src/core/error.hpp"
#include "src/core/store_state.hpp"

namespace jcprof {
namespace {

using sqlite::Atomically;

/// Walks the trees, so that deep ones take no longer: a node looks at its function's count, not up.
std::vector<CallRow> call_rows(const StoredRecording& recording) {
  const std::vector<StoredCall>& calls = recording.calls;
  std::vector<std::uint32_t> first(calls.size() + 1);
  std::vector<std::uint32_t> next(calls.size() + 1);
  for (std::size_t i = calls.size(); i-- > 0;) {
    const StoredCall& call = calls[i];
    check(call.id == i + 1 && call.parent < call.id && call.symbol < recording.symbols.size(),
          "calls are numbered, parents first");
    next[call.id] = std::exchange(first[call.parent], call.id);
  }
  std::vector<CallRow> found(calls.size());
  std::vector<std::uint32_t> under_way(recording.symbols.size());
  std::vector<std::uint32_t> open;  // ids from a root down
  for (std::uint32_t id = first[0]; id != 0;) {
    found[id - 1] = {.call = calls[id - 1],
                     .depth = static_cast<std::uint32_t>(open.size()),
                     .outermost = under_way[calls[id - 1].symbol]++ == 0};
    open.push_back(id);
    id = first[id];
    while (id == 0 && !open.empty()) {
      --under_way[calls[open.back() - 1].symbol];
      id = next[open.back()];
      open.pop_back();
    }
  }
  return found;
}

}  // namespace

void Store::replace_recording(std::int64_t run, const StoredRecording& recording) {
  Atomically atomically(state_->database);
  state_->replace(run, recording.symbols);
  state_->replace(run, recording.threads);
  state_->replace(run, call_rows(recording));
  state_->replace(run, recording.call_lines);
  state_->replace(run, recording.arcs);
  state_->replace(run, recording.slow);
  state_->replace(run, recording.marks);
  atomically.commit();
}

/// Those who read build on it: numbers count, parents come first, and what is referred to is there.
StoredRecording Store::recording(std::int64_t run) const {
  StoredRecording recording{.symbols = state_->rows<StoredSymbol>(run),
                            .threads = state_->rows<StoredThread>(run),
                            .calls = {},
                            .call_lines = state_->rows<StoredCallLine>(run),
                            .arcs = state_->rows<StoredArc>(run),
                            .slow = state_->rows<StoredSlow>(run),
                            .marks = state_->rows<StoredMark>(run)};
  const auto check_stored = [&](bool is_good, const std::string& what) {
    if (!is_good) sqlite::damaged(state_->database.file(), what);
  };
  for (std::size_t i = 0; i < recording.symbols.size(); ++i)
    check_stored(recording.symbols[i].number == i, fmt::format("symbol {} of run {} is missing", i, run));
  std::set<std::uint32_t> threads;
  for (const StoredThread& thread : recording.threads) threads.insert(thread.serial);
  for (const CallRow& row : state_->rows<CallRow>(run)) {
    const StoredCall& call = recording.calls.emplace_back(row.call);
    check_stored(call.id == recording.calls.size() && call.parent < call.id &&
                     call.symbol < recording.symbols.size() && threads.contains(call.thread),
                 fmt::format("call {} of run {}", call.id, run));
  }
  for (const StoredCallLine& line : recording.call_lines)
    check_stored(line.call > 0 && line.call <= recording.calls.size(),
                 fmt::format("a call's line of run {}", run));
  for (const StoredArc& arc : recording.arcs)
    check_stored(arc.caller < recording.symbols.size() && arc.callee < recording.symbols.size(),
                 fmt::format("an arc of run {}", run));
  for (const StoredSlow& slow : recording.slow)
    check_stored(slow.symbol < recording.symbols.size(), fmt::format("a slow call of run {}", run));
  for (const StoredMark& mark : recording.marks)
    check_stored(mark.call <= recording.calls.size(), fmt::format("a mark of run {}", run));
  return recording;
}

}  // namespace jcprof
