// SPDX-License-Identifier: Apache-2.0
// A run whose readings a test says one by one: by round and position on the path.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "annotator/estimate/estimates.hpp"
#include "annotator/estimate/run_data.hpp"

namespace jcprof::annotator {

/// Ticks; a missing number is a lost shot, nothing at all one that was not asked for.
using Script = std::function<std::optional<double>(std::uint32_t round, std::size_t position)>;

inline RunData scripted_run(const TrapMap& map, const std::vector<Event>& path, std::uint32_t rounds,
                            const Script& script) {
  RunData data{.run = {.device = "scripted"}, .map = map, .inputs = {{}}, .paths = {{.events = path}}};
  for (std::uint32_t round = 1; round <= rounds; ++round)
    for (std::size_t at = 0; at <= path.size(); ++at) {
      const std::optional<double> ticks = script(round, at);
      if (!ticks) continue;
      StoredSample sample{.sequence = data.samples.size(), .round = round};
      if (at < path.size()) sample.asked = path[at];
      if (std::isfinite(*ticks)) {
        sample.outcome = at < path.size() ? Outcome::stopped : Outcome::ended;
        sample.ticks = std::llround(*ticks);
      }
      data.samples.push_back(sample);
    }
  return data;
}

inline const LineEstimate* line_of(const Profile& profile, std::size_t line) {
  for (const LineEstimate& one : profile.lines)
    if (one.line == line) return &one;
  return nullptr;
}

inline const EdgeEstimate* edge_of(const Profile& profile, std::uint32_t from, std::uint32_t to) {
  for (const EdgeEstimate& one : profile.edges)
    if (one.from == TrapId{from} && one.to == TrapId{to}) return &one;
  return nullptr;
}

}  // namespace jcprof::annotator
