// SPDX-License-Identifier: Apache-2.0
#include "src/engine/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "src/engine/edge_costs.hpp"
#include "src/engine/random.hpp"

namespace jcprof::engine {
namespace {

// Five rounds over so many stops are worth it for times without noise.
constexpr std::size_t most_exact_stops = 4096;
// Streams of random numbers, kept apart from the traps' own ids, which have 32 bits.
constexpr std::uint64_t order_stream = std::uint64_t{1} << 40U;
constexpr std::uint64_t wholes_stream = std::uint64_t{1} << 42U;

using Edge = std::pair<TrapId, TrapId>;
using Edges = std::map<Edge, std::vector<std::size_t>>;  // positions at which each begins, ascending

Edges edges_of(std::span<const Event> path) {
  Edges edges;
  for (std::size_t at = 0; at < path.size(); ++at)
    edges[{path[at].trap, at + 1 < path.size() ? path[at + 1].trap : run_to_end}].push_back(at);
  return edges;
}

/// The passes [begin, end) of one edge, of which one is measured.
struct Passes {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<Passes> equal_parts(std::size_t passes, std::size_t count) {
  std::vector<Passes> parts;
  for (std::size_t i = 0; i < count; ++i) parts.push_back({i * passes / count, (i + 1) * passes / count});
  return parts;
}

/// Half of the parts are equal. The others grow, each by the same factor: where noise grows with the time
/// since the start, early passes are the ones that are known well.
std::vector<Passes> equal_and_growing_parts(std::size_t passes, std::size_t most) {
  const std::size_t equal = most / 2;
  std::vector<Passes> parts = equal_parts(passes, equal);
  const auto grown = [&](std::size_t i) {
    const double exponent = static_cast<double>(i) / static_cast<double>(most - equal);
    return static_cast<std::size_t>(std::lround(std::pow(static_cast<double>(passes + 1), exponent))) - 1;
  };
  for (std::size_t i = 0; i < most - equal; ++i)
    parts.push_back({grown(i), std::max(grown(i) + 1, grown(i + 1))});
  return parts;
}

/// Returns the passes that a sample draws from all passes of one edge. Only the first sample favours early
/// passes. If passes cost more and more along the path, many early ones would tell too small a mean.
std::vector<std::size_t> sample_passes(const std::vector<std::size_t>& all, const Edge& edge,
                                       std::uint64_t seed, std::size_t most, std::uint32_t sample) {
  if (all.size() <= most) return all;
  std::vector<std::size_t> chosen;
  std::uint64_t index = (std::uint64_t{number(edge.second)} << 32U) + sample * most;
  for (const Passes& part :
       sample == 0 ? equal_and_growing_parts(all.size(), most) : equal_parts(all.size(), most))
    chosen.push_back(all[part.begin + draw(seed, number(edge.first), index++, part.end - part.begin)]);
  return chosen;
}

}  // namespace

std::vector<std::size_t> edge_passes(std::span<const Event> path) {
  std::vector<std::size_t> passes(path.size());
  for (const auto& [edge, all] : edges_of(path))
    for (const std::size_t at : all) passes[at] = all.size();
  return passes;
}

std::size_t measured_passes(std::span<const Event> path, bool exact) {
  if (!exact) return most_passes;
  if (path.size() < most_exact_stops) return std::max(most_passes, path.size());
  return std::max(most_passes, most_exact_stops / (2 * edges_of(path).size()));
}

std::vector<std::size_t> choose_positions(std::span<const Event> path, std::uint64_t seed, std::size_t most) {
  std::vector<std::size_t> chosen;
  for (const auto& [at, sample] : sample_positions(path, seed, most, 1)) chosen.push_back(at);
  return chosen;
}

std::uint32_t most_samples(std::span<const Event> path, std::size_t most) {
  const Edges edges = edges_of(path);
  const auto is_sampled = [&](const auto& edge) { return edge.second.size() > most; };
  const auto stops = 2 * most * static_cast<std::size_t>(std::ranges::count_if(edges, is_sampled));
  if (stops == 0) return 1;
  const std::size_t estimated = most_cells / (stops * edges.size());
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(estimated, 1, most_samples_of_edge));
}

std::map<std::size_t, std::uint32_t> sample_positions(std::span<const Event> path, std::uint64_t seed,
                                                      std::size_t most, std::uint32_t samples) {
  std::map<std::size_t, std::uint32_t> chosen{{0, 0}, {path.size(), 0}};
  const Edges edges = edges_of(path);
  for (std::uint32_t sample = 0; sample < samples; ++sample)
    for (const auto& [edge, all] : edges)
      for (const std::size_t at : sample_passes(all, edge, seed, most, sample)) {
        chosen.try_emplace(at, sample);
        chosen.try_emplace(at + 1, sample);
      }
  return chosen;
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

std::vector<std::size_t> wholes_ahead(std::size_t count, std::uint64_t seed, std::uint32_t round) {
  std::vector<std::size_t> wholes;
  for (std::size_t at = 0; at < count; ++at)
    wholes.push_back(1 + draw(seed, wholes_stream, (std::uint64_t{round / 2} << 32U) + at, 2));
  if (round % 2 == 1 && count > 0) {
    wholes.front() = 2;
    std::reverse(wholes.begin() + 1, wholes.end());
  }
  return wholes;
}

std::uint32_t look_after(std::uint32_t rounds) {
  const auto grown = static_cast<std::uint32_t>(std::ceil(1.25 * rounds));
  const std::uint32_t next = std::max(rounds + 4, grown);
  return next + next % 2;
}

}  // namespace jcprof::engine
