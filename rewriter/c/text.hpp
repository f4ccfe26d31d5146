// SPDX-License-Identifier: Apache-2.0
// The tokens of one C or C++ file as it stands, whatever the preprocessor makes of it: where a `;` or a
// closing parenthesis is, and in which #if branch. Knows no macros and no units.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace jcprof::rewriter {

struct CToken {
  enum class Kind : std::uint8_t { word, number, text, punctuation, directive };
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t branch = 0;  // of the innermost #if round it; equal for what is always compiled together
  Kind kind = Kind::punctuation;
};

/// Punctuation is a byte a token, but for `::` and `->`. A directive is one token up to the end of its
/// logical line.
class CText {
 public:
  /// `text` must outlive this.
  explicit CText(std::string_view text);

  const std::vector<CToken>& tokens() const { return tokens_; }
  std::string_view of(const CToken& token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }
  std::string_view text() const { return text_; }

  /// Index of the first token that begins at `offset` or behind it; tokens().size() where there is none.
  std::size_t at(std::uint32_t offset) const;

  /// A lambda's `[`, as far as tokens tell, stands in [begin, end).
  bool may_hold_lambda(std::uint32_t begin, std::uint32_t end) const;

  std::string_view directive_name(const CToken& directive) const;

 private:
  std::string_view text_;
  std::vector<CToken> tokens_;
  std::vector<std::uint32_t> lambda_starts_;
};

}  // namespace jcprof::rewriter
