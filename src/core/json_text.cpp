// SPDX-License-Identifier: Apache-2.0
#include "src/core/json_text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace jcprof {
namespace {

// Whoever has more faults than these has handed us another kind of file.
constexpr std::size_t most_faults = 50;

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
  faults.reserve(sorted.size() + 1);
  for (Located& located : sorted) faults.push_back(std::move(located.fault));
  if (faults.size() == most_faults)
    faults.push_back({.message = fmt::format("only the first {} faults are shown", most_faults)});
  throw UserError(std::move(faults));
}

std::string json_string(std::string_view text) {
  using nlohmann::json;
  const auto stands_for_itself = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (std::ranges::all_of(text, stands_for_itself)) return fmt::format("\"{}\"", text);
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
