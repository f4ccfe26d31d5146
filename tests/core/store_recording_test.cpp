// SPDX-License-Identifier: Apache-2.0
// What record mode stores, and the views over it.
#include <catch2/catch.hpp>

#include "tests/core/stored.hpp"

namespace jcprof {
namespace {

using Folder = test::StoreFolder;
using test::error_of;
using test::shown;
using test::some_run;

/// Thread 1: main calls f, which calls g, which calls f; thread 2: g; 7 ticks lost.
StoredRecording two_threads() {
  return {
      .symbols = {{.number = 0, .name = "(lost)"},
                  {.number = 1,
                   .name = "main",
                   .module = "/bin/p",
                   .build_id = "ab",
                   .address = 0x1130,
                   .path = "p.c",
                   .line = 9},
                  {.number = 2, .name = "f"},
                  {.number = 3, .name = "g", .address = 0xFFFFFFFFFFFFFFFF}},
      .threads =
          {{.serial = 1,
            .process = 10,
            .tid = 10,
            .name = "p",
            .events = 12,
            .lost = 3,
            .unmatched = 1,
            .first = 0,
            .last = 100,
            .recorded = 75,
            .overhead = 10,
            .paused = 8,
            .gap = 7,
            .outside = 5,
            .away = 3.5,
            .running = 60.5,
            .waiting = 2},
           {.serial = 2, .process = 10, .tid = 11, .events = 2, .first = 20, .last = 45, .recorded = 25}},
      .calls =
          {{.id = 1,
            .parent = 0,
            .thread = 1,
            .symbol = 1,
            .count = 1,
            .inclusive = 75,
            .exclusive = 15,
            .least = 75,
            .most = 75,
            .q50 = 75,
            .q95 = 75,
            .q99 = 75},
           {.id = 2,
            .parent = 1,
            .thread = 1,
            .symbol = 2,
            .count = 4,
            .inclusive = 60,
            .exclusive = 30,
            .away = 3.5,
            .least = 10,
            .most = 20,
            .q50 = 15,
            .q95 = 20,
            .q99 = 20},
           {.id = 3, .parent = 2, .thread = 1, .symbol = 3, .count = 4, .inclusive = 30, .exclusive = 20},
           {.id = 4, .parent = 3, .thread = 1, .symbol = 2, .count = 2, .inclusive = 10, .exclusive = 10},
           {.id = 5, .parent = 0, .thread = 1, .symbol = 0, .count = 1, .inclusive = 7, .exclusive = 7},
           {.id = 6, .parent = 0, .thread = 2, .symbol = 3, .count = 1, .inclusive = 25, .exclusive = 25}},
      .call_lines = {{.call = 2, .path = "p.c", .line = 3, .ticks = 20.5},
                     {.call = 2, .path = "p.c", .line = 12, .ticks = 9.5},
                     {.call = 6, .path = "a.h", .line = 4, .ticks = 25}},
      .slow = {{.symbol = 2, .thread = 1, .at = 12.5, .ticks = 20},
               {.symbol = 2, .thread = 1, .at = 50, .ticks = 15},
               {.symbol = 3, .thread = 2, .at = 20, .ticks = 25}},
      .marks = {{.name = "session", .payload = 0xFFFFFFFFFFFFFFFF, .thread = 1, .call = 2, .at = 30},
                {.name = "size", .payload = 17, .thread = 2, .at = 40}}};
}

TEST_CASE("a recording that is put into a profile comes out again, and replaces the one before") {
  const Folder folder;
  Store store(folder.profile(), OpenMode::fresh);
  const std::int64_t other = store.begin_run(some_run(), {}, {});
  const std::int64_t run = store.begin_run(some_run(), {}, {});
  store.replace_recording(run, two_threads());
  store.replace_recording(run, two_threads());
  CHECK(store.recording(run) == two_threads());
  CHECK(store.recording(other) == StoredRecording{});
}

TEST_CASE("what is known of one call comes out again") {
  const Folder folder;
  Store store(folder.profile(), OpenMode::fresh);
  const std::int64_t run = store.begin_run(some_run(), {}, {});
  const StoredEstimate function{.scope = EstimateScope::function,
                                .function = "f",
                                .hits = 4,
                                .ticks = 30,
                                .inclusive = 60,
                                .mean = 17.5,
                                .q95 = 20,
                                .least = 10,
                                .most = 20,
                                .q50 = 15,
                                .q99 = 20};
  StoredEstimate line = function;
  line.scope = EstimateScope::line;
  line.mean.reset();
  StoredEstimate bare{.scope = EstimateScope::function,
                      .position = 1,
                      .function = "g",
                      .hits = 2,
                      .ticks = 3,
                      .inclusive = 8};
  store.replace_estimates(run, {function, bare, line});
  CHECK(store.estimates(run) == std::vector<StoredEstimate>{function, bare, line});
  CHECK(
      shown(query(folder.profile(), "SELECT function, least, average, most, q50, q95, q99 FROM function")) ==
      "function|least|average|most|q50|q95|q99|\nf|10.0|17.5|20.0|15.0|20.0|20.0|\n"
      "g|NULL|4.0|NULL|NULL|NULL|NULL|");
  CHECK(shown(query(folder.profile(), "SELECT hits, least, average, most, q50, q95, q99 FROM line")) ==
        "hits|least|average|most|q50|q95|q99|\n4|10.0|7.5|20.0|15.0|20.0|20.0|");
}

TEST_CASE("views show a recording's call tree, callers, threads, marks and slowest calls") {
  const Folder folder;
  {
    Store store(folder.profile(), OpenMode::fresh);
    store.begin_run(some_run(), {}, {});
    store.replace_recording(store.begin_run(some_run(), {}, {}), two_threads());
  }
  const auto shows = [&](const char* sql) { return shown(query(folder.profile(), sql)); };
  CHECK(shows("SELECT tree, thread, depth, calls, inclusive, exclusive, average, outermost FROM call") ==
        "tree|thread|depth|calls|inclusive|exclusive|average|outermost|\n"
        "main|1|0|1|75.0|15.0|75.0|1|\n  f|1|1|4|60.0|30.0|15.0|1|\n    g|1|2|4|30.0|20.0|7.5|1|\n"
        "      f|1|3|2|10.0|10.0|5.0|0|\n(lost)|1|0|1|7.0|7.0|7.0|1|\ng|2|0|1|25.0|25.0|25.0|1|");
  CHECK(shows("SELECT * FROM caller") ==
        "caller|callee|calls|inclusive|\n|main|1|75.0|\nmain|f|4|60.0|\nf|g|4|30.0|\n|g|1|25.0|\ng|f|2|0.0|");
  CHECK(shows("SELECT thread, tid, name, events, lost, unmatched, recorded, share, running FROM thread") ==
        "thread|tid|name|events|lost|unmatched|recorded|share|running|\n"
        "1|10|p|12|3|1|75.0|0.75|60.5|\n2|11||2|0|0|25.0|0.25|NULL|");
  CHECK(shows("SELECT * FROM mark") ==
        "name|payload|thread|at|function|call|\nsession|-1|1|30.0|f|2|\nsize|17|2|40.0||0|");
  CHECK(shows("SELECT * FROM slow") ==
        "function|ticks|thread|thread_name|at|\ng|25.0|2||20.0|\nf|20.0|1|p|12.5|\nf|15.0|1|p|50.0|");
}

TEST_CASE("a tree of a hundred thousand calls within each other is stored and shown") {
  const Folder folder;
  StoredRecording deep{.symbols = {{.number = 0, .name = "(lost)"}, {.number = 1, .name = "f"}},
                       .threads = {{.serial = 1}}};
  for (std::uint32_t id = 1; id <= 100'000; ++id)
    deep.calls.push_back({.id = id, .parent = id - 1, .thread = 1, .symbol = 1, .count = 1, .inclusive = 1});
  {
    Store store(folder.profile(), OpenMode::fresh);
    const std::int64_t run = store.begin_run(some_run(), {}, {});
    store.replace_recording(run, deep);
    CHECK(store.recording(run).calls.size() == 100'000);
  }
  CHECK(shown(query(
            folder.profile(),
            "SELECT max(depth) AS depth, max(length(tree)) AS width, sum(outermost) AS once FROM call")) ==
        "depth|width|once|\n99999|201|1|");
}

TEST_CASE("a recording that does not fit together is a damaged profile") {
  const Folder folder;
  StoredRecording recording = two_threads();
  recording.marks.back().call = 7;
  Store store(folder.profile(), OpenMode::fresh);
  const std::int64_t run = store.begin_run(some_run(), {}, {});
  store.replace_recording(run, recording);
  CHECK(error_of(folder, [&] { (void)store.recording(run); }) ==
        "profile.jcprof: the profile is damaged: a mark of run 1\n"
        "hint: the file stays as it is: bring back a copy of it, or move it away and measure again [2]");
  recording = two_threads();
  recording.call_lines.back().call = 7;
  store.replace_recording(run, recording);
  CHECK_THAT(error_of(folder, [&] { (void)store.recording(run); }),
             Catch::StartsWith("profile.jcprof: the profile is damaged: a call's line of run 1\n"));
  recording = two_threads();
  recording.calls.front().thread = 99;
  store.replace_recording(run, recording);
  CHECK_THAT(error_of(folder, [&] { (void)store.recording(run); }),
             Catch::StartsWith("profile.jcprof: the profile is damaged: call 1 of run 1\n"));
  recording = two_threads();
  recording.slow.front().symbol = 4;
  store.replace_recording(run, recording);
  CHECK_THAT(error_of(folder, [&] { (void)store.recording(run); }),
             Catch::StartsWith("profile.jcprof: the profile is damaged: a slow call of run 1\n"));
}

}  // namespace
}  // namespace jcprof
