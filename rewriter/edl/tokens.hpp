// SPDX-License-Identifier: Apache-2.0
// The tokens of an EDL file, without its comments, each with the line that it comes from. Knows no grammar.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jcprof::rewriter {

struct EdlLine {
  std::string file;
  std::size_t number = 0;
  auto operator<=>(const EdlLine&) const = default;
};

struct EdlToken {
  static constexpr std::size_t nowhere = std::string::npos;
  enum class Kind : std::uint8_t { word, number, text, punctuation, directive };
  Kind kind = Kind::punctuation;
  std::string_view text;  // of a text: with its quotes; punctuation is one byte
  std::size_t begin = 0;  // in the file, as its author wrote it; nowhere: a macro or another file brings it
  EdlLine line = {};      // as the line markers in front of it say
};

/// A file as its author wrote it. A directive is one token, up to the end of its logical line. `text` must
/// outlive the tokens. Throws UserError for a comment without end.
std::vector<EdlToken> edl_tokens(const std::string& path, std::string_view text);

/// "ifdef"; empty for what is no directive.
std::string_view directive_name(const EdlToken& token);

/// What `cc -E` has made of the file with the tokens `written`. No directives are left.
std::vector<EdlToken> edl_tokens_of(const std::vector<EdlToken>& written, const std::string& path,
                                    std::string_view preprocessed);

}  // namespace jcprof::rewriter
