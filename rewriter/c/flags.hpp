// SPDX-License-Identifier: Apache-2.0
// Which of gcc's feature flags (-m…, -f…) clang refuses: asked of clang, as no list of them stays true.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "rewriter/c/front_end.hpp"

namespace jcprof::rewriter {

/// By the flags that name the target, as `target_flags` gives them.
using RefusedFlags = std::map<std::vector<std::string>, std::set<std::string>>;

RefusedFlags refused_flags(const std::vector<CompileUnit>& units);

}  // namespace jcprof::rewriter
