// SPDX-License-Identifier: Apache-2.0
// Tells where a comment can follow a line of Java, C or C++. A small lexer that knows comments and literals
// and nothing else of the languages.
#pragma once

#include <string_view>
#include <vector>

namespace jcprof::annotator {

enum class LineEnd : unsigned char {
  open,       // a comment can follow
  literal,    // a text block or raw string goes on in the next line
  continued,  // a backslash joins the next line
};

/// One for each line of `text`.
std::vector<LineEnd> line_ends(std::string_view text, std::string_view language);

}  // namespace jcprof::annotator
