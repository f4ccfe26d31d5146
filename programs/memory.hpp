// SPDX-License-Identifier: Apache-2.0
// jcprof run --memory and jcprof profile --memory: which line takes how much of a card's memory.
#pragma once

#include <filesystem>

#include "harness/transport.hpp"
#include "programs/options.hpp"
#include "src/core/project.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::cli {

/// The copies of the sources with the bytes beside the lines, and the same as JSON, in the output folder.
inline constexpr const char* memory_sources = "memory";
inline constexpr const char* memory_file = "memory.json";

struct MemorySubject {
  const Project& project;
  const TrapMap& map;
  harness::Transport& transport;
  const std::filesystem::path& out;  // the output folder
};

/// Measures, writes both, and prints the table, or with --json the file. Ends with check_failed if each
/// command takes memory and does not give it back.
ExitCode measure_memory(const MemorySubject& of, const RunOptions& options);

}  // namespace jcprof::cli
