// SPDX-License-Identifier: Apache-2.0
#include "src/core/hex.hpp"

#include <charconv>

namespace jcprof {

std::string to_hex(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 0xF];
  }
  return text;
}

std::optional<Bytes> parse_hex(std::string_view text) {
  Bytes bytes;
  while (!text.empty()) {
    if (text.front() == ' ') {
      text.remove_prefix(1);
      continue;
    }
    if (text.size() < 2) return std::nullopt;
    std::uint8_t byte = 0;
    const std::string_view digits = text.substr(0, 2);
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), byte, 16);
    if (error != std::errc{} || end != digits.end()) return std::nullopt;
    bytes.push_back(byte);
    text.remove_prefix(2);
  }
  return bytes;
}

}  // namespace jcprof
