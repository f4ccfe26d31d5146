// SPDX-License-Identifier: Apache-2.0
#include "src/core/path_signature.hpp"

namespace jcprof {

std::uint32_t path_signature(std::span<const TrapId> traps, std::uint32_t before) {
  auto a = static_cast<std::uint16_t>(before >> 16U);
  auto b = static_cast<std::uint16_t>(before);
  const auto take = [&](std::uint32_t part) {
    a = static_cast<std::uint16_t>(a * 251U + part);
    b = static_cast<std::uint16_t>(b + a);
  };
  for (const TrapId trap : traps) {
    // What does not fit a short is taken in two.
    if (const std::uint32_t high = number(trap) >> 16U; high != 0) take(high);
    take(number(trap) & 0xFFFFU);
  }
  return static_cast<std::uint32_t>(a) << 16U | b;
}

std::uint16_t path_mix(std::span<const TrapId> traps, std::uint16_t before) {
  std::uint16_t mix = before;
  for (const TrapId trap : traps) {
    mix = static_cast<std::uint16_t>((mix ^ (number(trap) & 0xFFFFU)) * 0x5D39U);
    mix = static_cast<std::uint16_t>(mix ^ mix >> 7U);
  }
  return mix;
}

}  // namespace jcprof
