// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/taken_paths.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

#include "src/core/path_signature.hpp"

namespace jcprof::annotator {

TakenPath::TakenPath(std::vector<Event> events) : events_(std::move(events)) {
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

std::optional<std::size_t> TakenPath::position(const Event& event) const {
  if (event.trap == run_to_end) return end();
  const auto hits = hits_.find(number(event.trap));
  if (hits == hits_.end() || event.hit == 0 || event.hit > hits->second.count) return std::nullopt;
  return places_[hits->second.first + event.hit - 1];
}

std::size_t TakenPath::common_with(const TakenPath& other) const {
  return static_cast<std::size_t>(std::ranges::mismatch(events_, other.events_).in1 - events_.begin());
}

std::vector<TakenPath> taken_paths(std::span<const StoredPath> stored) {
  std::map<std::uint32_t, double> runs;  // by input
  for (const StoredPath& row : stored) runs[row.input] += static_cast<double>(row.runs);
  std::vector<TakenPath> paths;
  std::multimap<std::uint32_t, std::size_t> by_signature;
  const auto path_of = [&](const StoredPath& row) -> TakenPath& {
    TakenPath path(row.events);
    const std::uint32_t signature = path.signature_before(path.end());
    const auto [first, last] = by_signature.equal_range(signature);
    for (auto i = first; i != last; ++i)
      if (paths[i->second].events() == row.events) return paths[i->second];
    by_signature.emplace(signature, paths.size());
    return paths.emplace_back(std::move(path));
  };
  for (const StoredPath& row : stored) {
    TakenPath& path = path_of(row);
    const double of_input = runs[row.input] > 0 ? static_cast<double>(row.runs) / runs[row.input] : 0;
    path.rate += of_input / static_cast<double>(runs.size());
    if (path.inputs.empty() || path.inputs.back() != row.input) path.inputs.push_back(row.input);
  }
  if (paths.empty()) paths.emplace_back().inputs.push_back(0);
  for (TakenPath& path : paths) std::ranges::sort(path.inputs);
  std::ranges::stable_sort(paths, std::greater<>(), &TakenPath::rate);
  return paths;
}

}  // namespace jcprof::annotator
