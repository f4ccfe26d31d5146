// SPDX-License-Identifier: Apache-2.0
#include "src/engine/more_passes.hpp"

#include <algorithm>
#include <utility>

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

std::vector<std::size_t> MorePasses::join(std::uint32_t edge, double times) {
  std::vector<std::size_t> joined;
  if (!has_more(edge)) return joined;
  const std::vector<std::size_t>& passes = passes_.at(edge);
  const auto measured = [&] {
    return static_cast<double>(
        std::ranges::count_if(passes, [&](std::size_t block) { return is_measured(block); }));
  };
  const double wanted = times * measured();
  for (std::uint32_t sample = 1; measured() < wanted && has_more(edge); ++sample)
    for (const std::size_t block : passes)
      if (std::max(samples_[block], samples_[block + 1]) == sample)
        for (const std::size_t stop : {block, block + 1})
          if (waits(stop)) {
            joined.push_back(stop);
            join(stop);
          }
  std::ranges::sort(joined);
  return joined;
}

}  // namespace jcprof::engine
