// SPDX-License-Identifier: Apache-2.0
// What record mode adds to a run.
#include <array>
#include <set>
#include <utility>

#include "src/core/error.hpp"
#include "src/core/store_state.hpp"

namespace jcprof {
namespace {

using sqlite::Atomically;
using sqlite::Database;
using sqlite::Statement;

constexpr std::array recording_tables{"symbol",    "recorded_thread", "call_node",
                                      "call_line", "slow_call",       "recorded_mark"};

/// Where a node stands in its tree.
struct Standing {
  std::uint32_t depth = 0;
  bool outermost = true;
};

/// By id - 1. Walks the trees, so that deep ones take no longer: a node looks at its function's count, not
/// up.
std::vector<Standing> standings(const StoredRecording& recording) {
  const std::vector<StoredCall>& calls = recording.calls;
  std::vector<std::uint32_t> first(calls.size() + 1);
  std::vector<std::uint32_t> next(calls.size() + 1);
  for (std::size_t i = calls.size(); i-- > 0;) {
    const StoredCall& call = calls[i];
    check(call.id == i + 1 && call.parent < call.id && call.symbol < recording.symbols.size(),
          "calls are numbered, parents first");
    next[call.id] = std::exchange(first[call.parent], call.id);
  }
  std::vector<Standing> found(calls.size());
  std::vector<std::uint32_t> under_way(recording.symbols.size());
  std::vector<std::uint32_t> open;  // ids from a root down
  for (std::uint32_t id = first[0]; id != 0;) {
    found[id - 1] = {.depth = static_cast<std::uint32_t>(open.size()),
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

void add_symbols(const Database& database, std::int64_t run, const std::vector<StoredSymbol>& symbols) {
  Statement row = database.prepare("INSERT INTO symbol VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  for (const StoredSymbol& s : symbols)
    row.bind(run, s.number, s.name, s.module, s.build_id, s.address, s.path, s.line).run();
}

void add_threads(const Database& database, std::int64_t run, const std::vector<StoredThread>& threads) {
  Statement row =
      database.prepare("INSERT INTO recorded_thread VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const StoredThread& t : threads)
    row.bind(run, t.serial, t.process, t.tid, t.name, t.events, t.lost, t.unmatched, t.first, t.last,
             t.recorded, t.overhead, t.paused, t.gap, t.running, t.waiting)
        .run();
}

void add_calls(const Database& database, std::int64_t run, const StoredRecording& recording) {
  const std::vector<Standing> found = standings(recording);
  Statement row =
      database.prepare("INSERT INTO call_node VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const StoredCall& c : recording.calls)
    row.bind(run, c.id, c.parent, found[c.id - 1].depth, found[c.id - 1].outermost, c.thread, c.symbol,
             c.count, c.inclusive, c.exclusive, c.least, c.most, c.q50, c.q95, c.q99)
        .run();
}

std::vector<StoredSymbol> symbols_in(const Database& database, std::int64_t run) {
  Statement row = database.prepare(
      "SELECT number, name, module, build_id, address, path, line FROM symbol WHERE run = ? ORDER BY number");
  std::vector<StoredSymbol> symbols;
  for (row.bind(run); row.step();)
    symbols.push_back({.number = row.number<std::uint32_t>(0),
                       .name = row.text(1),
                       .module = row.text(2),
                       .build_id = row.text(3),
                       .address = static_cast<std::uint64_t>(row.integer(4)),
                       .path = row.text(5),
                       .line = row.number<std::uint32_t>(6)});
  return symbols;
}

std::vector<StoredThread> threads_in(const Database& database, std::int64_t run) {
  Statement row = database.prepare(
      "SELECT serial, process, tid, name, events, lost, unmatched, first, last, recorded, overhead, paused, "
      "gap,"
      " running, waiting FROM recorded_thread WHERE run = ? ORDER BY serial");
  std::vector<StoredThread> threads;
  for (row.bind(run); row.step();)
    threads.push_back({.serial = row.number<std::uint32_t>(0),
                       .process = row.number<std::uint32_t>(1),
                       .tid = row.number<std::uint32_t>(2),
                       .name = row.text(3),
                       .events = row.number<std::uint64_t>(4),
                       .lost = row.number<std::uint64_t>(5),
                       .unmatched = row.number<std::uint64_t>(6),
                       .first = row.real(7),
                       .last = row.real(8),
                       .recorded = row.real(9),
                       .overhead = row.real(10),
                       .paused = row.real(11),
                       .gap = row.real(12),
                       .running = row.real_if_any(13),
                       .waiting = row.real_if_any(14)});
  return threads;
}

/// Those who read build on it: ids count from 1, parents come first, threads and symbols are there.
std::vector<StoredCall> calls_in(const Database& database, std::int64_t run,
                                 const StoredRecording& recording) {
  std::set<std::uint32_t> threads;
  for (const StoredThread& thread : recording.threads) threads.insert(thread.serial);
  Statement row = database.prepare(
      "SELECT id, parent, thread, symbol, count, inclusive, exclusive, least, most, q50, q95, q99"
      " FROM call_node WHERE run = ? ORDER BY id");
  std::vector<StoredCall> calls;
  for (row.bind(run); row.step();) {
    calls.push_back({.id = row.number<std::uint32_t>(0),
                     .parent = row.number<std::uint32_t>(1),
                     .thread = row.number<std::uint32_t>(2),
                     .symbol = row.number<std::uint32_t>(3),
                     .count = row.number<std::uint64_t>(4),
                     .inclusive = row.real(5),
                     .exclusive = row.real(6),
                     .least = row.real(7),
                     .most = row.real(8),
                     .q50 = row.real(9),
                     .q95 = row.real(10),
                     .q99 = row.real(11)});
    const StoredCall& call = calls.back();
    if (call.id != calls.size() || call.parent >= call.id || call.symbol >= recording.symbols.size() ||
        !threads.contains(call.thread))
      sqlite::damaged(database.file(), fmt::format("call {} of run {}", call.id, run));
  }
  return calls;
}

}  // namespace

void Store::replace_recording(std::int64_t run, const StoredRecording& recording) {
  const Database& database = state_->database;
  Atomically atomically(database);
  for (const char* table : recording_tables)
    database.prepare(fmt::format("DELETE FROM {} WHERE run = ?", table)).bind(run).run();
  add_symbols(database, run, recording.symbols);
  add_threads(database, run, recording.threads);
  add_calls(database, run, recording);
  Statement line = database.prepare("INSERT INTO call_line VALUES (?, ?, ?, ?, ?)");
  for (const StoredCallLine& l : recording.call_lines) line.bind(run, l.call, l.path, l.line, l.ticks).run();
  Statement slow = database.prepare("INSERT INTO slow_call VALUES (?, ?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < recording.slow.size(); ++i) {
    const StoredSlow& s = recording.slow[i];
    slow.bind(run, i, s.symbol, s.thread, s.at, s.ticks).run();
  }
  Statement mark = database.prepare("INSERT INTO recorded_mark VALUES (?, ?, ?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < recording.marks.size(); ++i) {
    const StoredMark& m = recording.marks[i];
    mark.bind(run, i, m.name, m.payload, m.thread, m.call, m.at).run();
  }
  for (const char* table : recording_tables) state_->seal(run, table);
  atomically.commit();
}

StoredRecording Store::recording(std::int64_t run) const {
  for (const char* table : recording_tables) state_->verify(run, table);
  const Database& database = state_->database;
  StoredRecording recording;
  recording.symbols = symbols_in(database, run);
  for (std::size_t i = 0; i < recording.symbols.size(); ++i)
    if (recording.symbols[i].number != i)
      sqlite::damaged(database.file(), fmt::format("symbol {} of run {} is missing", i, run));
  recording.threads = threads_in(database, run);
  recording.calls = calls_in(database, run, recording);
  const auto check_known = [&](std::size_t number, std::size_t count, const char* what) {
    if (number >= count) sqlite::damaged(database.file(), fmt::format("{} of run {}", what, run));
  };
  Statement line = database.prepare(
      "SELECT call, path, line, ticks FROM call_line WHERE run = ? ORDER BY call, path, line");
  for (line.bind(run); line.step();) {
    recording.call_lines.push_back({.call = line.number<std::uint32_t>(0),
                                    .path = line.text(1),
                                    .line = line.number<std::uint32_t>(2),
                                    .ticks = line.real(3)});
    check_known(recording.call_lines.back().call - std::size_t{1}, recording.calls.size(), "a call's line");
  }
  Statement slow =
      database.prepare("SELECT symbol, thread, at, ticks FROM slow_call WHERE run = ? ORDER BY number");
  for (slow.bind(run); slow.step();) {
    recording.slow.push_back({.symbol = slow.number<std::uint32_t>(0),
                              .thread = slow.number<std::uint32_t>(1),
                              .at = slow.real(2),
                              .ticks = slow.real(3)});
    check_known(recording.slow.back().symbol, recording.symbols.size(), "a slow call");
  }
  Statement mark = database.prepare(
      "SELECT name, payload, thread, call, at FROM recorded_mark WHERE run = ? ORDER BY number");
  for (mark.bind(run); mark.step();) {
    recording.marks.push_back({.name = mark.text(0),
                               .payload = static_cast<std::uint64_t>(mark.integer(1)),
                               .thread = mark.number<std::uint32_t>(2),
                               .call = mark.number<std::uint32_t>(3),
                               .at = mark.real(4)});
    check_known(recording.marks.back().call, recording.calls.size() + 1, "a mark");
  }
  return recording;
}

}  // namespace jcprof
