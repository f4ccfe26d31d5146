// SPDX-License-Identifier: Apache-2.0
// Whether a C or C++ text defines a function such as `main`, from the text alone: no preprocessor, no parser,
// no flags needed. Good enough to propose a file; whether it is right is seen by compiling.
#pragma once

#include <string_view>

namespace jcprof::rewriter {

/// A function that is no member of anything.
bool defines_function(std::string_view text, std::string_view name);

bool defines_main(std::string_view text);

}  // namespace jcprof::rewriter
