// SPDX-License-Identifier: Apache-2.0
#include "annotator/line_ends.hpp"

#include <string>

namespace jcprof::annotator {
namespace {

class Lexer {
 public:
  Lexer(std::string_view text, std::string_view language) : text_(text), is_java_(language == "java") {}

  std::vector<LineEnd> run() {
    while (at_ < text_.size()) step();
    ends_.push_back(LineEnd::open);
    return std::move(ends_);
  }

 private:
  bool starts(std::string_view word) const { return text_.substr(at_).starts_with(word); }

  void step() {
    if (starts("//")) return line_comment();
    if (starts("/*")) return skip_to("*/", 2, LineEnd::open);
    if (is_java_ && starts(R"(""")")) return text_block();
    if (!is_java_ && starts("R\"")) return raw_string();
    if (text_[at_] == '"' || text_[at_] == '\'') return quoted(text_[at_]);
    advance(LineEnd::open);
  }

  /// Takes one byte; `in` is what a line end here is in.
  void advance(LineEnd in) {
    if (text_[at_] == '\n') ends_.push_back(joins_next_line() ? LineEnd::continued : in);
    ++at_;
  }

  bool joins_next_line() const {
    if (is_java_) return false;
    std::size_t end = at_;
    if (end > 0 && text_[end - 1] == '\r') --end;
    return end > 0 && text_[end - 1] == '\\';
  }

  void line_comment() {
    while (at_ < text_.size()) {
      const bool is_last = text_[at_] == '\n' && !joins_next_line();
      advance(LineEnd::open);
      if (is_last) return;
    }
  }

  void skip_to(std::string_view closing, std::size_t opening, LineEnd in) {
    at_ += opening;
    while (at_ < text_.size() && !starts(closing)) advance(in);
    at_ = std::min(text_.size(), at_ + closing.size());
  }

  void text_block() {
    at_ += 3;
    while (at_ < text_.size() && !starts(R"(""")")) {
      const bool escaped = text_[at_] == '\\' && at_ + 1 < text_.size();
      if (escaped) ++at_;
      advance(LineEnd::literal);
    }
    at_ = std::min(text_.size(), at_ + 3);
  }

  void raw_string() {
    const std::size_t open = text_.find('(', at_);
    constexpr std::size_t longest_delimiter = 16;
    const bool inside_a_name = at_ > 0 && is_name(text_[at_ - 1]) && !is_prefix(text_[at_ - 1]);
    if (inside_a_name || open == std::string_view::npos || open - at_ > longest_delimiter + 2) {
      ++at_;
      return;
    }
    const std::string closing = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
    skip_to(closing, open + 1 - at_, LineEnd::literal);
  }

  static bool is_name(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
  /// u8R"…", LR"…"
  static bool is_prefix(char c) { return c == 'u' || c == 'U' || c == 'L' || c == '8'; }

  /// A quoted literal ends with its line, whatever it looks like.
  void quoted(char quote) {
    // 1'000'000 in C++: not a character.
    const bool separates_digits =
        quote == '\'' && !is_java_ && at_ > 0 && is_name(text_[at_ - 1]) && !is_prefix(text_[at_ - 1]);
    ++at_;
    if (separates_digits) return;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
      ++at_;
    }
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
  }

  std::string_view text_;
  bool is_java_;
  std::size_t at_ = 0;
  std::vector<LineEnd> ends_;
};

}  // namespace

std::vector<LineEnd> line_ends(std::string_view text, std::string_view language) {
  return Lexer(text, language).run();
}

}  // namespace jcprof::annotator
