// SPDX-License-Identifier: Apache-2.0
#include "harness/path_measurement.hpp"

#include <algorithm>
#include <iterator>

#include "harness/judgement.hpp"
#include "harness/shooter.hpp"
#include "harness/unresolved.hpp"

namespace jcprof::harness {

void take(PathMeasurement& path, std::span<const Shot> shots, std::span<const StoredSample> samples,
          const ShotLog& log) {
  // Some shots of a round may be of none.
  if (!samples.empty() && samples.back().round != warm_up_round) path.rounds.push_back(samples.back().round);
  path.strangers.take(samples);
  const std::size_t planned = path.engine.next().shots.size();
  path.engine.take(path.stops.readings_of(shots.first(planned), samples.first(planned)));
  const auto is_loss = [](const StoredSample& sample) {
    return sample.outcome == Outcome::lost || sample.outcome == Outcome::timed_out;
  };
  if (std::ranges::any_of(samples.subspan(planned), is_loss)) path.engine.warm_up_again();
  for (const Shot& shot : shots)
    if (!log.can_stop_at(shot.stop)) give_up(path, shot.stop);
}

void give_up(PathMeasurement& path, const Event& event) {
  const std::vector<Event>& stops = path.stops.events();
  const auto stop = std::ranges::find(stops, event);
  if (stop == stops.end())
    path.stops.give_up(event);
  else
    path.engine.give_up(static_cast<std::size_t>(stop - stops.begin()));
}

StoredLook pilot_row(const PathMeasurement& path) {
  const engine::Pilot& pilot = *path.engine.pilot();
  return {.input = path.stops.inputs().front(),
          .method = path.engine.clock().method,
          .tick = path.engine.clock().tick,
          .grid = pilot.grid,
          .whole = pilot.whole,
          .sigma = pilot.sigma,
          .shot = pilot.shot};
}

StoredLook look_row(const PathMeasurement& path, std::span<const StoredLook> looks) {
  const std::uint32_t input = path.stops.inputs().front();
  const StoredLook before = newest_look(path, looks).value_or(StoredLook{});
  const engine::Look& look = *path.engine.look();
  const engine::Clock clock = path.engine.clock();
  const std::uint32_t first = path.engine.first_round();
  const auto seen = static_cast<std::uint32_t>(path.rounds.size());
  const bool is_new = first > seen;
  return {.input = input,
          .rounds = seen,
          .first_round = is_new ? before.first_round : path.rounds[first - 1],
          .method = is_new ? before.method : clock.method,
          .tick = is_new ? before.tick : clock.tick,
          .grid = path.engine.pilot()->grid,
          .folded = look.folded,
          .blocks = look.blocks.size(),
          .settled = look.settled,
          .whole = look.whole,
          .sigma = look.sigma};
}

std::optional<StoredLook> newest_look(const PathMeasurement& path, std::span<const StoredLook> looks) {
  std::optional<StoredLook> newest;
  for (const StoredLook& one : looks)
    if (one.input == path.stops.inputs().front()) newest = one;
  return newest;
}

std::optional<engine::Pilot> stored_pilot(const PathMeasurement& path, std::span<const StoredLook> looks) {
  const auto look = std::ranges::find_if(looks, [&](const StoredLook& one) {
    return one.rounds == 0 && one.input == path.stops.inputs().front();
  });
  if (look == looks.end()) return std::nullopt;
  return engine::Pilot{.grid = look->grid, .whole = look->whole, .sigma = look->sigma, .shot = look->shot};
}

bool PathMeasurement::wants_calibration() const {
  return engine.can_look_again() &&
         std::ranges::any_of(engine.figures(), &engine::FigureLook::wants_calibration);
}

std::vector<Warning> judged(std::span<const PathMeasurement> paths, const MeasureGoal& goal, ClockUnit unit) {
  std::vector<Warning> warnings;
  for (const PathMeasurement& path : paths)
    std::ranges::move(judge(path.engine, goal, unit), std::back_inserter(warnings));
  return warnings;
}

std::vector<Warning> unresolved_of(std::span<const PathMeasurement> paths, const MeasureGoal& goal,
                                   std::chrono::duration<double> per_shot) {
  std::vector<Warning> warnings;
  for (const PathMeasurement& path : paths) {
    const Effort effort{.rounds = static_cast<std::uint32_t>(path.rounds.size()),
                        .most_rounds = goal.most_rounds,
                        .per_shot = per_shot,
                        .is_session = goal.is_session};
    if (auto warning = warning_of_unresolved(path.engine.figures(), goal.precision, effort))
      warnings.push_back(std::move(*warning));
  }
  return warnings;
}

}  // namespace jcprof::harness
