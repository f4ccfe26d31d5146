// SPDX-License-Identifier: Apache-2.0
// The names that a build file gives to pieces of text, and texts with their values in place of them.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace jcprof::rewriter {

using Variables = std::map<std::string, std::string>;

/// `${name}`, `$(name)`, `$name` and `%name%`; what has no value stays. Values may name others.
std::string expand(const Variables& variables, const std::string& text);

/// `name=value` and `name: value`, line by line, without comments (of `#` or `!`).
Variables read_properties(std::string_view text);

}  // namespace jcprof::rewriter
