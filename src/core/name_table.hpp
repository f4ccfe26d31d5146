// SPDX-License-Identifier: Apache-2.0
// The words by which files and messages know the values of an enumeration: one table, read both ways.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace jcprof {

template <class Value, std::size_t N>
using NameTable = std::array<std::pair<Value, std::string_view>, N>;

inline constexpr std::string_view nameless_value = "?";

template <class Value, std::size_t N>
std::string_view name_in(const NameTable<Value, N>& table, Value value) {
  for (const auto& [candidate, name] : table)
    if (candidate == value) return name;
  return nameless_value;
}

template <class Value, std::size_t N>
std::optional<Value> value_in(const NameTable<Value, N>& table, std::string_view name) {
  for (const auto& [value, candidate] : table)
    if (candidate == name) return value;
  return std::nullopt;
}

/// By `name_of`, for enumerations whose values count from 0.
template <class Value>
std::optional<Value> value_named(std::string_view name) {
  for (std::uint8_t i = 0; name_of(Value{i}) != nameless_value; ++i)
    if (name_of(Value{i}) == name) return Value{i};
  return std::nullopt;
}

}  // namespace jcprof
