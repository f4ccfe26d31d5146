// SPDX-License-Identifier: Apache-2.0
// Goes through a text line by line, and knows where it is.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "src/core/error.hpp"

namespace jcprof::annotator {

class Scanner {
 public:
  /// `hint`: of its errors.
  Scanner(std::string file, std::string_view text, std::string hint)
      : file_(std::move(file)), hint_(std::move(hint)), rest_(text) {}

  bool next() {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return true;
  }
  std::string_view line() const { return line_; }
  std::size_t number() const { return number_; }

  [[noreturn]] void refuse(std::string message) const {
    throw UserError(
        Fault{.message = std::move(message), .place = {.file = file_, .line = number_}, .hint = hint_});
  }

 private:
  std::string file_;
  std::string hint_;
  std::string_view rest_;
  std::string_view line_;
  std::size_t number_ = 0;
};

/// All of the text.
inline std::optional<double> real_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Takes the next word off the front; empty at the end.
inline std::string_view take_word(std::string_view& text, std::string_view blanks = " \t") {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace jcprof::annotator
