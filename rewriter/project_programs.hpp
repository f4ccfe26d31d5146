// SPDX-License-Identifier: Apache-2.0
// Which programs generate() would run because the project, its compile database or its makefile names them.
// Runs none.
#pragma once

#include <string>
#include <vector>

#include "src/core/project.hpp"

namespace jcprof::rewriter {

/// A line each, with placeholders as they are written. Compilers by a compiler's name that lie outside of the
/// project are not among them, nor those that the makefile names: make may run anything.
std::vector<std::string> programs_of_generation(const Project& project);

}  // namespace jcprof::rewriter
