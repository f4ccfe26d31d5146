// SPDX-License-Identifier: Apache-2.0
// The facts of a source tree about its trusted application for OP-TEE: where commands come in, which there
// are, its UUID, the makefile. project_draft makes the project file of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rewriter/found_tree.hpp"

namespace jcprof::rewriter {

struct TaCommand {
  std::string name;  // "TA_HELLO_CMD_INC"
  std::uint64_t id = 0;
};

struct TaFacts {
  std::string source;               // the file that defines the entry
  std::vector<std::string> others;  // further files that do
  std::string folder;               // of the makefile; empty: the root
  std::vector<std::string> globs;   // sources and headers below it
  std::string uuid;                 // empty: not found
  std::vector<TaCommand> commands;  // that the entry has a `case` for, in its order
};

std::optional<TaFacts> find_ta(const FoundTree& tree);

}  // namespace jcprof::rewriter
