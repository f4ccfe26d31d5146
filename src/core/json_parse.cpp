// SPDX-License-Identifier: Apache-2.0
// Reads JSON with places. The structure is read here, so that each fault is found where it is and told in our
// words; strings and numbers are nlohmann's to understand.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/core/json_text.hpp"
#include "src/core/text.hpp"

namespace jcprof {
namespace {

using nlohmann::json;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_in_number(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '+' || c == '.' || c == 'e' ||
         c == 'E';
}

bool is_in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || is_in_number(c);
}

/// Reports keys that occur twice, and drops the later ones.
void drop_duplicates(std::vector<JsonMember>& members, JsonFaults& faults) {
  std::vector<const JsonMember*> sorted;
  for (const JsonMember& member : members) sorted.push_back(&member);
  std::ranges::stable_sort(sorted, {}, &JsonMember::key);
  std::vector<std::size_t> later;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i]->key != sorted[i - 1]->key) continue;
    later.push_back(sorted[i]->key_offset);
    faults.add(sorted[i]->key_offset, fmt::format("the key \"{}\" occurs twice", sorted[i]->key),
               fmt::format("the one before is in line {}", faults.line_of(sorted[i - 1]->key_offset)));
  }
  std::erase_if(members, [&](const JsonMember& member) {
    return std::ranges::find(later, member.key_offset) != later.end();
  });
}

class DocumentParser {
 public:
  DocumentParser(std::string_view text, JsonFaults& faults) : text_(text), faults_(faults) {}

  JsonNode document() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    skip_blanks();
    JsonNode root = value();
    skip_blanks();
    if (at_ < text_.size()) fail("something stands after the end of the document");
    return root;
  }

 private:
  /// The fault is where the parser stands.
  [[noreturn]] void fail(std::string message, std::string hint = {}) {
    faults_.add(at_, std::move(message), std::move(hint));
    faults_.throw_if_any();
    std::abort();
  }
  [[noreturn]] void fail_at_end(std::string message) {
    // The last line that says something, rather than the empty one after it.
    at_ = text_.find_last_not_of(" \t\r\n") + 1;
    fail(std::move(message));
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      const std::string_view two = text_.substr(at_, 2);
      if (two == "//" || two == "/*") {
        const std::string_view last = two == "//" ? "\n" : "*/";
        const std::size_t end = text_.find(last, at_ + 2);
        if (end == std::string_view::npos && two == "/*") fail_at_end("the file ends inside a comment");
        at_ = std::min(end, text_.size() - last.size()) + last.size();
      } else if (is_blank(text_[at_])) {
        ++at_;
      } else {
        return;
      }
    }
    if (open_.empty()) return;
    fail_at_end(fmt::format("the file ends, but the \"{}\" of line {} is not closed", text_[open_.back()],
                            faults_.line_of(open_.back())));
  }

  /// The word at this place, of which no character says that it is another kind.
  std::string_view word(bool (*is_in)(char)) const {
    const std::string_view rest = text_.substr(at_);
    return rest.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(rest, is_in) - rest.begin()));
  }

  JsonNode value() {
    if (at_ == text_.size()) fail_at_end("the file is empty");
    JsonNode node;
    node.offset = at_;
    const char c = text_[at_];
    if (c == '{' || c == '[')
      read_inside(node);
    else if (c == '"')
      read_string(node);
    else if (c == '\'')
      fail("strings stand in double quotes");
    else if (is_in_number(c) && c != 'e' && c != 'E')
      read_number(node);
    else
      read_literal(node);
    node.end = at_;
    return node;
  }

  void read_literal(JsonNode& node) {
    const std::string text(word(is_in_word));
    if (text != "true" && text != "false" && text != "null") {
      if (open_.empty()) fail("this is not JSON");
      if (text.empty()) fail("a value is expected here");
      const std::string meant = nearest(text, std::array<std::string, 3>{"true", "false", "null"});
      fail(fmt::format("\"{}\" is not a value", text),
           meant.empty() ? "strings stand in double quotes" : fmt::format("did you mean {}?", meant));
    }
    node.kind = text == "null" ? JsonKind::null : JsonKind::boolean;
    node.boolean = text == "true";
    at_ += text.size();
  }

  void read_number(JsonNode& node) {
    node.kind = JsonKind::number;
    node.text = word(is_in_number);
    const json number = json::parse(node.text, nullptr, false);
    if (number.is_discarded())
      fail(open_.empty() ? "this is not JSON"
                         : fmt::format("\"{}\" is not a number of JSON, or too large", word(is_in_word)));
    node.number = number;
    if (number.is_number_unsigned()) node.natural = number;
    at_ += node.text.size();
  }

  void read_string(JsonNode& node) {
    node.kind = JsonKind::string;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      refuse_control();
      if (text_[at_] == '\\') skip_escape();
    }
    if (at_ >= text_.size()) fail_at_end("the file ends inside a string");
    const json string = json::parse(text_.substr(node.offset, ++at_ - node.offset), nullptr, false);
    if (string.is_discarded()) {
      at_ = node.offset;
      fail("half of a pair of \\u escapes");
    }
    node.text = string;
  }

  void refuse_control() {
    if (text_[at_] == '\t') fail("a tab in a string is written \\t");
    if (is_blank(text_[at_]) && text_[at_] != ' ') fail("a string must end on its line");
  }

  /// Stands on the last character of the escape afterwards.
  void skip_escape() {
    ++at_;
    const std::size_t digits = text_.substr(at_, 1) == "u" ? 4 : 0;
    for (std::size_t i = 0; i <= digits && at_ + i < text_.size(); ++i) {
      const char c = text_[at_ + i];
      const bool has_place = i == 0 ? std::string_view("\"\\/bfnrtu").find(c) != std::string_view::npos
                                    : std::isxdigit(static_cast<unsigned char>(c)) != 0;
      if (has_place) continue;
      at_ += i;
      refuse_control();
      fail(fmt::format("\"{}\" has no place in an escape", c));
    }
    at_ += digits;
  }

  /// Of a list or an object.
  void read_inside(JsonNode& node) {
    if (open_.size() == deepest_json) fail(fmt::format("nested more than {} levels deep", deepest_json));
    node.kind = text_[at_] == '{' ? JsonKind::object : JsonKind::array;
    const char closing = node.kind == JsonKind::object ? '}' : ']';
    open_.push_back(at_++);
    skip_blanks();
    for (bool is_first = true; text_[at_] != closing; is_first = false) {
      if (!is_first) skip_comma(closing);
      if (node.kind == JsonKind::object)
        read_member(node.members.emplace_back());
      else
        node.elements.push_back(value());
      skip_blanks();
    }
    ++at_;
    open_.pop_back();
    drop_duplicates(node.members, faults_);
  }

  void skip_comma(char closing) {
    if (text_[at_] != ',') fail(fmt::format("\",\" or \"{}\" is expected here", closing));
    ++at_;
    skip_blanks();
    if (text_[at_] == '}' || text_[at_] == ']')
      fail(fmt::format("a comma too many before \"{}\"", text_[at_]));
  }

  void read_member(JsonMember& member) {
    if (text_[at_] == '\'') fail("strings stand in double quotes");
    if (text_[at_] != '"') fail("a key in double quotes is expected here");
    const JsonNode key = value();
    member.key = key.text;
    member.key_offset = key.offset;
    skip_blanks();
    if (text_[at_] != ':') fail(fmt::format("\":\" is expected after the key \"{}\"", member.key));
    ++at_;
    skip_blanks();
    member.value = value();
  }

  std::string_view text_;
  JsonFaults& faults_;
  std::size_t at_ = 0;
  std::vector<std::size_t> open_;  // places of the brackets that are not closed, outermost first
};

bool is_control_byte(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && !is_blank(c)) || c == 0x7F;
}

/// Nobody can see a control byte in an editor.
void refuse_what_is_no_text(std::string_view text, JsonFaults& faults) {
  const bool is_utf16 = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  if (is_utf16) faults.add(0, "the file is UTF-16", "save it as UTF-8");
  faults.throw_if_any();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    const auto byte = static_cast<unsigned char>(text[at]);
    if (is_control_byte(text[at]))
      faults.add(at, fmt::format("not a text file: it holds the byte 0x{:02X}", byte));
    if (length == 0)
      faults.add(at, fmt::format("the byte 0x{:02X} is not UTF-8", byte), "save the file as UTF-8");
    faults.throw_if_any();
    at += length;
  }
}

}  // namespace

JsonNode parse_json(std::string_view text, JsonFaults& faults) {
  refuse_what_is_no_text(text, faults);
  return DocumentParser(text, faults).document();
}

json parse_line(std::string_view text) {
  bool is_too_deep = false;
  const auto is_kept = [&](int depth, json::parse_event_t event, const json&) {
    const bool opens =
        event == json::parse_event_t::array_start || event == json::parse_event_t::object_start;
    is_too_deep = is_too_deep || (opens && static_cast<std::size_t>(depth) >= deepest_json);
    return !is_too_deep;
  };
  json root = json::parse(text, is_kept, false);
  return is_too_deep ? json(json::value_t::discarded) : root;
}

}  // namespace jcprof
