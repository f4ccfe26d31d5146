// SPDX-License-Identifier: Apache-2.0
// Names the programs that generate() would run because the project, its compile database or its makefile
// names them. Runs none.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/core/project.hpp"

namespace jcprof::rewriter {

/// A line each, with placeholders as they are written. Compilers by a compiler's name that lie outside of the
/// project are not among them, nor those that the makefile names: make may run anything. `out` is the output
/// folder. A database that cannot be read is passed over where "prepare" steps may make it anew.
std::vector<std::string> programs_of_generation(const Project& project, const std::filesystem::path& out);

/// The compilers among them. After the "prepare" steps they may be others.
std::vector<std::string> compilers_of_generation(const Project& project, const std::filesystem::path& out);

}  // namespace jcprof::rewriter
