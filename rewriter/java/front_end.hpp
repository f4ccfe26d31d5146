// SPDX-License-Identifier: Apache-2.0
// Java source → SourceModel: finds the functions, the sites and the slots. docs/java.md says why they are
// where they are.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "rewriter/source_model.hpp"

namespace jcprof::rewriter {

/// Throws UserError with line and caret where the text is not Java, or carries traps already. `applets` are
/// the qualified names of all applets; without them a class is one when it extends something named so.
SourceModel read_java(const std::string& path, std::string text,
                      const std::set<std::string>* applets = nullptr);

// In applets.cpp.

/// Qualified names of all applets. The chain of superclasses is followed through all sources; where it leaves
/// them, the name that it leads to decides.
std::set<std::string> applet_classes(const std::vector<SourceModel>& models);

/// Reads again what was read with a wrong idea of which classes are applets, and fills in `bases`.
void settle_applets(std::vector<SourceModel>& models);

}  // namespace jcprof::rewriter
