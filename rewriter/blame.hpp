// SPDX-License-Identifier: Apache-2.0
// Says which traps must go where a rewritten source does not compile. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "rewriter/compile_check.hpp"
#include "rewriter/edits.hpp"

namespace jcprof::rewriter {

/// Sites that an error is to be blamed on: the one whose insertion it points into, else the value held up
/// round it, else the nearest on its line, else all of the function that it lies in. Where a function is too
/// large: the finest level that it has traps of. Never `entry0`: without it nothing can be armed.
std::vector<std::uint32_t> blamed(const CompileError& error, const RewrittenSource& source);

/// The first one at the place or behind it.
std::vector<std::uint32_t> blamed_behind(const CompileError& error, const RewrittenSource& source);

/// The error points into an insertion, or into a value that is held up.
bool points_at_trap(const CompileError& error, const RewrittenSource& source);

/// All of the function that an error lies in.
std::vector<std::uint32_t> blamed_function(const CompileError& error, const RewrittenSource& source);

bool says_too_large(const CompileError& error);

}  // namespace jcprof::rewriter
