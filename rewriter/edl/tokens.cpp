// SPDX-License-Identifier: Apache-2.0
#include "rewriter/edl/tokens.hpp"

#include <algorithm>
#include <cctype>

#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

class EdlLexer {
 public:
  EdlLexer(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  std::vector<EdlToken> read() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    for (skip(); at_ < text_.size(); skip()) take();
    return std::move(tokens_);
  }

 private:
  bool sees(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  /// Where we are if no text in quotes begins here, or if it does not end in its line.
  std::size_t end_of_quoted() const {
    if (text_[at_] != '"') return at_;
    const std::size_t end = text_.find_first_of("\"\n", at_ + 1);
    return end == std::string_view::npos || text_[end] == '\n' ? at_ : end + 1;
  }

  void skip_comment() {
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos)
      throw UserError(Fault{.message = "this comment has no end",
                            .place = place_at(path_, text_, at_),
                            .hint = "\"*/\" is missing"});
    at_ = end + 2;
  }

  /// A backslash at the end of a line makes the next one part of it.
  std::size_t length_of_step() const { return sees("\\\r\n") ? 3 : sees("\\\n") ? 2 : 1; }

  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') at_ += length_of_step();
  }

  void skip() {
    while (at_ < text_.size()) {
      if (sees("/*")) {
        skip_comment();
      } else if (sees("//")) {
        skip_line();
      } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        starts_line_ = starts_line_ || text_[at_] == '\n';
        ++at_;
      } else {
        return;
      }
    }
  }

  void take() {
    const std::size_t begin = at_;
    const char c = text_[at_];
    EdlToken::Kind kind = EdlToken::Kind::punctuation;
    if (c == '#' && starts_line_) {
      kind = EdlToken::Kind::directive;
      take_directive();
    } else if (is_word(c)) {
      kind = std::isdigit(static_cast<unsigned char>(c)) != 0 ? EdlToken::Kind::number : EdlToken::Kind::word;
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    } else if (const std::size_t end = end_of_quoted(); end > at_) {
      kind = EdlToken::Kind::text;
      at_ = end;
    } else {
      ++at_;
    }
    starts_line_ = kind == EdlToken::Kind::directive;
    tokens_.push_back({.kind = kind, .begin = begin, .text = text_.substr(begin, at_ - begin)});
  }

  /// A comment in it may go over several lines, and is part of it.
  void take_directive() {
    while (at_ < text_.size() && text_[at_] != '\n') {
      if (sees("//")) {
        skip_line();
      } else if (sees("/*")) {
        skip_comment();
      } else if (const std::size_t end = end_of_quoted(); end > at_) {
        at_ = end;
      } else {
        at_ += length_of_step();
      }
    }
  }

  const std::string& path_;
  std::string_view text_;
  std::vector<EdlToken> tokens_;
  std::size_t at_ = 0;
  bool starts_line_ = true;
};

}  // namespace

std::vector<EdlToken> edl_tokens(const std::string& path, std::string_view text) {
  return EdlLexer(path, text).read();
}

}  // namespace jcprof::rewriter
