// SPDX-License-Identifier: Apache-2.0
#include "src/core/store_schema.hpp"

namespace jcprof {

// Ticks are in the run's unit. Enumerations are text, so that a query needs no legend.
const char* const store_tables = R"sql(
-- A run of jcprof-run. The trap map it used is kept with it, so that a profile needs no other file.
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  state TEXT NOT NULL,            -- running, interrupted, complete
  started TEXT NOT NULL,          -- ISO 8601, UTC
  tool TEXT NOT NULL,
  project TEXT NOT NULL,
  project_digest TEXT NOT NULL,
  trap_digest TEXT NOT NULL,
  transport TEXT NOT NULL,
  agent TEXT NOT NULL,
  reader TEXT NOT NULL,           -- empty where jcprof is the reader
  protocol TEXT NOT NULL,         -- T=0, T=1
  device TEXT NOT NULL,
  atr TEXT NOT NULL,              -- hex
  simulated INTEGER NOT NULL,
  unit TEXT NOT NULL,             -- ns, cycles, instructions
  hz REAL NOT NULL,               -- for cycles
  resolution REAL NOT NULL,       -- ticks
  seed INTEGER NOT NULL,
  rounds INTEGER NOT NULL,        -- asked for
  absolute REAL NOT NULL,         -- how good is good enough: the half width of a share,
  relative REAL NOT NULL,         -- or this part of it, whichever is larger
  zoom REAL,                      -- share from which blocks are looked for on long paths
  hot REAL NOT NULL,              -- the share from which a block is called hot
  language TEXT NOT NULL,
  build INTEGER NOT NULL,         -- what the target answers to hello
  cla INTEGER NOT NULL, ins INTEGER NOT NULL, stop_status INTEGER NOT NULL
);
-- Of the rows of a table, as they were stored: of each batch of samples, of each path, of the others as a whole.
CREATE TABLE digest (
  run INTEGER NOT NULL REFERENCES run,
  part TEXT NOT NULL,             -- the table
  first INTEGER NOT NULL, last INTEGER NOT NULL,  -- sample: sequences; path: input and variant; else 0
  round INTEGER NOT NULL,         -- of samples
  sha256 TEXT NOT NULL,
  PRIMARY KEY (run, part, first, last)
) WITHOUT ROWID;
-- Digests of the sources that the traps were put into.
CREATE TABLE source (
  run INTEGER NOT NULL REFERENCES run, position INTEGER NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL,
  PRIMARY KEY (run, position)
) WITHOUT ROWID;
CREATE TABLE trap (
  run INTEGER NOT NULL REFERENCES run, id INTEGER NOT NULL,
  key TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, function TEXT NOT NULL, path TEXT NOT NULL,
  line INTEGER NOT NULL, column INTEGER NOT NULL, offset INTEGER NOT NULL, end_line INTEGER NOT NULL,
  end_offset INTEGER NOT NULL, guards INTEGER NOT NULL,
  PRIMARY KEY (run, id)
) WITHOUT ROWID;
CREATE TABLE input (
  run INTEGER NOT NULL REFERENCES run, number INTEGER NOT NULL, bytes BLOB NOT NULL, class TEXT NOT NULL,
  PRIMARY KEY (run, number)
) WITHOUT ROWID;
-- The events of one run of the trigger in the order passed, as the target's trace gave them. An input that was
-- seen to go several ways has several variants.
CREATE TABLE path (
  run INTEGER NOT NULL REFERENCES run, input INTEGER NOT NULL, variant INTEGER NOT NULL,
  position INTEGER NOT NULL, trap INTEGER NOT NULL, hit INTEGER NOT NULL,
  runs INTEGER NOT NULL,          -- of the traced ones, that went this way
  signature INTEGER NOT NULL,     -- of the whole path
  PRIMARY KEY (run, input, variant, position)
) WITHOUT ROWID;
-- One timed trigger: raw, absolute, never a difference. Trap 0 is the command run to its end, round 0 the
-- warm-up.
CREATE TABLE sample (
  run INTEGER NOT NULL REFERENCES run, sequence INTEGER NOT NULL, round INTEGER NOT NULL,
  trap INTEGER NOT NULL, hit INTEGER NOT NULL, input INTEGER NOT NULL, ticks INTEGER NOT NULL,
  outcome TEXT NOT NULL,          -- stopped, ended, refused, timed_out, lost
  status INTEGER,
  signature INTEGER,              -- of the events before the one stopped at, where the target tells it
  PRIMARY KEY (run, sequence)
) WITHOUT ROWID;
CREATE TABLE calibration (
  run INTEGER NOT NULL REFERENCES run, number INTEGER NOT NULL,
  kind TEXT NOT NULL,             -- empty, unarmed, counting; returned, stop, calls, frames, guards; unwind
  passes INTEGER NOT NULL, ticks INTEGER NOT NULL,
  PRIMARY KEY (run, number)
) WITHOUT ROWID;
-- What was known after the warm-up (number 0) and after each look at the rounds. Inputs of other paths have
-- looks of their own.
CREATE TABLE look (
  run INTEGER NOT NULL REFERENCES run, number INTEGER NOT NULL,
  input INTEGER NOT NULL,         -- the first of those whose path it is about
  rounds INTEGER NOT NULL,
  first_round INTEGER NOT NULL,   -- that the result is made of
  method TEXT NOT NULL,           -- fine: medians; coarse: means; exact: spreads
  tick REAL NOT NULL,             -- of the clock
  grid REAL NOT NULL,             -- on which answers come; 0: none
  folded INTEGER NOT NULL,        -- twin rounds count as one
  blocks INTEGER NOT NULL, settled INTEGER NOT NULL, shots INTEGER NOT NULL,
  whole REAL NOT NULL,            -- the sum of the blocks; number 0: T(end) - T(first stop)
  sigma REAL NOT NULL,            -- robust standard deviation of one block; number 0: of that difference
  shot REAL NOT NULL,             -- number 0: T(end)
  PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE TABLE warning (
  run INTEGER NOT NULL REFERENCES run, number INTEGER NOT NULL,
  kind TEXT NOT NULL, text TEXT NOT NULL, advice TEXT NOT NULL,
  PRIMARY KEY (run, number)
) WITHOUT ROWID;
-- What the annotator made of the samples; it can be made again. An interval's infinite end is NULL.
CREATE TABLE estimate (
  run INTEGER NOT NULL REFERENCES run,
  scope TEXT NOT NULL,            -- total, entry, unattributed, block, edge, line, function, loop
  position INTEGER NOT NULL,      -- blocks: along the path; the others: hottest first
  from_trap INTEGER NOT NULL, from_hit INTEGER NOT NULL, to_trap INTEGER NOT NULL, to_hit INTEGER NOT NULL,
  function TEXT NOT NULL, path TEXT NOT NULL, line INTEGER NOT NULL,
  rounds INTEGER NOT NULL,        -- that the estimate rests on
  hits INTEGER NOT NULL,          -- blocks: of the path in it; edges: how often gone; lines: of their traps;
                                  -- functions: calls; loops: passes
  entries INTEGER NOT NULL,       -- loops: how often the loop was begun
  raw REAL NOT NULL,              -- as measured; noise may make it negative
  ticks REAL NOT NULL, low REAL, high REAL,               -- as published, never below 0; functions: exclusive
  share REAL NOT NULL, share_low REAL, share_high REAL,   -- of the sum of all blocks
  inclusive REAL, inclusive_low REAL, inclusive_high REAL,
  resolved INTEGER NOT NULL,
  rate REAL,                      -- edges: part of the traced runs that go it
  mean REAL, q05 REAL, q95 REAL,  -- edges: of the runs that do; record mode: of one call or pass,
  hot TEXT,                       -- yes, no, undecided; NULL where nobody asked
  least REAL, most REAL, q50 REAL, q99 REAL,  -- and these: functions with what they call, lines by themselves
  PRIMARY KEY (run, scope, position)
) WITHOUT ROWID;
-- What record mode adds. Moments count from the first event, in the run's unit.
CREATE TABLE symbol (
  run INTEGER NOT NULL REFERENCES run,
  number INTEGER NOT NULL,        -- 0: time in which events were lost
  name TEXT NOT NULL, module TEXT NOT NULL, build_id TEXT NOT NULL, address INTEGER NOT NULL,
  path TEXT NOT NULL, line INTEGER NOT NULL,
  PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE TABLE recorded_thread (
  run INTEGER NOT NULL REFERENCES run,
  serial INTEGER NOT NULL,        -- from 1, in the order of the first event
  process INTEGER NOT NULL, tid INTEGER NOT NULL,  -- 0: unknown
  name TEXT NOT NULL,
  events INTEGER NOT NULL, lost INTEGER NOT NULL,
  unmatched INTEGER NOT NULL,     -- returns whose call was not seen
  first REAL NOT NULL, last REAL NOT NULL,
  recorded REAL NOT NULL,         -- between these, without the next three
  overhead REAL NOT NULL,         -- own cost that was taken off
  paused REAL NOT NULL,
  gap REAL NOT NULL,              -- where events were lost
  running REAL, waiting REAL,     -- ns; NULL where the system does not tell
  PRIMARY KEY (run, serial)
) WITHOUT ROWID;
-- The call trees: all calls of a function that came by the same way.
CREATE TABLE call_node (
  run INTEGER NOT NULL REFERENCES run, id INTEGER NOT NULL,
  parent INTEGER NOT NULL,        -- 0: none
  depth INTEGER NOT NULL,         -- from 0
  outermost INTEGER NOT NULL,     -- no call of the same function is further up
  thread INTEGER NOT NULL, symbol INTEGER NOT NULL, count INTEGER NOT NULL,
  inclusive REAL NOT NULL, exclusive REAL NOT NULL,
  least REAL NOT NULL, most REAL NOT NULL, q50 REAL NOT NULL, q95 REAL NOT NULL, q99 REAL NOT NULL,
  PRIMARY KEY (run, id)
) WITHOUT ROWID;
-- What of a node's exclusive time each line has, by its traps.
CREATE TABLE call_line (
  run INTEGER NOT NULL REFERENCES run, call INTEGER NOT NULL,
  path TEXT NOT NULL, line INTEGER NOT NULL, ticks REAL NOT NULL,
  PRIMARY KEY (run, call, path, line)
) WITHOUT ROWID;
CREATE TABLE slow_call (
  run INTEGER NOT NULL REFERENCES run, number INTEGER NOT NULL,
  symbol INTEGER NOT NULL, thread INTEGER NOT NULL, at REAL NOT NULL, ticks REAL NOT NULL,
  PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE TABLE recorded_mark (
  run INTEGER NOT NULL REFERENCES run, number INTEGER NOT NULL,
  name TEXT NOT NULL, payload INTEGER NOT NULL, thread INTEGER NOT NULL,
  call INTEGER NOT NULL,          -- node under way; 0: none
  at REAL NOT NULL,
  PRIMARY KEY (run, number)
) WITHOUT ROWID;
)sql";

const char* const store_views = R"sql(
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
         least, ticks / hits AS average, most, q50, q95, q99
  FROM estimate
  WHERE run = (SELECT max(id) FROM run) AND scope = 'line' ORDER BY position;
CREATE VIEW function AS
  SELECT function, path, line, hits AS calls, rounds, ticks AS exclusive, low AS exclusive_low,
         high AS exclusive_high, inclusive, inclusive_low, inclusive_high, share, share_low, share_high, resolved,
         least, coalesce(mean, inclusive / hits) AS average, most, q50, q95, q99
  FROM estimate
  WHERE run = (SELECT max(id) FROM run) AND scope = 'function' ORDER BY position;
-- Trees are cut off at 100 steps of indentation, so that deep recursion can be shown.
CREATE VIEW call AS
  SELECT c.id, c.parent, c.thread, c.depth, s.name AS function,
         format('%*s', 2 * max(0, min(c.depth, 100)), '') || s.name AS tree,
         c.count AS calls, c.inclusive, c.exclusive, c.least, c.inclusive / c.count AS average, c.most,
         c.q50, c.q95, c.q99, c.outermost, s.path, s.line, s.module, c.symbol
  FROM call_node c JOIN symbol s ON s.run = c.run AND s.number = c.symbol
  WHERE c.run = (SELECT max(id) FROM run) ORDER BY c.id;
-- A call's time is counted once, in the outermost call of its function.
CREATE VIEW caller AS
  SELECT coalesce(f.name, '') AS caller, s.name AS callee, sum(c.count) AS calls,
         total(c.inclusive) FILTER (WHERE c.outermost) AS inclusive
  FROM call_node c
  JOIN symbol s ON s.run = c.run AND s.number = c.symbol
  LEFT JOIN call_node p ON p.run = c.run AND p.id = c.parent
  LEFT JOIN symbol f ON f.run = p.run AND f.number = p.symbol
  WHERE c.run = (SELECT max(id) FROM run) AND c.symbol > 0
  GROUP BY p.symbol, c.symbol ORDER BY 4 DESC, 1, 2;
CREATE VIEW thread AS
  SELECT serial AS thread, process, tid, name, events, lost, unmatched, first, last, recorded,
         recorded / (sum(recorded) OVER ()) AS share, overhead, paused, gap, running, waiting
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

}  // namespace jcprof
