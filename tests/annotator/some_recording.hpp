// SPDX-License-Identifier: Apache-2.0
// A recorded run of two threads, made by hand.
#pragma once

#include "annotator/record/recording.hpp"

namespace jcprof::test {

/// main (thread 1) calls count, count calls put; thread 2 begins in count. memcpy is a library's.
inline annotator::RecordedRun some_recording() {
  annotator::RecordedRun run;
  run.info = {.state = RunState::complete,
              .started = "2026-01-02T03:04:05.678Z",
              .tool = "jcprof 0.1.0",
              .project = "words",
              .transport = "record",
              .device = "host"};
  run.recording.symbols = {{.number = 0, .name = "(lost)"},
                           {.number = 1,
                            .name = "main",
                            .module = "/home/words",
                            .address = 0x1200,
                            .path = "/src/words.c",
                            .line = 20},
                           {.number = 2,
                            .name = "count",
                            .module = "/home/words",
                            .address = 0x1180,
                            .path = "/src/words.c",
                            .line = 5},
                           {.number = 3,
                            .name = "put",
                            .module = "/home/words",
                            .address = 0x1140,
                            .path = "/src/words.c",
                            .line = 1},
                           {.number = 4, .name = "memcpy", .module = "/lib/libc.so.6", .address = 0x99000}};
  run.recording.threads = {
      {.serial = 1, .process = 10, .tid = 10, .name = "words", .events = 210, .running = 1500, .waiting = 20},
      {.serial = 2, .process = 10, .tid = 11, .events = 20, .lost = 3}};
  run.recording.calls = {
      {.id = 1, .thread = 1, .symbol = 1, .count = 1, .inclusive = 1000.4, .exclusive = 100.4},
      {.id = 2, .parent = 1, .thread = 1, .symbol = 2, .count = 4, .inclusive = 900, .exclusive = 300.4},
      {.id = 3, .parent = 2, .thread = 1, .symbol = 3, .count = 100, .inclusive = 599.6, .exclusive = 599.6},
      {.id = 4, .thread = 2, .symbol = 2, .count = 2, .inclusive = 200.4, .exclusive = 150},
      {.id = 5, .parent = 4, .thread = 2, .symbol = 4, .count = 8, .inclusive = 50.4, .exclusive = 50.4}};
  const auto function = [&](std::uint32_t symbol, std::uint64_t calls, double exclusive, double inclusive) {
    const StoredSymbol& known = run.recording.symbols[symbol];
    const double doubt = static_cast<double>(calls) / 2;  // of own cost
    const double average = inclusive / static_cast<double>(calls);
    return StoredEstimate{.scope = EstimateScope::function,
                          .position = symbol,
                          .function = known.name,
                          .path = known.path,
                          .line = known.line,
                          .hits = calls,
                          .ticks = exclusive,
                          .low = exclusive - doubt,
                          .high = exclusive + doubt,
                          .share = exclusive / 1200.8,
                          .inclusive = inclusive,
                          .inclusive_low = inclusive - doubt,
                          .inclusive_high = inclusive + doubt,
                          .resolved = exclusive > doubt,
                          .q95 = average,
                          .least = average / 2,
                          .most = average * 2,
                          .q50 = average,
                          .q99 = average * 2};
  };
  run.estimates = {
      {.scope = EstimateScope::total, .ticks = 1200.8, .low = 1100.8, .high = 1300.8, .share = 1},
      function(3, 100, 599.6, 599.6),
      function(2, 6, 450.4, 1100.4),
      function(1, 1, 100.4, 1000.4),
      function(4, 8, 50.4, 50.4)};
  run.events = 230;
  run.lost = 3;
  run.warnings = {
      {.kind = WarningKind::lost, .text = "3 events found no room", .advice = "give --memory more"}};
  return run;
}

}  // namespace jcprof::test
