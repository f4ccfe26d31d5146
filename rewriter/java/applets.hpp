// SPDX-License-Identifier: Apache-2.0
// Finds the classes that are applets: the chain of superclasses is followed through all sources of a project.
// Where it leaves them, the name that it leads to decides.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "rewriter/source_model.hpp"

namespace jcprof::rewriter {

/// Qualified names of all applets.
std::set<std::string> applet_classes(const std::vector<SourceModel>& models);

/// Reads again what was read with a wrong idea of which classes are applets, and fills in `bases`.
void settle_applets(std::vector<SourceModel>& models);

}  // namespace jcprof::rewriter
