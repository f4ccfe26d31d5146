// SPDX-License-Identifier: Apache-2.0
#include "harness/course.hpp"

#include <algorithm>

namespace jcprof::harness {
StoredLook pilot_row(const Course& course) {
  const engine::Pilot& pilot = *course.engine.pilot();
  return {.input = course.way.inputs().front(),
          .method = course.engine.clock().method,
          .tick = course.engine.clock().tick,
          .grid = pilot.grid,
          .whole = pilot.whole,
          .sigma = pilot.sigma,
          .shot = pilot.shot};
}

StoredLook look_row(const Course& course, const StoredLook& before) {
  const engine::Look& look = *course.engine.look();
  const engine::Clock clock = course.engine.clock();
  const std::uint32_t first = course.engine.first_round();
  const auto seen = static_cast<std::uint32_t>(course.rounds.size());
  const bool is_new = first > seen;
  return {.input = course.way.inputs().front(),
          .rounds = seen,
          .first_round = is_new ? before.first_round : course.rounds[first - 1],
          .method = is_new ? before.method : clock.method,
          .tick = is_new ? before.tick : clock.tick,
          .grid = course.engine.pilot()->grid,
          .folded = look.folded,
          .blocks = look.blocks.size(),
          .settled = look.settled,
          .whole = look.whole,
          .sigma = look.sigma};
}

std::optional<engine::Pilot> stored_pilot(const Course& course, std::span<const StoredLook> looks) {
  const auto look = std::ranges::find_if(looks, [&](const StoredLook& one) {
    return one.rounds == 0 && one.input == course.way.inputs().front();
  });
  if (look == looks.end()) return std::nullopt;
  return engine::Pilot{.grid = look->grid, .whole = look->whole, .sigma = look->sigma, .shot = look->shot};
}

}  // namespace jcprof::harness
