// SPDX-License-Identifier: Apache-2.0
// Names in Markdown.
#pragma once

#include <string>
#include <string_view>

namespace jcprof::annotator {

/// A name as code, in a cell of a table too. One with characters that end code or a cell is written in their
/// numbers, which no renderer takes for markup.
std::string markdown_code(std::string_view name);

}  // namespace jcprof::annotator
