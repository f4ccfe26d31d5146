// SPDX-License-Identifier: Apache-2.0
// Random numbers that are a function of their counters (SplitMix64: Steele, Lea & Flood 2014), so that a run
// that is resumed draws what it would have drawn, and every language and library gives the same.
#pragma once

#include <cstdint>

namespace jcprof::engine {

constexpr std::uint64_t split_mix_64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

/// The `index`-th number of a stream, in [0, bound). The bias of the remainder is below bound / 2^64.
constexpr std::uint64_t draw(std::uint64_t seed, std::uint64_t stream, std::uint64_t index,
                             std::uint64_t bound) {
  return split_mix_64(split_mix_64(split_mix_64(seed) + stream) + index) % bound;
}

}  // namespace jcprof::engine
