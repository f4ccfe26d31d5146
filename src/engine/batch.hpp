// SPDX-License-Identifier: Apache-2.0
// The conversation with an engine: shots at stops, and readings. Values only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace jcprof::engine {

enum class Phase : std::uint8_t { warm_up, zoom, rounds, done };
std::string_view name_of(Phase phase);

struct PlannedShot {
  std::size_t stop = 0;
  std::int64_t pause_ns = 0;  // before the timed region
  // Made so that the next shot comes after this one: its own time counts nowhere.
  bool prepares = false;
};

struct Batch {
  Phase phase = Phase::done;
  std::uint32_t round = 0;  // from 1; 0 in the warm-up
  std::vector<PlannedShot> shots;
};

/// The outcome of a planned shot.
struct Reading {
  enum class Kind : std::uint8_t {
    timed,
    missed,  // answered, but not where it was asked to
    lost,    // the target died: shots after that are cold again
  };
  Kind kind = Kind::missed;
  double ticks = 0;  // as the clock reads; for timed
};

struct StopReading {
  std::size_t stop = 0;
  Reading reading;
  // The same stop is in the round once more. This time it came from the other end of the path, so that the
  // stop behind it here comes from a neighbour.
  bool prepares = false;
};
/// The readings of one round, at whatever stops it had.
using RoundReadings = std::vector<StopReading>;

}  // namespace jcprof::engine
