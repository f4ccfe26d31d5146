// SPDX-License-Identifier: Apache-2.0
// jcprof-gen as a function: reads a project's sources, writes the instrumented tree and traps.json. The one
// part of the rewriter that touches files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "rewriter/plan.hpp"
#include "src/core/error.hpp"
#include "src/core/project.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::rewriter {

/// Executable statements of C and C++ sources that do not begin in a macro; all 0 in Java, where nobody
/// counts.
struct Coverage {
  std::size_t statements = 0;              // of the functions that the project asks for
  std::size_t with_trap = 0;               // of these
  std::size_t excluded = 0;                // those of the other functions
  std::size_t unread = 0;                  // files that could not be read: their statements are not counted
  TrapLevel level = TrapLevel::statement;  // that the project asks for: below `statement` few have one
};

struct Generated {
  TrapMap map;
  std::size_t traps = 0;      // of the map
  std::size_t functions = 0;  // that have traps
  std::size_t instrumented_files = 0;
  std::vector<std::string> notes;          // for a person
  std::vector<LeftAlonePlace> left_alone;  // what has no trap whatever the project asks for
  Coverage coverage;
  bool tight = false;  // may be too large for a card: a note says how large
};

std::vector<Fault> faults_of(const std::vector<UnreadSource>& unread);

/// Writes OUT/tree (a copy of the project's folder with traps and runtime), OUT/traps.json, and of an enclave
/// OUT/edge (what its untrusted side is built of). The user's own
/// files are never touched; OUT is left as it was when anything is wrong with the sources. Throws UserError.
/// Sources that cannot be read at all are left out too.
Generated generate(const Project& project, const std::filesystem::path& out,
                   std::vector<UnreadSource> unread = {});

}  // namespace jcprof::rewriter
