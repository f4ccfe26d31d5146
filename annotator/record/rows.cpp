// SPDX-License-Identifier: Apache-2.0
#include "annotator/record/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace jcprof::annotator {
namespace {

// Calibration times events back to back, whose code and data are at hand; between other work they cost more.
constexpr double part_of_own_cost_unknown = 0.25;

/// "verify" of "pin.c:verify", as a map calls it where several files have one.
std::string_view without_file(const TrapTable::Place& place) {
  const std::string_view function = place.function;
  const std::string_view path = place.path;
  for (const std::string_view file : {path, path.substr(path.rfind('/') + 1)})
    if (!file.empty() && function.starts_with(file) && function.substr(file.size()).starts_with(':'))
      return function.substr(file.size() + 1);
  return function;
}

/// `ns::f(int)` as the front end of C and C++ names it, with and without its parameters.
bool is_named(std::string_view symbol, std::string_view function) {
  return symbol == function ||
         (symbol.starts_with(function) && symbol.substr(function.size()).starts_with('('));
}

bool is_same_source(std::string_view path, std::string_view of_map) {
  if (path.empty() || path == of_map) return true;
  return path.ends_with(of_map) && path[path.size() - of_map.size() - 1] == '/';
}

}  // namespace

RowMaker::RowMaker(const LogFacts& facts, const Walk& walk, std::span<const ThreadTotals> threads,
                   double per_tick)
    : facts_(facts), walk_(walk), threads_(threads), names_{.per_tick = per_tick} {
  first_ = std::numeric_limits<std::uint64_t>::max();
  for (const ThreadTotals& thread : threads) {
    recorded_ += static_cast<double>(thread.recorded);
    if (thread.events > 0) first_ = std::min(first_, thread.first);
  }
}

void RowMaker::make(Symbols& symbols, RecordedRun& run) {
  StoredRecording& recording = run.recording;
  name_functions(symbols, recording);
  put_own_cost(recording.symbols.size());
  RecordedTree tree = recorded_tree(walk_.tree, threads_, names_);
  recording.threads = thread_rows();
  recording.slow = slow_rows();
  recording.marks = mark_rows(tree);
  recording.call_lines = call_line_rows(tree, recording.symbols);
  const double overhead = std::accumulate(
      threads_.begin(), threads_.end(), 0.0,
      [](double sum, const ThreadTotals& thread) { return sum + static_cast<double>(thread.overhead); });
  double rest = recorded_;
  for (const FunctionSums& function : tree.functions) rest -= static_cast<double>(function.exclusive);
  run.estimates.push_back(estimate_row(EstimateScope::total, recorded_, overhead));
  run.estimates.push_back(estimate_row(EstimateScope::unattributed, rest, 0));
  std::ranges::move(function_rows(tree, recording), std::back_inserter(run.estimates));
  std::ranges::move(line_rows(), std::back_inserter(run.estimates));
  recording.calls = std::move(tree.calls);
}

// ---- symbols

StoredSymbol RowMaker::symbol_of_hook(FunctionKey key, Symbols& symbols) const {
  if (key == JCPROF_LOG_OTHERS) return {.name = "(others)"};
  const std::uint64_t address = key < facts_.functions.size() ? facts_.functions[key] : 0;
  return address == 0 ? StoredSymbol{.name = fmt::format("(function {})", key)} : symbols.at(address);
}

/// A hook's function that has traps too is one symbol, at the place that the map gives it.
void RowMaker::name_functions(Symbols& symbols, StoredRecording& recording) {
  const TrapTable& traps = walk_.traps;
  std::vector<FunctionKey> keys(walk_.tree.functions());
  for (const CallNode& node : walk_.tree.nodes().subspan(1))
    if (node.key != 0) keys[node.function] = node.key;
  recording.symbols.push_back({.name = "(lost)"});
  names_.symbol_of.resize(keys.size());
  const auto add = [&](std::size_t function, StoredSymbol symbol) {
    names_.symbol_of[function] = symbol.number = static_cast<std::uint32_t>(recording.symbols.size());
    recording.symbols.push_back(std::move(symbol));
  };
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if ((keys[i] & of_traps) != 0) continue;
    StoredSymbol symbol = symbol_of_hook(keys[i], symbols);
    const auto trapped = std::ranges::find_if(traps.functions, [&](const TrapTable::Place& place) {
      return is_named(symbol.name, without_file(place)) && is_same_source(symbol.path, place.path);
    });
    if (trapped == traps.functions.end()) {
      add(i, std::move(symbol));
      continue;
    }
    const auto number = static_cast<std::uint32_t>(trapped - traps.functions.begin());
    if (const auto known = symbol_of_trap_.find(number); known != symbol_of_trap_.end()) {
      names_.symbol_of[i] = known->second;
      continue;
    }
    symbol.name = trapped->function;
    symbol.path = trapped->path;
    symbol.line = trapped->line;
    add(i, std::move(symbol));
    symbol_of_trap_[number] = names_.symbol_of[i];
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if ((keys[i] & of_traps) == 0) continue;
    const std::uint32_t number = (keys[i] & ~of_traps) - 1;
    const TrapTable::Place& place = traps.functions[number];
    if (const auto known = symbol_of_trap_.find(number); known != symbol_of_trap_.end()) {
      names_.symbol_of[i] = known->second;
      continue;
    }
    add(i, {.name = place.function, .path = place.path, .line = place.line});
    symbol_of_trap_[number] = names_.symbol_of[i];
  }
  names_.symbols = recording.symbols.size();
}

// ---- own cost

/// As it is calibrated, times the part of it that could be taken off.
void RowMaker::put_own_cost(std::size_t symbols) {
  names_.hook_cost = static_cast<double>(walk_.cost[JCPROF_LOG_ENTER]) / 1024;
  const double trap_cost = static_cast<double>(walk_.cost[JCPROF_LOG_LINE]) / 1024;
  names_.trap_cost.resize(symbols);
  double whole = 0;
  double taken = 0;
  std::uint64_t trap_hits = 0;
  for (std::size_t i = 0; i < walk_.lines.hits.size(); ++i) {
    trap_hits += walk_.lines.hits[i];
    const auto symbol = symbol_of_trap_.find(walk_.traps.traps[i].function);
    if (symbol != symbol_of_trap_.end())
      names_.trap_cost[symbol->second] += static_cast<double>(walk_.lines.hits[i]) * trap_cost;
  }
  std::uint64_t events = 0;
  for (const ThreadTotals& thread : threads_) {
    events += thread.events - std::min(thread.events, thread.gaps + 1);  // those that follow upon another one
    taken += static_cast<double>(thread.overhead);
  }
  whole = static_cast<double>(trap_hits) * trap_cost +
          static_cast<double>(events - std::min(events, trap_hits)) * names_.hook_cost;
  taken_off_ = whole > 0 ? std::min(1.0, taken / whole) : 0;
  names_.hook_cost *= taken_off_;
  for (double& cost : names_.trap_cost) cost *= taken_off_;
}

// ---- rows

double RowMaker::moment(std::uint64_t tick) const {
  const double ticks =
      tick >= first_ ? static_cast<double>(tick - first_) : -static_cast<double>(first_ - tick);
  return ticks * names_.per_tick;
}

std::vector<StoredThread> RowMaker::thread_rows() const {
  std::vector<StoredThread> rows;
  for (const ThreadTotals& thread : threads_) {
    const auto scaled = [&](std::uint64_t ticks) { return static_cast<double>(ticks) * names_.per_tick; };
    StoredThread row{.serial = thread.serial,
                     .process = thread.process,
                     .tid = thread.tid,
                     .events = thread.events,
                     .lost = thread.lost,
                     .unmatched = thread.unmatched,
                     .recorded = scaled(thread.recorded),
                     .overhead = scaled(thread.overhead),
                     .paused = scaled(thread.paused),
                     .gap = scaled(thread.gap)};
    if (thread.events > 0) {
      row.first = moment(thread.first);
      row.last = moment(thread.last);
    }
    if (const auto known = facts_.threads.find(thread.serial); known != facts_.threads.end()) {
      const jcprof_log_thread& told = known->second;
      row.name = std::string(told.name, ::strnlen(told.name, sizeof told.name));
      if (row.tid == 0) row.tid = told.tid;
      if (told.running_ns != 0 || told.waiting_ns != 0) {
        row.running = static_cast<double>(told.running_ns);
        row.waiting = static_cast<double>(told.waiting_ns);
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<StoredSlow> RowMaker::slow_rows() const {
  std::vector<std::vector<SlowCall>> by_symbol(names_.symbols);
  for (std::uint32_t i = 0; i < names_.symbol_of.size(); ++i) {
    std::vector<SlowCall>& slow = by_symbol[names_.symbol_of[i]];
    // Where a hook and a trap showed the same calls those of the first, the hook's, are taken.
    if (slow.empty()) slow = walk_.tree.slowest(i);
  }
  std::vector<StoredSlow> rows;
  for (std::uint32_t symbol = 0; symbol < by_symbol.size(); ++symbol) {
    std::vector<SlowCall>& slow = by_symbol[symbol];
    std::ranges::sort(slow, [](const SlowCall& a, const SlowCall& b) {
      return std::pair(b.ticks, a.tick) < std::pair(a.ticks, b.tick);
    });
    for (const SlowCall& call : slow)
      rows.push_back({.symbol = symbol,
                      .thread = call.thread,
                      .at = moment(call.tick),
                      .ticks = static_cast<double>(call.ticks) * names_.per_tick});
  }
  return rows;
}

std::vector<StoredMark> RowMaker::mark_rows(const RecordedTree& tree) const {
  std::vector<PassedMark> marks = walk_.marks;
  std::ranges::stable_sort(marks, {}, &PassedMark::tick);
  std::vector<StoredMark> rows;
  for (const PassedMark& mark : marks) {
    const auto name = facts_.mark_names.find(mark.name);
    rows.push_back(
        {.name = name == facts_.mark_names.end() ? fmt::format("mark {}", mark.name) : name->second,
         .payload = mark.payload,
         .thread = mark.thread,
         .call = tree.call_of[mark.node],
         .at = moment(mark.tick)});
  }
  return rows;
}

/// Of calls that passed traps. What none of their traps owns, as between a hook and the first one, is their
/// function's first line's.
std::vector<StoredCallLine> RowMaker::call_line_rows(const RecordedTree& tree,
                                                     const std::vector<StoredSymbol>& symbols) const {
  using Place = std::pair<std::string_view, std::size_t>;
  std::map<std::uint32_t, std::map<Place, double>> lines_of;  // by call, in ticks
  for (const auto& [key, ticks] : walk_.lines.parts) {
    const TrapTable::Place& line = walk_.traps.lines[static_cast<std::uint32_t>(key)];
    if (const std::uint32_t call = tree.call_of[key >> 32U]; call != 0)
      lines_of[call][{line.path, line.line}] += static_cast<double>(ticks);
  }
  std::vector<StoredCallLine> rows;
  for (auto& [id, lines] : lines_of) {
    const StoredCall& call = tree.calls[id - 1];
    double rest = std::round(call.exclusive / names_.per_tick);
    for (const auto& [place, ticks] : lines) rest -= ticks;
    if (rest > 0) lines[{symbols[call.symbol].path, symbols[call.symbol].line}] += rest;
    for (const auto& [place, ticks] : lines)
      rows.push_back({.call = id,
                      .path = std::string(place.first),
                      .line = place.second,
                      .ticks = ticks * names_.per_tick});
  }
  return rows;
}

StoredEstimate RowMaker::estimate_row(EstimateScope scope, double ticks, double own_cost) const {
  const double unknown = part_of_own_cost_unknown * own_cost;
  const double scale = names_.per_tick;
  const double low = std::max(0.0, ticks - unknown);
  const double share = recorded_ > 0 ? 1 / recorded_ : 0;
  return {.scope = scope,
          .rounds = 1,
          .raw = ticks * scale,
          .ticks = ticks * scale,
          .low = low * scale,
          .high = (ticks + unknown) * scale,
          .share = ticks * share,
          .share_low = low * share,
          .share_high = std::min(1.0, (ticks + unknown) * share),
          .resolved = low > 0 && unknown <= ticks};
}

namespace {

/// The hottest first, numbered.
void put_in_order(std::vector<StoredEstimate>& rows) {
  std::ranges::stable_sort(rows, std::ranges::greater{}, &StoredEstimate::ticks);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].position = static_cast<std::uint32_t>(i);
}

template <class Sums>
void put_quantiles(StoredEstimate& row, const Sums& sums, double per_tick) {
  const auto quantile = [&](double part) {
    return static_cast<double>(std::clamp(sums.sketch.quantile(part), sums.least, sums.most)) * per_tick;
  };
  row.least = static_cast<double>(sums.least) * per_tick;
  row.most = static_cast<double>(sums.most) * per_tick;
  row.q50 = quantile(0.5);
  row.q95 = quantile(0.95);
  row.q99 = quantile(0.99);
}

}  // namespace

std::vector<StoredEstimate> RowMaker::function_rows(const RecordedTree& tree,
                                                    const StoredRecording& recording) const {
  std::vector<StoredEstimate> rows;
  for (std::size_t i = 1; i < tree.functions.size(); ++i) {
    const FunctionSums& function = tree.functions[i];
    if (function.count == 0) continue;
    StoredEstimate row =
        estimate_row(EstimateScope::function, static_cast<double>(function.exclusive), function.own_cost);
    const StoredEstimate inclusive = estimate_row(
        EstimateScope::function, static_cast<double>(function.inclusive), function.own_cost_below);
    row.function = recording.symbols[i].name;
    row.path = recording.symbols[i].path;
    row.line = recording.symbols[i].line;
    row.hits = function.count;
    row.inclusive = inclusive.ticks;
    row.inclusive_low = inclusive.low;
    row.inclusive_high = inclusive.high;
    row.mean = static_cast<double>(function.of_calls) / static_cast<double>(function.count) * names_.per_tick;
    put_quantiles(row, function, names_.per_tick);
    rows.push_back(std::move(row));
  }
  put_in_order(rows);
  return rows;
}

/// How often each line's statement was passed, as Attribution has it.
std::vector<std::uint64_t> RowMaker::hits_of_lines() const {
  std::vector<std::uint64_t> any(walk_.lines.lines.size());
  std::vector<std::uint64_t> statements(any.size());
  for (std::size_t i = 0; i < walk_.traps.traps.size(); ++i) {
    const TrapPlace& trap = walk_.traps.traps[i];
    any[trap.line] = std::max(any[trap.line], walk_.lines.hits[i]);
    if (trap.is_statement()) statements[trap.line] = std::max(statements[trap.line], walk_.lines.hits[i]);
  }
  for (std::size_t i = 0; i < any.size(); ++i)
    if (statements[i] > 0) any[i] = statements[i];
  return any;
}

/// Lines whose statement was the last event of a thread: nobody knows for how long.
std::vector<bool> RowMaker::begun_lines() const {
  std::vector<bool> is_begun(walk_.lines.lines.size());
  for (std::size_t i = 0; i < walk_.traps.traps.size(); ++i) {
    const TrapPlace& trap = walk_.traps.traps[i];
    const bool may_own = trap.is_statement() && trap.kind != TrapKind::returns;
    if (walk_.lines.hits[i] > 0 && may_own) is_begun[trap.line] = true;
  }
  return is_begun;
}

std::vector<StoredEstimate> RowMaker::line_rows() const {
  const double trap_cost = static_cast<double>(walk_.cost[JCPROF_LOG_LINE]) / 1024 * taken_off_;
  const std::vector<std::uint64_t> hits = hits_of_lines();
  const std::vector<bool> is_begun = begun_lines();
  std::vector<StoredEstimate> rows;
  for (std::size_t i = 0; i < walk_.lines.lines.size(); ++i) {
    const LinePasses& line = walk_.lines.lines[i];
    if (line.passes == 0 && !is_begun[i]) continue;
    StoredEstimate row = estimate_row(EstimateScope::line, static_cast<double>(line.ticks),
                                      static_cast<double>(hits[i]) * trap_cost);
    row.function = walk_.traps.lines[i].function;
    row.path = walk_.traps.lines[i].path;
    row.line = walk_.traps.lines[i].line;
    row.hits = hits[i];
    if (line.passes > 0) put_quantiles(row, line, names_.per_tick);
    rows.push_back(std::move(row));
  }
  put_in_order(rows);
  return rows;
}

}  // namespace jcprof::annotator
