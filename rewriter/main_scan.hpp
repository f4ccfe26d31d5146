// SPDX-License-Identifier: Apache-2.0
// Whether a C or C++ text defines `main`, from the text alone: no preprocessor, no parser, no flags needed.
// Good enough to propose a file; whether it is right is seen by compiling.
#pragma once

#include <string_view>

namespace jcprof::rewriter {

bool defines_main(std::string_view text);

}  // namespace jcprof::rewriter
