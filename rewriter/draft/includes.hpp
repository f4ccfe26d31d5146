// SPDX-License-Identifier: Apache-2.0
// What C and C++ texts include, from the texts alone: no preprocessor, no flags needed.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/found_tree.hpp"

namespace jcprof::rewriter {

/// What a text includes in quotes, as it is written.
std::vector<std::string> quoted_includes(std::string_view text);

/// The headers that the program's units, or headers of the tree, include in quotes and that are not there, in
/// each of the folders of the tree in which its compiler would look for them. Without names that make would
/// take for an option or a variable.
std::vector<MadeHeader> missing_headers(const FoundTree& tree, const FoundProgram& program);

/// The folders of `taken` in which a compiler finds what the files of `taken` include, apart from the folder
/// of the file that includes it. Headers in folders that are named "include" may be included in any way.
std::set<std::string> include_folders(const FoundTree& tree, const std::vector<std::string>& taken);

}  // namespace jcprof::rewriter
