// SPDX-License-Identifier: Apache-2.0
// Strict reading of JSON objects: one line a key, and what was not asked for is reported as unknown. The
// functions below it read single values; each adds a fault and leaves the target alone when it cannot.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/core/json_text.hpp"
#include "src/core/name_table.hpp"

namespace jcprof {

class ObjectReader {
 public:
  /// Another kind of value is a fault; all keys are absent then, and none is missed.
  ObjectReader(const JsonNode& node, JsonFaults& faults);

  /// Calls read(value, to, faults) when the key is there. True when it is.
  template <class T, class Read>
  bool optional(std::string_view key, T& to, const Read& read) {
    const JsonNode* value = find(key);
    if (value != nullptr) read(*value, to, faults_);
    return value != nullptr;
  }
  template <class T, class Read>
  void required(std::string_view key, T& to, const Read& read) {
    if (!optional(key, to, read)) missing(key);
  }

  /// The value of a key, or nullptr; the key counts as known from now on.
  const JsonNode* find(std::string_view key);
  void missing(std::string_view key);
  /// The one key of `keys` that is there. None or several: a fault, and nullptr.
  const JsonMember* exactly_one(std::initializer_list<std::string_view> keys);
  /// Reports the keys that nobody asked for. To be called last.
  void refuse_the_rest();

 private:
  const JsonNode& node_;
  JsonFaults& faults_;
  std::vector<std::string> known_;
};

/// False, with a fault, when the node is of another kind.
bool is_kind(const JsonNode& node, JsonKind kind, JsonFaults& faults);

/// Not empty, without NUL.
void read_string(const JsonNode& node, std::string& to, JsonFaults& faults);
void read_strings(const JsonNode& node, std::vector<std::string>& to, JsonFaults& faults);
/// A string, or a list of at least one.
void read_string_or_list(const JsonNode& node, std::vector<std::string>& to, JsonFaults& faults);
void read_boolean(const JsonNode& node, bool& to, JsonFaults& faults);

/// A value out of a closed list of names.
template <class T>
struct OneOf {
  std::string_view what;  // "level"
  std::vector<std::pair<std::string_view, T>> names;

  void operator()(const JsonNode& node, T& to, JsonFaults& faults) const;
};
/// Of the words of a table.
template <class T, class Value, std::size_t N>
OneOf<T> one_of(std::string_view what, const NameTable<Value, N>& table) {
  OneOf<T> result{what, {}};
  for (const auto& [value, name] : table) result.names.emplace_back(name, value);
  return result;
}
/// The index of the node's string among `names`; the number of names, with a fault, when it is none of them.
std::size_t index_of_name(const JsonNode& node, std::string_view what, const std::vector<std::string>& names,
                          JsonFaults& faults);

/// A whole number in a closed range.
struct Natural {
  std::uint64_t lowest = 0;
  std::uint64_t highest = UINT64_MAX;

  template <class T>
  void operator()(const JsonNode& node, T& to, JsonFaults& faults) const {
    if (is_in_range(node, faults)) to = static_cast<T>(*node.natural);
  }
  template <class T>
  void operator()(const JsonNode& node, std::optional<T>& to, JsonFaults& faults) const {
    if (is_in_range(node, faults)) to = static_cast<T>(*node.natural);
  }

 private:
  bool is_in_range(const JsonNode& node, JsonFaults& faults) const;
};

/// The first keys of a file of jcprof.
struct FileFormat {
  std::string_view name;
  std::uint64_t version = 1;
  std::string_view kind = {};  // "file of budgets"; may be empty
};
/// Reads "format" and "version" of the file `root`. Another format or version is a fault.
void read_heading(ObjectReader& object, const JsonNode& root, const FileFormat& wanted, JsonFaults& faults);

template <class T>
void OneOf<T>::operator()(const JsonNode& node, T& to, JsonFaults& faults) const {
  std::vector<std::string> candidates;
  candidates.reserve(names.size());
  for (const auto& [name, value] : names) candidates.emplace_back(name);
  const std::size_t index = index_of_name(node, what, candidates, faults);
  if (index < names.size()) to = names[index].second;
}

}  // namespace jcprof
