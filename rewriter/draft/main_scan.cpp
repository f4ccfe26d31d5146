// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/main_scan.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

/// The parts of a text that are neither comment, literal nor directive, token by token.
class CodeTokens {
 public:
  explicit CodeTokens(std::string_view text) : text_(text) {}

  /// A word, or one character; empty at the end.
  std::string_view next() {
    skip();
    if (at_ >= text_.size()) return {};
    starts_line_ = at_ == 0 || text_[at_ - 1] == '\n';
    const std::size_t begin = at_++;
    if (is_word(text_[begin]))
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// Whether the last token stands first in its line, at the margin.
  bool starts_line() const { return starts_line_; }

 private:
  bool sees(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void skip_past(std::string_view what) {
    const std::size_t found = text_.find(what, at_);
    at_ = found == std::string_view::npos ? text_.size() : found + what.size();
  }

  void skip_literal() {
    const char quote = text_[at_++];
    for (; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_)
      if (text_[at_] == '\\') ++at_;
    at_ = std::min(at_ + 1, text_.size());
  }

  void skip_raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return skip_literal();
    skip_past(")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"");
  }

  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
  }

  bool is_first_in_line() const {
    const std::string_view before = text_.substr(0, at_);
    const std::size_t last = before.find_last_not_of(" \t");
    return last == std::string_view::npos || before[last] == '\n';
  }

  void skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (sees("/*")) {
        at_ += 2;
        skip_past("*/");
      } else if (sees("//") || (c == '#' && is_first_in_line())) {
        skip_line();
      } else if (sees("R\"") && (at_ == 0 || !is_word(text_[at_ - 1]))) {
        skip_raw_string();
      } else if (c == '"' || (c == '\'' && (at_ == 0 || !is_word(text_[at_ - 1])))) {
        skip_literal();
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        ++at_;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool starts_line_ = false;
};

/// Behind a name: whether a body follows its parameters, those of the old style too.
bool is_definition(CodeTokens& tokens) {
  if (tokens.next() != "(") return false;
  for (int open = 1; open > 0;) {
    const std::string_view token = tokens.next();
    if (token.empty()) return false;
    open += token == "(" ? 1 : token == ")" ? -1 : 0;
  }
  const std::string_view behind = tokens.next();
  return behind == "{" || behind == "-" || behind == "noexcept" || behind == "try" ||
         (!behind.empty() && is_word(behind.front()));
}

}  // namespace

bool defines_function(std::string_view text, std::string_view name) {
  CodeTokens tokens(text);
  int depth = 0;
  std::string_view before;
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    // What stands in the braces of extern "C" is outside.
    if (token == "{" && before != "extern") ++depth;
    // At the margin it ends a function, whatever braces the branches of an #if have opened.
    if (token == "}") depth = tokens.starts_line() ? 0 : std::max(depth - 1, 0);
    before = token;
    if (token == name && depth == 0 && is_definition(tokens)) return true;
  }
  return false;
}

bool defines_main(std::string_view text) {
  return defines_function(text, "main");
}

}  // namespace jcprof::rewriter
