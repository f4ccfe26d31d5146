// SPDX-License-Identifier: Apache-2.0
// The project file of an applet: text made of facts.
#pragma once

#include <string>

#include "rewriter/draft/facts.hpp"

namespace jcprof::rewriter::draft {

/// `name` is the project's.
std::string applet_project(const std::string& name, const AppletFacts& facts);

}  // namespace jcprof::rewriter::draft
