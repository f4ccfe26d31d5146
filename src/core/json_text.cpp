// SPDX-License-Identifier: Apache-2.0
#include "src/core/json_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/core/text.hpp"

namespace jcprof {
namespace {

using nlohmann::json;

// Deep enough for every file of ours, shallow enough for functions that call themselves.
constexpr std::size_t deepest = 64;
// Whoever has more faults than these has handed us another kind of file.
constexpr std::size_t most_faults = 50;

/// Hands out the text byte by byte and counts: after each event of the parser, `*consumed` is where it is.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* consumed) : at_(at), consumed_(consumed) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*consumed_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* consumed_;
};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool in_number(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/// The end of the comment that begins at `offset`.
std::size_t end_of_comment(std::string_view text, std::size_t offset) {
  const bool to_line_end = text.substr(offset, 2) == "//";
  const std::size_t end = text.find(to_line_end ? "\n" : "*/", offset + 2);
  return end == std::string_view::npos ? text.size() : end + (to_line_end ? 1 : 2);
}

/// What stands between two offsets apart from blanks and comments.
std::string between(std::string_view text, std::size_t from, std::size_t to) {
  std::string found;
  while (from < to) {
    if (text[from] == '/') {
      from = end_of_comment(text, from);
      continue;
    }
    if (!is_blank(text[from])) found += text[from];
    ++from;
  }
  return found;
}

/// How many bytes of the text a token has that nlohmann shows with control bytes as "<U+000A>".
std::size_t length_of_token(const std::string& shown) {
  std::size_t length = shown.size();
  for (std::size_t at = shown.find("<U+00"); at != std::string::npos; at = shown.find("<U+00", at + 1))
    length -= std::string_view("<U+000A>").size() - 1;
  return length;
}

/// What is wrong with a text that is not JSON.
class SyntaxFault {
 public:
  SyntaxFault(std::string_view text, std::size_t previous_end, const std::vector<JsonNode*>& open)
      : text_(text), previous_end_(previous_end), open_(open) {}

  /// `position`: bytes read, with the one that was too much. `token`: the last one, as nlohmann shows it.
  void report(std::size_t position, const std::string& token, const JsonFaults& places) {
    const std::size_t length = length_of_token(token);
    if (position > text_.size())
      at_end(token, places);
    else if (token.starts_with('"') && (token.size() == 1 || !token.ends_with('"')))
      in_string(position - 1);
    else
      at_token(position - std::min(position, std::max<std::size_t>(length, 1)));
  }

  std::size_t offset() const { return offset_; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }

 private:
  void at_end(const std::string& token, const JsonFaults& places) {
    // The last line that says something, rather than the empty one after it.
    offset_ = text_.find_last_not_of(" \t\r\n");
    offset_ = offset_ == std::string_view::npos ? 0 : offset_ + 1;
    if (token.starts_with('"'))
      message_ = "the file ends inside a string";
    else if (token.starts_with("/*"))
      message_ = "the file ends inside a comment";
    else if (open_.empty())
      message_ = "the file is empty";
    else
      message_ = fmt::format("the file ends, but the \"{}\" of line {} is not closed",
                             text_[open_.back()->offset], places.line_of(open_.back()->offset));
  }

  void in_string(std::size_t offset) {
    offset_ = offset;
    const char c = text_[offset];
    if (is_blank(c) && c != ' ')
      message_ = c == '\t' ? "a tab in a string is written \\t" : "a string must end on its line";
    else
      message_ = fmt::format("\"{}\" has no place in an escape", c);
  }

  void at_token(std::size_t offset) {
    offset_ = offset;
    const char c = text_[offset];
    const std::string separator = between(text_, previous_end_, offset);
    if (c == '\'')
      message_ = "strings stand in double quotes";
    else if ((c == '}' || c == ']') && separator == ",")
      message_ = fmt::format("a comma too many before \"{}\"", c);
    else
      expected_instead(separator);
  }

  void expected_instead(const std::string& separator) {
    if (open_.empty()) {
      message_ = previous_end_ > 0 ? "something stands after the end of the document" : "this is not JSON";
      return;
    }
    const JsonNode& parent = *open_.back();
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
           (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || in_number(text_[end])))
      ++end;
    const std::string word(text_.substr(offset_, end - offset_));
    if (word.empty()) {
      message_ = "a value is expected here";
    } else if (in_number(word.front()) && word.front() != 'e' && word.front() != 'E') {
      message_ = fmt::format("\"{}\" is not a number of JSON, or too large", word);
    } else {
      message_ = fmt::format("\"{}\" is not a value", word);
      const std::string meant = nearest(word, std::array<std::string, 3>{"true", "false", "null"});
      hint_ = meant.empty() ? "strings stand in double quotes" : fmt::format("did you mean {}?", meant);
    }
  }

  std::string_view text_;
  std::size_t previous_end_;
  const std::vector<JsonNode*>& open_;
  std::size_t offset_ = 0;
  std::string message_;
  std::string hint_;
};

/// Builds the tree from nlohmann's events; the names of the functions are nlohmann's.
class TreeBuilder : public nlohmann::json_sax<json> {
 public:
  TreeBuilder(std::string_view text, JsonFaults& faults) : text_(text), faults_(faults) {}

  std::size_t* consumed() { return &consumed_; }
  JsonNode take_root() { return std::move(root_); }

  bool null() override { return add_literal({}, 4); }
  bool boolean(bool value) override {
    return add_literal({.kind = JsonKind::boolean, .boolean = value}, value ? 4 : 5);
  }
  bool number_integer(number_integer_t value) override {
    return add_number({.kind = JsonKind::number, .number = static_cast<double>(value)});
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add_number({.kind = JsonKind::number, .number = static_cast<double>(value), .natural = value});
  }
  bool number_float(number_float_t value, const string_t& /*written*/) override {
    return add_number({.kind = JsonKind::number, .number = value});
  }
  bool string(string_t& value) override {
    add({.kind = JsonKind::string, .text = value, .offset = opening_quote(), .end = consumed_});
    return true;
  }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return start(JsonKind::object); }
  bool start_array(std::size_t /*size*/) override { return start(JsonKind::array); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool key(string_t& name) override;
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& /*error*/) override;

 private:
  /// The parser stands behind a closing quote: quotes inside of a string have a backslash before them.
  std::size_t opening_quote() const {
    std::size_t at = consumed_ - 2;
    const auto escaped = [this](std::size_t quote) {
      std::size_t slashes = 0;
      while (text_[quote - 1 - slashes] == '\\') ++slashes;
      return slashes % 2 == 1;
    };
    while (text_[at] != '"' || escaped(at)) --at;
    return at;
  }

  bool add_literal(JsonNode node, std::size_t length) {
    node.end = consumed_;
    node.offset = consumed_ - length;
    add(std::move(node));
    return true;
  }

  bool add_number(JsonNode node) {
    // The end of a number shows in the byte after it, which has been read already.
    node.end = in_number(text_[consumed_ - 1]) ? consumed_ : consumed_ - 1;
    node.offset = node.end;
    while (node.offset > 0 && in_number(text_[node.offset - 1])) --node.offset;
    node.text = text_.substr(node.offset, node.end - node.offset);
    add(std::move(node));
    return true;
  }

  bool start(JsonKind kind) {
    if (open_.size() == deepest) {
      faults_.add(consumed_ - 1, fmt::format("nested more than {} levels deep", deepest));
      return false;
    }
    open_.push_back(&add({.kind = kind, .offset = consumed_ - 1}));
    return true;
  }

  bool end() {
    open_.back()->end = consumed_;
    previous_end_ = consumed_;
    open_.pop_back();
    return true;
  }

  /// Pointers in `open_` stay good: a parent's list only grows once the child that is open has been closed.
  JsonNode& add(JsonNode node) {
    previous_end_ = std::max(node.end, node.offset + 1);
    if (open_.empty()) return root_ = std::move(node);
    JsonNode& parent = *open_.back();
    if (parent.kind == JsonKind::array) return parent.elements.emplace_back(std::move(node));
    return parent.members.back().value = std::move(node);
  }

  std::string_view text_;
  JsonFaults& faults_;
  std::size_t consumed_ = 0;
  std::size_t previous_end_ = 0;
  JsonNode root_;
  std::vector<JsonNode*> open_;
};

bool TreeBuilder::key(string_t& name) {
  open_.back()->members.push_back({.key = name, .key_offset = opening_quote(), .value = {}});
  previous_end_ = consumed_;
  return true;
}

bool TreeBuilder::parse_error(std::size_t position, const std::string& token,
                              const nlohmann::detail::exception& /*error*/) {
  SyntaxFault fault(text_, previous_end_, open_);
  fault.report(position, token, faults_);
  faults_.add(fault.offset(), fault.message(), fault.hint());
  return false;
}

/// Reports keys that occur twice, and drops the later ones.
void drop_duplicates(JsonNode& node, JsonFaults& faults) {
  for (JsonNode& element : node.elements) drop_duplicates(element, faults);
  std::vector<const JsonMember*> sorted;
  for (JsonMember& member : node.members) {
    drop_duplicates(member.value, faults);
    sorted.push_back(&member);
  }
  std::ranges::stable_sort(sorted, {}, &JsonMember::key);
  std::vector<std::size_t> later;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i]->key != sorted[i - 1]->key) continue;
    later.push_back(sorted[i]->key_offset);
    faults.add(sorted[i]->key_offset, fmt::format("the key \"{}\" occurs twice", sorted[i]->key),
               fmt::format("the one before is in line {}", faults.line_of(sorted[i - 1]->key_offset)));
  }
  std::erase_if(node.members, [&](const JsonMember& member) {
    return std::ranges::find(later, member.key_offset) != later.end();
  });
}

/// Length of the UTF-8 sequence at the head of `text`; 0 when it is none (Unicode 15, table 3-7, but for
/// surrogates and overlong forms of three and four bytes, which nlohmann refuses where they matter).
std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) return 0;
  return length;
}

bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && !is_blank(c)) || c == 0x7F;
}

/// nlohmann takes a NUL for the end of the text, and nobody can see a control byte in an editor.
void refuse_what_is_no_text(std::string_view text, JsonFaults& faults) {
  const bool is_utf16 = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  if (is_utf16) faults.add(0, "the file is UTF-16", "save it as UTF-8");
  faults.throw_if_any();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    const auto byte = static_cast<unsigned char>(text[at]);
    if (is_control(text[at]))
      faults.add(at, fmt::format("not a text file: it holds the byte 0x{:02X}", byte));
    if (length == 0)
      faults.add(at, fmt::format("the byte 0x{:02X} is not UTF-8", byte), "save the file as UTF-8");
    faults.throw_if_any();
    at += length;
  }
}

}  // namespace

std::string_view name_of(JsonKind kind) {
  constexpr std::array<std::string_view, 6> names{"null",     "true or false", "a number",
                                                  "a string", "a list",        "an object"};
  return names.at(static_cast<std::size_t>(kind));
}

JsonFaults::JsonFaults(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {}

void JsonFaults::add(std::size_t offset, std::string message, std::string hint) {
  faults_.push_back(
      {offset,
       {.message = std::move(message), .place = place_at(file_, text_, offset), .hint = std::move(hint)}});
  if (faults_.size() == most_faults) throw_if_any();
}

void JsonFaults::add(const JsonNode& at, std::string message, std::string hint) {
  add(at.offset, std::move(message), std::move(hint));
}

void JsonFaults::add_inside(const JsonNode& string, std::size_t index, std::string message,
                            std::string hint) {
  const bool has_escapes = string.end - string.offset != string.text.size() + 2;
  add(has_escapes ? string.offset : string.offset + 1 + index, std::move(message), std::move(hint));
}

std::size_t JsonFaults::line_of(std::size_t offset) const {
  return place_at(file_, text_, offset).line;
}

void JsonFaults::throw_if_any() const {
  if (faults_.empty()) return;
  std::vector<Located> sorted = faults_;
  std::ranges::stable_sort(sorted, {}, &Located::offset);
  std::vector<Fault> faults;
  for (Located& located : sorted) faults.push_back(std::move(located.fault));
  if (faults.size() == most_faults)
    faults.push_back({.message = fmt::format("only the first {} faults are shown", most_faults)});
  throw UserError(std::move(faults));
}

JsonNode parse_json(std::string_view text, JsonFaults& faults) {
  refuse_what_is_no_text(text, faults);
  TreeBuilder builder(text, faults);
  const CountingIterator begin(text.data(), builder.consumed());
  const CountingIterator end(text.data() + text.size(), builder.consumed());
  const bool is_json = json::sax_parse(begin, end, &builder, json::input_format_t::json, true, true);
  if (!is_json) faults.throw_if_any();
  check(is_json, "a document that is not JSON has a fault");
  JsonNode root = builder.take_root();
  drop_duplicates(root, faults);
  return root;
}

std::string json_string(std::string_view text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string compact(const JsonNode& node) {
  std::string inside;
  switch (node.kind) {
    case JsonKind::null:
      return "null";
    case JsonKind::boolean:
      return node.boolean ? "true" : "false";
    case JsonKind::number:
      return node.text;
    case JsonKind::string:
      return json_string(node.text);
    case JsonKind::array:
      for (const JsonNode& element : node.elements) inside += (inside.empty() ? "" : ",") + compact(element);
      return "[" + inside + "]";
    case JsonKind::object:
      for (const JsonMember& member : node.members)
        inside += (inside.empty() ? "" : ",") + json_string(member.key) + ":" + compact(member.value);
      return "{" + inside + "}";
  }
  return "null";
}

}  // namespace jcprof
