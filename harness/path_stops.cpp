// SPDX-License-Identifier: Apache-2.0
#include "harness/path_stops.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "src/core/path_signature.hpp"
#include "src/engine/schedule.hpp"

namespace jcprof::harness {
namespace {

/// Shorter paths are measured whole: zoom would save little.
constexpr std::size_t longest_without_zoom = 200;
/// A path that never repeats itself would have no end of these.
constexpr std::size_t most_elsewhere = 200;
// A mixture of two paths never settles; this many rounds show it.
constexpr std::uint32_t most_rounds_of_mixture = 100;
constexpr double ns_per_second = 1e9;

engine::Reading reading_of(const Shot& shot, const StoredSample& sample) {
  using Kind = engine::Reading::Kind;
  const auto ticks = static_cast<double>(sample.ticks);
  switch (sample.outcome) {
    case Outcome::stopped:
      return {.kind = shot.stop.trap == run_to_end ? Kind::missed : Kind::timed, .ticks = ticks};
    case Outcome::ended:
      return {.kind = shot.stop.trap == run_to_end ? Kind::timed : Kind::missed, .ticks = ticks};
    case Outcome::refused:
    case Outcome::elsewhere:
      return {.kind = Kind::missed};
    case Outcome::timed_out:
    case Outcome::lost:
      return {.kind = Kind::lost};
  }
  return {};
}

/// Events of `path` that another variant passes after other events: shots there are a mixture.
std::set<Event> mixed_events(const std::vector<Event>& path, const std::vector<Variant>& variants) {
  std::set<Event> mixed;
  for (const Variant& other : variants) {
    const auto [ours, theirs] = std::ranges::mismatch(path, other.events);
    const std::set<Event> behind(theirs, other.events.end());
    std::copy_if(ours, path.end(), std::inserter(mixed, mixed.end()),
                 [&](const Event& event) { return behind.contains(event); });
  }
  return mixed;
}

}  // namespace

double ns_per_tick(const Description& target) {
  switch (target.unit) {
    case ClockUnit::ns:
      return 1;
    case ClockUnit::cycles:
      return target.hz > 0 ? ns_per_second / target.hz : 0;
    case ClockUnit::instructions:
      return 0;
  }
  return 0;
}

PathStops::PathStops(const SurveyedPath& surveyed, std::uint64_t seed, bool exact)
    : path_(surveyed.path.events),
      inputs_(surveyed.inputs),
      most_passes_(engine::measured_passes(path_, exact)) {
  const std::vector<Variant>& variants = surveyed.path.variants;
  is_mixed_ = variants.size() > 1 && !surveyed.carries_signatures;
  const std::set<Event> mixed = is_mixed_ ? mixed_events(path_, variants) : std::set<Event>{};
  const std::uint32_t samples = exact ? 1 : engine::most_samples(path_);
  for (const auto& [at, sample] : engine::sample_positions(path_, seed, most_passes_, samples)) {
    if (at < path_.size() && mixed.contains(path_[at])) continue;
    positions_.push_back(at);
    samples_.push_back(sample);
    stops_.push_back(at == path_.size() ? Event{} : path_[at]);
  }
  for (std::size_t i = 0; i < stops_.size(); ++i) index_.emplace(stops_[i], i);
  std::set<Event> known(path_.begin(), path_.end());
  for (const Variant& variant : variants)
    for (const Event& event : variant.events)
      if (elsewhere_.size() < most_elsewhere && known.insert(event).second) elsewhere_.push_back(event);
  if (variants.size() > 1 && surveyed.carries_signatures) note_signatures();
}

void PathStops::note_signatures() {
  std::uint32_t signature = 0;
  for (const Event& event : path_) {
    const std::uint32_t with = path_signature(std::array{event.trap}, signature);
    signatures_.emplace(event, std::array{signature, with});
    signature = with;
  }
  signatures_.emplace(Event{}, std::array{signature, signature});
}

engine::Settings PathStops::settings(const TrapMap& map, const Description& target,
                                     const MeasureGoal& goal) const {
  engine::Settings settings{
      .stops = stops_.size(),
      .samples = samples_,
      .precision = goal.precision,
      .seed = goal.seed,
      .most_rounds = is_mixed_ ? std::min(goal.most_rounds, most_rounds_of_mixture) : goal.most_rounds,
      .fixed = goal.fixed,
      .ns_per_tick = ns_per_tick(target),
      .exact = target.exact};
  if (first_events() > longest_without_zoom) settings.zoom = goal.zoom;
  if (goal.figures) settings.figures = goal.figures(path_, positions_);
  const std::vector<std::size_t> passes = engine::edge_passes(path_);
  std::map<std::pair<std::string_view, std::uint32_t>, std::uint32_t> lines;
  std::map<std::pair<TrapId, TrapId>, std::uint32_t> edges;
  std::uint32_t next = 0;
  for (std::size_t b = 0; b + 1 < stops_.size(); ++b) {
    const Trap& trap = map.at(stops_[b].trap);
    const bool is_one_block = positions_[b + 1] == positions_[b] + 1;
    const auto [line, is_new] = lines.try_emplace({trap.path, trap.line}, next);
    if (is_new || !is_one_block) ++next;
    settings.groups.push_back(is_one_block ? line->second : next - 1);
    const auto ends = std::pair{stops_[b].trap, stops_[b + 1].trap};
    const auto edge = edges.try_emplace(ends, static_cast<std::uint32_t>(edges.size() + 1)).first;
    settings.edges.push_back(is_one_block ? edge->second : 0);
    // The passes of a long loop are divided by those that were measured alone.
    settings.alone.push_back(passes[positions_[b]] > most_passes_);
  }
  return settings;
}

std::vector<Shot> PathStops::shots_of(const engine::Batch& batch) const {
  const std::uint32_t input = inputs_[batch.round == 0 ? 0 : (batch.round - 1) / 2 % inputs_.size()];
  std::vector<Shot> shots;
  shots.reserve(batch.shots.size());
  for (const engine::PlannedShot& planned : batch.shots)
    shots.push_back({.stop = stops_[planned.stop],
                     .input = input,
                     .delay_ns = planned.pause_ns,
                     .prepares = planned.prepares});
  if (batch.round == 0) return shots;
  const bool are_prepared = !shots.empty() && shots.front().prepares;
  for (const Event& event : elsewhere_) {
    if (are_prepared) shots.push_back({.stop = {}, .input = input, .prepares = true});
    shots.push_back({.stop = event, .input = input});
  }
  return shots;
}

std::vector<engine::Reading> PathStops::readings_of(std::span<const Shot> shots,
                                                    std::span<const StoredSample> samples) const {
  // A digest that is not ours fits nowhere, and tells nothing here.
  const bool are_told_apart = std::ranges::any_of(samples, [&](const StoredSample& sample) {
    return sample.asked != path_.front() && came_along_path(sample);
  });
  std::vector<engine::Reading> readings(shots.size());
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (!are_told_apart || came_along_path(samples[i])) readings[i] = reading_of(shots[i], samples[i]);
  return readings;
}

engine::RoundReadings PathStops::round_of(std::span<const StoredSample> samples) const {
  std::vector<Shot> shots;
  std::vector<StoredSample> known;
  for (const StoredSample& sample : samples) {
    if (!index_.contains(sample.asked)) continue;
    shots.push_back({.stop = sample.asked, .input = sample.input});
    known.push_back(sample);
  }
  const std::vector<engine::Reading> readings = readings_of(shots, known);
  engine::RoundReadings round;
  for (std::size_t i = 0; i < shots.size(); ++i) round.push_back({index_.at(shots[i].stop), readings[i]});
  return round;
}

bool PathStops::came_along_path(const StoredSample& sample) const {
  const auto known = signatures_.find(sample.asked);
  if (known == signatures_.end() || !sample.signature) return false;
  return std::ranges::find(known->second, *sample.signature) != known->second.end();
}

}  // namespace jcprof::harness
