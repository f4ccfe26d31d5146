// SPDX-License-Identifier: Apache-2.0
// Facts of ISO 7816-4 that several parts need.
#pragma once

#include <array>
#include <cstdint>

namespace jcprof {

/// INS bytes whose failures use up a try of a PIN or key: VERIFY, CHANGE REFERENCE DATA, RESET RETRY
/// COUNTER, EXTERNAL AUTHENTICATE. The odd ones have data objects in their data.
inline constexpr std::array<std::uint8_t, 7> ins_counting_tries{0x20, 0x21, 0x24, 0x25, 0x2C, 0x2D, 0x82};

}  // namespace jcprof
