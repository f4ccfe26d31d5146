// SPDX-License-Identifier: Apache-2.0
// Record mode of a command (docs/record.md): it runs as if it had been started by hand, with a log to write
// into.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/record/recording.hpp"

namespace jcprof::harness {

struct RecordCommand {
  std::vector<std::string> argv;
  std::filesystem::path preload;                        // libjcprof-record.so; empty: it has its hooks itself
  std::function<void(const RecordProgress&)> progress;  // some times a second; may be empty
};

/// Returns when the command has ended. UserError where it cannot be started, or where there is no room for a
/// log.
Recorded record(const LogOptions& log, const RecordCommand& command);

}  // namespace jcprof::harness
