// SPDX-License-Identifier: Apache-2.0
// An engine takes the rounds that others before it have measured.
#include <algorithm>

#include "src/core/error.hpp"
#include "src/engine/engine.hpp"

namespace jcprof::engine {

/// A round of another level of the zoom may have too few of the stops for a gain.
bool Engine::has_stops_of(const RoundReadings& round) const {
  const auto is_column = [&](const StopReading& one) {
    return std::ranges::binary_search(columns_.stops, one.stop);
  };
  const auto known = static_cast<std::size_t>(std::ranges::count_if(round, is_column));
  return known >= std::min(fewest_stops_for_gain, columns_.stops.size());
}

void Engine::resume_from(const EarlierRounds& earlier) {
  check(round_ == 0, "an engine that has taken rounds does not resume");
  if (phase_ == Phase::warm_up) begin_measuring(earlier.pilot);
  is_resuming_ = true;
  for (const RoundReadings& round : earlier.rounds) {
    ++round_;
    const std::size_t twin = ((round_ - 1) ^ 1U);
    const bool has_twin = twin < earlier.rounds.size() && !settings_.exact;
    if (!has_stops_of(round) || (has_twin && !has_stops_of(earlier.rounds[twin]))) continue;
    enter(round);
    if (columns_.times.rounds() >= next_look_) take_look();
  }
  if (!is_enough_ && is_fully_measured()) take_look();
  is_resuming_ = false;
  earlier_ = round_;
  // Rounds that were not paused for the steps of this clock cannot be averaged over them.
  if (clock_.method == Method::coarse && earlier.clock.method != Method::coarse)
    begin_level();
  else if (is_enough_)
    phase_ = Phase::done;
  plan();
}

}  // namespace jcprof::engine
