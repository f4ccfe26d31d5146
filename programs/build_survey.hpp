// SPDX-License-Identifier: Apache-2.0
// Asks the build system of a program's sources what it makes, for `jcprof init`: CMake and meson by
// configuring into the output folder, make by a dry run.
#pragma once

#include <string>

#include "rewriter/found_tree.hpp"

namespace jcprof::cli {

/// Fills in the programs that are built, and with what options. Returns what could not be found out and why,
/// for a person; empty where all was, or where there is nothing to ask. `yes`: the user has allowed it.
std::string ask_build_system(rewriter::FoundTree& tree, bool yes);

}  // namespace jcprof::cli
