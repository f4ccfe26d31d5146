// SPDX-License-Identifier: Apache-2.0
#include "src/engine/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "src/engine/random.hpp"

namespace jcprof::engine {
namespace {

constexpr std::size_t at_each_end = 2;
// Streams of random numbers, kept apart from the traps' own ids, which have 32 bits.
constexpr std::uint64_t order_stream = std::uint64_t{1} << 40U;

/// Positions of all hits of one trap -> those that are measured.
std::vector<std::size_t> sample_hits(std::vector<std::size_t> hits, std::uint64_t seed, TrapId trap) {
  if (hits.size() <= most_hits) return hits;
  // The head of a Fisher-Yates shuffle of what lies between the ends.
  const std::size_t between = hits.size() - 2 * at_each_end;
  for (std::size_t i = 0; i < most_hits - 2 * at_each_end; ++i)
    std::swap(hits[at_each_end + i], hits[at_each_end + i + draw(seed, number(trap), i, between - i)]);
  std::vector<std::size_t> chosen(hits.begin(), hits.begin() + (most_hits - at_each_end));
  chosen.insert(chosen.end(), hits.end() - at_each_end, hits.end());
  return chosen;
}

}  // namespace

std::vector<std::size_t> choose_positions(std::span<const Event> path, std::uint64_t seed) {
  std::map<TrapId, std::vector<std::size_t>> hits;
  for (std::size_t at = 0; at < path.size(); ++at) hits[path[at].trap].push_back(at);
  std::set<std::size_t> chosen{0, path.size()};
  for (const auto& [trap, all] : hits) {
    const bool is_sampled = all.size() > most_hits;
    for (const std::size_t at : sample_hits(all, seed, trap)) {
      chosen.insert(at);
      if (is_sampled) chosen.insert(at + 1);
    }
  }
  return {chosen.begin(), chosen.end()};
}

std::vector<std::size_t> round_order(std::size_t count, std::uint64_t seed, std::uint32_t round) {
  std::vector<std::size_t> order(count);
  if (count == 0) return order;
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::uint64_t start = draw(seed, order_stream, round / 2, count);
  std::ranges::rotate(order, order.begin() + static_cast<std::ptrdiff_t>(start));
  if (round % 2 == 1) std::ranges::reverse(order);
  return order;
}

std::uint32_t look_after(std::uint32_t rounds) {
  const auto grown = static_cast<std::uint32_t>(std::ceil(1.25 * rounds));
  const std::uint32_t next = std::max(rounds + 4, grown);
  return next + next % 2;
}

}  // namespace jcprof::engine
