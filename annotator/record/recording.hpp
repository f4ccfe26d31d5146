// SPDX-License-Identifier: Apache-2.0
// Makes a run of a profile of a log of record mode; docs/record.md. One pass over the log, with memory for
// its call tree and not for its events.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "src/core/store.hpp"

namespace jcprof::annotator {

struct RecordedLog {
  std::filesystem::path file;
  std::optional<TrapMap> traps = {};  // of the build that recorded; without it events of traps are an error
  // Files to find names in where the log knows no modules but its anchor: enclaves, trusted applications.
  std::vector<std::filesystem::path> elf = {};
  ClockUnit unit = ClockUnit::cycles;  // of ticks that no pairs calibrate
};

/// All that a profile holds of a recorded run.
struct RecordedRun {
  RunInfo info;  // transport, unit, resolution, rounds; who, when and where is the caller's to fill in
  TrapMap map;   // empty where there are no traps
  StoredRecording recording;
  std::vector<StoredEstimate> estimates;  // total, unattributed, functions, lines
  std::vector<Warning> warnings;
  std::uint64_t events = 0;
  std::uint64_t lost = 0;                    // events
  std::optional<std::uint32_t> status = {};  // exit status of the program; none where the log was cut off
};

/// UserError naming the file when it is no log, is of a newer jcprof, or was made with other traps.
RecordedRun analyze_log(const RecordedLog& log);

/// Adds a complete run to `store` and returns its id.
std::int64_t store_recording(Store& store, const RecordedRun& run);

}  // namespace jcprof::annotator
