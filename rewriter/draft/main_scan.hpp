// SPDX-License-Identifier: Apache-2.0
// Finds out whether a C or C++ text defines a function such as `main`, from the text alone: no preprocessor,
// no parser, no flags needed. Good enough to propose a file; compiling shows whether it is right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/found_tree.hpp"

namespace jcprof::rewriter {

/// Of #if: all are looked at, or none, where what stands in one may be a test of the file.
enum class Branches : std::uint8_t { all, none };

/// A function that is no member of anything.
bool defines_function(std::string_view text, std::string_view name, Branches branches = Branches::all);

inline bool defines_main(std::string_view text) {
  return defines_function(text, "main");
}

/// It defines one of these.
bool defines_one_of(std::string_view text, const std::vector<std::string>& names,
                    Branches branches = Branches::all);

/// `main`, and the macros of the tree that stand for it: "#define tmain main".
std::vector<std::string> names_of_main(const FoundTree& tree);

/// The tree's own sources that define one of these, those that do so in an #if behind others, those of tests
/// and examples last.
std::vector<std::string> files_defining(const FoundTree& tree, const std::vector<std::string>& names);

}  // namespace jcprof::rewriter
