// SPDX-License-Identifier: Apache-2.0
// Reads the text of one EDL file, Intel's dialect and Open Enclave's. Follows no import, runs no preprocessor
// and knows no file system.
#pragma once

#include <string>

#include "rewriter/edl/model.hpp"

namespace jcprof::rewriter {

/// `preprocessed` is what `cc -E` makes of `text`, with line markers; where that has no directive, `text`
/// itself. Throws UserError with place and hint where it is no EDL.
EdlFile parse_edl(const std::string& path, const std::string& text, const std::string& preprocessed);

}  // namespace jcprof::rewriter
