// SPDX-License-Identifier: Apache-2.0
// `jcprof query` over one profile; over several: query_test.cpp.
#include <limits>

#include <catch2/catch.hpp>

#include "tests/core/stored.hpp"

namespace jcprof {
namespace {

using Folder = test::StoreFolder;
using test::error_of;
using test::shown;
using test::some_run;
using test::two_traps;

TEST_CASE("a query shows the newest run's estimates by block, line and function") {
  const Folder folder;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const StoredEstimate block{.from = {TrapId{1}, 1},
                             .to = {TrapId{2}, 4},
                             .function = "A.process",
                             .path = "src/A.java",
                             .line = 10,
                             .rounds = 5,
                             .hits = 1,
                             .raw = -3,
                             .ticks = 0,
                             .low = -infinity,
                             .high = infinity,
                             .share = 0.25,
                             .share_low = -infinity,
                             .share_high = infinity};
  StoredEstimate line = block;
  line.scope = EstimateScope::line;
  StoredEstimate function = block;
  function.scope = EstimateScope::function;
  function.inclusive = 12.5;
  StoredEstimate last = block;
  last.position = 1;
  last.to = {};
  last.hot = Hot::undecided;
  StoredEstimate edge = block;
  edge.scope = EstimateScope::edge;
  edge.hits = 4;
  edge.ticks = 8;
  edge.rate = 0.5;
  edge.mean = 9;
  edge.q05 = 7;
  edge.q95 = 30;
  {
    Store store(folder.profile(), OpenMode::fresh);
    store.begin_run(some_run(), two_traps(), {});
    const std::int64_t run = store.begin_run(some_run(), two_traps(), {});
    store.replace_estimates(run, {line});
    store.replace_estimates(run, {block, last, line, function, edge});
    CHECK(store.estimates(run) == std::vector<StoredEstimate>{block, last, edge, function, line});
  }
  CHECK(shown(query(folder.profile(),
                    "SELECT from_name, to_name, to_hit, line, ticks, low, share, hot FROM block;")) ==
        "from_name|to_name|to_hit|line|ticks|low|share|hot|\n"
        "TRAP_process_1|TRAP_process_2|4|10|0.0|NULL|0.25|NULL|\n"
        "TRAP_process_1|end|1|10|0.0|NULL|0.25|undecided|");
  CHECK(shown(query(folder.profile(), "SELECT from_name, rate, count, each, mean, q05, q95 FROM edge")) ==
        "from_name|rate|count|each|mean|q05|q95|\nTRAP_process_1|0.5|4|2.0|9.0|7.0|30.0|");
  CHECK(shown(query(folder.profile(), "SELECT line, function, hits FROM line -- a comment\n")) ==
        "line|function|hits|\n10|A.process|1|");
  CHECK(shown(query(folder.profile(), "SELECT calls, exclusive, inclusive FROM function")) ==
        "calls|exclusive|inclusive|\n1|0.0|12.5|");
}

TEST_CASE("a query can only read, and says what is wrong with it") {
  const Folder folder;
  {
    Store(folder.profile(), OpenMode::fresh).begin_run(some_run(), two_traps(), {});
  }
  const auto error = [&](const std::string& sql) {
    return error_of(folder, [&] { (void)query(folder.profile(), sql); });
  };
  CHECK(
      error("SELECT *\nFROM smaple") ==
      "query: no such table: smaple\n"
      "hint: did you mean \"sample\"? there are block, call, caller, edge, function, line, loop, mark, slow, "
      "thread, calibration, call_arc, call_line, call_node, digest, estimate, input, look, path, "
      "recorded_mark, "
      "recorded_thread, run, "
      "sample, slow_call, source, symbol, trap, warning [2]");
  CHECK(error("SELECT tcks FROM sample") ==
        "query:1: no such column: tcks\n  1 | SELECT tcks FROM sample\n    |        ^\n"
        "hint: did you mean \"ticks\"? [2]");
  CHECK(error("SELECT outcome FROM line") ==
        "query:1: no such column: outcome\n  1 | SELECT outcome FROM line\n    |        ^\n"
        "hint: \"outcome\" is a column of sample [2]");
  CHECK(error("SELEC 1") == "query:1: near \"SELEC\": syntax error\n  1 | SELEC 1\n    | ^ [2]");
  CHECK(error("  ") == "query: no statement\nhint: for example: SELECT * FROM line LIMIT 10 [2]");
  CHECK(error("SELECT 1; SELECT 2") ==
        "query:1: more than one statement\n  1 | SELECT 1; SELECT 2\n    |          ^\n"
        "hint: a query is one SELECT [2]");
  const std::string denied =
      "query: a query may only read\n"
      "hint: a query is one SELECT; only jcprof changes profiles [2]";
  CHECK(error("ATTACH '/tmp/x' AS x") == denied);
  CHECK(error("DELETE FROM sample") == denied);
  CHECK(error("PRAGMA journal_mode = WAL") == denied);
  CHECK(error("PRAGMA writable_schema = 1") == denied);
  CHECK(error("CREATE TEMP TABLE t (x)") == denied);
  CHECK(error("VACUUM INTO '/tmp/jcprof_vacuum'") == denied);
  CHECK(shown(query(folder.profile(), "SELECT x'00ff' AS b, 1.5 AS r, NULL AS n, 'é' AS t")) ==
        "b|r|n|t|\n00ff|1.5|NULL|é|");
}

}  // namespace
}  // namespace jcprof
