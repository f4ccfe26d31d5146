// SPDX-License-Identifier: Apache-2.0
// What jcprof-gen and jcprof profile say of a tree with traps. Making it is the rewriter's.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "rewriter/generate.hpp"

namespace jcprof::cli {

std::size_t functions_with_traps(const TrapMap& map);

/// What has no trap: a line for each reason, or one for each place.
enum class LeftAloneDetail : std::uint8_t { reasons, places };

/// Somebody counted its statements.
bool is_counted(const rewriter::Generated& generated);

/// For a person: what was left alone and why, then how many traps are where.
std::string to_text(const rewriter::Generated& generated, const std::filesystem::path& out,
                    LeftAloneDetail detail = LeftAloneDetail::reasons);

/// How much of it there is by reason, the most frequent first.
std::vector<std::pair<std::string, std::size_t>> left_alone_by_reason(const rewriter::Generated& generated);

}  // namespace jcprof::cli
