// SPDX-License-Identifier: Apache-2.0
// The part of a C or C++ tree beside the traps: jcprof_tree.h, the runtime with this build's own numbers.
#pragma once

#include <string>
#include <string_view>

#include "rewriter/c/front_end.hpp"
#include "src/core/project.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::rewriter {

inline constexpr std::string_view c_runtime_file = "jcprof_tree.h";

std::string c_runtime_source(const TrapMap& map, Reach reach, TrapAction action = TrapAction::stop);

/// How a file of the tree names the runtime in an #include.
std::string c_runtime_from(const std::string& path);

}  // namespace jcprof::rewriter
