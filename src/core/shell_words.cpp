// SPDX-License-Identifier: Apache-2.0
#include "src/core/shell_words.hpp"

#include <utility>

namespace jcprof {
namespace {

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  ShellWords split() {
    while (at_ < text_.size()) take();
    finish();
    return std::move(result_);
  }

 private:
  void take() {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      finish();
      ++at_;
    } else if (c == '\'' || c == '"') {
      take_quoted(c);
    } else if (c == '\\' && at_ + 1 < text_.size()) {
      // A backslash and the end of a line are nothing at all.
      if (text_[at_ + 1] != '\n') word() += text_[at_ + 1];
      at_ += 2;
    } else {
      word() += c;
      ++at_;
    }
  }

  void take_quoted(char quote) {
    const std::size_t begin = at_++;
    std::string& to = word();
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      const bool escapes = quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size() &&
                           std::string_view("\"\\$`\n").find(text_[at_ + 1]) != std::string_view::npos;
      if (escapes) ++at_;
      if (!escapes || text_[at_] != '\n') to += text_[at_];
    }
    if (at_ == text_.size()) result_.open_quote = begin;
    ++at_;
  }

  std::string& word() {
    in_word_ = true;
    return word_;
  }

  void finish() {
    if (in_word_) result_.words.push_back(std::exchange(word_, {}));
    in_word_ = false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string word_;
  bool in_word_ = false;  // "" is a word too
  ShellWords result_;
};

}  // namespace

ShellWords split_command(std::string_view text) {
  return Splitter(text).split();
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-";
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

}  // namespace jcprof
