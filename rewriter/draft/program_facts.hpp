// SPDX-License-Identifier: Apache-2.0
// The facts of a source tree about its C or C++ program: where main is, how it is built, where the built
// program will lie. project_draft makes the project file of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rewriter/found_tree.hpp"

namespace jcprof::rewriter {

enum class Builder : std::uint8_t { cmake, meson, make, compiler };

struct ProgramFacts {
  std::string source;                 // the file that holds main
  std::vector<std::string> others;    // further files that hold one
  std::vector<std::string> globs;     // sources and headers, without those of `others`
  std::vector<std::string> units;     // the C and C++ files among them
  std::vector<std::string> includes;  // folders of headers that are named "include"
  std::string database;               // path of compile_commands.json; empty: none
  std::vector<std::string> built;     // globs of what earlier builds have left in the tree
  Builder builder = Builder::compiler;
  bool has_configure = false;  // a script ./configure goes ahead of make
  std::string target;          // what the builder calls the program; empty: not found, all is built
  std::string program;         // the built program, below the build folder; in the tree for make
};

std::optional<ProgramFacts> find_program(const FoundTree& tree);

}  // namespace jcprof::rewriter
