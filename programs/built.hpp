// SPDX-License-Identifier: Apache-2.0
// What a build made of the tree: another build is not resumed. Builds nothing.
#pragma once

#include <filesystem>
#include <string>

#include "src/core/trap_map.hpp"

namespace jcprof::cli {

/// Notes a digest of the files that lie in the output folder `out` after a build, jcprof's own left out, for
/// the traps of its traps.json. A build that writes when it was made is another one each time.
void note_build(const std::filesystem::path& out);

/// That digest; empty where nobody has built the tree of these traps under jcprof's eyes.
std::string noted_build(const std::filesystem::path& out, const TrapMap& map);

}  // namespace jcprof::cli
