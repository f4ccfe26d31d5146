// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/text.hpp"

#include <algorithm>
#include <string>

#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

using Kind = CToken::Kind;

bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<CToken> run() {
    tokens_.reserve(text_.size() / 4);
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    for (skip_blank(); at_ < text_.size(); skip_blank()) {
      const std::size_t begin = at_;
      const Kind kind = one();
      tokens_.push_back({.begin = static_cast<std::uint32_t>(begin),
                         .end = static_cast<std::uint32_t>(at_),
                         .branch = branches_.back(),
                         .kind = kind});
      if (kind == Kind::directive) note_branch(begin);
      line_start_ = false;
    }
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  /// Length of a backslash with the end of line that it takes away; 0 where there is none.
  std::size_t splice() const {
    if (peek() != '\\') return 0;
    if (peek(1) == '\n') return 2;
    return peek(1) == '\r' && peek(2) == '\n' ? 3 : 0;
  }

  void skip_blank() {
    while (at_ < text_.size()) {
      const char c = peek();
      if (c == '\n') line_start_ = true;
      if (c == ' ' || (c >= '\t' && c <= '\r')) {
        ++at_;
      } else if (const std::size_t n = splice(); n != 0) {
        at_ += n;
      } else if (!comment()) {
        return;
      }
    }
  }

  /// Steps over a comment, leaving the end of a line comment's line.
  bool comment() {
    if (peek() != '/' || (peek(1) != '/' && peek(1) != '*')) return false;
    if (peek(1) == '*') {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
      return true;
    }
    while (at_ < text_.size() && peek() != '\n') at_ += std::max<std::size_t>(splice(), 1);
    return true;
  }

  Kind one() {
    const char c = peek();
    if (c == '#' && line_start_) return directive();
    if (is_word_start(c)) return word();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '"' || c == '\'') return quoted();
    at_ += (c == ':' && peek(1) == ':') || (c == '-' && peek(1) == '>') ? 2 : 1;
    return Kind::punctuation;
  }

  Kind word() {
    const std::size_t begin = at_;
    while (is_word_start(peek()) || is_digit(peek())) ++at_;
    if (peek() != '"' && peek() != '\'') return Kind::word;
    const std::string_view prefix = text_.substr(begin, at_ - begin);
    if (peek() == '"' && is_one_of(prefix, {"R", "u8R", "uR", "UR", "LR"}) && raw_string()) return Kind::text;
    return is_one_of(prefix, {"u8", "u", "U", "L"}) ? quoted() : Kind::word;
  }

  bool raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos || open - at_ > 17) return false;
    const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = text_.find(close, open);
    if (end == std::string_view::npos) return false;
    at_ = end + close.size();
    return true;
  }

  Kind number() {
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = peek();
      const char last = static_cast<char>(text_[at_ - 1] | 0x20);
      const bool exponent = (c == '+' || c == '-') && (last == 'e' || last == 'p');
      const bool separator = c == '\'' && (is_word_start(peek(1)) || is_digit(peek(1)));
      if (!is_word_start(c) && !is_digit(c) && c != '.' && !exponent && !separator) break;
    }
    return Kind::number;
  }

  /// To the closing quote, or to the end of the line where there is none.
  Kind quoted() {
    const char quote = peek();
    for (++at_; at_ < text_.size() && peek() != '\n';) {
      if (peek() == quote) {
        ++at_;
        break;
      }
      at_ += peek() == '\\' ? std::max<std::size_t>(splice(), 2) : 1;
    }
    at_ = std::min(at_, text_.size());
    return Kind::text;
  }

  Kind directive() {
    while (at_ < text_.size() && peek() != '\n') {
      if (const std::size_t n = splice(); n != 0) {
        at_ += n;
      } else if (text_.substr(at_, 3) == "'\"'") {
        at_ += 3;
      } else if (peek() == '"') {
        quoted();
      } else if (!comment()) {
        ++at_;
      }
    }
    return Kind::directive;
  }

  void note_branch(std::size_t begin) {
    std::string_view rest = text_.substr(begin + 1, at_ - begin - 1);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (rest.starts_with("if")) branches_.push_back(++last_branch_);
    if (branches_.size() == 1) return;
    if (rest.starts_with("el")) branches_.back() = ++last_branch_;
    if (rest.starts_with("endif")) branches_.pop_back();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool line_start_ = true;
  std::vector<std::uint32_t> branches_{0};
  std::uint32_t last_branch_ = 0;
  std::vector<CToken> tokens_;
};

}  // namespace

CText::CText(std::string_view text) : text_(text), tokens_(Lexer(text).run()) {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const CToken& token = tokens_[i];
    if (of(token) != "[") continue;
    const CToken before = i > 0 ? tokens_[i - 1] : CToken{};
    const bool subscript =
        is_one_of(of(before), {")", "]", "["}) ||
        (before.kind == Kind::word &&
         !is_one_of(of(before), {"return", "co_return", "co_yield", "case", "throw", "else"}));
    if (!subscript && !(i + 1 < tokens_.size() && of(tokens_[i + 1]) == "["))
      lambda_starts_.push_back(token.begin);
  }
}

std::size_t CText::at(std::uint32_t offset) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(tokens_, offset, {}, &CToken::begin) -
                                  tokens_.begin());
}

bool CText::may_hold_lambda(std::uint32_t begin, std::uint32_t end) const {
  const auto first = std::ranges::lower_bound(lambda_starts_, begin);
  return first != lambda_starts_.end() && *first < end;
}

std::string_view CText::directive_name(const CToken& directive) const {
  std::string_view rest = of(directive).substr(1);
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  return rest.substr(0, rest.find_first_of(" \t\r\n(/"));
}

}  // namespace jcprof::rewriter
