// SPDX-License-Identifier: Apache-2.0
// The profiles of jcprof record: of the first program, and of those that the command executed besides.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "harness/record/recording.hpp"
#include "programs/options.hpp"
#include "src/core/error.hpp"
#include "src/core/store.hpp"
#include "src/core/warning.hpp"

namespace jcprof::cli {

/// From a log to its profile.
struct Analysis {
  std::filesystem::path log;
  std::filesystem::path profile;
  std::optional<TrapMap> traps;
  std::string name;  // of the command, or the project
  std::string started;
  std::vector<std::filesystem::path> elf;
  RunInfo target;         // device, agent, simulated, and the unit of ticks that nothing calibrates
  std::string note = {};  // a warning of what was recorded; empty: none
  PlainRuns plain = {};
};

struct Analyzed {
  std::string time;  // of all calls
  std::vector<Warning> warnings;
};

/// Makes the profile anew. UserError where the log is none, or was made with other traps.
Analyzed analyze(const Analysis& what);

struct RecordedProgram {
  harness::ProgramLog log;
  std::filesystem::path profile;  // empty: there is none
  std::string time;
};

/// Makes profiles of all programs but the first one. `of_first` is null if that one has no profile. A warning
/// that holds for several programs comes once.
std::vector<RecordedProgram> analyze_programs(const std::vector<harness::ProgramLog>& logs,
                                              const Analysis& first, const Analyzed* of_first,
                                              std::vector<Warning>& warnings);

/// The programs, a line each; of many those with the most events.
std::string program_table(const std::vector<RecordedProgram>& programs);
nlohmann::ordered_json in_json(const std::vector<RecordedProgram>& programs);

}  // namespace jcprof::cli
