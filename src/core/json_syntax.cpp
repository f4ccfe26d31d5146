// SPDX-License-Identifier: Apache-2.0
#include "src/core/json_syntax.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "src/core/text.hpp"

namespace jcprof {
namespace {

/// The end of the comment that begins at `offset`.
std::size_t end_of_comment(std::string_view text, std::size_t offset) {
  const bool to_line_end = text.substr(offset, 2) == "//";
  const std::size_t end = text.find(to_line_end ? "\n" : "*/", offset + 2);
  return end == std::string_view::npos ? text.size() : end + (to_line_end ? 1 : 2);
}

/// Where the next token begins that the parser could have stumbled over: blanks, comments and separators
/// skipped.
std::size_t next_token(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (text.substr(at, 2) == "//" || text.substr(at, 2) == "/*") {
      const bool is_open = text[at + 1] == '*' && text.find("*/", at + 2) == std::string_view::npos;
      if (is_open) return at;
      at = end_of_comment(text, at);
    } else if (is_json_blank(text[at]) || text[at] == ',' || text[at] == ':') {
      ++at;
    } else {
      return at;
    }
  }
  return at;
}

/// What stands between two offsets apart from blanks and comments.
std::string between(std::string_view text, std::size_t from, std::size_t to) {
  std::string found;
  while (from < to) {
    if (text[from] == '/') {
      from = end_of_comment(text, from);
      continue;
    }
    if (!is_json_blank(text[from])) found += text[from];
    ++from;
  }
  return found;
}

/// What is wrong with a text that is not JSON.
class SyntaxFault {
 public:
  SyntaxFault(std::string_view text, const JsonStop& stop) : text_(text), stop_(stop) {}

  void find(const JsonFaults& places) {
    const std::size_t position = stop_.position;
    const std::size_t token = next_token(text_, stop_.previous_end);
    if (position > text_.size())
      at_end(token, places);
    else if (token < position - 1 && text_[token] == '"' && text_[position - 1] != '"')
      in_string(position - 1);
    else
      at_token(std::min(token, position - 1));
  }

  std::size_t offset() const { return offset_; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }

 private:
  void at_end(std::size_t token, const JsonFaults& places) {
    // The last line that says something, rather than the empty one after it.
    offset_ = text_.find_last_not_of(" \t\r\n");
    offset_ = offset_ == std::string_view::npos ? 0 : offset_ + 1;
    if (token < text_.size() && text_[token] == '"')
      message_ = "the file ends inside a string";
    else if (token < text_.size() && text_[token] == '/')
      message_ = "the file ends inside a comment";
    else if (stop_.open.empty())
      message_ = "the file is empty";
    else
      message_ = fmt::format("the file ends, but the \"{}\" of line {} is not closed",
                             text_[stop_.open.back()->offset], places.line_of(stop_.open.back()->offset));
  }

  void in_string(std::size_t offset) {
    offset_ = offset;
    const char c = text_[offset];
    if (is_json_blank(c) && c != ' ')
      message_ = c == '\t' ? "a tab in a string is written \\t" : "a string must end on its line";
    else
      message_ = fmt::format("\"{}\" has no place in an escape", c);
  }

  void at_token(std::size_t offset) {
    offset_ = offset;
    const char c = text_[offset];
    const std::string separator = between(text_, stop_.previous_end, offset);
    if (c == '\'')
      message_ = "strings stand in double quotes";
    else if ((c == '}' || c == ']') && separator == ",")
      message_ = fmt::format("a comma too many before \"{}\"", c);
    else
      expected_instead(separator);
  }

  void expected_instead(const std::string& separator) {
    if (stop_.open.empty()) {
      message_ =
          stop_.previous_end > 0 ? "something stands after the end of the document" : "this is not JSON";
      return;
    }
    const JsonNode& parent = *stop_.open.back();
    const bool first = parent.members.empty() && parent.elements.empty();
    const bool wants_value =
        separator == ":" || (parent.kind == JsonKind::array && (first || separator == ","));
    if (wants_value)
      expected_value();
    else if (first || separator == ",")
      message_ = "a key in double quotes is expected here";
    else if (parent.kind == JsonKind::object && parent.members.back().value.end == 0)
      message_ = fmt::format("\":\" is expected after the key \"{}\"", parent.members.back().key);
    else
      message_ = fmt::format("\",\" or \"{}\" is expected here", parent.kind == JsonKind::object ? '}' : ']');
  }

  void expected_value() {
    std::size_t end = offset_;
    while (end < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || is_in_json_number(text_[end])))
      ++end;
    const std::string word(text_.substr(offset_, end - offset_));
    if (word.empty()) {
      message_ = "a value is expected here";
    } else if (is_in_json_number(word.front()) && word.front() != 'e' && word.front() != 'E') {
      message_ = fmt::format("\"{}\" is not a number of JSON, or too large", word);
    } else {
      message_ = fmt::format("\"{}\" is not a value", word);
      const std::string meant = nearest(word, std::array<std::string, 3>{"true", "false", "null"});
      hint_ = meant.empty() ? "strings stand in double quotes" : fmt::format("did you mean {}?", meant);
    }
  }

  std::string_view text_;
  const JsonStop& stop_;
  std::size_t offset_ = 0;
  std::string message_;
  std::string hint_;
};

}  // namespace

bool is_json_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_in_json_number(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

void add_syntax_fault(std::string_view text, const JsonStop& stop, JsonFaults& faults) {
  SyntaxFault fault(text, stop);
  fault.find(faults);
  faults.add(fault.offset(), fault.message(), fault.hint());
}

}  // namespace jcprof
