// SPDX-License-Identifier: Apache-2.0
// Java source → SourceModel: finds the functions, the sites and the slots. docs/java.md says why they are
// where they are.
#pragma once

#include <set>
#include <string>

#include "rewriter/source_model.hpp"

namespace jcprof::rewriter {

/// Throws UserError with line and caret where the text is not Java, or carries traps already. `applets` are
/// the qualified names of all applets; without them a class is one when it extends something named so.
SourceModel read_java(const std::string& path, std::string text,
                      const std::set<std::string>* applets = nullptr);

}  // namespace jcprof::rewriter
