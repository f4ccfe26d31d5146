// SPDX-License-Identifier: Apache-2.0
// The Java files that an applet is made of: its package in all its folders, and what it uses of other
// packages of the tree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rewriter/source_model.hpp"

namespace jcprof::rewriter {

struct AppletSources {
  std::vector<const SourceModel*> models;  // the entry's first
  std::vector<std::string> globs;          // that stand for just these
  std::vector<std::string> roots;  // of the folders of packages; empty: some do not lie as their package says
  std::vector<std::string> imports;  // packages that are not in the tree
};

/// `entry` is one of `models`.
AppletSources find_applet_sources(const std::vector<SourceModel>& models, const SourceModel& entry);

}  // namespace jcprof::rewriter
