// SPDX-License-Identifier: Apache-2.0
#include "src/core/object_reader.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/core/text.hpp"

namespace jcprof {
namespace {

std::string quoted_list(const std::vector<std::string>& names) {
  return fmt::format("\"{}\"", fmt::join(names, "\", \""));
}

std::string which_are_known(std::string_view word, const std::vector<std::string>& names) {
  const std::string hint = did_you_mean(word, names);
  return hint.empty() && !names.empty() ? "known here: " + quoted_list(names) : hint;
}

}  // namespace

ObjectReader::ObjectReader(const JsonNode& node, JsonFaults& faults) : node_(node), faults_(faults) {
  is_kind(node, JsonKind::object, faults);
}

const JsonNode* ObjectReader::find(std::string_view key) {
  known_.emplace_back(key);
  const auto member = std::ranges::find(node_.members, key, &JsonMember::key);
  return member == node_.members.end() ? nullptr : &member->value;
}

void ObjectReader::missing(std::string_view key) {
  if (node_.kind == JsonKind::object) faults_.add(node_, fmt::format("the key \"{}\" is missing", key));
}

const JsonMember* ObjectReader::exactly_one(std::initializer_list<std::string_view> keys) {
  const JsonMember* found = nullptr;
  const std::vector<std::string> names(keys.begin(), keys.end());
  known_.insert(known_.end(), names.begin(), names.end());
  for (const JsonMember& member : node_.members) {
    if (std::ranges::find(names, member.key) == names.end()) continue;
    if (found != nullptr) {
      faults_.add(member.key_offset,
                  fmt::format("\"{}\" and \"{}\" exclude each other", found->key, member.key));
      return nullptr;
    }
    found = &member;
  }
  // A misspelt key is reported as an unknown one, with a better hint.
  const bool misspelt = std::ranges::any_of(node_.members, [&](const JsonMember& member) {
    return std::ranges::find(known_, member.key) == known_.end();
  });
  if (found == nullptr && node_.kind == JsonKind::object && !misspelt)
    faults_.add(node_, fmt::format("one of {} is needed here", quoted_list(names)));
  return found;
}

void ObjectReader::refuse_the_rest() {
  for (const JsonMember& member : node_.members)
    if (std::ranges::find(known_, member.key) == known_.end())
      faults_.add(member.key_offset, fmt::format("unknown key \"{}\"", member.key),
                  which_are_known(member.key, known_));
}

bool is_kind(const JsonNode& node, JsonKind kind, JsonFaults& faults) {
  if (node.kind == kind) return true;
  faults.add(node, fmt::format("{} is expected here, not {}", name_of(kind), name_of(node.kind)));
  return false;
}

void read_string(const JsonNode& node, std::string& to, JsonFaults& faults) {
  if (!is_kind(node, JsonKind::string, faults)) return;
  if (node.text.empty())
    faults.add(node, "this must not be empty");
  else if (node.text.find('\0') != std::string::npos)
    faults.add(node, "a string must not hold a NUL character");
  else
    to = node.text;
}

void read_strings(const JsonNode& node, std::vector<std::string>& to, JsonFaults& faults) {
  if (!is_kind(node, JsonKind::array, faults)) return;
  to.clear();
  for (const JsonNode& element : node.elements) read_string(element, to.emplace_back(), faults);
}

void read_string_or_list(const JsonNode& node, std::vector<std::string>& to, JsonFaults& faults) {
  if (node.kind == JsonKind::string) {
    to.resize(1);
    read_string(node, to.front(), faults);
  } else if (node.kind == JsonKind::array) {
    if (node.elements.empty()) faults.add(node, "this must not be empty");
    read_strings(node, to, faults);
  } else {
    faults.add(node,
               fmt::format("a string or a list of strings is expected here, not {}", name_of(node.kind)));
  }
}

void read_boolean(const JsonNode& node, bool& to, JsonFaults& faults) {
  if (is_kind(node, JsonKind::boolean, faults)) to = node.boolean;
}

std::size_t index_of_name(const JsonNode& node, std::string_view what, const std::vector<std::string>& names,
                          JsonFaults& faults) {
  if (!is_kind(node, JsonKind::string, faults)) return names.size();
  const auto found = std::ranges::find(names, node.text);
  if (found == names.end())
    faults.add(node, fmt::format("unknown {} \"{}\"", what, node.text), which_are_known(node.text, names));
  return static_cast<std::size_t>(found - names.begin());
}

bool Natural::is_in_range(const JsonNode& node, JsonFaults& faults) const {
  if (!is_kind(node, JsonKind::number, faults)) return false;
  if (node.natural && *node.natural >= lowest && *node.natural <= highest) return true;
  if (highest == UINT64_MAX)
    faults.add(node, fmt::format("a whole number from {} on is expected here, not {}", lowest, node.text));
  else
    faults.add(node, fmt::format("a whole number from {} to {} is expected here, not {}", lowest, highest,
                                 node.text));
  return false;
}

void read_heading(ObjectReader& object, const JsonNode& root, const FileFormat& wanted, JsonFaults& faults) {
  std::string format;
  std::uint64_t version = 0;
  object.required("format", format, read_string);
  object.required("version", version, Natural{});
  if (format != wanted.name && !format.empty())
    faults.add(root, fmt::format("\"format\" is not \"{}\"{}", wanted.name,
                                 wanted.kind.empty() ? "" : fmt::format(": this is no {}", wanted.kind)));
  else if (version != wanted.version && version != 0)
    faults.add(root,
               fmt::format("version {} is not known; this jcprof reads version {}", version, wanted.version));
}

}  // namespace jcprof
