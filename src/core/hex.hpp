// SPDX-License-Identifier: Apache-2.0
// Bytes as hexadecimal text and back.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "src/core/types.hpp"

namespace jcprof {

/// Lower case, no separators.
std::string to_hex(std::span<const std::uint8_t> bytes);

/// Either case; blanks between bytes are skipped. Nothing for an odd number of digits or another character.
std::optional<Bytes> parse_hex(std::string_view text);

}  // namespace jcprof
