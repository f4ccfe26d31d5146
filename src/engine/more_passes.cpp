// SPDX-License-Identifier: Apache-2.0
#include "src/engine/more_passes.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "src/engine/statistics.hpp"

namespace jcprof::engine {

MorePasses::MorePasses(std::size_t stops, std::vector<std::uint32_t> samples,
                       const std::vector<std::uint32_t>& edges)
    : samples_(std::move(samples)) {
  samples_.resize(stops, 0);
  for (std::size_t s = 0; s < stops; ++s)
    if (samples_[s] == 0) first_stops_.push_back(s);
  for (std::size_t b = 0; b < edges.size(); ++b)
    if (edges[b] != 0) passes_[edges[b]].push_back(b);
}

bool MorePasses::has_more(std::uint32_t edge) const {
  const auto passes = passes_.find(edge);
  return passes != passes_.end() &&
         !std::ranges::all_of(passes->second, [&](std::size_t block) { return is_measured(block); });
}

std::vector<std::size_t> MorePasses::next(std::uint32_t edge, double times, std::size_t last) const {
  if (!passes_.contains(edge)) return {};
  std::span<const std::size_t> passes = passes_.at(edge);
  const std::span near(passes.begin(), std::ranges::lower_bound(passes, last));
  if (!std::ranges::all_of(near, [&](std::size_t block) { return is_measured(block); })) passes = near;
  std::size_t measured = 0;
  std::map<std::uint32_t, std::vector<std::size_t>> waiting;  // by sample: passes
  for (const std::size_t block : passes)
    if (is_measured(block))
      ++measured;
    else
      waiting[std::max(samples_[block], samples_[block + 1])].push_back(block);
  const double wanted = times * static_cast<double>(std::max<std::size_t>(measured, 1));
  std::set<std::size_t> stops;
  for (const auto& [sample, blocks] : waiting) {
    // Samples overlap: one that would be mostly too much is left.
    const double most = stops.empty() ? 0 : static_cast<double>(blocks.size()) / 2;
    if (static_cast<double>(measured) + most >= wanted) break;
    measured += blocks.size();
    for (const std::size_t block : blocks)
      for (const std::size_t stop : {block, block + 1})
        if (waits(stop)) stops.insert(stop);
  }
  return {stops.begin(), stops.end()};
}

std::size_t joined_after(const std::vector<double>& column) {
  return static_cast<std::size_t>(std::ranges::find_if_not(column, is_missing) - column.begin());
}

}  // namespace jcprof::engine
