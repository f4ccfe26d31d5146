// SPDX-License-Identifier: Apache-2.0
// What jcprof-gen and jcprof profile say of a tree with traps. Making it is the rewriter's.
#pragma once

#include <filesystem>
#include <string>

#include "rewriter/generate.hpp"

namespace jcprof::cli {

std::size_t functions_with_traps(const TrapMap& map);

/// For a person: what was left alone and why, then how many traps are where.
std::string to_text(const rewriter::Generated& generated, const std::filesystem::path& out);

}  // namespace jcprof::cli
