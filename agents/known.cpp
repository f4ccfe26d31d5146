// SPDX-License-Identifier: Apache-2.0
#include "agents/known.hpp"

#include <algorithm>

namespace jcprof::agents {
namespace {

// So few that it follows the processor's speed, and one that was interrupted does not matter.
constexpr std::size_t kept = 9;

}  // namespace

std::uint64_t answer_digest(std::uint32_t status, std::uint64_t size, std::span<const std::uint8_t> reply) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  const auto add = [&](std::uint64_t byte) { hash = (hash ^ byte) * 0x100000001b3U; };
  for (unsigned shift = 0; shift < 64; shift += 8) add((((size << 32U) ^ status) >> shift) & 0xFFU);
  for (const std::uint8_t byte : reply) add(byte);
  return hash;
}

void see_time(Known& known, std::int64_t ticks) {
  if (known.times.size() == kept) known.times.erase(known.times.begin());
  known.times.push_back(ticks);
}

std::optional<std::int64_t> usual_time(const Known& known) {
  if (known.times.empty()) return std::nullopt;
  std::vector<std::int64_t> sorted = known.times;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return *middle;
}

std::int64_t usual_ns(const Known& known, double ticks_per_ns) {
  return static_cast<std::int64_t>(static_cast<double>(usual_time(known).value_or(0)) / ticks_per_ns);
}

}  // namespace jcprof::agents
