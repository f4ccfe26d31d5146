// SPDX-License-Identifier: Apache-2.0
#include "src/engine/seen_times.hpp"

#include <cmath>
#include <map>
#include <utility>

#include <boost/math/tools/minima.hpp>

#include "src/engine/phases.hpp"

namespace jcprof::engine {
namespace {

std::vector<double> some_of(const std::vector<double>& values, std::size_t most) {
  return every((values.size() + most - 1) / most, values);
}

double coherence(const Seen& seen, double frequency, double until) {
  Direction sum;
  for (const Seen::Stop& stop : seen.stops)
    if (stop.at <= until)
      for (const double reading : stop.readings) sum += phase_of(reading * frequency, 1);
  return std::norm(sum);
}

}  // namespace

Seen seen_at(std::vector<Seen::Stop> stops, std::span<const std::uint32_t> edges) {
  Seen seen{.stops = std::move(stops)};
  std::map<std::uint32_t, std::size_t> numbers{{0, 0}};
  for (std::size_t s = 0; s + 1 < seen.stops.size(); ++s) {
    const double length = seen.stops[s + 1].at - seen.stops[s].at;
    if (is_missing(length)) continue;
    seen.distances.push_back({s, length, numbers.try_emplace(edges[s], numbers.size()).first->second});
  }
  seen.edges = numbers.size();
  return seen;
}

Seen thinned(const Seen& seen, std::size_t stops, std::size_t readings) {
  Seen few{
      .stops = std::vector<Seen::Stop>(seen.stops.size()), .distances = seen.distances, .edges = seen.edges};
  std::vector<bool> is_seen(seen.edges, false);
  is_seen[0] = true;
  const auto is_first = [&](const Distance& one) {
    const bool is_further = is_seen[one.edge];
    is_seen[one.edge] = true;
    return !is_further;
  };
  std::ranges::stable_partition(few.distances, is_first);
  if (few.distances.size() >= stops) few.distances.resize(std::max<std::size_t>(stops, 2) - 1);
  const std::size_t kept = std::min(stops, seen.stops.size());
  const std::size_t of_stop = std::max<std::size_t>(readings / std::max<std::size_t>(kept, 1), 1);
  for (const Distance& one : few.distances)
    for (const std::size_t s : {one.from, one.from + 1})
      if (few.stops[s].readings.empty())
        few.stops[s] = {.at = seen.stops[s].at, .readings = some_of(seen.stops[s].readings, of_stop)};
  return few;
}

/// By the readings of the first stops, then of those twice as far, and so on.
double refined(const Seen& seen, double frequency, double step) {
  constexpr double fine_steps = 4;  // that few readings may be off
  constexpr int bits = 20;          // of a number about 1, as Brent's method has it
  double first = missing;
  for (const Seen::Stop& stop : seen.stops)
    if (!is_missing(stop.at) && !(first <= stop.at)) first = stop.at;
  const double latest = seen.latest();
  double reach = step;
  double fine = step;
  for (double until = first + 2 * seen.longest();; until = first + 2 * (until - first)) {
    fine = std::min(step, 1 / (steps_per_cycle * (until - first)));
    const double middle = frequency;
    double most = coherence(seen, middle, until);
    for (int i = 0; i <= 2 * reach / fine; ++i) {
      const double off = i * fine - reach;
      const double found = coherence(seen, middle + off, until);
      if (found <= most) continue;
      most = found;
      frequency = middle + off;
    }
    reach = fine_steps * fine / 2;  // of the next, which are half as long
    if (until >= latest) break;
  }
  const auto near = [&](double steps) { return -coherence(seen, frequency + steps * fine, latest); };
  return frequency + fine * boost::math::tools::brent_find_minima(near, -1.0, 1.0, bits).first;
}

}  // namespace jcprof::engine
