// SPDX-License-Identifier: Apache-2.0
// An engine looks after the command before each stop.
#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "src/engine/engine.hpp"
#include "src/engine/memory.hpp"

namespace jcprof::engine {

/// The command to come before that stop of a round; nothing where the one there is already will do.
std::optional<std::size_t> Engine::preparing_stop(std::span<const std::size_t> wanted, std::size_t at) const {
  if (is_prepared_) return settings_.stops - 1;
  // A round that wraps around comes from the other end of the path, and its twin to that end. Both have one
  // command more, so that what recurs at each second command still meets either of them.
  const bool is_wrapped = !batch_.shots.empty() && at == (round_ % 2 == 0 ? 0 : wanted.size() - 1);
  if (!is_wrapped || wanted.size() < 3) return std::nullopt;
  return wanted[at == 0 ? 1 : at - 1];
}

/// Where a stop came from both ends of the path in one round.
void Engine::note_far_twins(const RoundReadings& round) {
  for (std::size_t i = 0; i + 1 < round.size(); ++i) {
    const auto& [stop, far, prepares] = round[i];
    if (!prepares || far.kind != Reading::Kind::timed) continue;
    const auto near = std::ranges::find_if(round, [stop](const StopReading& one) {
      return one.stop == stop && !one.prepares && one.reading.kind == Reading::Kind::timed;
    });
    if (near != round.end())
      far_twins_.push_back({.stop = stop,
                            .is_behind_end = round[i + 1].stop < stop,
                            .longer = far.ticks - near->reading.ticks});
  }
}

/// How many whole commands came before each stop. Twins that differ in that tell of the command before those.
void Engine::note_wholes_ahead(const RoundReadings& round) {
  std::map<std::size_t, PreparedReading> of_round;
  std::size_t wholes = 0;
  for (const auto& [stop, reading, prepares] : round) {
    wholes += prepares ? 1 : 0;
    if (prepares) continue;
    if (wholes > 0 && reading.kind == Reading::Kind::timed) of_round[stop] = {wholes, reading.ticks};
    wholes = 0;
  }
  const bool is_second_twin = columns_.times.rounds() % 2 == 1;
  if (is_second_twin) longer_behind_one_.push_back(mean_longer_behind_fewer(first_twin_, of_round));
  first_twin_ = std::move(of_round);
}

Memory Engine::found_memory() const {
  const double by_neighbours = moved_by_the_one_before(columns_.times, is_prepared_);
  if (is_prepared_)
    return {.moves = std::max(by_neighbours, moved_by_the_one_before_wholes(longer_behind_one_)),
            .lasts = true};
  const double by_all =
      moved_along_the_path(columns_.times, columns_.stops, far_twins_, settings_.precision.relative);
  return {.moves = std::max(by_neighbours, by_all)};
}

/// With all rounds of a call ahead: memory may show in the last of them, and without these no line holds.
void Engine::begin_prepared() {
  is_prepared_ = true;
  earlier_ = round_;
  begin_again();
}

/// Ticks that a shot takes beside the time to its stop, as far as is known here.
double Engine::shot_overhead() const {
  const double whole = median(present(columns_.times.columns().back()));
  return longest_pause_ / 2 + (is_prepared_ && !is_missing(whole) ? wholes_a_stop * whole : 0);
}

}  // namespace jcprof::engine
