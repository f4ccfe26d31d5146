// SPDX-License-Identifier: Apache-2.0
// An engine takes the rounds that others before it have measured.
#include <algorithm>
#include <set>
#include <vector>

#include "src/core/error.hpp"
#include "src/engine/engine.hpp"

namespace jcprof::engine {

/// A round of another level of the zoom may have too few of the stops for a gain. Of twins both or none are
/// entered; one that was never made has no say.
bool Engine::is_known(const EarlierRounds& earlier, std::size_t round) const {
  const auto is_column = [&](const StopReading& one) {
    return !one.prepares && std::ranges::binary_search(columns_.stops, one.stop);
  };
  const auto was_made = [&](std::size_t i) {
    return i < earlier.rounds.size() && !earlier.rounds[i].empty();
  };
  const auto has_stops = [&](std::size_t i) {
    const auto known = static_cast<std::size_t>(std::ranges::count_if(earlier.rounds[i], is_column));
    return known >= std::min(fewest_stops_for_gain, columns_.stops.size());
  };
  const std::size_t twin = round ^ 1U;
  if (settings_.exact) return was_made(round) && has_stops(round);
  return (was_made(round) || was_made(twin)) && (!was_made(round) || has_stops(round)) &&
         (!was_made(twin) || has_stops(twin));
}

/// They join where they did before, so that looks come when they came before.
void Engine::join_those_of(const RoundReadings& round) {
  std::set<std::size_t> stops;
  for (const StopReading& one : round)
    if (passes_.waits(one.stop)) stops.insert(one.stop);
  join({stops.begin(), stops.end()});
}

void Engine::resume_from(const EarlierRounds& earlier) {
  check(round_ == 0, "an engine that has taken rounds does not resume");
  if (phase_ == Phase::done) return;  // all stops were given up
  if (phase_ == Phase::warm_up) begin_measuring(earlier.pilot);
  is_resuming_ = true;
  for (std::size_t i = 0; i < earlier.rounds.size(); ++i) {
    if (i == earlier.prepared_from) begin_prepared();
    ++round_;
    join_those_of(earlier.rounds[i]);
    if (!is_known(earlier, i)) continue;
    enter(earlier.rounds[i]);
    if (is_look_due()) take_look();
  }
  if (!is_enough_ && is_fully_measured()) take_look();
  is_resuming_ = false;
  earlier_ = round_;
  // Rounds that were not paused for the steps of this clock cannot be averaged over them.
  if (needs_prepared())
    begin_prepared();
  else if (clock_.method == Method::coarse && earlier.clock.method != Method::coarse)
    begin_again();
  else if (is_enough_)
    phase_ = Phase::done;
  else
    join_passes();
  plan();
}

}  // namespace jcprof::engine
