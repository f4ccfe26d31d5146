// SPDX-License-Identifier: Apache-2.0
#include "src/core/store_rows.hpp"

#include <algorithm>
#include <span>

#include <fmt/ranges.h>

#include "src/core/name_table.hpp"

namespace jcprof {
namespace {

constexpr NameTable<RunState, 3> run_states{{
    {RunState::running, "running"},
    {RunState::interrupted, "interrupted"},
    {RunState::complete, "complete"},
}};

constexpr NameTable<EstimateScope, 9> scopes{{
    {EstimateScope::total, "total"},
    {EstimateScope::entry, "entry"},
    {EstimateScope::between, "between"},
    {EstimateScope::unattributed, "unattributed"},
    {EstimateScope::block, "block"},
    {EstimateScope::edge, "edge"},
    {EstimateScope::line, "line"},
    {EstimateScope::function, "function"},
    {EstimateScope::loop, "loop"},
}};

constexpr NameTable<Hot, 3> hot_words{{
    {Hot::yes, "yes"},
    {Hot::no, "no"},
    {Hot::undecided, "undecided"},
}};

constexpr const char* views = R"sql(
CREATE VIEW block AS
  SELECT e.position, e.from_trap, coalesce(f.name, 'start') AS from_name, e.from_hit,
         e.to_trap, coalesce(t.name, 'end') AS to_name, e.to_hit,
         e.function, e.path, e.line, e.rounds, e.ticks, e.low, e.high, e.share, e.share_low, e.share_high,
         e.resolved, e.hot
  FROM estimate e
  LEFT JOIN trap f ON f.run = e.run AND f.id = e.from_trap
  LEFT JOIN trap t ON t.run = e.run AND t.id = e.to_trap
  WHERE e.run = (SELECT max(id) FROM run) AND e.scope = 'block' ORDER BY e.position;
CREATE VIEW edge AS
  SELECT e.from_trap, f.name AS from_name, e.to_trap, coalesce(t.name, 'end') AS to_name,
         f.path, f.line, t.line AS to_line, e.rate, e.hits AS count, e.rounds, e.ticks, e.low,
         e.high, e.ticks / e.hits AS each, e.mean, e.q05, e.q95, e.share, e.share_low, e.share_high, e.resolved
  FROM estimate e
  JOIN trap f ON f.run = e.run AND f.id = e.from_trap
  LEFT JOIN trap t ON t.run = e.run AND t.id = e.to_trap
  WHERE e.run = (SELECT max(id) FROM run) AND e.scope = 'edge' ORDER BY e.position;
CREATE VIEW loop AS
  SELECT path, line, function, entries, hits AS passes, rounds, ticks, low, high, ticks / hits AS each,
         share, share_low, share_high, resolved
  FROM estimate
  WHERE run = (SELECT max(id) FROM run) AND scope = 'loop' ORDER BY position;
CREATE VIEW line AS
  SELECT path, line, function, hits, rounds, ticks, low, high, share, share_low, share_high, resolved,
         least, ticks / hits AS average, most, q50, q95, q99, mean, mean_low, mean_high, median, median_low, median_high,
         q05, hottest
  FROM estimate
  WHERE run = (SELECT max(id) FROM run) AND scope = 'line' ORDER BY position;
CREATE VIEW function AS
  SELECT function, path, line, hits AS calls, rounds, ticks AS exclusive, low AS exclusive_low,
         high AS exclusive_high, inclusive, inclusive_low, inclusive_high, share, share_low, share_high, resolved,
         least, CASE WHEN least IS NULL THEN inclusive / hits ELSE mean END AS average, most, q50, q95, q99,
         CASE WHEN least IS NULL THEN mean END AS mean, mean_low, mean_high, median, median_low, median_high,
         q05, hottest
  FROM estimate
  WHERE run = (SELECT max(id) FROM run) AND scope = 'function' ORDER BY position;
-- A query for the calls out of a call need not look at all calls. SQLite prefers the table's key to an index until it
-- knows that a run has many calls, and that one call makes few.
CREATE INDEX call_out_of ON call_node (run, parent);
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 VALUES ('call_node', 'call_out_of', '16384 16384 4 1'), ('call_node', 'call_node', '16384 16384 1');
-- Trees are cut off at 100 steps of indentation, so that deep recursion can be shown.
CREATE VIEW call AS
  SELECT c.id, c.parent, c.thread, c.depth, s.name AS function,
         format('%*s', 2 * max(0, min(c.depth, 100)), '') || s.name AS tree,
         c.count AS calls, c.inclusive, c.exclusive, c.away, c.least, c.inclusive / c.count AS average, c.most,
         c.q50, c.q95, c.q99, c.outermost, s.path, s.line, s.module, c.symbol
  FROM call_node c JOIN symbol s ON s.run = c.run AND s.number = c.symbol
  WHERE c.run = (SELECT max(id) FROM run) ORDER BY c.id;
-- A call's time is counted once, in the outermost call of its function. An imported profile may have arcs in place of
-- a tree.
CREATE VIEW caller AS
  SELECT coalesce(f.name, '') AS caller, s.name AS callee, sum(c.count) AS calls,
         total(c.inclusive) FILTER (WHERE c.outermost) AS inclusive
  FROM call_node c
  JOIN symbol s ON s.run = c.run AND s.number = c.symbol
  LEFT JOIN call_node p ON p.run = c.run AND p.id = c.parent
  LEFT JOIN symbol f ON f.run = p.run AND f.number = p.symbol
  WHERE c.run = (SELECT max(id) FROM run) AND c.symbol > 0
    AND NOT EXISTS (SELECT 1 FROM call_arc a WHERE a.run = c.run)
  GROUP BY p.symbol, c.symbol
  UNION ALL
  SELECT f.name, s.name, sum(a.count), sum(iif(a.caller = a.callee, 0, a.inclusive))
  FROM call_arc a
  JOIN symbol f ON f.run = a.run AND f.number = a.caller
  JOIN symbol s ON s.run = a.run AND s.number = a.callee
  WHERE a.run = (SELECT max(id) FROM run)
  GROUP BY a.caller, a.callee ORDER BY 4 DESC, 1, 2;
CREATE VIEW thread AS
  SELECT serial AS thread, process, tid, name, events, lost, unmatched, first, last, recorded,
         recorded / (sum(recorded) OVER ()) AS share, overhead, paused, gap, outside, away, running, waiting
  FROM recorded_thread WHERE run = (SELECT max(id) FROM run) ORDER BY serial;
CREATE VIEW mark AS
  SELECT m.name, m.payload, m.thread, m.at, coalesce(s.name, '') AS function, m.call
  FROM recorded_mark m
  LEFT JOIN call_node c ON c.run = m.run AND c.id = m.call
  LEFT JOIN symbol s ON s.run = c.run AND s.number = c.symbol
  WHERE m.run = (SELECT max(id) FROM run) ORDER BY m.number;
CREATE VIEW slow AS
  SELECT s.name AS function, w.ticks, w.thread, t.name AS thread_name, w.at
  FROM slow_call w
  JOIN symbol s ON s.run = w.run AND s.number = w.symbol
  LEFT JOIN recorded_thread t ON t.run = w.run AND t.serial = w.thread
  WHERE w.run = (SELECT max(id) FROM run) ORDER BY w.ticks DESC, w.number;
)sql";

std::vector<Layout> layouts() {
  const auto all = []<class... Rows>(const Rows&...) { return std::vector{layout<Rows>()...}; };
  return all(RunRow{}, DigestRow{}, SourceDigest{}, Trap{}, StoredInput{}, PathRow{}, StoredSample{},
             StoredCalibration{}, StoredLook{}, Warning{}, StoredEstimate{}, StoredSymbol{}, StoredThread{},
             CallRow{}, StoredCallLine{}, StoredArc{}, StoredSlow{}, StoredMark{});
}

}  // namespace

std::string_view name_of(RunState state) {
  return name_in(run_states, state);
}
std::string_view name_of(EstimateScope scope) {
  return name_in(scopes, scope);
}
std::string_view name_of(Hot hot) {
  return name_in(hot_words, hot);
}

std::string Layout::creation() const {
  const std::string all = fmt::format("{}", fmt::join(columns, ",\n  "));
  if (std::string_view(table.name) == "run")
    return fmt::format("CREATE TABLE run (\n  id INTEGER PRIMARY KEY,\n  {}\n);\n", all);
  std::string key = "run";
  for (const std::string& column : std::span(columns).first(table.keys))
    key += ", " + column.substr(0, column.find(' '));
  return fmt::format(
      "CREATE TABLE {} (\n  run INTEGER NOT NULL REFERENCES run,\n  {},\n  PRIMARY KEY ({})\n) WITHOUT "
      "ROWID;\n",
      table.name, all, key);
}

std::string Layout::insertion(std::string_view or_else) const {
  std::string places = "?";
  for (std::size_t i = 0; i < columns.size(); ++i) places += ", ?";
  return fmt::format("INSERT {} INTO {} VALUES ({})", or_else, table.name, places);
}

std::string selection(std::string_view table, std::string_view where) {
  return fmt::format("SELECT * FROM {} WHERE {} ORDER BY 1, 2, 3, 4", table, where);
}

std::string store_schema() {
  std::string schema;
  for (const Layout& layout : layouts()) schema += layout.creation();
  return schema + views;
}

std::vector<std::string> store_tables() {
  std::vector<std::string> names;
  for (const Layout& layout : layouts()) names.emplace_back(layout.table.name);
  return names;
}

}  // namespace jcprof
