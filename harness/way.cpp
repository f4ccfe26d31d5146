// SPDX-License-Identifier: Apache-2.0
#include "harness/way.hpp"

#include <map>
#include <set>
#include <utility>

#include "src/engine/schedule.hpp"

namespace jcprof::harness {
namespace {

/// Shorter paths are measured whole: zoom would save little.
constexpr std::size_t longest_without_zoom = 200;
/// A path that never repeats itself would have no end of these.
constexpr std::size_t most_elsewhere = 200;
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
      return {.kind = Kind::missed};
    case Outcome::timed_out:
    case Outcome::lost:
      return {.kind = Kind::lost};
  }
  return {};
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

Way::Way(const TracedPath& path, std::vector<std::uint32_t> inputs, std::uint64_t seed)
    : path_(path.events), inputs_(std::move(inputs)), positions_(engine::choose_positions(path_, seed)) {
  stops_.reserve(positions_.size());
  for (const std::size_t at : positions_) stops_.push_back(at == path_.size() ? Event{} : path_[at]);
  std::set<Event> known(path_.begin(), path_.end());
  for (const SeenPath& variant : path.variants)
    for (const Event& event : variant.events)
      if (elsewhere_.size() < most_elsewhere && known.insert(event).second) elsewhere_.push_back(event);
}

engine::Settings Way::settings(const TrapMap& map, const Description& target, const MeasureGoal& goal) const {
  engine::Settings settings{.stops = stops_.size(),
                            .target = goal.target,
                            .seed = goal.seed,
                            .most_rounds = goal.most_rounds,
                            .ns_per_tick = ns_per_tick(target),
                            .exact = target.exact};
  if (stops_.size() > longest_without_zoom) settings.zoom = goal.zoom;
  std::map<TrapId, std::size_t> hits;
  for (const Event& event : path_) ++hits[event.trap];
  std::map<std::pair<std::string_view, std::uint32_t>, std::uint32_t> lines;
  std::uint32_t next = 0;
  for (std::size_t b = 0; b + 1 < stops_.size(); ++b) {
    const Trap& trap = map.at(stops_[b].trap);
    const bool is_one_block = positions_[b + 1] == positions_[b] + 1;
    const auto [line, is_new] = lines.try_emplace({trap.path, trap.line}, next);
    if (is_new || !is_one_block) ++next;
    settings.groups.push_back(is_one_block ? line->second : next - 1);
    // The passes of a long loop are divided by those that were measured alone.
    settings.alone.push_back(hits[trap.id] > engine::most_hits);
  }
  return settings;
}

std::vector<Shot> Way::shots_of(const engine::Batch& batch) const {
  const std::uint32_t input = inputs_[batch.round == 0 ? 0 : (batch.round - 1) / 2 % inputs_.size()];
  std::vector<Shot> shots;
  shots.reserve(batch.shots.size());
  for (const engine::PlannedShot& planned : batch.shots)
    shots.push_back({.stop = stops_[planned.stop], .input = input, .delay_ns = planned.pause_ns});
  if (batch.round > 0)
    for (const Event& event : elsewhere_) shots.push_back({.stop = event, .input = input});
  return shots;
}

std::vector<engine::Reading> readings_of(std::span<const Shot> shots, std::span<const StoredSample> samples) {
  std::vector<engine::Reading> readings(shots.size());
  for (std::size_t i = 0; i < samples.size(); ++i) readings[i] = reading_of(shots[i], samples[i]);
  return readings;
}

}  // namespace jcprof::harness
