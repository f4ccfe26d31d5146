// SPDX-License-Identifier: Apache-2.0
// Finds the builder of a C or C++ program, and its name for the program, by the texts of build files alone.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "rewriter/draft/facts.hpp"
#include "rewriter/found_tree.hpp"

namespace jcprof::rewriter {

/// Fills in the builder, and the program that it makes of `facts.source`.
void find_builder(const FoundTree& tree, ProgramFacts& facts);

/// The variables of the project's without which CMake does not come to an add_executable.
std::set<std::string> guards_of_programs(const FoundTree& tree);

/// With which the user has run ./configure here; none where that cannot be told.
std::vector<std::string> options_of_configure(const FoundTree& tree);

/// UserError where the tree's script `configure` is still to be made, and nothing else builds.
void refuse_unmade_configure(const FoundTree& tree);

}  // namespace jcprof::rewriter
