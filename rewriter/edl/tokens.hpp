// SPDX-License-Identifier: Apache-2.0
// The tokens of an EDL file, without its comments, and the ways through its preprocessor directives. Knows
// no grammar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jcprof::rewriter {

struct EdlToken {
  enum class Kind : std::uint8_t { word, number, text, punctuation, directive };
  Kind kind = Kind::punctuation;
  std::size_t begin = 0;  // in the file
  std::string_view text;  // of a text: with its quotes; punctuation is one byte
};

/// All tokens; a directive is one, up to the end of its logical line. `text` must outlive them. Throws
/// UserError for a comment or a text without end.
std::vector<EdlToken> edl_tokens(const std::string& path, std::string_view text);

/// The tokens that the preprocessor leaves where nothing but the file's own #defines is defined. Names that
/// stand for one token are replaced by it.
std::vector<EdlToken> preprocessed(const std::vector<EdlToken>& tokens);

/// As many ways through the #if groups as it takes to come through every branch. On each, `#ifdef N` and
/// `#ifndef N` agree about N.
std::vector<std::vector<EdlToken>> all_ways(const std::vector<EdlToken>& tokens);

}  // namespace jcprof::rewriter
