// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/ways.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

#include "src/core/path_signature.hpp"

namespace jcprof::annotator {

Way::Way(std::vector<Event> events) : events_(std::move(events)) {
  signatures_.push_back(0);
  signatures_.reserve(events_.size() + 1);
  for (const Event& event : events_) {
    ++hits_[number(event.trap)].count;
    signatures_.push_back(path_signature(std::array{event.trap}, signatures_.back()));
  }
  std::uint32_t next = 0;
  for (auto& [trap, hits] : hits_) {
    hits.first = next;
    next += hits.count;
  }
  places_.resize(events_.size());
  for (std::uint32_t i = 0; i < events_.size(); ++i)
    places_[hits_[number(events_[i].trap)].first + events_[i].hit - 1] = i;
}

std::optional<std::size_t> Way::position(const Event& event) const {
  if (event.trap == run_to_end) return end();
  const auto hits = hits_.find(number(event.trap));
  if (hits == hits_.end() || event.hit == 0 || event.hit > hits->second.count) return std::nullopt;
  return places_[hits->second.first + event.hit - 1];
}

std::size_t Way::common_with(const Way& other) const {
  return static_cast<std::size_t>(std::ranges::mismatch(events_, other.events_).in1 - events_.begin());
}

std::vector<Way> ways_of(std::span<const StoredPath> paths) {
  std::map<std::uint32_t, double> runs;  // by input
  for (const StoredPath& path : paths) runs[path.input] += static_cast<double>(path.runs);
  std::vector<Way> ways;
  std::multimap<std::uint32_t, std::size_t> by_signature;
  const auto way_of = [&](const StoredPath& path) -> Way& {
    Way way(path.events);
    const std::uint32_t signature = way.signature_before(way.end());
    const auto [first, last] = by_signature.equal_range(signature);
    for (auto i = first; i != last; ++i)
      if (ways[i->second].events() == path.events) return ways[i->second];
    by_signature.emplace(signature, ways.size());
    return ways.emplace_back(std::move(way));
  };
  for (const StoredPath& path : paths) {
    Way& way = way_of(path);
    const double of_input = runs[path.input] > 0 ? static_cast<double>(path.runs) / runs[path.input] : 0;
    way.rate += of_input / static_cast<double>(runs.size());
    if (way.inputs.empty() || way.inputs.back() != path.input) way.inputs.push_back(path.input);
  }
  if (ways.empty()) ways.emplace_back().inputs.push_back(0);
  for (Way& way : ways) std::ranges::sort(way.inputs);
  std::ranges::stable_sort(ways, std::greater<>(), &Way::rate);
  return ways;
}

}  // namespace jcprof::annotator
