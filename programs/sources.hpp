// SPDX-License-Identifier: Apache-2.0
// The sources that a trap map was made from, as they are now.
#pragma once

#include <map>
#include <string>

#include "src/core/project.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::cli {

/// Path → text. UserError naming each source that has changed since jcprof-gen, or is gone.
std::map<std::string, std::string> unchanged_sources(const Project& project, const TrapMap& map);

}  // namespace jcprof::cli
