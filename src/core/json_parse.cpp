// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/core/json_syntax.hpp"
#include "src/core/text.hpp"

namespace jcprof {
namespace {

using nlohmann::json;

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

JsonNode node_of(JsonKind kind) {
  JsonNode node;
  node.kind = kind;
  return node;
}

/// Builds the tree from nlohmann's events; the names of the functions are nlohmann's.
class TreeBuilder : public nlohmann::json_sax<json> {
 public:
  TreeBuilder(std::string_view text, JsonFaults& faults) : text_(text), faults_(faults) {}

  std::size_t* consumed() { return &consumed_; }
  JsonNode take_root() { return std::move(root_); }

  bool null() override { return add_literal(node_of(JsonKind::null), 4); }
  bool boolean(bool value) override {
    JsonNode node = node_of(JsonKind::boolean);
    node.boolean = value;
    return add_literal(std::move(node), value ? 4 : 5);
  }
  bool number_integer(number_integer_t value) override { return add_number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    return add_number(static_cast<double>(value), value);
  }
  bool number_float(number_float_t value, const string_t& /*written*/) override { return add_number(value); }
  bool string(string_t& value) override {
    JsonNode node = node_of(JsonKind::string);
    node.text = std::move(value);
    node.offset = opening_quote();
    node.end = consumed_;
    add(std::move(node));
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
      while (slashes < quote && text_[quote - 1 - slashes] == '\\') ++slashes;
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

  bool add_number(double number, std::optional<std::uint64_t> natural = std::nullopt) {
    JsonNode node = node_of(JsonKind::number);
    node.number = number;
    node.natural = natural;
    // The end of a number shows in the byte after it, which has been read already.
    node.end = is_in_json_number(text_[consumed_ - 1]) ? consumed_ : consumed_ - 1;
    node.offset = node.end;
    while (node.offset > 0 && is_in_json_number(text_[node.offset - 1])) --node.offset;
    node.text = text_.substr(node.offset, node.end - node.offset);
    add(std::move(node));
    return true;
  }

  bool start(JsonKind kind) {
    if (open_.size() == deepest_json) {
      faults_.add(consumed_ - 1, fmt::format("nested more than {} levels deep", deepest_json));
      return false;
    }
    JsonNode node = node_of(kind);
    node.offset = consumed_ - 1;
    open_.push_back(&add(std::move(node)));
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

bool TreeBuilder::parse_error(std::size_t position, const std::string& /*token*/,
                              const nlohmann::detail::exception& /*error*/) {
  add_syntax_fault(text_, {position, previous_end_, {open_.begin(), open_.end()}}, faults_);
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

bool is_control_byte(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && !is_json_blank(c)) || c == 0x7F;
}

/// nlohmann takes a NUL for the end of the text, and nobody can see a control byte in an editor.
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
  TreeBuilder builder(text, faults);
  const CountingIterator begin(text.begin(), builder.consumed());
  const CountingIterator end(text.end(), builder.consumed());
  const bool is_json = json::sax_parse(begin, end, &builder, json::input_format_t::json, true, true);
  if (!is_json) faults.throw_if_any();
  check(is_json, "a document that is not JSON has a fault");
  JsonNode root = builder.take_root();
  drop_duplicates(root, faults);
  return root;
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
