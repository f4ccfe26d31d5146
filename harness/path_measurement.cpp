// SPDX-License-Identifier: Apache-2.0
#include "harness/path_measurement.hpp"

#include <algorithm>

namespace jcprof::harness {
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

StoredLook look_row(const PathMeasurement& path, const StoredLook& before) {
  const engine::Look& look = *path.engine.look();
  const engine::Clock clock = path.engine.clock();
  const std::uint32_t first = path.engine.first_round();
  const auto seen = static_cast<std::uint32_t>(path.rounds.size());
  const bool is_new = first > seen;
  return {.input = path.stops.inputs().front(),
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

std::optional<engine::Pilot> stored_pilot(const PathMeasurement& path, std::span<const StoredLook> looks) {
  const auto look = std::ranges::find_if(looks, [&](const StoredLook& one) {
    return one.rounds == 0 && one.input == path.stops.inputs().front();
  });
  if (look == looks.end()) return std::nullopt;
  return engine::Pilot{.grid = look->grid, .whole = look->whole, .sigma = look->sigma, .shot = look->shot};
}

}  // namespace jcprof::harness
