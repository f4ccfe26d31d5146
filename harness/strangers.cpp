// SPDX-License-Identifier: Apache-2.0
#include "harness/strangers.hpp"

#include <algorithm>
#include <array>

#include "src/core/path_signature.hpp"

namespace jcprof::harness {
namespace {

constexpr std::uint64_t fewest = 2;
constexpr std::uint64_t one_in = 20;

}  // namespace

Strangers::Strangers(const SurveyedPath& surveyed, std::span<const Event> stops) {
  for (const Event& stop : stops) stops_[stop];
  if (!stops.empty()) first_ = stops.front();
  const std::vector<Variant>& variants = surveyed.path.variants;
  if (variants.empty()) note_way(surveyed.path.events);
  for (const Variant& variant : variants) note_way(variant.events);
  // Nobody knows how a path goes on that was cut.
  if (surveyed.path.state == PathState::cut) stops_.erase(Event{});
}

void Strangers::note_way(const std::vector<Event>& way) {
  std::uint32_t signature = 0;
  std::set<Event> passed{Event{}};
  for (const Event& event : way) {
    const std::uint32_t with = path_signature(std::array{event.trap}, signature);
    if (const auto stop = stops_.find(event); stop != stops_.end()) {
      stop->second.signatures.insert({signature, with});
      passed.insert(event);
    }
    signature = with;
  }
  if (const auto end = stops_.find(Event{}); end != stops_.end()) end->second.signatures.insert(signature);
  for (auto& [event, stop] : stops_) stop.is_on_all_ways = stop.is_on_all_ways && passed.contains(event);
}

bool Strangers::is_strange(const Stop& stop, const StoredSample& sample) {
  if (sample.outcome != Outcome::stopped && sample.outcome != Outcome::ended) return false;
  if (sample.outcome == Outcome::ended && sample.asked.trap != run_to_end) return stop.is_on_all_ways;
  if (!sample.signature) return false;
  const bool is_known = stop.signatures.contains(*sample.signature);
  // Nothing is in front of the first event, whatever the digest is.
  if (is_known && sample.asked != first_) are_signatures_ours_ = true;
  return !is_known && are_signatures_ours_;
}

void Strangers::take(std::span<const StoredSample> samples) {
  for (const StoredSample& sample : samples) {
    const auto stop = stops_.find(sample.asked);
    if (stop == stops_.end()) continue;
    ++stop->second.shots;
    if (!is_strange(stop->second, sample)) continue;
    ++stop->second.strange;
    inputs_.insert(sample.input);
  }
}

bool Strangers::are_many() const {
  return std::ranges::any_of(stops_, [](const auto& entry) {
    const Stop& stop = entry.second;
    return stop.strange >= fewest && one_in * stop.strange >= stop.shots;
  });
}

void Strangers::forget() {
  inputs_.clear();
  for (auto& [event, stop] : stops_) stop.shots = stop.strange = 0;
}

}  // namespace jcprof::harness
