// SPDX-License-Identifier: Apache-2.0
// The flags of a compile database, which are some gcc's or clang's, as libclang takes them: what changes how
// the text is read is kept, the rest is dropped. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "rewriter/c/front_end.hpp"

namespace jcprof::rewriter {

/// Flags that clang refuses, by the flags that name the target, as target_flags() gives them.
using RefusedFlags = std::map<std::vector<std::string>, std::set<std::string>>;

/// With the compiler first and the main file last, in the terms of `unit.folder`.
std::vector<std::string> clang_arguments(const CompileUnit& unit, const RefusedFlags& refused);

/// The arguments with a standard by which clang takes `auto` as the type of a parameter.
std::vector<std::string> with_auto_parameters(std::vector<std::string> arguments);

/// By the compiler's name.
bool is_of_clang(const CompileUnit& unit);

/// Those that clang may not know.
std::vector<std::string> doubtful_flags(const CompileUnit& unit);

/// By the compiler's name, or as given.
std::vector<std::string> target_flags(const CompileUnit& unit);

/// C++, by the compiler's name, -x, or the file's ending.
bool is_cpp(const CompileUnit& unit);

/// Constexpr functions may hold statements there: C++14 and later.
bool has_statements_in_constexpr(const CompileUnit& unit);
/// And variables with destructors: C++20 and later.
bool has_destructors_in_constexpr(const CompileUnit& unit);

}  // namespace jcprof::rewriter
