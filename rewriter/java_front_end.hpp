// SPDX-License-Identifier: Apache-2.0
// Java source → SourceModel: finds the functions, the sites and the slots. What is where and why:
// docs/java.md.
#pragma once

#include <string>

#include "rewriter/source_model.hpp"

namespace jcprof::rewriter {

/// Throws UserError with line and caret where the text is not Java, or carries traps already.
SourceModel read_java(const std::string& path, std::string text);

}  // namespace jcprof::rewriter
