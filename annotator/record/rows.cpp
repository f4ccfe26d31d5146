// SPDX-License-Identifier: Apache-2.0
#include "annotator/record/rows.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "annotator/record/tree.hpp"

namespace jcprof::annotator {
namespace {

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

/// The number of a symbol among the functions with traps.
std::optional<std::uint32_t> trapped_function(const StoredSymbol& symbol, const TrapTable& traps) {
  const auto found = std::ranges::find_if(traps.functions, [&](const TrapTable::Place& place) {
    return is_named(symbol.name, without_file(place)) && is_same_source(symbol.path, place.path);
  });
  if (found == traps.functions.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - traps.functions.begin());
}

/// A hook's function that has traps too is one symbol, at the place that the map gives it.
void name_functions(const WalkedLog& log, Symbols& symbols, TreeNames& names,
                    std::vector<StoredSymbol>& rows) {
  const TrapTable& traps = log.walk.traps;
  std::vector<FunctionKey> keys(log.walk.tree.functions());
  for (const CallNode& node : log.walk.tree.nodes().subspan(1))
    if (node.key != 0) keys[node.function] = node.key;
  rows.push_back({.name = "(lost)"});
  names.symbol_of.resize(keys.size());
  std::map<std::uint32_t, std::uint32_t> symbol_of_trap;  // by the trap's function
  const auto name = [&](std::size_t function, StoredSymbol symbol, std::optional<std::uint32_t> trapped) {
    const auto number = static_cast<std::uint32_t>(rows.size());
    names.symbol_of[function] = trapped ? symbol_of_trap.try_emplace(*trapped, number).first->second : number;
    if (names.symbol_of[function] != number) return;
    if (trapped) {
      symbol.name = traps.functions[*trapped].function;
      symbol.path = traps.functions[*trapped].path;
      symbol.line = traps.functions[*trapped].line;
    }
    symbol.number = number;
    rows.push_back(std::move(symbol));
  };
  // Functions of hooks come first: they know addresses.
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if ((keys[i] & of_traps) != 0) continue;
    StoredSymbol symbol = symbol_of_hook(log.facts, keys[i], symbols);
    const std::optional<std::uint32_t> trapped = trapped_function(symbol, traps);
    name(i, std::move(symbol), trapped);
  }
  for (std::size_t i = 0; i < keys.size(); ++i)
    if ((keys[i] & of_traps) != 0) name(i, {}, (keys[i] & ~of_traps) - 1);
  names.symbols = rows.size();
}

// ---- rows

/// Makes times, moments and shares of ticks.
struct RowScale {
  explicit RowScale(const WalkedLog& log) : per_tick(log.per_tick) {
    for (const ThreadTotals& thread : log.threads) {
      recorded += static_cast<double>(thread.recorded);
      if (thread.events > 0) first = std::min(first, thread.first);
    }
  }
  double moment(std::uint64_t tick) const {
    return per_tick *
           (tick >= first ? static_cast<double>(tick - first) : -static_cast<double>(first - tick));
  }

  double per_tick = 1;
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();  // tick of the first event
  double recorded = 0;                                              // ticks of all threads
};

std::vector<StoredThread> thread_rows(const WalkedLog& log, const RowScale& scale) {
  std::vector<StoredThread> rows;
  for (const ThreadTotals& thread : log.threads) {
    const auto scaled = [&](std::uint64_t ticks) { return static_cast<double>(ticks) * log.per_tick; };
    StoredThread row{.serial = thread.serial,
                     .process = thread.process,
                     .tid = thread.tid,
                     .events = thread.events,
                     .lost = thread.lost,
                     .unmatched = thread.unmatched,
                     .recorded = scaled(thread.recorded),
                     .overhead = scaled(thread.overhead + thread.changing),
                     .paused = scaled(thread.paused),
                     .gap = scaled(thread.gap),
                     .outside = scaled(thread.outside)};
    if (thread.knows_away) row.away = scaled(thread.away);
    if (thread.events > 0) {
      row.first = scale.moment(thread.first);
      row.last = scale.moment(thread.last);
    }
    if (const auto known = log.facts.threads.find(thread.serial); known != log.facts.threads.end()) {
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

std::vector<StoredSlow> slow_rows(const WalkedLog& log, const TreeNames& names, const RowScale& scale) {
  std::vector<std::vector<SlowCall>> by_symbol(names.symbols);
  for (std::uint32_t i = 0; i < names.symbol_of.size(); ++i) {
    std::vector<SlowCall>& slow = by_symbol[names.symbol_of[i]];
    // A hook and a trap may have shown the same calls: those of the first, the hook's, are taken.
    if (slow.empty()) slow = log.walk.tree.slowest(i);
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
                      .at = scale.moment(call.tick),
                      .ticks = static_cast<double>(call.ticks) * log.per_tick});
  }
  return rows;
}

std::vector<StoredMark> mark_rows(const WalkedLog& log, const RecordedTree& tree, const RowScale& scale) {
  std::vector<PassedMark> marks = log.walk.marks;
  std::ranges::stable_sort(marks, {}, &PassedMark::tick);
  std::vector<StoredMark> rows;
  for (const PassedMark& mark : marks) {
    const auto name = log.facts.mark_names.find(mark.name);
    rows.push_back(
        {.name = name == log.facts.mark_names.end() ? fmt::format("mark {}", mark.name) : name->second,
         .payload = mark.payload,
         .thread = mark.thread,
         .call = tree.call_of[mark.node],
         .at = scale.moment(mark.tick)});
  }
  return rows;
}

/// The lines of calls that passed traps. Time that no trap owns, as between a hook and the first trap,
/// belongs to the first line of their function.
std::vector<StoredCallLine> call_line_rows(const WalkedLog& log, const RecordedTree& tree,
                                           const std::vector<StoredSymbol>& symbols) {
  using Place = std::pair<std::string_view, std::size_t>;
  std::map<std::uint32_t, std::map<Place, double>> lines_of;  // by call, in ticks
  for (const auto& [key, ticks] : log.walk.lines.parts) {
    const TrapTable::Place& line = log.walk.traps.lines[static_cast<std::uint32_t>(key)];
    if (const std::uint32_t call = tree.call_of[key >> 32U]; call != 0)
      lines_of[call][{line.path, line.line}] += static_cast<double>(ticks);
  }
  std::vector<StoredCallLine> rows;
  for (auto& [id, lines] : lines_of) {
    const StoredCall& call = tree.calls[id - 1];
    double rest = std::round(call.exclusive / log.per_tick);
    for (const auto& [place, ticks] : lines) rest -= ticks;
    if (rest > 0) lines[{symbols[call.symbol].path, symbols[call.symbol].line}] += rest;
    for (const auto& [place, ticks] : lines)
      rows.push_back({.call = id,
                      .path = std::string(place.first),
                      .line = place.second,
                      .ticks = ticks * log.per_tick});
  }
  return rows;
}

double in_ticks(std::uint64_t doubt) {
  return static_cast<double>(doubt) / 1024;
}

/// Half widths in ticks. Without a spread a row is of one run, and its interval is what own cost leaves open.
struct Doubts {
  double own_cost = 0;  // what is uncertain of it
  double spread = std::numeric_limits<double>::infinity();
  std::uint64_t commands = 1;
  double hooks = 0;  // ticks that may be those of hooks: the time may be less by as much
};

StoredEstimate estimate_row(const RowScale& scale, EstimateScope scope, double ticks, const Doubts& doubts) {
  const bool has_spread = std::isfinite(doubts.spread);
  const double unknown = std::hypot(doubts.own_cost, has_spread ? doubts.spread : 0);
  const double low = std::max(0.0, ticks - unknown - doubts.hooks);
  const double share = scale.recorded > 0 ? 1 / scale.recorded : 0;
  return {.scope = scope,
          .rounds = has_spread ? static_cast<std::uint32_t>(doubts.commands) : 1,
          .raw = ticks * scale.per_tick,
          .ticks = ticks * scale.per_tick,
          .low = low * scale.per_tick,
          .high = (ticks + unknown) * scale.per_tick,
          .share = ticks * share,
          .share_low = low * share,
          .share_high = std::min(1.0, (ticks + unknown) * share),
          .resolved = low > 0 && unknown <= ticks};
}

/// The hottest first, numbered.
void put_in_order(std::vector<StoredEstimate>& rows) {
  std::ranges::stable_sort(rows, std::ranges::greater{}, &StoredEstimate::ticks);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].position = static_cast<std::uint32_t>(i);
}

/// `doubt` is that of a call or pass by own cost: one that it hides has no quantiles.
template <class Sums>
void put_quantiles(StoredEstimate& row, const Sums& sums, double doubt, double per_tick) {
  const auto quantile = [&](double part) {
    return static_cast<double>(std::clamp(sums.sketch.quantile(part), sums.least, sums.most)) * per_tick;
  };
  if (quantile(0.5) < doubt * per_tick) return;
  row.least = static_cast<double>(sums.least) * per_tick;
  row.most = static_cast<double>(sums.most) * per_tick;
  row.q50 = quantile(0.5);
  row.q95 = quantile(0.95);
  row.q99 = quantile(0.99);
}

std::vector<StoredEstimate> function_rows(const RowScale& scale, const RecordedTree& tree,
                                          const std::vector<StoredSymbol>& symbols, const Spreads& spreads) {
  std::vector<StoredEstimate> rows;
  for (std::size_t i = 1; i < tree.functions.size(); ++i) {
    const FunctionSums& function = tree.functions[i];
    if (function.count == 0) continue;
    const auto& [own, with_calls] = spreads.by_symbol[i];
    StoredEstimate row =
        estimate_row(scale, EstimateScope::function, static_cast<double>(function.exclusive),
                     {in_ticks(function.doubt), own, spreads.commands, static_cast<double>(function.hooks)});
    const StoredEstimate inclusive =
        estimate_row(scale, EstimateScope::function, static_cast<double>(function.inclusive),
                     {in_ticks(function.doubt_below), with_calls, spreads.commands,
                      static_cast<double>(function.hooks_below)});
    row.function = symbols[i].name;
    row.path = symbols[i].path;
    row.line = symbols[i].line;
    row.hits = function.count;
    row.inclusive = inclusive.ticks;
    row.inclusive_low = inclusive.low;
    row.inclusive_high = inclusive.high;
    row.mean = static_cast<double>(function.of_calls) / static_cast<double>(function.count) * scale.per_tick;
    put_quantiles(row, function, in_ticks(function.doubt_below) / static_cast<double>(function.count),
                  scale.per_tick);
    rows.push_back(std::move(row));
  }
  put_in_order(rows);
  return rows;
}

/// Lines whose statement was the last event of a thread: nobody knows for how long.
std::vector<bool> begun_lines(const WalkedLog& log) {
  std::vector<bool> is_begun(log.walk.lines.lines.size());
  for (std::size_t i = 0; i < log.walk.traps.traps.size(); ++i) {
    const TrapPlace& trap = log.walk.traps.traps[i];
    const bool may_own = trap.is_statement() && trap.kind != TrapKind::returns;
    if (log.walk.lines.hits[i] > 0 && may_own) is_begun[trap.line] = true;
  }
  return is_begun;
}

std::vector<StoredEstimate> line_rows(const WalkedLog& log, const RowScale& scale) {
  const std::vector<std::uint64_t> hits = hits_of_lines(log.walk.traps, log.walk.lines.hits);
  const std::vector<bool> is_begun = begun_lines(log);
  std::vector<StoredEstimate> rows;
  for (std::size_t i = 0; i < log.walk.lines.lines.size(); ++i) {
    const LinePasses& line = log.walk.lines.lines[i];
    if (line.passes == 0 && !is_begun[i]) continue;
    const CommandTally& commands = log.walk.commands;
    StoredEstimate row =
        estimate_row(scale, EstimateScope::line, static_cast<double>(line.ticks),
                     {in_ticks(line.doubt), commands.half_width(Followed::line, i), commands.commands()});
    row.function = log.walk.traps.lines[i].function;
    row.path = log.walk.traps.lines[i].path;
    row.line = log.walk.traps.lines[i].line;
    row.hits = hits[i];
    if (line.passes > 0)
      put_quantiles(row, line, in_ticks(line.doubt) / static_cast<double>(line.passes), log.per_tick);
    rows.push_back(std::move(row));
  }
  put_in_order(rows);
  return rows;
}

}  // namespace

StoredSymbol symbol_of_hook(const LogFacts& facts, FunctionKey key, Symbols& symbols) {
  constexpr std::string_view of_body = "jcprof_body_";
  if (key == JCPROF_LOG_OTHERS) return {.name = "(others)"};
  const std::uint64_t address = key < facts.functions.size() ? facts.functions[key] : 0;
  if (address == 0) return {.name = fmt::format("(function {})", key)};
  StoredSymbol symbol = symbols.at(address);
  if (const std::size_t at = symbol.name.find(of_body); at != std::string::npos)
    symbol.name.erase(at, of_body.size());
  return symbol;
}

void put_rows(const WalkedLog& log, Symbols& symbols, RecordedRun& run) {
  StoredRecording& recording = run.recording;
  TreeNames names{.per_tick = log.per_tick};
  name_functions(log, symbols, names, recording.symbols);
  RecordedTree tree = recorded_tree(log.walk.tree, log.threads, names);
  const RowScale scale(log);
  recording.threads = thread_rows(log, scale);
  recording.slow = slow_rows(log, names, scale);
  recording.marks = mark_rows(log, tree, scale);
  recording.call_lines = call_line_rows(log, tree, recording.symbols);
  double doubt = 0;
  for (const ThreadTotals& thread : log.threads) doubt += in_ticks(thread.doubt);
  double rest = scale.recorded;
  for (const FunctionSums& function : tree.functions) rest -= static_cast<double>(function.exclusive);
  const CommandTally& commands = log.walk.commands;
  run.estimates.push_back(
      estimate_row(scale, EstimateScope::total, scale.recorded,
                   {doubt, commands.half_width(Followed::total, 0), commands.commands()}));
  run.estimates.push_back(estimate_row(scale, EstimateScope::unattributed, rest, {}));
  std::ranges::move(
      function_rows(scale, tree, recording.symbols, spreads_of(commands, names.symbol_of, names.symbols)),
      std::back_inserter(run.estimates));
  std::ranges::move(line_rows(log, scale), std::back_inserter(run.estimates));
  recording.calls = std::move(tree.calls);
}

}  // namespace jcprof::annotator
