// SPDX-License-Identifier: Apache-2.0
// Reads the text of one EDL file, Intel's dialect (whose tool runs the C preprocessor first) and Open
// Enclave's. Follows no import and knows no file system.
#pragma once

#include <string>

#include "rewriter/edl/model.hpp"

namespace jcprof::rewriter {

/// Throws UserError with place and hint where it is no EDL.
EdlFile parse_edl(const std::string& path, const std::string& text);

}  // namespace jcprof::rewriter
