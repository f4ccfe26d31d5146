// SPDX-License-Identifier: Apache-2.0
// Commands of GitHub Actions, which it shows as annotations.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jcprof::annotator {

/// A line with its newline. `level`: error, warning or notice. An empty path or line 0 gives it no place.
std::string github_command(std::string_view level, std::string_view path, std::size_t line,
                           std::string_view title, std::string_view text);

}  // namespace jcprof::annotator
