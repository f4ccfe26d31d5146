// SPDX-License-Identifier: Apache-2.0
// The times of stops, where a locked grid is looked for (locked_grid.hpp). Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/engine/statistics.hpp"

namespace jcprof::engine {

constexpr double steps_per_cycle = 16;  // of the longest distance, or time

/// From a stop to the next one.
struct Distance {
  std::size_t from = 0;
  double length = 0;
  std::size_t edge = 0;  // a number of its own among those that are seen; 0: tells nothing
};

/// The times that lie whole periods apart on a grid.
struct Seen {
  struct Stop {
    double at = missing;
    std::vector<double> readings = {};
  };
  std::vector<Stop> stops;
  std::vector<Distance> distances = {};  // of neighbours
  std::size_t edges = 1;
  double longest() const {
    return distances.empty() ? 0 : std::ranges::max(distances, {}, &Distance::length).length;
  }
  double latest() const {
    double latest = 0;
    for (const Stop& stop : stops) latest = std::max(latest, is_missing(stop.at) ? 0 : stop.at);
    return latest;
  }
};

Seen seen_at(std::vector<Seen::Stop> stops, std::span<const std::uint32_t> edges);

/// Without some distances, first of all those behind further passes of an edge, and without some readings: at
/// most so many of all stops, but one of each.
Seen thinned(const Seen& seen, std::size_t stops, std::size_t readings);

/// The frequency within a `step` at which all readings agree best: they have the sharpest peak together.
double refined(const Seen& seen, double frequency, double step);

}  // namespace jcprof::engine
