// SPDX-License-Identifier: Apache-2.0
// Does the instrumented code still fit onto a card? Says so, with numbers and the way out, where it may not.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "rewriter/java/class_file.hpp"

namespace jcprof::rewriter {

/// `methods` are those of all compiled classes, empty when nothing was compiled: then the traps alone are
/// judged. `package` is the applet's.
std::vector<std::string> size_notes(const std::vector<MethodSize>& methods, const std::string& package,
                                    std::size_t traps);

}  // namespace jcprof::rewriter
