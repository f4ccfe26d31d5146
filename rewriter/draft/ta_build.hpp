// SPDX-License-Identifier: Apache-2.0
// A trusted application by the texts of its makefiles and of sub.mk: make is not run. All branches are read,
// as they depend on the development kit.
#pragma once

#include <string>
#include <vector>

#include "rewriter/found_tree.hpp"

namespace jcprof::rewriter {

struct TaBuild {
  std::string folder;  // of the makefile; empty: the root
  std::string uuid;    // of its binary; empty: it has none, or says it in a way that only make understands
  std::vector<std::string> sources;  // that sub.mk names and the tree has
  std::vector<std::string> folders;  // of headers, that sub.mk names
  std::vector<std::string> outside;  // files and folders that it needs outside of the tree, relative to that
  bool makes_sources = false;
};

/// By the makefile nearest to the file with the entry that uses the development kit.
TaBuild ta_build_of(const FoundTree& tree, const std::string& source);

/// The places at which the makefiles of the folders around name this one, outermost first: the lower of two
/// comes first.
std::vector<std::size_t> rank_in_build(const FoundTree& tree, const std::string& folder);

}  // namespace jcprof::rewriter
