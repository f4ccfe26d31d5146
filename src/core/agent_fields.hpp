// SPDX-License-Identifier: Apache-2.0
// Fields of the messages of the agent protocol: a Writer and a Reader, which a description of a message is
// handed. Only agent_protocol.cpp uses them; docs/agent-protocol.md says what they hold.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/core/error.hpp"
#include "src/core/hex.hpp"
#include "src/core/name_table.hpp"
#include "src/core/types.hpp"

namespace jcprof {

using nlohmann::json;
using nlohmann::ordered_json;

// Whole numbers up to this are exact in the doubles of every JSON library, and no run takes 104 days.
constexpr std::uint64_t most_exact = std::uint64_t{1} << 53U;
constexpr std::size_t longest_text = 1000;
constexpr std::size_t shown_of_a_line = 80;

/// The start of a text that a JSON library let pass, so it is UTF-8; without bytes that drive a terminal.
inline std::string shortened(std::string_view text) {
  std::size_t length = std::min(text.size(), longest_text);
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  return harmless(text.substr(0, length)) + (length < text.size() ? "…" : "");
}

/// The start of a line that may be anything, in ASCII.
inline std::string excerpt(std::string_view text) {
  std::string shown = harmless(text.substr(0, shown_of_a_line));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) >= 0x80 || c == '\n') c = '?';
  return text.size() > shown_of_a_line ? shown + "…" : shown;
}

/// FNV-1a (Fowler, Noll, Vo 1991): of a digest that is no number of 32 bits only equality is wanted.
inline std::uint32_t folded(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

enum class Rule : std::uint8_t {
  usual,   // may be missing
  needed,  // may not
  rare,    // may be missing, and is not written where it has its default
};

struct Range {
  std::uint64_t low = 0;
  std::uint64_t high = most_exact;
};

class Writer {
 public:
  explicit Writer(ordered_json& object) : object_(object) {}

  template <class T>
  void operator()(const char* key, const T& value, Rule rule = Rule::usual, Range /*range*/ = {}) {
    if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string> || std::same_as<T, Bytes>)
      if (rule == Rule::rare && value == T{}) return;
    object_[key] = written(value);
  }
  template <class T>
  void operator()(const char* key, const std::optional<T>& value) {
    if (value) (*this)(key, *value);
  }
  void text(const char* key, const std::string& value, Rule rule = Rule::usual) {
    (*this)(key, harmless(value), rule);
  }
  void json_text(const char* key, const std::string& value) {
    if (!value.empty()) object_[key] = ordered_json::parse(value);
  }
  void signature(const char* key, const auto& value) { (*this)(key, value); }
  void object(const char* key, Rule /*rule*/, const auto& inside) {
    ordered_json object = ordered_json::object();
    inside(Writer(object));
    object_[key] = object;
  }

 private:
  template <class T>
  static ordered_json written(const std::vector<T>& list) {
    ordered_json array = ordered_json::array();
    for (const T& each : list) array.push_back(written(each));
    return array;
  }
  template <class T, std::size_t size>
  static ordered_json written(const std::array<T, size>& list) {
    return list;
  }
  static ordered_json written(const Bytes& bytes) { return to_hex(bytes); }
  static ordered_json written(TrapId trap) { return number(trap); }
  template <class T>
  static ordered_json written(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return name_of(value);
    } else if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
      return value;
    } else {
      ordered_json object = ordered_json::object();
      fields(value, Writer(object));
      return object;
    }
  }

  ordered_json& object_;
};

inline std::string dumped(const ordered_json& tree) {
  return tree.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// Strict. The first fault is kept; a null is no value.
class Reader {
 public:
  Reader(const json& object, std::string& fault) : object_(object), fault_(fault) {
    if (!object.is_object()) note("an object", object);
  }

  template <class T>
  void operator()(const char* key, T& to, Rule rule = Rule::usual, Range range = {}) const {
    if (const json* value = find(key, rule)) read(key, *value, to, range);
  }
  void text(const char* key, std::string& to, Rule rule = Rule::usual) const {
    (*this)(key, to, rule);
    to = shortened(to);
  }
  void json_text(const char* key, std::string& to) const {
    if (const json* value = find(key)) to = value->dump(-1, ' ', false, json::error_handler_t::replace);
  }
  void signature(const char* key, auto& to) const {
    const json* value = find(key);
    if (value == nullptr) return;
    if (value->is_number_unsigned() && value->get<std::uint64_t>() <= UINT32_MAX)
      to = value->get<std::uint32_t>();
    else if (value->is_number_integer())
      to = folded(value->dump());
    else if (value->is_string())
      to = folded(value->get_ref<const std::string&>());
    else
      note("\"signature\" as a whole number or a string", *value);
  }
  void object(const char* key, Rule rule, const auto& inside) const {
    if (const json* value = find(key, rule)) inside(Reader(*value, fault_));
  }
  const json* find(const char* key, Rule rule = Rule::usual) const {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(key);
    if (found != object_.end() && !found->is_null()) return &*found;
    if (rule == Rule::needed && fault_.empty()) fault_ = fmt::format("\"{}\" is missing", key);
    return nullptr;
  }

 private:
  void note(std::string_view expected, const json& value) const {
    if (fault_.empty())
      fault_ = fmt::format("{} is expected, not {}", expected,
                           excerpt(value.dump(-1, ' ', true, json::error_handler_t::replace)));
  }
  void expect(bool is_good, const char* key, std::string_view as, const json& value) const {
    if (!is_good) note(fmt::format("\"{}\" as {}", key, as), value);
  }

  std::optional<std::uint64_t> natural(const char* key, const json& value, Range range) const {
    // 12.0, as some libraries write whole numbers.
    const double real = value.is_number_float() ? value.get<double>() : -1;
    const bool is_whole = real >= 0 && real == std::floor(real) && real <= static_cast<double>(most_exact);
    if (value.is_number_unsigned() || is_whole) {
      const std::uint64_t number = is_whole ? static_cast<std::uint64_t>(real) : value.get<std::uint64_t>();
      if (number >= range.low && number <= range.high) return number;
    }
    expect(false, key, fmt::format("a whole number from {} to {}", range.low, range.high), value);
    return std::nullopt;
  }

  void read(const char* key, const json& value, bool& to, Range /*range*/) const {
    expect(value.is_boolean(), key, "true or false", value);
    if (value.is_boolean()) to = value;
  }
  void read(const char* key, const json& value, std::integral auto& to, Range range) const {
    using T = std::remove_reference_t<decltype(to)>;
    range.high = std::min(range.high, static_cast<std::uint64_t>(std::numeric_limits<T>::max()));
    if (const auto number = natural(key, value, range)) to = static_cast<T>(*number);
  }
  void read(const char* key, const json& value, TrapId& to, Range range) const {
    std::uint32_t number = 0;
    read(key, value, number, range);
    to = TrapId{number};
  }
  /// Above 0, or what it is already.
  void read(const char* key, const json& value, double& to, Range /*range*/) const {
    const double number = value.is_number() ? value.get<double>() : -1;
    const bool is_good = std::isfinite(number) && (number > 0 || number == to);
    expect(is_good, key, "a number above 0", value);
    if (is_good) to = number;
  }
  void read(const char* key, const json& value, std::string& to, Range /*range*/) const {
    expect(value.is_string(), key, "a string", value);
    if (value.is_string()) to = value;
  }
  void read(const char* key, const json& value, Bytes& to, Range range) const {
    std::string text;
    read(key, value, text, range);
    const std::optional<Bytes> bytes = parse_hex(text);
    if (!bytes && fault_.empty()) fault_ = fmt::format("\"{}\" is not hexadecimal", key);
    to = bytes.value_or(Bytes{});
  }
  template <class T>
  void read(const char* key, const json& value, std::optional<T>& to, Range range) const {
    read(key, value, to.emplace(), range);
  }
  template <class T>
  void read(const char* key, const json& value, std::vector<T>& to, Range range) const {
    expect(value.is_array(), key, "a list", value);
    if (!value.is_array()) return;
    to.resize(value.size());
    for (std::size_t i = 0; i < to.size(); ++i) read(key, value[i], to[i], range);
  }
  template <class T, std::size_t size>
  void read(const char* key, const json& value, std::array<T, size>& to, Range range) const {
    const bool is_list = value.is_array() && value.size() == size;
    expect(is_list, key, fmt::format("a list of {}", size), value);
    for (std::size_t i = 0; is_list && i < size; ++i) read(key, value[i], to[i], range);
  }
  template <class T>
  void read(const char* key, const json& value, T& to, Range range) const {
    if constexpr (std::is_enum_v<T>) {
      std::string name;
      read(key, value, name, range);
      const std::optional<T> word = value_named<T>(name);
      if (!word && fault_.empty()) fault_ = fmt::format("there is no {} \"{}\"", key, shortened(name));
      to = word.value_or(to);
    } else {
      fields(to, Reader(value, fault_));
    }
  }

  const json& object_;
  std::string& fault_;
};

}  // namespace jcprof
